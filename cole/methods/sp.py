"""Self-play: one learner meets itself until it plays well with itself, and often with nobody else.

Pseudo-code: repeat: play both seats of many games with the current policy; improve it by PPO.
Our choices: the learner takes the seats in turn and learns from its own seat, as in 2019, or from both; games may begin
in random mid-game states, which is a cheap way to see more of the kitchen.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from cole import objectives, partners, population, trainer
from cole.kitchen.layouts import Layout
from cole.policy import network
from cole.policy.policy import neural
from cole.ppo import Hyper
from cole.trainer import Batch, Learners

CHANNELS = 20  # of the grid view


class Setting(NamedTuple):
    """Everything that decides a run, beside the seeds."""

    hyper: Hyper
    batch: Batch
    shaped_until: float  # environment steps after which shaping has faded
    updates: int
    chunk: int = 10  # updates between two reports


class Progress(NamedTuple):
    """What is known after each chunk of updates; P seeds."""

    updates: int
    steps: int  # environment steps of each seed
    learners: Learners  # [P, 1, ...]
    log: dict[str, np.ndarray]  # [P, chunk, 1, ...] each


class Program(NamedTuple):
    """Self-play in one kitchen, compiled once for each number of seeds."""

    setting: Setting
    start: Callable[[Array], Learners]  # keys [P] -> learners [P, 1, ...]
    advance: Callable[[Array, Learners], tuple[Learners, dict[str, Array]]]  # a chunk of updates of every seed


def program(layout: Layout, setting: Setting) -> Program:
    """Everything that does not depend on the seeds."""
    height, width = layout.terrain.shape
    policy, objective = neural(layout), objectives.team(setting.shaped_until)
    nobody = population.empty(network.init(jax.random.key(0), (width, height, CHANNELS)), 0)
    phi = partners.self_play(1, nobody.alive)
    even = jnp.ones_like(phi)

    def start(key: Array) -> Learners:
        params = network.init(key, (width, height, CHANNELS))
        return trainer.fresh(jax.tree.map(lambda x: x[None], params), setting.hyper)

    def advance(key: Array, learner: Learners) -> tuple[Learners, dict[str, Array]]:
        return trainer.train(key, layout, policy, learner, nobody, phi, even, objective, setting.batch, setting.chunk)

    return Program(setting, jax.jit(jax.vmap(start)), jax.jit(jax.vmap(advance), donate_argnums=1))


def run(program: Program, seeds: Array) -> Iterator[Progress]:
    """Trains one learner per seed [P], all at once, and reports after every chunk."""
    setting = program.setting
    keys = jax.vmap(jax.random.key)(seeds)
    learners = program.start(keys)
    for done in range(0, setting.updates, setting.chunk):
        learners, log = program.advance(jax.vmap(jax.random.fold_in, (0, None))(keys, 1 + done), learners)
        updates = done + setting.chunk
        # The next chunk writes over these learners: what is handed out is a copy on the host.
        yield Progress(updates, updates * setting.batch.env_steps(), *jax.device_get((learners, log)))
