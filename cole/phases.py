"""What a generation of COLE spends its time on: its parts, each compiled by itself as the whole has them.

`generation` is a whole turn of Algorithm 1 as a run makes it; `rollout` and `update` are the two halves of its updates,
`payoff` the newcomer's row and column, `solver` phi.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from cole import learning, partners, simulator, trainer
from cole.kitchen.layouts import Layout
from cole.methods import cole
from cole.methods.cole import Setting, State
from cole.oracle import distraction
from cole.ppo import Samples
from cole.program import Program, of_each

Part = tuple[Callable[[Array], Any], int]  # a function of a key, and how often a generation does it


def parts(layout: Layout, setting: Setting, program: Program, seeds: int) -> dict[str, Part]:
    """The parts by name; of a population as large as it may get, since empty slots play too."""
    state = program.start(jnp.arange(seeds, dtype=jnp.uint32))
    state, _ = program.advance(state, setting.founders.warmup)  # partners and all are in use from here on
    kept = jax.tree.map(jnp.copy, state)
    kitchen = cole.kitchen_for(layout, setting)
    setup = kitchen.setup

    def play(key: Array, state: State, phi: Array) -> Samples:
        alone = jax.tree.map(lambda x: x[0], state.learner)
        candidates = jax.tree.map(lambda a, b: jnp.concatenate([a, b]), state.learner.params, state.population.params)
        row = partners.ipi_mixture(phi, setting.mixture.own / setting.batch.groups)[0]
        absent = distraction(setting.mixture, phi.shape[0])
        _, games = trainer.play_all(key, setup, alone.params, [candidates], row, absent)
        rewards = jax.vmap(jax.vmap(lambda one: setup.objective.reward(one, alone)))(games)
        return learning.as_samples(setup.policy, alone, games, rewards, jnp.ones(setting.batch.groups))

    def learn(key: Array, state: State, samples: Samples) -> Any:
        return learning.improve(key, setup.policy, jax.tree.map(lambda x: x[0], state.learner), samples, setting.batch)

    def pay(key: Array, state: State) -> Any:
        known = (layout, setup.policy, state.population, state.graph, state.newest)
        return simulator.complete(key, *known, *cole.games(setting))

    def keys(key: Array) -> Array:
        return jax.random.split(key, seeds)

    every = (play, learn, pay, lambda key, state: kitchen.solve(key, state.graph))
    rollout, update, payoff, solver = (jax.jit(of_each(part)) for part in every)
    phi = solver(keys(jax.random.key(0)), kept)
    samples = rollout(keys(jax.random.key(1)), kept, phi)
    return {
        "generation": (lambda key: program.advance(jax.tree.map(jnp.copy, kept), setting.founders.warmup + 1), 1),
        "rollout": (lambda key: rollout(keys(key), kept, phi), setting.updates),
        "update": (lambda key: update(keys(key), kept, samples), setting.updates),
        "payoff": (lambda key: payoff(keys(key), kept), 1),
        "solver": (lambda key: solver(keys(key), kept), 1),
    }


def seconds(part: Part, repeats: int = 5) -> float:
    """What a part takes of one generation: the median of some calls, after one that compiles."""
    run, times = part
    jax.block_until_ready(run(jax.random.key(0)))
    taken = []
    for seed in range(repeats):
        began = time.perf_counter()
        jax.block_until_ready(run(jax.random.key(seed)))
        taken.append(time.perf_counter() - began)
    return times * statistics.median(taken)


def breakdown(layout: Layout, setting: Setting, program: Program, seeds: int) -> dict[str, float]:
    """Milliseconds of a generation, and of its parts in it."""
    each = parts(layout, setting, program, seeds)
    return {name: round(1e3 * seconds(part), 3) for name, part in each.items()}
