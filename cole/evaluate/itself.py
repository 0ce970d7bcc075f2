"""What agents earn with a copy of themselves: the last thing that a run says."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from cole import rollout
from cole.kitchen.layouts import Layout
from cole.policy import kinds


def measurer(layout: Layout, view: str, half: bool, seeds: Sequence[int], games: int) -> Callable[[Any], np.ndarray]:
    """What measures agents: parameters [P, ...] -> returns [P, games] with a copy of itself; both act by sampling."""

    def one(seed: jax.Array, params: Any) -> jax.Array:
        key = jax.random.fold_in(jax.random.key(seed), 2**31)
        policy = kinds.policy_for(layout, view, half=half)
        return rollout.returns_with_itself(key, layout, policy, params, games)

    play = jax.jit(jax.vmap(one))
    return lambda params: np.asarray(play(np.array(seeds, np.uint32), params))


def reached(returns: np.ndarray) -> str:
    """A sentence on returns [P, games]."""
    each = returns.mean(axis=1)
    error = each.std(ddof=1) / len(each) ** 0.5 if len(each) > 1 else returns.std() / returns.size**0.5
    by_seed = f" (by seed {', '.join(f'{one:.1f}' for one in each)})" if len(each) > 1 else ""
    return f"return with itself, {returns.shape[1]} games a seed: {each.mean():.1f} ± {error:.1f}{by_seed}"
