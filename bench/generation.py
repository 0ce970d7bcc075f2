"""Speed of COLE's generations and of their parts: one JSON line per figure.

`generation` is a whole turn of Algorithm 1 as a run makes it; `rollout` and `update` are the two halves of its updates,
`payoff` the newcomer's row and column, `solver` phi.

    python bench/generation.py --layout cramped_room --seeds 1 5 --recipe paper
"""

import argparse
import json
from itertools import product

import jax
import jax.numpy as jnp
from timing import measure

from cole import paper, partners, simulator, trainer
from cole.kitchen import layouts
from cole.methods import cole


def parts(layout: layouts.Layout, setting: cole.Setting, seeds: int) -> dict:
    """Name -> (a function of a key, how often a generation does it)."""
    program = cole.program(layout, setting)
    state = program.start(jnp.arange(seeds, dtype=jnp.uint32))
    state, _ = program.advance(state, setting.founders.warmup)  # partners and all are in use from here on
    kept = jax.tree.map(jnp.copy, state)

    def generation(key):
        return program.advance(jax.tree.map(jnp.copy, kept), setting.founders.warmup + 1)

    policy = cole.neural(layout, setting.view, half=setting.half)
    setup = trainer.Setup(layout, policy, cole.objectives.team(setting.shaped_until), setting.batch)
    phi = jax.vmap(lambda graph: setting.solving.solver()(jax.random.key(0), graph))(kept.graph)

    def play(key, state, phi):
        alone = jax.tree.map(lambda x: x[0], state.learner)
        candidates = jax.tree.map(lambda a, b: jnp.concatenate([a, b]), state.learner.params, state.population.params)
        row = partners.ipi_mixture(phi, setting.mixture.own / setting.batch.groups)[0]
        _, games = trainer.play_all(key, setup, alone.params, [candidates], row)
        rewards = jax.vmap(jax.vmap(lambda one: setup.objective.reward(one, alone.params, alone.steps)))(games)
        return trainer.as_samples(policy, alone, games, rewards, jnp.ones(setting.batch.groups))

    def learn(key, state, samples):
        return trainer.improve(key, policy, jax.tree.map(lambda x: x[0], state.learner), samples, setting.batch)

    def pay(key, state):
        known = (layout, policy, state.population, state.graph, state.newest)
        return simulator.complete(key, *known, setting.episodes, setting.batch.steps)

    def solve(key, state):
        return setting.solving.solver()(key, state.graph)

    def keys(key):
        return jax.random.split(key, seeds)

    rollout, update, payoff, solver = (jax.jit(jax.vmap(part)) for part in (play, learn, pay, solve))
    samples = rollout(keys(jax.random.key(1)), kept, phi)
    return {
        "generation": (generation, 1),
        "rollout": (lambda key: rollout(keys(key), kept, phi), setting.updates),
        "update": (lambda key: update(keys(key), kept, samples), setting.updates),
        "payoff": (lambda key: payoff(keys(key), kept), 1),
        "solver": (lambda key: solver(keys(key), kept), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layout", nargs="+", default=["cramped_room"], choices=list(layouts.MAPS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--recipe", choices=paper.RECIPES, default="paper")
    parser.add_argument("--size", choices=paper.SIZES, default="full")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--budget", type=float, default=20.0, help="stop repeating after so many seconds per figure")
    args = parser.parse_args()
    about = {"device": jax.devices()[0].device_kind, "jax": jax.__version__, "recipe": args.recipe, "size": args.size}
    for name, seeds in product(args.layout, args.seeds):
        setting = paper.cole_(args.recipe, name, args.size)._replace(half=jax.default_backend() == "gpu")
        steps = setting.updates * setting.batch.groups * setting.batch.games * setting.batch.steps
        for what, (run, times) in parts(layouts.load(name), setting, seeds).items():
            _, seconds, *_ = measure(run, args.repeats, args.budget)
            line = {"bench": "generation", "layout": name, "seeds": seeds, "what": what, "ms": round(1e3 * seconds, 3)}
            line |= {"ms_per_generation": round(1e3 * seconds * times, 3)}
            if what == "generation":
                line |= {"env_steps_per_s": round(seeds * steps / seconds)}
                line |= {"run_s_without_compilation": round(setting.generations * seconds, 1)}
            print(json.dumps(line | about), flush=True)


if __name__ == "__main__":
    main()
