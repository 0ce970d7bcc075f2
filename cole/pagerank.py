"""Two PageRanks of a payoff matrix with dead slots: the paper's weighted one (eq:wpg) and the ordinary one."""

from collections.abc import Callable
from functools import partial
from typing import Literal

import jax
import jax.numpy as jnp
from jax.lax import Precision

Degrees = Literal["weighted", "counted"]


def pairs(alive: jax.Array) -> jax.Array:
    """[C, C] true where both strategies are alive."""
    return alive[:, None] & alive[None, :]


@jax.jit
def rescale(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    """x / scale in [-1, 1] and scale = max |x|; (0, 1) where max |x| is below the smallest normal float32.

    In two steps, so that no divisor comes near either end of float32's range.
    """
    largest = jnp.max(jnp.abs(x))
    usable = largest >= jnp.finfo(jnp.float32).tiny
    step = jnp.where(largest > 1e18, 1e-18, jnp.where(largest < 1e-18, 1e18, 1.0)).astype(jnp.float32)
    scaled = (x * step) / jnp.where(usable, largest * step, 1.0)
    return jnp.where(usable, scaled, 0.0), jnp.where(usable, largest, 1.0)


@jax.jit
def link_weights(w: jax.Array, alive: jax.Array) -> jax.Array:
    """Payoffs as link weights in [0, 1] [C, C]; 0 between dead slots.

    PageRank has no meaning for negative links: if any payoff is negative, all are lifted until the lowest is 0.
    """
    scaled, _ = rescale(jnp.where(pairs(alive), w, 0.0))
    lifted = jnp.where(pairs(alive), scaled - jnp.min(scaled), 0.0)
    return rescale(jnp.where(jnp.min(scaled) < 0.0, lifted, scaled))[0]


def ratio(a: jax.Array, b: jax.Array) -> jax.Array:
    """a / b, and 0 where b is 0."""
    return jnp.where(b > 0.0, a / jnp.where(b > 0.0, b, 1.0), 0.0)


def fixed_point(step: Callable[[jax.Array], jax.Array], start: jax.Array, limit: int = 150) -> jax.Array:
    """Iterates x <- step(x) until x moves by less than float32 can tell, or `limit` times (0.85^150 = 3e-11)."""

    def moving(carry):
        count, x, last = carry
        return (count < limit) & (jnp.max(jnp.abs(x - last)) > 1e-7 * jnp.max(jnp.abs(x)))

    def advance(carry):
        count, x, _ = carry
        return count + 1, step(x), x

    return jax.lax.while_loop(moving, advance, (1, step(start), start))[1]


@partial(jax.jit, static_argnames=("degrees", "self_loops", "zero_edges", "damping"))
def weighted_pagerank(
    w: jax.Array,
    alive: jax.Array,
    *,
    degrees: Degrees = "weighted",
    self_loops: bool = True,
    zero_edges: bool = True,
    damping: float = 0.85,
) -> jax.Array:
    """eq:wpg, as printed: sigma(u) = (1-d) + d sum_{v in B(u)} sigma(v) I_u / sum_{R(v)} I_p  O_u / sum_{R(v)} O_p.

    [C], 0 for a dead slot. Degrees I, O are sums of payoffs or counts of edges; self-loops and edges of payoff 0
    are in the graph or not. 0/0 is 0: a link to strategies without degree passes nothing on, so a strategy without
    in-edges has 1 - d.
    """
    weights = link_weights(w, alive)
    edge = pairs(alive) & (self_loops | ~jnp.eye(w.shape[0], dtype=bool)) & (zero_edges | (weights > 0.0))
    strength = jnp.where(edge, weights if degrees == "weighted" else 1.0, 0.0)
    inward, outward = jnp.sum(strength, axis=0), jnp.sum(strength, axis=1)
    linked_in = jnp.sum(jnp.where(edge, inward[None, :], 0.0), axis=1)  # [v] sum over R(v) of I
    linked_out = jnp.sum(jnp.where(edge, outward[None, :], 0.0), axis=1)
    passed = ratio(inward[:, None], linked_in[None, :]) * ratio(outward[:, None], linked_out[None, :])
    passed = jnp.where(edge.T, passed, 0.0)  # [u, v]
    floor = jnp.where(alive, 1.0 - damping, 0.0)
    return fixed_point(lambda s: floor + damping * jnp.matmul(passed, s, precision=Precision.HIGHEST), floor)


@partial(jax.jit, static_argnames=("damping",))
def pagerank(weights: jax.Array, alive: jax.Array, damping: float = 0.85) -> jax.Array:
    """Ordinary PageRank of weights >= 0, [C] summing to 1 over the live slots; dead ends link to everybody.

    This, not eq:wpg, is what the authors' code calls weighted PageRank.
    """
    live = alive.astype(jnp.float32)
    count = jnp.maximum(jnp.sum(live), 1.0)
    out = live * jnp.matmul(weights, live, precision=Precision.HIGHEST)

    def step(x):
        carried = live * jnp.matmul(ratio(x, out), weights, precision=Precision.HIGHEST)
        stuck = jnp.sum(jnp.where(out > 0.0, 0.0, x))
        return damping * (carried + live * stuck / count) + (1.0 - damping) * live / count

    return fixed_point(step, live / count)
