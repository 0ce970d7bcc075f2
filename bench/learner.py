"""Speed of the learning loop: one JSON line per figure.

The paper's batch, 4 groups x 30 games x 400 steps, 10 minibatches; half of the groups meet frozen strategies. `loop` is
the whole update as `trainer.train` runs it, `rollout` and `update` are its two halves alone. With `--conv` the same
loop runs with the library's convolution, as the peer. `share_of_floor` compares with the time the products alone would
take at the rates that a large product and a large copy reach in the same run.

    python bench/learner.py --layout cramped_room --seeds 1 5 16 --epochs 5 8
"""

import argparse
import json
from collections.abc import Callable
from itertools import product
from typing import get_args

import jax
import jax.numpy as jnp
from timing import measure, peaks

from cole import learning, objectives, partners, population, trainer
from cole.kitchen import layouts, views
from cole.policy import network, policy
from cole.policy.policy import NOISE, Act, Policy, neural, sample
from cole.ppo import Hyper
from cole.program import of_each

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


def setting(name: str, seeds: int, batch: learning.Batch, conv: bool, half: bool):
    """The setup; learners [seeds, 1, ...], frozen strategies [seeds, C, ...] and Phi."""
    layout = layouts.load(name)
    height, width = layout.terrain.shape
    policy = convolutional() if conv else neural(layout, half=half)

    def init(key):
        params = jax.vmap(lambda k: network.init(k, (width, height, CHANNELS)))(jax.random.split(key, 1 + CAPACITY))
        learner = jax.tree.map(lambda x: x[:1], params)
        frozen = jax.tree.map(lambda x: x[1:], params)
        alive = jnp.ones(CAPACITY, bool)
        return learning.fresh(learner, Hyper(rate=1e-3)), population.Population(frozen, alive, jnp.arange(CAPACITY))

    learners, frozen = jax.vmap(init)(jax.random.split(jax.random.key(0), seeds))
    phi = partners.ipi_mixture(jnp.full(CAPACITY, 1.0 / CAPACITY), 0.5)
    return trainer.Setup(layout, policy, objectives.team(2.5e6), batch), learners, frozen, phi


def programs(
    name: str, seeds: int, batch: learning.Batch, conv: bool, half: bool, updates: int
) -> dict[str, tuple[Callable, int]]:
    """What to time: name -> (a function of a key, updates in it)."""
    setup, learners, frozen, phi = setting(name, seeds, batch, conv, half)

    def loop(key):
        def one(key, learners, frozen):
            return trainer.train(key, setup, learners, trainer.Company(frozen, phi, jnp.ones_like(phi)), updates)

        return of_each(one)(jax.random.split(key, seeds), learners, frozen)

    def play(key, learner, frozen):
        alone = jax.tree.map(lambda x: x[0], learner)
        candidates = jax.tree.map(lambda a, b: jnp.concatenate([a, b]), learner.params, frozen.params)
        _, games = trainer.play_all(key, setup, alone.params, [candidates], phi[0])
        rewards = jax.vmap(jax.vmap(lambda one: setup.objective.reward(one, alone)))(games)
        return learning.as_samples(setup.policy, alone, games, rewards, jnp.ones(batch.groups))

    def rollout(key):
        return of_each(play)(jax.random.split(key, seeds), learners, frozen)

    samples = jax.jit(rollout)(jax.random.key(1))

    def update(key, samples):
        def one(key, learner, samples):
            alone = jax.tree.map(lambda x: x[0], learner)
            return learning.improve(key, setup.policy, alone, samples, batch)

        return of_each(one)(jax.random.split(key, seeds), learners, samples)

    improve = jax.jit(update)
    return {
        "loop": (jax.jit(loop), updates),
        "rollout": (jax.jit(rollout), 1),
        "update": (lambda key: improve(key, samples), 1),
    }


def work(name: str, batch: learning.Batch) -> dict[str, tuple[float, float]]:
    """(operations, bytes) of the two halves of one update: the least there is to do.

    Operations are nearly those of the matrix products alone. Bytes are what has to be moved if all else stays on the
    chip: a step's random numbers and what is kept of it; the samples once an epoch; weights, Adam's moments and
    gradients once a minibatch.
    """
    layout = layouts.load(name)
    height, width = layout.terrain.shape
    params = jax.eval_shape(lambda: network.init(jax.random.key(0), (width, height, CHANNELS)))

    cook, seen = neural(layout), jax.ShapeDtypeStruct((width, height), jnp.int8)
    layers, noise = jax.eval_shape(cook.prepare, params), jax.ShapeDtypeStruct((NOISE,), jnp.float32)
    counted = jax.jit(cook.act).lower(layers, seen, (), noise).cost_analysis()
    assert counted
    forward = counted["flops"]
    moments = 4 * sum(leaf.size for leaf in jax.tree.leaves(params))
    steps = batch.groups * batch.games * batch.steps
    sample = width * height + 6 * 4
    played = 3 * steps  # both cooks act; the learner's thoughts are computed once more
    trained = steps * batch.epochs
    return {
        "rollout": (forward * played, steps * (2.0 * NOISE * 4 + sample)),
        "update": (3.0 * forward * trained, trained * sample + batch.epochs * batch.minibatches * 7.0 * moments),
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
    ways = ["usual", *get_args(network.Way)]
    parser.add_argument("--way", nargs="+", choices=ways, default=["usual"], help="of computing, acting and learning")
    parts = ["loop", "rollout", "update"]
    parser.add_argument("--only", nargs="+", choices=parts, default=parts)
    args = parser.parse_args()
    limits = peaks(args.half)
    about = {"device": jax.devices()[0].device_kind, "jax": jax.__version__, "games": 4 * args.games, "half": args.half}
    print(json.dumps({"bench": "peaks"} | limits._asdict() | about), flush=True)
    usual, backend = dict(policy.WAYS), jax.default_backend()
    variants = product(args.layout, args.seeds, args.epochs, [False, True][: 1 + args.conv], args.way)
    for name, seeds, epochs, conv, way in variants:
        if conv and way != args.way[0]:
            continue  # it has one way only
        batch = learning.Batch(games=args.games, epochs=epochs)
        policy.WAYS.update(usual)
        needed = work(name, batch)
        needed["loop"] = (sum(part[0] for part in needed.values()), sum(part[1] for part in needed.values()))
        if way != "usual":
            policy.WAYS[backend] = policy.Ways(way, way)
        timed = programs(name, seeds, batch, conv, args.half, args.updates)
        for what in args.only:
            run, updates = timed[what]
            first, seconds, *_ = measure(run, args.repeats, args.budget)
            each = seconds / updates
            floor = seeds * max(needed[what][0] / limits.operations_per_s, needed[what][1] / limits.bytes_per_s)
            steps = seeds * 4 * args.games * batch.steps
            line = {"bench": "learner", "layout": name, "seeds": seeds, "epochs": epochs, "conv": conv, "way": way}
            line |= {"what": what, "ms_per_update": round(1e3 * each, 3), "first_call_s": round(first, 1)}
            line |= {"env_steps_per_s": round(steps / each), "trained_samples_per_s": round(steps * epochs / each)}
            line |= {"share_of_floor": round(floor / each, 3)}
            print(json.dumps(line | about), flush=True)


if __name__ == "__main__":
    main()
