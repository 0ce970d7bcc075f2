"""Self-play: one learner meets itself until it plays well with itself, and often with nobody else.

Pseudo-code: repeat: play both seats of many games with the current policy; improve it by PPO.
Our choices: the learner takes the seats in turn and learns from its own seat, as in 2019, or from both; games may begin
in random mid-game states, which is a cheap way to see more of the kitchen.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from cole import objectives, partners, population, trainer
from cole.kitchen.layouts import Layout
from cole.policy import network
from cole.policy.policy import neural
from cole.ppo import Hyper, between
from cole.program import Program
from cole.trainer import Batch, Company, Learners, Setup


class Setting(NamedTuple):
    """Everything that decides a run, beside kitchen and seeds."""

    hyper: Hyper  # at the beginning
    hyper_end: Hyper  # at the end; in between, in a straight line
    batch: Batch
    shaped_until: float  # environment steps after which shaping has faded
    rounds: int
    updates: int = 10  # of a round
    view: str = "grid"
    half: bool = False  # compute in bfloat16


class State(NamedTuple):
    """What changes; one seed."""

    key: Array
    learner: Learners  # [1, ...]


def program(layout: Layout, setting: Setting) -> Program:
    """Self-play in one kitchen."""
    shape = network.shape_of(layout, setting.view)
    policy = neural(layout, setting.view, half=setting.half)
    setup = Setup(layout, policy, objectives.team(setting.shaped_until), setting.batch)
    nobody = population.empty(jax.eval_shape(lambda: network.init(jax.random.key(0), shape)), 0)
    phi = partners.self_play(1, nobody.alive)
    company = Company(nobody, phi, jnp.ones_like(phi))

    def start(seed: Array) -> State:
        key, init_key = jax.random.split(jax.random.key(seed))
        params = network.init(init_key, shape)
        return State(key, trainer.fresh(jax.tree.map(lambda x: x[None], params), setting.hyper))

    def advance(state: State, done: Array) -> tuple[State, dict[str, Array]]:
        hyper = between(setting.hyper, setting.hyper_end, done / max(setting.rounds - 1, 1))
        learner = trainer.tuned(state.learner, hyper)
        learner, log = trainer.train(jax.random.fold_in(state.key, done), setup, learner, company, setting.updates)
        return State(state.key, learner), jax.tree.map(lambda x: x[:, 0], log)

    def agents(state: State) -> Any:
        return jax.tree.map(lambda x: x[:, 0], state.learner.params)

    every_seed = jax.jit(jax.vmap(advance, in_axes=(0, None)), donate_argnums=0)
    return Program(
        rounds=setting.rounds,
        env_steps=setting.updates * setup.env_steps(),
        start=jax.jit(jax.vmap(start)),
        advance=lambda state, done: every_seed(state, jnp.int32(done)),
        agents=agents,
        strategies=agents,
    )
