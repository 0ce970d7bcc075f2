"""What a payoff matrix says of each strategy and of all together, in the paper's terms."""

from functools import partial
from typing import Any

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
