"""One learner from beginning to end, which several methods share: with itself, with itself in disguise, or with guests.

Guests are partners of any kind: agents on disk, cloned people, scripted cooks. A learner may go over from itself to
them: both then have groups of their own, whose weights change, until only guests are met.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from cole import learning, objectives, partners, population, trainer
from cole.kitchen.layouts import Layout
from cole.learning import Batch, Learners
from cole.policy import kinds
from cole.policy.policy import Policy
from cole.ppo import Hyper, Samples, between
from cole.program import Program, of_each
from cole.trainer import Company, Guests, Setup


class Setting(NamedTuple):
    """Everything that decides a run, beside kitchen, seeds and guests."""

    hyper: Hyper
    hyper_end: Hyper
    batch: Batch  # its groups are those with itself
    shaped_until: float  # environment steps
    rounds: int
    updates: int = 10  # of a round
    guest_groups: int = 0  # groups with each kind of guest
    alone_until: float = 0.0  # environment steps until which only games with itself count
    mixed_until: float = 0.0  # and from which only guests are met; in between, in a straight line
    err: float = 0.0  # share of random actions of the partner where it is the learner itself
    view: str = "grid"
    half: bool = False


class Kind(NamedTuple):
    """Guests that act alike."""

    policy: Policy
    params: Any  # [B, ...] each


class State(NamedTuple):
    """What changes; one seed."""

    key: Array
    learner: Learners  # [1, ...]


def program(
    layout: Layout,
    setting: Setting,
    guests: Sequence[Kind] = (),
    disguise: Policy | None = None,
    aside: Callable[[Any, Samples], Array] | None = None,
) -> Program:
    """One learner in one kitchen; `disguise` is how it acts opposite itself, `aside` a loss of what else it learns."""
    policy = kinds.policy_for(layout, setting.view, half=setting.half)
    team = objectives.team(setting.shaped_until, shaping=setting.batch.shaping)._replace(aside=aside)
    counts = [trainer.count_of(kind.params) for kind in guests]

    @jax.jit  # one small program, where each line would be one
    def whom() -> Company:
        nobody = population.empty(jax.eval_shape(lambda: kinds.init(jax.random.key(0), layout, setting.view)), 0)
        alike = [jnp.full((1, n), 1.0 / n) for n in counts]
        phi = jnp.concatenate([partners.self_play(1, nobody.alive), *alike], axis=1)
        errs = jnp.zeros((phi.shape[1], 2)).at[0, 1].set(setting.err) if setting.err else None
        return Company(nobody, phi, jnp.ones_like(phi), distraction=errs)

    company = whom()._replace(guests=jax.device_put(tuple(kind.params for kind in guests)))

    def setup_of(own: int, each: int) -> Setup:
        others = tuple(Guests(kind.policy, each) for kind in guests)
        return Setup(layout, policy, team, replace(setting.batch, groups=own), others, disguise)

    # As long as games with itself count, and when they do not any more: its groups then go to the guests.
    mixed = setup_of(setting.batch.groups, setting.guest_groups)
    kinds_of_guests = max(len(guests), 1)
    responding = setup_of(0, setting.guest_groups + setting.batch.groups // kinds_of_guests) if guests else mixed
    env_steps = setting.updates * mixed.env_steps()

    def start(seed: Array) -> State:
        key, init_key = jax.random.split(jax.random.key(seed))
        params = kinds.init(init_key, layout, setting.view)
        return State(key, learning.fresh(jax.tree.map(lambda x: x[None], params), setting.hyper))

    def advance(setup: Setup, state: State, done: Array) -> tuple[State, dict[str, Array]]:
        hyper = between(setting.hyper, setting.hyper_end, done / max(setting.rounds - 1, 1))
        alone = share_alone(setting, state.learner.steps[0])
        both = bool(guests) and setup.batch.groups > 0
        mine = company._replace(weights=shares(company.phi, alone, setup)) if both else company
        key = jax.random.fold_in(state.key, done)
        learner, log = trainer.train(key, setup, learning.tuned(state.learner, hyper), mine, setting.updates)
        return State(state.key, learner), jax.tree.map(lambda x: x[:, 0], log)

    @jax.jit
    def agents(state: State) -> Any:
        return jax.tree.map(lambda x: x[:, 0], state.learner.params)

    every_seed = [
        jax.jit(of_each(partial(advance, setup), (0, None)), donate_argnums=0) for setup in (mixed, responding)
    ]
    changes = math.ceil(setting.mixed_until / env_steps) if guests else math.inf  # from this round on, only guests
    return Program(
        rounds=setting.rounds,
        env_steps=env_steps,
        start=jax.jit(of_each(start)),
        advance=lambda state, done: every_seed[done >= changes](state, jnp.int32(done)),
        agents=agents,
        strategies=agents,
        changes=(int(changes),) if 0 < changes < setting.rounds else (),
    )


def shares(phi: Array, alone: Array, setup: Setup) -> Array:
    """[1, N]: what a group with each counts, so that those with itself count `alone` and those with guests the rest."""
    others = sum(kind.groups for kind in setup.guests)
    return jnp.full(phi.shape, (1.0 - alone) / others).at[0, 0].set(alone / setup.batch.groups)


def share_alone(setting: Setting, steps: Array) -> Array:
    """How much games with itself count now: 1 at first, 0 at last."""
    between_them = max(setting.mixed_until - setting.alone_until, 1.0)
    return jnp.clip((setting.mixed_until - steps) / between_them, 0.0, 1.0)
