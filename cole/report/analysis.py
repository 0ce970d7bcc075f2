"""What a payoff matrix says of each strategy and of all together, in the paper's terms."""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from cole import graph as gg
from cole import solver
from cole.coalition import shapley_exact

COLUMNS = (  # of strategies.csv; jit returns them sorted
    *("self_play", "mean_payoff", "preferred", "in_degree", "eta", "rank"),
    *("weighted_pagerank", "sigma", "shapley", "phi"),
)


@partial(jax.jit, static_argnames=("centrality", "sigma", "inversion"))
def by_strategy(
    w: jax.Array, alive: jax.Array, centrality: str, sigma: solver.Sigma, inversion: solver.Inversion
) -> dict[str, jax.Array]:
    """Everything known of each strategy, by column [n]."""
    scaled, scale = solver.rescale(w)
    chosen = gg.preferred(w, alive)
    eta = gg.preference_centrality(chosen, alive, gg.CENTRALITIES[centrality])
    shapley = shapley_exact(solver.pair_values(scaled, alive, sigma), alive)
    return {
        "self_play": jnp.diagonal(w),
        "mean_payoff": scale * solver.mean_payoff(scaled, alive),
        "preferred": chosen,
        "in_degree": jnp.sum(gg.adjacency(chosen), axis=0).astype(int),
        "eta": eta,
        "rank": gg.rank(eta, alive),
        "weighted_pagerank": solver.weighted_pagerank(w, alive),
        "sigma": solver.unpopularity(w, alive, sigma),
        "shapley": scale * shapley,
        "phi": solver.incompatibility(shapley, alive, inversion),
    }


def max_over_min(values: np.ndarray) -> float | None:
    """Largest over smallest; None, which JSON calls null, if the smallest is 0."""
    lowest = float(values.min())
    return float(values.max()) / lowest if lowest > 0.0 else None


def summary_of(w: jax.Array, alive: jax.Array, payoffs: np.ndarray, columns: dict[str, np.ndarray]) -> dict[str, Any]:
    """What is known of the population as a whole, whose payoffs [n, n] have the row strategy in seat 0."""
    sigma, phi = columns["sigma"], columns["phi"]
    return {
        "strategies": len(payoffs),
        "symmetric": bool((payoffs == payoffs.T).all()),
        "mean_payoff": float(np.asarray(w, np.float64).mean()),
        "newest_eta": float(columns["eta"][-1]),
        "effective_partners": float(solver.effective_number(jnp.asarray(phi))),
        "phi_max_over_min": max_over_min(phi),
        "sigma_max_over_min": max_over_min(sigma),
        "gamescape_dimension": int(gg.gamescape_dimension(w, alive)),
        "gamescape_log_volume": float(gg.gamescape_volume(w, alive)),
    }


class Newest(NamedTuple):
    """Each of n strategies at the time it was the newest; NaN for the first, which had no predecessor."""

    with_itself: np.ndarray  # [n] payoff
    with_predecessors: np.ndarray  # [n] mean payoff
    in_edges: np.ndarray  # [n] share of its predecessors that prefer it, 1 - eta by in-degree


def when_newest(w: np.ndarray, history: np.ndarray) -> Newest:
    """What payoffs w [n, n] and sub-preference graphs [n, n] (row t: of the first t + 1) say of newcomers."""
    times = range(1, len(w))
    payoff = [w[t, :t].mean(dtype=np.float64) for t in times]
    share = [np.mean(history[t, :t] == t) for t in times]
    return Newest(np.diagonal(w), np.array([np.nan, *payoff]), np.array([np.nan, *share]))


def how_often(in_edges: np.ndarray) -> dict[str, float]:
    """In which share of the generations most (more than half), or all, of its predecessors prefer the newest."""
    born = in_edges[1:]
    return {
        "newest_preferred_by_most": float(np.mean(born > 0.5)),
        "newest_preferred_by_all": float(np.mean(born == 1)),
    }
