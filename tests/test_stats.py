"""Interquartile means and their intervals, by hand and against scipy."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from cole.evaluate.stats import interquartile_mean, interval


def test_the_lowest_and_the_highest_quarter_do_not_count():
    assert interquartile_mean(np.array([-1000.0, 1.0, 3.0, 9999.0])) == pytest.approx(2.0)
    scores = np.random.default_rng(0).normal(size=(8, 5))
    assert interquartile_mean(scores) == pytest.approx(scipy_stats.trim_mean(scores.ravel(), 0.25))


def test_a_score_at_the_edge_counts_in_part():
    # The middle half of two scores is half of each; of three, a quarter of the outer ones against the whole middle one.
    assert interquartile_mean(np.array([0.0, 4.0])) == pytest.approx(2.0)
    assert interquartile_mean(np.array([0.0, 4.0, 20.0])) == pytest.approx((0.25 * 0 + 1.0 * 4 + 0.25 * 20) / 1.5)
    assert interquartile_mean(np.array([7.0])) == pytest.approx(7.0)


def test_the_interval_contains_the_mean_and_shrinks_with_more_runs():
    draw = np.random.default_rng(1)
    few, many = draw.normal(10.0, 2.0, size=(4, 3)), draw.normal(10.0, 2.0, size=(64, 3))
    widths = []
    for scores in (few, many):
        low, high = interval(scores, draws=300)
        assert low <= interquartile_mean(scores) <= high
        widths.append(high - low)
    assert widths[1] < widths[0]
    assert interval(np.full((5, 2), 3.0), draws=50) == (3.0, 3.0)


def test_tasks_are_not_drawn_only_runs_are():
    """Two tasks of very different scale, runs all alike: drawing runs again changes nothing."""
    scores = np.tile([1.0, 100.0], (6, 1))
    assert interval(scores, draws=50) == pytest.approx((interquartile_mean(scores),) * 2)
