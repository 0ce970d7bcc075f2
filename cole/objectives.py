"""What is maximised: rewards made from what happened, and losses beside PPO's."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from cole.kitchen import game
from cole.kitchen.game import Events
from cole.policy.policy import Policy, log_probability
from cole.ppo import Samples
from cole.rollout import Rollout


class Objective(NamedTuple):
    """How a learner is paid for its games, and what else it learns.

    Who pays gets the learner too, with its `steps` and its `taste` (see learning.Learners). What is paid `among`
    learners comes on top and depends on all of them. What is aside is another loss of a minibatch.
    """

    reward: Callable[[Rollout, Any], Array]  # (one game, the learner) -> [T, R]
    aside: Callable[[Any, Samples], Array] | None = None  # (params, a minibatch) -> []
    among: Callable[[Any, Rollout], Array] | None = None  # (params [L], games [L, G, E] of each) -> [L, G, E, T, R]


def team(
    shaped_until: Array | float,
    sparse: Events = game.SPARSE,
    shaped: Events = game.SHAPED,
    shaping: Literal["own", "team"] = "own",
) -> Objective:
    """The team's reward and shaping, which fades linearly until `shaped_until` environment steps.

    Shaping is for what a player does itself (`own`), or for what anybody does, as in 2019 (`team`).
    """

    def reward(rollout: Rollout, learner: Any) -> Array:
        recorded = rollout.action.shape[1]
        paid = jnp.sum(game.reward(sparse, rollout.events), axis=1, keepdims=True)
        fading = jnp.maximum(0.0, 1.0 - learner.steps / shaped_until)
        steps = game.reward(shaped, rollout.events)  # [T, S]
        if shaping == "team":
            steps = jnp.broadcast_to(jnp.sum(steps, axis=1, keepdims=True), steps.shape)
        return paid + fading * steps[:, :recorded]

    return Objective(reward)


def with_population_entropy(objective: Objective, policy: Policy, alpha: float, beside: int = 0) -> Objective:
    """MEP: the reward plus alpha times -log of what the learners together, on average, would have done.

    An action pays the more the less likely the mean policy of the population finds it. The first learners, so many as
    are `beside` the population, neither count nor are paid.
    """

    assert objective.among is None, "nothing else may be paid among the learners"

    def among(params: Any, games: Rollout) -> Array:
        params, games = jax.tree.map(lambda x: x[beside:], (params, games))
        paid = -alpha * mean_log_policy(log_policies(policy, params, games))
        return jnp.concatenate([jnp.zeros((beside, *paid.shape[1:])), paid])

    return objective._replace(among=among)


def with_trajectory_diversity(objective: Objective, policy: Policy, alpha: float, discount: float) -> Objective:
    """TrajeDi: the reward plus alpha times what each step adds to the divergence of the learners' trajectories.

    The divergence depends on the policies through the probabilities of actions and through which trajectories come
    about. In expectation over all learners the first part has no gradient where whole trajectories are compared, with a
    discount of 1, and little else (docs/paper.md): what remains is this, a reward.
    """

    assert objective.among is None, "nothing else may be paid among the learners"

    def among(params: Any, games: Rollout) -> Array:
        each = jnp.moveaxis(log_policies(policy, params, games), -2, -1)  # [L, L, G, E, R, T]: by whom, of whose game
        learners = jnp.arange(each.shape[0])
        return alpha * jnp.moveaxis(divergence(each[learners, learners], each, discount), -1, -2)

    return objective._replace(among=among)


def log_policies(policy: Policy, params: Any, rollout: Rollout) -> Array:
    """[L, ..., T, R]: how likely each learner finds each action of games [...], as a logarithm."""
    in_a_row = jax.tree.map(lambda x: x.reshape(-1, *x.shape[rollout.action.ndim :]), rollout.seen)

    def one(params: Any) -> Array:
        logits, _ = policy.evaluate(params, in_a_row)
        return log_probability(logits, rollout.action.ravel()).reshape(rollout.action.shape)

    return jax.vmap(one)(params)


def mean_log_policy(each: Array) -> Array:
    """log of the mean over the first axis of probabilities given as logarithms."""
    return jax.nn.logsumexp(each, axis=0) - jnp.log(each.shape[0])


def divergence(own: Array, each: Array, discount: float) -> Array:
    """[..., T]: how well a trajectory tells who played it, by logarithms of action probabilities.

    Those of its own player are own [..., T], those of every learner each [L, ..., T].

    delta_i,t = sum over t' of discount^|t - t'| log pi_i(a_t'); the result is delta_own,t - log mean_i exp delta_i,t.
    With discount 0 single steps are compared, with 1 whole trajectories. Its mean over all learners' trajectories is
    their Jensen-Shannon divergence.
    """
    steps = jnp.arange(own.shape[-1])
    apart = jnp.abs(steps[:, None] - steps[None, :])
    near = jnp.where(apart == 0, 1.0, discount ** apart.astype(jnp.float32))

    def summed(log_policy: Array) -> Array:
        return jnp.matmul(log_policy, near, precision=jax.lax.Precision.HIGHEST)

    return summed(own) - mean_log_policy(summed(each))
