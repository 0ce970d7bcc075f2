"""What a coalition of strategies is worth, and each member's Shapley value of it: enumerated, exact, sampled (eq:SV).

Everything here starts from S [C, C], the value of every pair, of which a coalition is worth the mean.
"""

import itertools
import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from cole.graph import generation
from cole.pagerank import pairs


@jax.jit
def coalition_value(s: jax.Array, member: jax.Array) -> jax.Array:
    """v(C) = E_{i~C, j~C} sigma(i) sigma(j) w(i, j): mean of S over the coalition, 0 for the empty one."""
    size = jnp.sum(member)
    return jnp.sum(jnp.where(pairs(member), s, 0.0)) / jnp.maximum(size * size, 1)


def shapley_exact_enumerated(s) -> np.ndarray:
    """eq:SV word for word: the mean over all n! orders of v(P + i) - v(P), in float64; for tests, n <= 8."""
    s = np.asarray(s, np.float64)
    n = len(s)
    if n > 8:
        raise ValueError(f"{n}! orders are too many to enumerate; use shapley_exact")
    total = np.zeros(n)
    for order in itertools.permutations(range(n)):
        worth = 0.0
        for size in range(1, n + 1):
            members = list(order[:size])
            joined = s[np.ix_(members, members)].mean()
            total[order[size - 1]] += joined - worth
            worth = joined
    return total / math.factorial(n)


@jax.jit
def shapley_exact(s: jax.Array, alive: jax.Array) -> jax.Array:
    """eq:SV exactly, in O(n^2): SV(i) = v(N)/n + a (S_ii - mean S_jj) + b (R_i - mean R_j), [C].

    R_i = sum_{j != i} (S_ij + S_ji). Why: in a random order, i comes after s of its m = n - 1 others with the same
    chance for every s = 0..m, and any one of them is among the s with chance p = s/m, any two with q = p (s-1)/(m-1).
    So before i comes, the coalition holds p A + q B on average, A and B being what the others alone have on and off
    the diagonal; i adds S_ii + p R_i and turns the divisor s^2 into (s+1)^2. A falls by S_ii and B by R_i as i leaves
    sums over everybody, so SV(i) is linear in S_ii and R_i with coefficients a and b of n alone, and its constant is
    known since the values sum to v(N). Collecting terms over s, with H = sum_{k<=n} 1/k and H2 = sum_{k<=n} 1/k^2,
        a = (n H2 - 1/n) / (n m),   b = (H - H2 + (2H - 2 H2 - 1 + 1/n) / (m - 1)) / (n m).
    At n = 1 both brackets above vanish, at n = 2 the second one does, so the guarded denominators do not matter.
    """
    n = jnp.sum(alive).astype(jnp.float32)
    k = jnp.arange(1.0, s.shape[0] + 1.0)
    h = jnp.sum(jnp.where(k <= n, 1.0 / k, 0.0))
    h2 = jnp.sum(jnp.where(k <= n, 1.0 / (k * k), 0.0))
    m, m1 = jnp.maximum(n - 1.0, 1.0), jnp.maximum(n - 2.0, 1.0)
    a = (n * h2 - 1.0 / n) / (n * m)
    b = (h - h2 + (2.0 * h - 2.0 * h2 - 1.0 + 1.0 / n) / m1) / (n * m)
    s = jnp.where(pairs(alive), s, 0.0)
    own = jnp.diagonal(s)
    cross = jnp.sum(s, axis=0) + jnp.sum(s, axis=1) - 2.0 * own
    sv = coalition_value(s, alive) / n + a * (own - jnp.sum(own) / n) + b * (cross - jnp.sum(cross) / n)
    return jnp.where(alive, sv, 0.0)


@partial(jax.jit, static_argnames=("count",))
def sample_orders(key: jax.Array, alive: jax.Array, count: int) -> jax.Array:
    """Algorithm 2, line 4: [K, C] uniform permutations pi, as the place of each live strategy; C for a dead slot."""

    def one(key):
        return generation(alive, jax.random.permutation(key, alive.shape[0]))

    return jax.vmap(one)(jax.random.split(key, count))


@jax.jit
def marginal_contributions(s: jax.Array, place: jax.Array) -> jax.Array:
    """Algorithm 2, lines 7 and 9: [C] v(P + i) - v(P) for every i, P the predecessors of i in the order `place`."""
    capacity = s.shape[0]
    before = place[None, :] < place[:, None]
    brought = jnp.diagonal(s) + jnp.sum(jnp.where(before, s + s.T, 0.0), axis=1)
    total = jnp.cumsum(jnp.zeros(capacity).at[place].set(brought, mode="drop"))
    size = jnp.arange(1.0, capacity + 1.0)
    value = total / (size * size)
    marginal = jnp.diff(value, prepend=0.0)
    return jnp.take(marginal, place, mode="fill", fill_value=0.0)


@partial(jax.jit, static_argnames=("permutations",))
def shapley_sampled(key: jax.Array, s: jax.Array, alive: jax.Array, permutations: int) -> jax.Array:
    """Algorithm 2, lines 2 to 11: [C] the mean of the marginal contributions over sampled orders."""
    places = sample_orders(key, alive, permutations)
    s = jnp.where(pairs(alive), s, 0.0)
    return jnp.mean(jax.lax.map(lambda place: marginal_contributions(s, place), places, batch_size=64), axis=0)
