"""The game graph of a population: payoffs, who prefers whom, how central each strategy is (Sections 3 and 4.1).

Everything works on a fixed capacity C of which only the `alive` slots count, in any places, so that a growing
population compiles once; the values on live slots equal those of the graph without the dead ones.
"""

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp
from jax.lax import Precision

from cole.pagerank import pagerank, pairs, rescale

Seats = Literal["mean", "ordered"]
Ties = Literal["earliest", "latest"]
Centrality = Callable[[jax.Array, jax.Array], jax.Array]

NOBODY = -1  # stands in `preferred` for the partner of a dead slot, or of a strategy that is alone


class GameGraph(NamedTuple):
    """Def. 4.1, graphic-form game: nodes are strategies, the edge (i, j) weighs what i earns with j."""

    by_seat: jax.Array  # [C, C] mean return with i in seat 0 and j in seat 1
    sum_squares: jax.Array  # [C, C] sum over those episodes of the squared return
    episodes: jax.Array  # [C, C] how many episodes were played
    alive: jax.Array  # [C] bool


def empty_graph(capacity: int) -> GameGraph:
    """A graph with room for `capacity` strategies and nobody in it."""
    zeros = jnp.zeros((capacity, capacity), jnp.float32)
    return GameGraph(zeros, zeros, jnp.zeros((capacity, capacity), jnp.int32), jnp.zeros(capacity, bool))


def graph_of_payoffs(by_seat, alive=None) -> GameGraph:
    """The graph of a finished payoff matrix [C, C], each entry counted as one episode."""
    by_seat = jnp.asarray(by_seat, jnp.float32)
    alive = jnp.ones(by_seat.shape[0], bool) if alive is None else jnp.asarray(alive, bool)
    return GameGraph(by_seat, by_seat * by_seat, jnp.ones(by_seat.shape, jnp.int32), alive)


@partial(jax.jit, static_argnames=("seats",))
def payoff(graph: GameGraph, seats: Seats = "mean") -> jax.Array:
    """w [C, C], the payoff matrix M of Def. 4.1; 0 where a slot is dead.

    `mean`: mean of both starting positions, as the paper writes; a seat never played is left out of it.
    `ordered`: row strategy in seat 0, as its authors' solver has it.
    """
    played = (graph.episodes > 0) & pairs(graph.alive)
    first = jnp.where(played, graph.by_seat, 0.0)
    if seats == "ordered":
        return first
    both = played.astype(jnp.float32) + played.T.astype(jnp.float32)
    share = 1.0 / jnp.maximum(both, 1.0)
    return share * first + share * first.T


@jax.jit
def standard_error(graph: GameGraph) -> jax.Array:
    """[C, C] standard error of each `by_seat` entry; infinite below two episodes."""
    episodes = graph.episodes.astype(jnp.float32)
    squares = graph.sum_squares / jnp.maximum(episodes, 1.0) - graph.by_seat * graph.by_seat
    error = jnp.sqrt(jnp.maximum(squares, 0.0) / jnp.maximum(episodes - 1.0, 1.0))
    return jnp.where(episodes >= 2.0, error, jnp.inf)


# ---------------------------------------------------------------------------------------------- preference graph


@jax.jit
def generation(alive: jax.Array, order: jax.Array | None = None) -> jax.Array:
    """[C] place of each live strategy in time, 0 the earliest; C for a dead slot.

    `order` is anything that grows with birth; without it slots are in order of birth. Equal entries: lower slot first.
    """
    capacity = alive.shape[0]
    slots = jnp.arange(capacity)
    by_age = jnp.lexsort((slots if order is None else order, ~alive))
    place = jnp.zeros(capacity, slots.dtype).at[by_age].set(slots)
    return jnp.where(alive, place, capacity)


@partial(jax.jit, static_argnames=("ties", "itself"))
def preferred(
    w: jax.Array,
    alive: jax.Array,
    order: jax.Array | None = None,
    *,
    ties: Ties = "earliest",
    itself: bool = False,
) -> jax.Array:
    """Def. 4.2, preference graph: [C] slot of each strategy's best partner, its only out-edge; NOBODY if none.

    E' = {(i, argmax_j w(i, j)) : j != i}. Among equals the earliest born is kept, so that a newcomer has to be
    better to be preferred. `ties="latest"` with `itself=True` is what the authors' code does.
    """
    capacity = w.shape[0]
    candidate = pairs(alive) & (itself | ~jnp.eye(capacity, dtype=bool))
    best = jnp.max(jnp.where(candidate, w, -jnp.inf), axis=1, keepdims=True)
    tied = candidate & (w == best)
    place = generation(alive, order)
    key = place if ties == "earliest" else capacity - place
    chosen = jnp.argmin(jnp.where(tied, key[None, :], 2 * capacity), axis=1)
    return jnp.where(jnp.any(tied, axis=1), chosen, NOBODY)


@jax.jit
def preference_history(w: jax.Array, alive: jax.Array, order: jax.Array | None = None) -> jax.Array:
    """Sub-preference graphs (Section 4.1): [C, C], row t is `preferred` among the first t + 1 strategies.

    Rows from the n-th on, and strategies not yet born, are NOBODY.
    """
    place, slots = generation(alive, order), jnp.arange(w.shape[0])
    rows = jax.lax.map(lambda t: preferred(w, alive & (place <= t), order), slots)
    return jnp.where((slots < jnp.sum(alive))[:, None], rows, NOBODY)


def adjacency(chosen: jax.Array) -> jax.Array:
    """[C, C] 1.0 where the preference graph has the edge (i, chosen[i])."""
    return jax.nn.one_hot(chosen, chosen.shape[0], dtype=jnp.float32)


# ------------------------------------------------------------------------------------------------- centralities


def in_degree(chosen: jax.Array, alive: jax.Array) -> jax.Array:
    """norm(d) = I / (n - 1): share of the others that prefer a strategy (App. C).

    Capped at 1, which only matters if strategies may prefer themselves.
    """
    others = jnp.maximum(jnp.sum(alive) - 1.0, 1.0)
    return jnp.minimum(jnp.sum(adjacency(chosen), axis=0) / others, 1.0)


def preference_pagerank(chosen: jax.Array, alive: jax.Array) -> jax.Array:
    """norm(d) = ordinary PageRank on the preference graph divided by its largest value."""
    d = pagerank(adjacency(chosen), alive)
    return d / jnp.max(d)


def closeness(chosen: jax.Array, alive: jax.Array) -> jax.Array:
    """norm(d) = incoming closeness: (r / (n - 1)) / (mean distance of the r strategies that lead to it)."""
    capacity = chosen.shape[0]
    following = jnp.where(chosen == NOBODY, capacity, chosen)
    follow = jnp.append(following, capacity)  # the extra slot swallows those who follow nobody

    def walk(carry, steps):
        at, distance = carry
        at = follow[at]
        reached = jax.nn.one_hot(at, capacity, dtype=bool) & jnp.isinf(distance)
        return (at, jnp.where(reached, steps, distance)), None

    start = (jnp.arange(capacity), jnp.where(jnp.eye(capacity, dtype=bool), 0.0, jnp.inf))
    (_, distance), _ = jax.lax.scan(walk, start, jnp.arange(1.0, capacity))
    reach = jnp.sum(jnp.isfinite(distance), axis=0) - 1.0
    total = jnp.sum(jnp.where(jnp.isfinite(distance), distance, 0.0), axis=0)
    others = jnp.maximum(jnp.sum(alive) - 1.0, 1.0)
    return reach * reach / (others * jnp.maximum(total, 1.0))


CENTRALITIES: dict[str, Centrality] = {
    "in_degree": in_degree,
    "pagerank": preference_pagerank,
    "closeness": closeness,
}


@partial(jax.jit, static_argnames=("centrality",))
def preference_centrality(chosen: jax.Array, alive: jax.Array, centrality: Centrality = in_degree) -> jax.Array:
    """Def. 4.3: eta(i) = 1 - norm(d_i) [C]; 0 is preferred by all others, 1 by nobody.

    1 also for a dead slot, and for a strategy that is alone, where in-degree would be 0/0.
    """
    return jnp.where(alive & (jnp.sum(alive) > 1), 1.0 - centrality(chosen, alive), 1.0)


@partial(jax.jit, static_argnames=("centrality",))
def preference_centrality_matrix(
    w: jax.Array, alive: jax.Array, order: jax.Array | None = None, centrality: Centrality = in_degree
) -> jax.Array:
    """Figures 1, 2 and 6: [C, C], row t is eta among the first t + 1 strategies; 1 for those not yet born."""
    place, slots = generation(alive, order), jnp.arange(w.shape[0])

    def row(t):
        born = alive & (place <= t)
        return preference_centrality(preferred(w, born, order), born, centrality)

    rows = jax.lax.map(row, slots)
    return jnp.where((slots < jnp.sum(alive))[:, None], rows, 1.0)


@partial(jax.jit, static_argnames=("ties",))
def rank(eta: jax.Array, alive: jax.Array, ties: Literal["best", "worst"] = "best") -> jax.Array:
    """R(eta) of eq:oracle_approx as its text reads: [C] 1 for the lowest eta; top k is rank <= k.

    Equal eta share the best (1 + how many are lower) or the worst (how many are not higher) of their places.
    A dead slot gets C + 1.
    """
    lower = (eta[None, :] < eta[:, None]) if ties == "best" else (eta[None, :] <= eta[:, None])
    places = jnp.sum(lower & alive[None, :], axis=1) + (1 if ties == "best" else 0)
    return jnp.where(alive, places, eta.shape[0] + 1)


# ---------------------------------------------------------------------------------------------------- gamescape


@jax.jit
def gamescape(w: jax.Array, mixtures: jax.Array) -> jax.Array:
    """Empirical gamescape (Section 3): the points [K, C] of it that `mixtures` [K, C] of the rows of M make."""
    return jnp.matmul(mixtures, w, precision=Precision.HIGHEST)


def gamescape_spread(w: jax.Array, alive: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Singular values [C] of the rows of M about their mean, in units of the largest payoff; and that payoff."""
    scaled, scale = rescale(jnp.where(pairs(alive), w, 0.0))
    centre = jnp.sum(scaled, axis=0, keepdims=True) / jnp.maximum(jnp.sum(alive), 1)
    centred = jnp.where(pairs(alive), scaled - centre, 0.0)
    return jnp.linalg.svd(centred, compute_uv=False), scale


@jax.jit
def gamescape_dimension(w: jax.Array, alive: jax.Array) -> jax.Array:
    """Dimension of the gamescape's hull: how many directions its rows span, beyond float32 rounding."""
    spread, _ = gamescape_spread(w, alive)
    rounding = jnp.sum(alive) * jnp.finfo(jnp.float32).eps * jnp.maximum(spread[0], 1.0)
    return jnp.sum(spread > rounding)


@partial(jax.jit, static_argnames=("unit",))
def gamescape_volume(w: jax.Array, alive: jax.Array, unit: float = 1.0) -> jax.Array:
    """A proxy for the log of the hull's volume: 1/2 sum log(1 + (s / unit)^2) over its singular values s.

    A direction much thinner than `unit`, in payoff, adds nothing, so the proxy is 0 for equal rows and never -inf.
    """
    spread, scale = gamescape_spread(w, alive)
    log_s = jnp.log(jnp.where(spread > 0.0, spread, 1.0)) + jnp.log(scale) - jnp.log(unit)
    return 0.5 * jnp.sum(jnp.where(spread > 0.0, jnp.logaddexp(0.0, 2.0 * log_s), 0.0))
