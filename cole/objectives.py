"""What is maximised: rewards made from what happened, and losses beside PPO's."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array

from cole.kitchen import game
from cole.kitchen.game import Events
from cole.rollout import Rollout


class Objective(NamedTuple):
    """How a learner is paid."""

    reward: Callable[[Rollout, Any, Array], Array]  # (one game, params of all learners, steps so far) -> [T, R]


def team(shaped_until: Array | float, sparse: Events = game.SPARSE, shaped: Events = game.SHAPED) -> Objective:
    """The team's reward, and each player's own shaping, which fades linearly until `shaped_until` environment steps."""

    def reward(rollout: Rollout, params: Any, steps: Array) -> Array:
        recorded = rollout.action.shape[1]
        paid = jnp.sum(game.reward(sparse, rollout.events), axis=1, keepdims=True)
        fading = jnp.maximum(0.0, 1.0 - steps / shaped_until)
        return paid + fading * game.reward(shaped, rollout.events)[:, :recorded]

    return Objective(reward)
