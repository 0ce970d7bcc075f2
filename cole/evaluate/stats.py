"""Statistics of a few runs: the interquartile mean, and intervals that come from drawing runs again."""

import numpy as np


def interquartile_mean(scores: np.ndarray) -> float:
    """The mean of the middle half; scores at its edges count in part, so that it moves smoothly with their number."""
    ordered = np.sort(np.asarray(scores, np.float64).ravel())
    places = np.arange(len(ordered) + 1) / len(ordered)
    inside = np.diff(np.clip(places, 0.25, 0.75))
    return float(np.sum(inside * ordered) / np.sum(inside))


def interval(scores: np.ndarray, seed: int = 0, draws: int = 2000, level: float = 0.95) -> tuple[float, float]:
    """A percentile bootstrap interval of the interquartile mean of scores [runs, tasks].

    Each draw takes as many runs as there are, with replacement, anew for every task: the tasks are fixed.
    """
    scores = np.asarray(scores, np.float64)
    runs, tasks = scores.shape
    chosen = np.random.default_rng(seed).integers(runs, size=(draws, runs, tasks))
    found = [interquartile_mean(np.take_along_axis(scores, rows, axis=0)) for rows in chosen]
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
