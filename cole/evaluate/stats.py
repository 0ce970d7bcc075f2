"""Statistics of a few runs: means that know what they lack, interquartile means, who is better, and how sure that is.

Scores are [runs, tasks]: a run is a seed, a task a kitchen (or any other thing that is not drawn by chance). Intervals
come from drawing runs again, anew for every task. Of few runs they are too narrow: of five, up to one in ten misses
what it should hold, where one in twenty should (`studies/few_seeds.py`). So who is better is decided by an exact test.
A score that is missing (NaN) makes whatever is made of it NaN.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

DRAWS, LEVEL = 2000, 0.95
DECIDED = 0.05  # the p of `equality` below which one is better
COUNTED = 100  # runs of both together up to which `equality` is exact
WINDOW, TOLERANCE = 0.2, 0.02  # of `plateau`


class Mean(NamedTuple):
    """A number of a table."""

    mean: float  # of what is there; NaN if there is nothing
    error: float  # its standard error; NaN for a single value
    lacks: tuple[str, ...] = ()  # what it should be a mean of, too, and is not: such a number must be shown as marked


class Summary(NamedTuple):
    """What n runs of each of T tasks come to."""

    mean: float
    error: float  # its standard error: runs are drawn by chance, tasks are not; NaN for a single run
    iqm: float  # the interquartile mean
    low: float  # its interval; NaN for a single run
    high: float


class Improvement(NamedTuple):
    """How likely one method is better than another."""

    chance: float  # that a run of the first earns more than one of the second; equal ones count half
    low: float  # its interval; NaN where either has a single run
    high: float
    p: float = np.nan  # of `equality`

    def decided(self) -> bool:
        """Whether one is better by the test, whichever that is."""
        return self.p < DECIDED


def mean_and_error(values: np.ndarray) -> tuple[float, float]:
    """The mean and its standard error; NaN for the error of a single value, and for both of none."""
    values = np.asarray(values, np.float64)
    count = values.size
    error = float(values.std(ddof=1) / count**0.5) if count > 1 else np.nan
    return (float(values.mean()) if count else np.nan), error


def over_seeds(values: np.ndarray, seeds: Sequence[int], label: str) -> Mean:
    """The mean over the seeds that are there; missing ones (NaN) are named."""
    there = ~np.isnan(values)
    missing = [f"{label} seed {seed}" for seed, is_there in zip(seeds, there, strict=True) if not is_there]
    return Mean(*mean_and_error(values[there]), tuple(missing) if there.any() else (label,))


def interquartile_mean(scores: np.ndarray) -> float:
    """The mean of the middle half; scores at its edges count in part, so that it moves smoothly with their number."""
    ordered = np.sort(np.asarray(scores, np.float64).ravel())
    if np.isnan(ordered).any():  # sorted to the end, a missing score would be among those left out
        return np.nan
    places = np.arange(len(ordered) + 1) / len(ordered)
    inside = np.diff(np.clip(places, 0.25, 0.75))
    return float(np.sum(inside * ordered) / np.sum(inside))


def interval(scores: np.ndarray, draws: int = DRAWS) -> tuple[float, float]:
    """A percentile bootstrap interval of the interquartile mean of scores [runs, tasks]."""
    return _quantiles(interquartile_mean, [scores], draws)


def summary(scores: np.ndarray, draws: int = DRAWS) -> Summary:
    """What scores [runs, tasks] come to: of one kitchen as they are, of several `normalised`."""
    scores = np.asarray(scores, np.float64)
    runs, tasks = scores.shape
    low, high = interval(scores, draws) if runs > 1 else (np.nan, np.nan)
    of_tasks = scores.std(axis=0, ddof=1) / runs**0.5 if runs > 1 else np.full(tasks, np.nan)
    error = float(np.sum(of_tasks**2) ** 0.5 / tasks)
    return Summary(float(scores.mean()), error, interquartile_mean(scores), low, high)


def normalised(scores: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Scores [..., tasks] divided by a number of each task [tasks], say what self-play earns there with itself.

    Not clipped. NaN where that number is zero, negative or missing.
    """
    by = np.asarray(by, np.float64)
    return np.asarray(scores, np.float64) / np.where(by > 0, by, np.nan)


def br_prox(returns: np.ndarray, best: np.ndarray) -> np.ndarray:
    """Best-response proximity: returns [..., tasks] divided by that of a best response to the same partners [tasks].

    Above 1 where the best response is none, which is shown, not clipped; NaN where it earns nothing or is missing.
    """
    return normalised(returns, best)


def plateau(curve: np.ndarray) -> bool:
    """Whether a learning curve [updates] has reached its plateau.

    The rule: the mean of the last fifth of the updates (WINDOW) is at most 2 % (TOLERANCE) above the mean of as many
    before them. Not so for a curve too short for two windows, or with numbers missing there.
    """
    curve = np.asarray(curve, np.float64)
    width = int(len(curve) * WINDOW)
    if width < 1 or 2 * width > len(curve):
        return False
    before, last = curve[-2 * width : -width].mean(), curve[-width:].mean()
    return bool(last <= before + TOLERANCE * abs(before))


def improvement(x: np.ndarray, y: np.ndarray) -> float:
    """P(X > Y) of scores [n, tasks] and [m, tasks], equal ones counted half: of each task, then their mean.

    Of a task it is Mann and Whitney's U, divided by n m.
    """
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if np.isnan(x).any() or np.isnan(y).any():
        return np.nan
    left, right = x[:, None], y[None]
    return float(np.mean((left > right) + 0.5 * (left == right)))


def probability_of_improvement(x: np.ndarray, y: np.ndarray, draws: int = DRAWS) -> Improvement:
    """The same, with a percentile bootstrap interval: runs of both are drawn again, anew for every task; and its p."""
    enough = min(len(x), len(y)) > 1
    low, high = _quantiles(improvement, [x, y], draws) if enough else (np.nan, np.nan)
    return Improvement(improvement(x, y), low, high, equality(x, y))


def equality(x: np.ndarray, y: np.ndarray) -> float:
    """How often `improvement` would be as far from one half as it is, if it were chance which runs are whose.

    Two-sided, over all ways to share out the runs of each task; of more than COUNTED runs, whose ways take long to
    count, by the normal distribution these come close to. One task: Wilcoxon's rank-sum test.
    """
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if np.isnan(x).any() or np.isnan(y).any() or not x.size or not y.size:
        return np.nan
    count, runs = len(x), len(x) + len(y)
    ranks = [_doubled_ranks(both) for both in np.concatenate([x, y]).T]  # of each task, ours first
    away = abs(sum(int(each[:count].sum()) for each in ranks) - count * (runs + 1) * len(ranks))
    if runs > COUNTED:
        variance = sum(count * len(y) / (runs - 1) * each.var() for each in ranks)
        return math.erfc(away / math.sqrt(2 * variance)) if variance else 1.0
    total = np.ones(1)
    for each in ranks:
        total = np.convolve(total, _chances_of_sums(each, count))
    far = np.abs(np.arange(len(total)) - count * (runs + 1) * len(ranks)) >= away
    return float(min(total[far].sum(), 1.0))


def _doubled_ranks(scores: np.ndarray) -> np.ndarray:
    """Twice the rank of each, from 1: whole numbers, also where equal ones share the mean of their ranks."""
    return (scores[:, None] > scores[None]).sum(axis=1) + (scores[:, None] >= scores[None]).sum(axis=1) + 1


def _chances_of_sums(ranks: np.ndarray, count: int) -> np.ndarray:
    """[sum]: the chance of each sum of `count` of these ranks, any of which are drawn alike."""
    ways = np.zeros((count + 1, int(ranks.sum()) + 1))
    ways[0, 0] = 1.0
    for rank in ranks:
        ways[1:, rank:] += ways[:-1, : ways.shape[1] - rank].copy()
    return ways[count] / ways[count].sum()


def _quantiles(statistic: Callable[..., float], each: Sequence[np.ndarray], draws: int) -> tuple[float, float]:
    """Where the middle LEVEL of a statistic of scores [runs, tasks] lies when runs are drawn again."""
    random = np.random.default_rng(0)  # the same scores have the same interval
    again = [_drawn(random, np.asarray(scores, np.float64), draws) for scores in each]
    found = [statistic(*scores) for scores in zip(*again, strict=True)]
    low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _drawn(random: np.random.Generator, scores: np.ndarray, draws: int) -> np.ndarray:
    """[draws, runs, tasks]: as many runs as there are, with replacement, anew for every task."""
    runs, tasks = scores.shape
    chosen = random.integers(runs, size=(draws, runs, tasks))
    return np.take_along_axis(scores[None], chosen, axis=1)
