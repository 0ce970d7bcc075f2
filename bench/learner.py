"""Speed of the learning loop: one JSON line per figure.

The paper's batch, 4 groups x 30 games x 400 steps, 10 minibatches; half of the groups meet frozen strategies. `loop` is
the whole update as `trainer.train` runs it, `rollout` and `update` are its two halves alone. With `--conv` the same
loop runs with the library's convolution, as the peer.

    python bench/learner.py --layout cramped_room --seeds 1 5 16 --epochs 5 8
"""

import argparse
import json
from collections.abc import Callable

import jax
import jax.numpy as jnp
from timing import measure

from cole import objectives, partners, population, trainer
from cole.kitchen import layouts, views
from cole.policy import network
from cole.policy.policy import Act, Policy, neural, sample
from cole.ppo import Hyper

CHANNELS, CAPACITY = 20, 8


def convolutional() -> Policy:
    """The same network through lax.conv."""
    coded = views.CODED["grid"]

    def evaluate(params, seen):
        x = views.rows(coded.table, seen).astype(jnp.float32)
        for name, _, same in network.CONVOLUTIONS:
            order = ("NHWC", "HWIO", "NHWC")
            padding = "SAME" if same else "VALID"
            x = jax.lax.conv_general_dilated(x, params[name]["w"], (1, 1), padding, dimension_numbers=order)
            x = jax.nn.leaky_relu(x + params[name]["b"], network.SLOPE)
        x = x.reshape(x.shape[0], -1)
        for name in network.DENSE:
            x = jax.nn.leaky_relu(x @ params[name]["w"] + params[name]["b"], network.SLOPE)
        logits, value = (x @ params[name]["w"] + params[name]["b"] for name in ("logits", "value"))
        return logits, value[:, 0]

    def act(params, seen, memory, noise):
        logits, value = evaluate(params, seen[None])
        return Act(sample(logits[0], noise), logits[0], value[0], memory)

    return Policy(coded.codes, act, evaluate=evaluate)


def setting(name: str, seeds: int, conv: bool, half: bool):
    """Layout, policy, learners [seeds, 1, ...], frozen population [seeds, C, ...], Phi and weights."""
    layout = layouts.load(name)
    height, width = layout.terrain.shape
    policy = convolutional() if conv else neural(layout, half=half)

    def init(key):
        params = jax.vmap(lambda k: network.init(k, (width, height, CHANNELS)))(jax.random.split(key, 1 + CAPACITY))
        learner = jax.tree.map(lambda x: x[:1], params)
        frozen = jax.tree.map(lambda x: x[1:], params)
        alive = jnp.ones(CAPACITY, bool)
        return trainer.fresh(learner, Hyper(rate=1e-3)), population.Population(frozen, alive, jnp.arange(CAPACITY))

    learners, frozen = jax.vmap(init)(jax.random.split(jax.random.key(0), seeds))
    phi = partners.ipi_mixture(jnp.full(CAPACITY, 1.0 / CAPACITY), 0.5)
    return layout, policy, learners, frozen, phi


def operations(name: str, batch: trainer.Batch) -> float:
    """Fewest multiply-adds x 2 of one update, as dense layers: two cooks act, then forward and backward per epoch."""
    height, width = layouts.load(name).terrain.shape
    cells, inner = width * height, (width - 2) * (height - 2)
    wide = cells * CHANNELS * cells * 25 + (cells * 25) ** 2 + cells * 25 * inner * 25
    one = 2 * (wide + inner * 25 * 64 + 2 * 64 * 64 + 64 * 7)
    return batch.env_steps() * one * (2 + 3 * batch.epochs)


def programs(
    name: str, seeds: int, batch: trainer.Batch, conv: bool, half: bool, updates: int
) -> dict[str, tuple[Callable, int]]:
    """What to time: name -> (a function of a key, updates in it)."""
    layout, policy, learners, frozen, phi = setting(name, seeds, conv, half)
    objective = objectives.team(2.5e6)

    def loop(key):
        def one(key, learners, frozen):
            even = jnp.ones_like(phi)
            return trainer.train(key, layout, policy, learners, frozen, phi, even, objective, batch, updates)

        return jax.vmap(one)(jax.random.split(key, seeds), learners, frozen)

    def play(key, learner, frozen):
        alone = jax.tree.map(lambda x: x[0], learner)
        candidates = jax.tree.map(lambda a, b: jnp.concatenate([a, b]), learner.params, frozen.params)
        _, games = trainer.play_groups(key, layout, policy, alone.params, candidates, phi[0], batch)
        rewards = jax.vmap(jax.vmap(lambda one: objective.reward(one, learner.params, alone.steps)))(games)
        return trainer.as_samples(games, rewards, jnp.ones(batch.groups), alone.hyper)

    def rollout(key):
        return jax.vmap(play)(jax.random.split(key, seeds), learners, frozen)

    samples = jax.jit(rollout)(jax.random.key(1))

    def update(key, samples):
        def one(key, learner, samples):
            alone = jax.tree.map(lambda x: x[0], learner)
            return trainer.improve(key, policy, alone, samples, batch)

        return jax.vmap(one)(jax.random.split(key, seeds), learners, samples)

    improve = jax.jit(update)
    return {
        "loop": (jax.jit(loop), updates),
        "rollout": (jax.jit(rollout), 1),
        "update": (lambda key: improve(key, samples), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layout", nargs="+", default=["cramped_room"], choices=list(layouts.MAPS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--epochs", nargs="+", type=int, default=[5])
    parser.add_argument("--games", type=int, default=30, help="games per group")
    parser.add_argument("--updates", type=int, default=10, help="updates in one call of the loop")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--budget", type=float, default=20.0, help="stop repeating after so many seconds per figure")
    parser.add_argument("--half", action="store_true", help="multiply in bfloat16")
    parser.add_argument("--conv", action="store_true", help="also with lax.conv")
    parts = ["loop", "rollout", "update"]
    parser.add_argument("--only", nargs="+", choices=parts, default=parts)
    args = parser.parse_args()
    about = {"device": jax.devices()[0].device_kind, "jax": jax.__version__, "games": 4 * args.games, "half": args.half}
    for name in args.layout:
        for seeds in args.seeds:
            for epochs in args.epochs:
                for conv in (False, True) if args.conv else (False,):
                    batch = trainer.Batch(games=args.games, epochs=epochs)
                    timed = programs(name, seeds, batch, conv, args.half, args.updates)
                    for what in args.only:
                        run, updates = timed[what]
                        first, seconds, *_ = measure(run, args.repeats, args.budget)
                        each = seconds / updates
                        line = {"bench": "learner", "layout": name, "seeds": seeds, "epochs": epochs, "conv": conv}
                        line |= {"what": what, "ms_per_update": round(1e3 * each, 3), "first_call_s": round(first, 1)}
                        line |= {"env_steps_per_s": round(seeds * batch.env_steps() / each)}
                        line |= {"trained_samples_per_s": round(seeds * batch.samples(2) * epochs / each)}
                        line |= {"tflop_per_s": round(seeds * operations(name, batch) / each / 1e12, 3)}
                        print(json.dumps(line | about), flush=True)


if __name__ == "__main__":
    main()
