"""What is maximised: rewards made from what happened, and losses beside PPO's."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from cole.kitchen import game
from cole.kitchen.game import Events
from cole.policy.policy import Policy, log_probability
from cole.ppo import Samples
from cole.rollout import Rollout


class Objective(NamedTuple):
    """How a learner is paid for one game of its own, and what else it learns.

    Who pays gets the learner too, with its `steps` and its `taste` (see trainer.Learners). What is aside is another
    loss of a minibatch.
    """

    reward: Callable[[Rollout, Any, Any], Array]  # (one game, params of all learners, the learner) -> [T, R]
    aside: Callable[[Any, Samples], Array] | None = None  # (params, a minibatch) -> []


def team(shaped_until: Array | float, sparse: Events = game.SPARSE, shaped: Events = game.SHAPED) -> Objective:
    """The team's reward, and each player's own shaping, which fades linearly until `shaped_until` environment steps."""

    def reward(rollout: Rollout, params: Any, learner: Any) -> Array:
        recorded = rollout.action.shape[1]
        paid = jnp.sum(game.reward(sparse, rollout.events), axis=1, keepdims=True)
        fading = jnp.maximum(0.0, 1.0 - learner.steps / shaped_until)
        return paid + fading * game.reward(shaped, rollout.events)[:, :recorded]

    return Objective(reward)


def with_population_entropy(objective: Objective, policy: Policy, alpha: float) -> Objective:
    """MEP: the reward plus alpha times -log of what the learners together, on average, would have done.

    An action pays the more the less likely the mean policy of the population finds it.
    """

    def reward(rollout: Rollout, params: Any, learner: Any) -> Array:
        together = mean_log_policy(log_policies(policy, params, rollout))
        return objective.reward(rollout, params, learner) - alpha * together

    return objective._replace(reward=reward)


def with_trajectory_diversity(objective: Objective, policy: Policy, alpha: float, discount: float) -> Objective:
    """TrajeDi: the reward plus alpha times what each step adds to the divergence of the learners' trajectories.

    The divergence depends on the policies through the probabilities of actions and through which trajectories come
    about. In expectation over all learners the first part has no gradient: what remains is this, a reward.
    """

    def reward(rollout: Rollout, params: Any, learner: Any) -> Array:
        mine = jax.tree.map(lambda x: x[None], learner.params)
        own, each = log_policies(policy, mine, rollout)[0], log_policies(policy, params, rollout)
        told_apart = jax.vmap(partial(divergence, discount=discount), in_axes=(1, 2), out_axes=1)(own, each)
        return objective.reward(rollout, params, learner) + alpha * told_apart

    return objective._replace(reward=reward)


def log_policies(policy: Policy, params: Any, rollout: Rollout) -> Array:
    """[L, T, R]: how likely each learner finds each action of a game, as a logarithm."""

    def one(params: Any) -> Array:
        in_a_row = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), rollout.seen)
        logits, _ = policy.evaluate(params, in_a_row)
        return log_probability(logits, rollout.action.ravel()).reshape(rollout.action.shape)

    return jax.vmap(one)(params)


def mean_log_policy(each: Array) -> Array:
    """log of the mean over the first axis of probabilities given as logarithms."""
    return jax.nn.logsumexp(each, axis=0) - jnp.log(each.shape[0])


def divergence(own: Array, each: Array, discount: float) -> Array:
    """[T]: how well a trajectory tells who played it; own [T] and each [L, T] are logarithms of action probabilities.

    delta_i,t = sum over t' of discount^|t - t'| log pi_i(a_t'); the result is delta_own,t - log mean_i exp delta_i,t.
    With discount 0 single steps are compared, with 1 whole trajectories. Its mean over all learners' trajectories is
    their Jensen-Shannon divergence.
    """
    apart = jnp.abs(jnp.arange(each.shape[1])[:, None] - jnp.arange(each.shape[1])[None, :])
    near = jnp.where(apart == 0, 1.0, discount ** apart.astype(jnp.float32))

    def summed(log_policy: Array) -> Array:
        return jnp.matmul(log_policy, near, precision=jax.lax.Precision.HIGHEST)

    return summed(own) - mean_log_policy(summed(each))
