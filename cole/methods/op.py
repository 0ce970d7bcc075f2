"""Other-Play (Hu et al., 2020): self-play in which the partner sees the world through one of its symmetries.

The idea: conventions that break a symmetry of the game cannot be shared with strangers, who may break it the other way.
If the partner's world is mirrored at random, such conventions do not pay.
Pseudo-code: find the mirrors and turns that map the kitchen onto itself; in every game draw one, or none; the learner's
partner is the learner itself, but sees the kitchen moved by it, and its actions are moved back.
Our choices: symmetries are found from the map, the starts included, which may be swapped. None of the paper's five
kitchens has one (a mirror of the cramped room swaps dishes and hatch): there Other-Play is self-play, and says so.
"""

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array

from cole import numbers, solo, stages
from cole.config.training import Learning, LearningOptions, Run, RunOptions
from cole.kitchen.game import State
from cole.kitchen.layouts import Layout
from cole.kitchen.symmetries import Symmetry, back, moved, symmetries
from cole.method import Method, Ready
from cole.policy.policy import Act, Policy, neural


@dataclass(frozen=True)
class Options:
    """Other-Play: self-play with a partner that sees the kitchen mirrored, where the kitchen has a symmetry."""

    run: Run = field(default_factory=RunOptions)
    learning: Learning = field(default_factory=LearningOptions)
    steps: int | None = None
    """Environment steps of each seed."""


class Memory(NamedTuple):
    """Which symmetry this game has, and what the policy remembers."""

    which: Array  # [] int32; -1 before the first step
    own: Any


def through(policy: Policy, found: list[Symmetry]) -> Policy:
    """The policy in a world moved by a symmetry that is drawn once a game; as likely by none."""
    returning = jnp.stack([jnp.arange(6), *(jnp.asarray(back(one)) for one in found)])  # [1 + symmetries, A]

    def view(layout: Layout, state: State, seat: int | Array) -> Array:
        worlds = [state, *(moved(one, state) for one in found)]
        return jnp.stack([policy.view(layout, world, seat) for world in worlds])

    def act(params: Any, seen: Array, memory: Memory, noise: Array) -> Act:
        drawn = jnp.floor(noise[-1] * len(returning)).astype(jnp.int32)
        which = jnp.where(memory.which < 0, drawn, memory.which)
        inside = policy.act(params, seen[which], memory.own, noise)
        action = returning[which, inside.action].astype(jnp.int32)
        return inside._replace(action=action, memory=Memory(which, inside.memory))

    return policy._replace(view=view, act=act, memory=lambda: Memory(jnp.int32(-1), policy.memory()))


def prepare(asked: Options, layout: Layout) -> Ready:
    """A run of Other-Play."""
    steps = stages.budget(asked, layout, numbers.SELF_PLAY_STEPS[numbers.kitchen_of(layout)])
    setting = stages.one(asked, layout, steps)
    found = symmetries(layout)
    disguise = through(neural(layout, setting.view, half=setting.half), found) if found else None
    if not found and asked.run.recipe == "default":  # as self-play does
        setting = setting._replace(batch=replace(setting.batch, both_seats=True))
    says = "" if found else "this kitchen has no symmetry, so Other-Play is self-play here"
    return Ready(setting, solo.program(layout, setting, disguise=disguise), notice=says)


METHOD = Method(Options, prepare)
