"""Proximal policy optimisation as array maths: advantages and the loss."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array


class Hyper(NamedTuple):
    """What a learner may be tuned in while it learns: arrays, so that a population can differ in them."""

    rate: Array | float  # Adam's step
    clip: Array | float = 0.05  # of the probability ratio, and of the value's change
    discount: Array | float = 0.99  # gamma
    trace: Array | float = 0.98  # lambda of the advantages
    value: Array | float = 0.5  # weight of the value loss
    entropy: Array | float = 0.0  # weight of the entropy bonus
    gradient: Array | float = 0.1  # largest norm of a gradient
    epochs: Array | float = 5.0  # times the samples are gone through, where a batch leaves that to the learner


def between(first: Hyper, last: Hyper, progress: Array | float) -> Hyper:
    """On the straight line from the first (progress 0) to the last (1)."""
    return Hyper(*(a + progress * (b - a) for a, b in zip(first, last, strict=True)))


class Samples(NamedTuple):
    """What the loss needs of each step [n, ...]."""

    seen: Any
    action: Array
    log_probability: Array  # of the action, when it was taken
    value: Array  # as estimated then
    advantage: Array
    target: Array  # what the value should have been
    weight: Array  # how much the step counts
    partner: Any = ()  # what the partner did, where that is learned from


def gae(rewards: Array, values: Array, last: Array, discount: Array | float, trace: Array | float) -> Array:
    """Generalised advantages [T, ...]: A_t = sum_k (gamma lambda)^k d_{t+k}, d_t = r_t + gamma v_{t+1} - v_t.

    `last` [...] is the value after the last step: 0 where the game ended there. One triangular matrix product.
    """
    following = jnp.concatenate([values[1:], last[None]])
    delta = rewards + discount * following - values
    ahead = jnp.arange(len(delta))[None, :] - jnp.arange(len(delta))[:, None]
    weights = jnp.where(ahead >= 0, (discount * trace) ** jnp.maximum(ahead, 0), 0.0)
    return jnp.tensordot(weights, delta, axes=1, precision=jax.lax.Precision.HIGHEST)


def normalised(samples: Samples) -> Samples:
    """A minibatch whose weights have sum 1, and its advantages, so weighted, mean 0 and deviation 1."""
    weight = samples.weight / jnp.maximum(jnp.sum(samples.weight), 1e-8)
    centred = samples.advantage - jnp.sum(weight * samples.advantage)
    deviation = jnp.sqrt(jnp.sum(weight * centred**2))
    return samples._replace(advantage=centred / (deviation + 1e-8), weight=weight)


def ppo_loss(
    log_probabilities: Array, values: Array, samples: Samples, hyper: Hyper, clip_value: bool = True
) -> tuple[Array, dict[str, Array]]:
    """The clipped surrogate loss of new log-probabilities [n, A] and values [n], and what to log of it.

    The samples are a minibatch, `normalised`.
    """
    advantage = samples.advantage
    chosen = jax.nn.one_hot(samples.action, log_probabilities.shape[1], dtype=jnp.float32)
    log_ratio = jnp.sum(log_probabilities * chosen, axis=1) - samples.log_probability
    ratio = jnp.exp(log_ratio)
    clipped = jnp.clip(ratio, 1.0 - hyper.clip, 1.0 + hyper.clip)
    error = (values - samples.target) ** 2
    if clip_value:
        near = samples.value + jnp.clip(values - samples.value, -hyper.clip, hyper.clip)
        error = jnp.maximum(error, (near - samples.target) ** 2)
    each = {
        "policy_loss": -jnp.minimum(advantage * ratio, advantage * clipped),
        "value_loss": 0.5 * error,
        "entropy": -jnp.sum(jnp.exp(log_probabilities) * log_probabilities, axis=1),
        "kl": ratio - 1.0 - log_ratio,
        "clipped": (jnp.abs(ratio - 1.0) > hyper.clip).astype(jnp.float32),
    }
    sums = jnp.sum(samples.weight[None] * jnp.stack(list(each.values())), axis=1)  # all at once: one kernel of a GPU
    log = dict(zip(each, sums, strict=True))
    loss = log["policy_loss"] + hyper.value * log["value_loss"] - hyper.entropy * log["entropy"]
    return loss, log
