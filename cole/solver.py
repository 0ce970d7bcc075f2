"""The cooperative incompatibility solver: from a game graph to phi, the chance of meeting each strategy (Section 5).

Every solver has the signature (key, GameGraph) -> phi [C] with phi >= 0, sum 1 and 0 on dead slots; options are
keyword arguments, bound with `functools.partial`. Payoffs are divided by their largest magnitude first: phi does not
depend on their unit, and no finite payoff can overflow.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import jax
import jax.numpy as jnp
from jax.lax import Precision

from cole.coalition import sample_orders, shapley_exact, shapley_sampled
from cole.graph import GameGraph, Seats, payoff
from cole.pagerank import Degrees, link_weights, pagerank, pairs, ratio, rescale, weighted_pagerank

Solver = Callable[[jax.Array, GameGraph], jax.Array]


@dataclass(frozen=True)
class Sigma:
    """How sigma, the unpopularity of a strategy on the game graph, is made from its weighted PageRank."""

    invert: Literal["reciprocal", "softmax", "one"] = "reciprocal"
    """1/x as the paper says, softmax(-x / temperature), or no sigma at all."""
    temperature: float = 0.1
    """Temperature of the softmax."""
    degrees: Degrees = "weighted"
    """Degrees in eq:wpg are sums of payoffs, or counts of edges."""
    self_loops: bool = True
    """Whether a strategy's payoff with itself is an edge."""
    zero_edges: bool = True
    """Whether a payoff of 0 is an edge."""


@dataclass(frozen=True)
class Inversion:
    """How a low score (Shapley value, mean payoff) becomes a high probability."""

    rule: Literal["linear", "softmax"] = "linear"
    """(1 - phi) / sum(1 - phi) as Algorithm 2 prints it, or softmax(-score / norm2(score) / temperature)."""
    temperature: float = 0.1
    """Temperature of the softmax; 0.1 is the authors' factor of 10."""


@dataclass(frozen=True)
class Exploration:
    """How SUCG pulls phi towards strategies seldom met."""

    c: float = 1.0
    """Weight of the bonus; the paper gives no value, its authors use 1. It may be an array."""
    bonus: Literal["printed", "normalised"] = "printed"
    """The bonus of eq:SUCG as printed, or divided by its Euclidean norm as the authors do."""
    reset: bool = False
    """Whether visits start from 0 in every generation, as the authors do."""


SIGMA, SOFTMAX_SIGMA, NO_SIGMA = Sigma(), Sigma("softmax"), Sigma("one")
LINEAR, SOFTMAX = Inversion(), Inversion("softmax")
EXPLORATION = Exploration()


# ---------------------------------------------------------------------------------------------- value of a pair


def masked_softmax(x: jax.Array, alive: jax.Array) -> jax.Array:
    """softmax over the live slots [C], 0 elsewhere."""
    return jnp.where(alive, jax.nn.softmax(jnp.where(alive, x, -jnp.inf)), 0.0)


@partial(jax.jit, static_argnames=("sigma",))
def unpopularity(w: jax.Array, alive: jax.Array, sigma: Sigma = SIGMA) -> jax.Array:
    """sigma (Section 5.1): [C] the inverse of the weighted PageRank on the whole game graph; 0 for a dead slot."""
    if sigma.invert == "one":
        return alive.astype(jnp.float32)
    popularity = weighted_pagerank(
        w, alive, degrees=sigma.degrees, self_loops=sigma.self_loops, zero_edges=sigma.zero_edges
    )
    if sigma.invert == "softmax":
        return masked_softmax(-popularity / sigma.temperature, alive)
    return ratio(jnp.ones_like(popularity), popularity)


@partial(jax.jit, static_argnames=("sigma",))
def pair_values(w: jax.Array, alive: jax.Array, sigma: Sigma = SIGMA) -> jax.Array:
    """S_ij = sigma(i) sigma(j) w(i, j) [C, C], the summand of v; 0 where a slot is dead."""
    unpopular = unpopularity(w, alive, sigma)
    return jnp.where(pairs(alive), unpopular[:, None] * unpopular[None, :] * w, 0.0)


# ------------------------------------------------------------------------------------ from scores to probabilities


@jax.jit
def normalise(score: jax.Array, alive: jax.Array) -> jax.Array:
    """Algorithm 2, line 12: phi / sum phi [C].

    Line 13 inverts every share up to 1, also a negative one. Where one would be above 1, or the sum is not above 0, all
    scores are first lifted alike, until the highest share is 1; where nothing is left then, shares are equal.
    """
    score, _ = rescale(jnp.where(alive, score, 0.0))
    count = jnp.sum(alive)
    highest = jnp.max(jnp.where(alive, score, -jnp.inf))
    lift = jnp.maximum(0.0, (highest - jnp.sum(score)) / jnp.maximum(count - 1, 1))
    lifted = jnp.where(alive, score + lift, 0.0)
    total = jnp.sum(lifted)
    return jnp.where(total > 0.0, ratio(lifted, total), alive / jnp.maximum(count, 1))


@jax.jit
def invert_linear(share: jax.Array, alive: jax.Array) -> jax.Array:
    """Algorithm 2, line 13: (1 - phi) / sum(1 - phi) [C]; a single strategy keeps its 1."""
    rest = jnp.where(alive, jnp.maximum(1.0 - share, 0.0), 0.0)
    return jnp.where(jnp.sum(alive) > 1, ratio(rest, jnp.sum(rest)), alive.astype(jnp.float32))


@jax.jit
def invert_softmax(score: jax.Array, alive: jax.Array, temperature: float) -> jax.Array:
    """The authors' inversion: softmax(-score / norm2(score) / temperature) [C]; equal where all scores are 0."""
    score, _ = rescale(jnp.where(alive, score, 0.0))
    return masked_softmax(-ratio(score, jnp.linalg.norm(score)) / temperature, alive)


def incompatibility(score: jax.Array, alive: jax.Array, inversion: Inversion = LINEAR) -> jax.Array:
    """phi (Section 5.1): [C] the cooperative incompatible distribution, high where the score is low."""
    if inversion.rule == "softmax":
        return invert_softmax(score, alive, inversion.temperature)
    return invert_linear(normalise(score, alive), alive)


def scaled_payoff(graph: GameGraph, seats: Seats = "mean") -> jax.Array:
    """The payoff matrix divided by its largest magnitude [C, C]."""
    return rescale(payoff(graph, seats))[0]


# -------------------------------------------------------------------------------------------------------- solvers


@partial(jax.jit, static_argnames=("seats", "sigma", "inversion"))
def shapley(
    key: jax.Array, graph: GameGraph, *, seats: Seats = "mean", sigma: Sigma = SIGMA, inversion: Inversion = LINEAR
) -> jax.Array:
    """The graphic Shapley value, exact: what Algorithm 2 tends to with ever more permutations."""
    del key
    s = pair_values(scaled_payoff(graph, seats), graph.alive, sigma)
    return incompatibility(shapley_exact(s, graph.alive), graph.alive, inversion)


@partial(jax.jit, static_argnames=("permutations", "seats", "sigma", "inversion"))
def graphic_shapley_value(
    key: jax.Array,
    graph: GameGraph,
    *,
    permutations: int = 200,
    seats: Seats = "mean",
    sigma: Sigma = SIGMA,
    inversion: Inversion = LINEAR,
) -> jax.Array:
    """Algorithm 2 as printed: the graphic Shapley value from sampled permutations."""
    s = pair_values(scaled_payoff(graph, seats), graph.alive, sigma)
    return incompatibility(shapley_sampled(key, s, graph.alive, permutations), graph.alive, inversion)


@jax.jit
def authors_coalition_value(w: jax.Array, links: jax.Array, member: jax.Array, temperature: float = 0.1) -> jax.Array:
    """v(C) in the authors' code: mean over i of the sigma-weighted mean over j of w(i, j), not below 0.

    sigma = softmax(-PageRank / temperature), the ordinary PageRank of the coalition alone (`links`, `link_weights`).
    """
    unpopular = masked_softmax(-pagerank(links, member) / temperature, member)
    earned = jnp.matmul(w, unpopular, precision=Precision.HIGHEST)
    return jnp.maximum(jnp.sum(jnp.where(member, earned, 0.0)) / jnp.maximum(jnp.sum(member), 1), 0.0)


def authors_shapley(key: jax.Array, w: jax.Array, alive: jax.Array, permutations: int, clip: bool = True) -> jax.Array:
    """The authors' Shapley estimate [C]: sampled orders, negative marginal contributions counted as 0 (`clip`)."""
    links, sizes = link_weights(w, alive), jnp.arange(w.shape[0])

    def one(place):
        value = jax.lax.map(lambda size: authors_coalition_value(w, links, place <= size), sizes)
        gain = jnp.diff(value, prepend=0.0)
        return jnp.take(jnp.maximum(gain, 0.0) if clip else gain, place, mode="fill", fill_value=0.0)

    return jnp.mean(jax.lax.map(one, sample_orders(key, alive, permutations), batch_size=200), axis=0)


@partial(jax.jit, static_argnames=("permutations", "clip", "seats", "inversion"))
def authors(
    key: jax.Array,
    graph: GameGraph,
    *,
    permutations: int = 200,
    clip: bool = True,
    seats: Seats = "ordered",
    inversion: Inversion = SOFTMAX,
) -> jax.Array:
    """The solver of the authors' released code: PageRank in every coalition, clipping, softmax inversion."""
    score = authors_shapley(key, scaled_payoff(graph, seats), graph.alive, permutations, clip)
    return incompatibility(score, graph.alive, inversion)


@partial(jax.jit, static_argnames=("itself",))
def mean_payoff(w: jax.Array, alive: jax.Array, itself: bool = False) -> jax.Array:
    """[C] mean payoff of each strategy with the others, or with all; alone, it is with itself."""
    others = pairs(alive) & (itself | ~jnp.eye(w.shape[0], dtype=bool) | (jnp.sum(alive) == 1))
    return jnp.sum(jnp.where(others, w, 0.0), axis=1) / jnp.maximum(jnp.sum(others, axis=1), 1)


@partial(jax.jit, static_argnames=("seats", "itself", "inversion"))
def returns(
    key: jax.Array, graph: GameGraph, *, seats: Seats = "mean", itself: bool = False, inversion: Inversion = LINEAR
) -> jax.Array:
    """COLE_R: mean payoff with the others in place of the Shapley value."""
    del key
    return incompatibility(mean_payoff(scaled_payoff(graph, seats), graph.alive, itself), graph.alive, inversion)


@jax.jit
def uniform(key: jax.Array, graph: GameGraph) -> jax.Array:
    """Every live strategy alike."""
    del key
    return graph.alive / jnp.maximum(jnp.sum(graph.alive), 1)


@partial(jax.jit, static_argnames=("seats", "itself"))
def worst(key: jax.Array, graph: GameGraph, *, seats: Seats = "mean", itself: bool = False) -> jax.Array:
    """All mass on the strategy of lowest mean payoff with the others; among equals, on the lowest slot."""
    del key
    score = mean_payoff(scaled_payoff(graph, seats), graph.alive, itself)
    lowest = jnp.argmin(jnp.where(graph.alive, score, jnp.inf))
    return jax.nn.one_hot(lowest, graph.alive.shape[0]) * graph.alive


SOLVERS: dict[str, Solver] = {
    "shapley": shapley,
    "shapley_sampled": graphic_shapley_value,
    "authors": authors,
    "returns": returns,
    "uniform": uniform,
    "worst": worst,
}


# ----------------------------------------------------------------------------------------------- who is drawn next


def sucg_value(phi: jax.Array, visits: jax.Array, alive: jax.Array, exploration: Exploration = EXPLORATION):
    """eq:SUCG: phi(u) + c sqrt(sum N) / (1 + N(u)) [C]; 0 for a dead slot, whose visits do not count."""
    visits = jnp.where(alive, visits, 0).astype(jnp.float32)
    bonus = jnp.where(alive, jnp.sqrt(jnp.sum(visits)) / (1.0 + visits), 0.0)
    if exploration.bonus == "normalised":
        bonus = ratio(bonus, jnp.linalg.norm(bonus))
    return phi + exploration.c * bonus


def sucg(phi: jax.Array, visits: jax.Array, alive: jax.Array, exploration: Exploration = EXPLORATION) -> jax.Array:
    """The SUCG values as the probabilities [C] with which teammates are drawn; 0 if nobody is alive."""
    value = sucg_value(phi, visits, alive, exploration)
    return ratio(value, jnp.sum(value))


def visits_at_start(visits: jax.Array, exploration: Exploration = EXPLORATION) -> jax.Array:
    """Visits [C] with which a generation starts."""
    return jnp.zeros_like(visits) if exploration.reset else visits


@jax.jit
def effective_number(probabilities: jax.Array) -> jax.Array:
    """Perplexity exp(entropy): with how many equally likely partners a draw is as uncertain; n if uniform."""
    p = probabilities / jnp.sum(probabilities)
    return jnp.exp(-jnp.sum(jnp.where(p > 0.0, p * jnp.log(jnp.where(p > 0.0, p, 1.0)), 0.0)))
