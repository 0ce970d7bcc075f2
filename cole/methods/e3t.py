"""E3T, Efficient End-to-End Training (Yan et al., 2023): self-play with a partner that errs, and a guess of what it
does.

The idea: one learner and no population. Its partner is itself, but does something random now and then, so that the
learner meets more of the kitchen; and a small network learns to predict the partner's next action from the last few
states, which lets the policy adapt to whom it has before it.
Pseudo-code: repeat: play with oneself, whose actions are random with chance e; improve by PPO, and the guess by its
cross-entropy.
Our choices: e = .3; the last five states of both cooks as what the guess looks at, from which its partner's actions can
be told; the guess is six more inputs of the last layer, and PPO does not change it. Self-play's budget. Without the
guess the thing is called noisy self-play (`--guess 0` leaves it unlearned).
"""

from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import optax
from jax import Array

from cole import numbers, options, solo, stages
from cole.config.training import Learning, LearningOptions, Run, RunOptions
from cole.errors import UserError
from cole.kitchen.layouts import Layout
from cole.method import Method, Ready
from cole.policy import foreseeing
from cole.ppo import Samples


@dataclass(frozen=True)
class Options:
    """E3T: self-play with a partner that errs, and a network that guesses what the partner does next."""

    run: Run = field(default_factory=RunOptions)
    learning: Learning = field(default_factory=LearningOptions)
    steps: int | None = None
    """Environment steps of each seed."""
    err: float = 0.3
    """Share of the partner's actions that are random."""
    guess: float = 1.0
    """Weight of the loss by which the guess is learned; 0: never, which is noisy self-play."""


def surprise(params: Any, part: Samples) -> Array:
    """The cross-entropy of what partners did, by the guess."""
    seen, past = part.seen
    logits = jax.vmap(lambda cooks, past: foreseeing.guess(params, cooks, past))(seen.cooks, past)
    return jnp.sum(part.weight * optax.softmax_cross_entropy_with_integer_labels(logits, part.partner))


def prepare(asked: Options, layout: Layout) -> Ready:
    """A run of E3T."""
    if asked.learning.view or len(layout.start) != 2:
        raise UserError("E3T is for two cooks, and sees the grid and the past: leave --view out")
    steps = stages.budget(asked, layout, numbers.SELF_PLAY_STEPS[numbers.kitchen_of(layout)])
    err = options.within("err", asked.err, least=0, most=1)
    weight = options.within("guess", asked.guess, least=0)
    setting = stages.one(asked, layout, steps)._replace(err=err, view=foreseeing.VIEW)
    program = solo.program(layout, setting, aside=lambda params, part: weight * surprise(params, part))
    return Ready(setting, program, "" if weight else "noisy-self-play", {"guess": weight})


METHOD = Method(Options, prepare)
