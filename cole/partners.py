"""Who sits opposite: rows of Phi [L, N], each learner's chance of meeting every candidate, and how groups are drawn.

The N = L + C candidates are the live learners, then the slots of the frozen population.
"""

import jax
import jax.numpy as jnp
from jax import Array


def self_play(learners: int, alive: Array) -> Array:
    """Everybody meets itself."""
    return jnp.eye(learners, learners + alive.shape[0])


def among_learners(learners: int, alive: Array) -> Array:
    """Every live learner alike, oneself included."""
    return jnp.concatenate([jnp.full((learners, learners), 1.0 / learners), jnp.zeros((learners, alive.shape[0]))], 1)


def hardest_first(returns: Array, power: float = 3.0) -> Array:
    """MEP's priorities [C]: a chance is the rank of 1 / return, from 1, the best partner, upwards, to a power.

    Equals share a rank, and no rank is left out after them: where nothing is earned with anybody all are met alike.
    """
    higher, alike = returns[None, :] > returns[:, None], returns[None, :] == returns[:, None]
    rank = 1.0 + jnp.sum(jnp.where(higher, 1.0 / jnp.sum(alike, axis=1), 0.0), axis=1)  # equals together count once
    return rank**power / jnp.sum(rank**power)


def ipi_mixture(phi: Array, share: Array | float) -> Array:
    """The mixture of eq:obj for one learner [1, 1 + C]: itself with chance `share`, a/(a+b), else by phi [C]."""
    return jnp.concatenate([jnp.full((1, 1), share), ((1.0 - share) * phi)[None]], axis=1)


def draw_groups(key: Array, row: Array, groups: int) -> Array:
    """[G] candidates, by stratified sampling: whoever has probability m/G is drawn m times, for certain."""
    points = (jnp.arange(groups) + jax.random.uniform(key)) / groups
    reached = jnp.cumsum(row) / jnp.sum(row)
    # A point can pass the last cumulative sum by rounding; the last possible candidate takes it.
    last = row.shape[0] - 1 - jnp.argmax(row[::-1] > 0)
    return jnp.minimum(jnp.sum(points[:, None] >= reached[None, :], axis=1), last)
