"""Statistics of a few runs, by hand and against scipy."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from cole.evaluate import stats
from cole.evaluate.stats import (
    Mean,
    br_prox,
    equality,
    improvement,
    interquartile_mean,
    interval,
    mean_and_error,
    normalised,
    over_seeds,
    plateau,
    probability_of_improvement,
    summary,
)


def test_a_mean_has_the_standard_error_of_scipy():
    values = np.array([20.0, 40.0, 10.0, 25.0])
    assert mean_and_error(values) == pytest.approx((23.75, scipy_stats.sem(values)))
    assert mean_and_error(np.array([20.0, 40.0])) == pytest.approx((30.0, 10.0))  # deviation 14.1, by the root of 2


def test_a_single_value_has_no_error_and_nothing_has_no_mean():
    mean, error = mean_and_error(np.array([7.0]))
    assert mean == 7.0 and np.isnan(error)
    assert np.isnan(mean_and_error(np.array([]))).all()


def test_a_mean_over_seeds_names_those_that_are_missing():
    assert over_seeds(np.array([1.0, 3.0]), [0, 1], "SP") == Mean(2.0, pytest.approx(1.0), ())
    assert over_seeds(np.array([1.0, np.nan, 3.0]), [0, 1, 7], "SP") == Mean(2.0, pytest.approx(1.0), ("SP seed 1",))
    nobody = over_seeds(np.array([np.nan, np.nan]), [0, 1], "SP")
    assert np.isnan(nobody.mean) and nobody.lacks == ("SP",)


def test_the_lowest_and_the_highest_quarter_do_not_count():
    assert interquartile_mean(np.array([-1000.0, 1.0, 3.0, 9999.0])) == pytest.approx(2.0)
    scores = np.random.default_rng(0).normal(size=(8, 5))
    assert interquartile_mean(scores) == pytest.approx(scipy_stats.trim_mean(scores.ravel(), 0.25))


def test_a_score_at_the_edge_counts_in_part():
    # The middle half of two scores is half of each; of three, a quarter of the outer ones against the whole middle one.
    assert interquartile_mean(np.array([0.0, 4.0])) == pytest.approx(2.0)
    assert interquartile_mean(np.array([0.0, 4.0, 20.0])) == pytest.approx((0.25 * 0 + 1.0 * 4 + 0.25 * 20) / 1.5)
    assert interquartile_mean(np.array([7.0])) == pytest.approx(7.0)


def test_a_missing_score_is_not_among_the_quarter_that_is_left_out():
    assert np.isnan(interquartile_mean(np.array([1.0, 2.0, 3.0, np.nan])))
    assert np.isnan(summary(np.array([[1.0], [np.nan]]), draws=10)).all()


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


def test_the_interval_of_one_task_is_that_of_scipy():
    scores = np.random.default_rng(2).normal(50.0, 10.0, size=12)
    theirs = scipy_stats.bootstrap(
        (scores,), interquartile_mean, vectorized=False, method="percentile", n_resamples=4000, rng=3
    ).confidence_interval
    # Both draw by chance: the ends of 4,000 draws are known to about 0.3.
    assert interval(scores[:, None], draws=4000) == pytest.approx((theirs.low, theirs.high), abs=0.6)


def test_a_summary_of_several_tasks_adds_the_errors_of_each():
    scores = np.array([[1.0, 10.0], [3.0, 10.0]])
    found = summary(scores, draws=50)
    assert found.mean == 6.0
    assert found.error == pytest.approx(0.5)  # errors 1 and 0: the root of 1 + 0, divided by two tasks
    assert found.iqm == pytest.approx(6.5)  # of 1, 3, 10, 10 the middle two
    assert found.low <= 6.5 <= found.high
    assert np.isnan([summary(scores[:1]).error, summary(scores[:1]).low]).all()


def test_scores_are_normalised_by_a_stated_number_of_each_task():
    found = normalised(np.array([[50.0, 300.0, 1.0], [100.0, 100.0, 1.0]]), np.array([100.0, 200.0, 0.0]))
    np.testing.assert_array_equal(found, [[0.5, 1.5, np.nan], [1.0, 0.5, np.nan]])


def test_br_prox_is_not_clipped_and_needs_a_best_response_that_earns_something():
    np.testing.assert_array_equal(
        br_prox(np.array([90.0, 120.0, 5.0, 5.0]), np.array([100.0, 100.0, 0.0, np.nan])), [0.9, 1.2, np.nan, np.nan]
    )


@pytest.mark.parametrize(
    ("curve", "reached"),
    [
        ([0, 0, 0, 0, 0, 0, 100, 100, 102, 102], True),  # the last fifth is exactly 2 % above the one before
        ([0, 0, 0, 0, 0, 0, 100, 100, 102, 103], False),
        ([9, 9, 9, 9, 9, 9, 100, 100, 50, 50], True),  # it has passed its plateau
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], False),
        ([5, 5, 5, 5, 5], True),  # one update a window
        ([5, 5, 5, 5], False),  # none
        ([0, 0, 0, 0, 0, 0, 100, 100, 100, np.nan], False),
    ],
)
def test_a_curve_is_at_its_plateau_when_its_last_fifth_is_hardly_above_the_one_before(curve, reached):
    assert plateau(np.array(curve)) is reached


def test_the_probability_of_improvement_is_worked_by_hand():
    x, y = np.array([[1.0], [5.0]]), np.array([[3.0], [5.0], [0.0]])
    # 1 beats 0; 5 beats 3 and 0 and equals 5: (1 + 2 + 1/2) of 6.
    assert improvement(x, y) == pytest.approx(3.5 / 6)
    assert improvement(y, x) == pytest.approx(2.5 / 6)
    assert improvement(x, x) == 0.5
    assert np.isnan(improvement(np.array([[1.0], [np.nan]]), y))


def test_the_probability_of_improvement_is_that_of_mann_and_whitney_in_each_task():
    draw = np.random.default_rng(4)
    x, y = (draw.integers(0, 6, size=(n, 3)).astype(float) for n in (5, 7))
    by_task = [scipy_stats.mannwhitneyu(x[:, t], y[:, t]).statistic / 35 for t in range(3)]
    assert improvement(x, y) == pytest.approx(np.mean(by_task))


def test_a_clear_winner_wins_in_every_draw_and_a_close_one_does_not():
    low, high = np.array([[1.0], [2.0], [3.0]]), np.array([[7.0], [8.0]])
    assert probability_of_improvement(high, low, draws=50) == pytest.approx((1.0, 1.0, 1.0, 0.2))  # of 10 ways, 2
    assert probability_of_improvement(low, high, draws=50) == pytest.approx((0.0, 0.0, 0.0, 0.2))
    close = probability_of_improvement(np.array([[1.0], [4.0], [6.0]]), np.array([[2.0], [3.0], [5.0]]), draws=500)
    assert close.chance == pytest.approx(5 / 9)
    assert close.low < 5 / 9 < close.high
    assert np.isnan(probability_of_improvement(high[:1], low).low)


def test_the_test_of_equality_is_worked_by_hand():
    """Two against two: of six ways to share out four runs, two separate them."""
    x, y = np.array([[3.0], [4.0]]), np.array([[1.0], [2.0]])
    assert equality(x, y) == equality(y, x) == pytest.approx(2 / 6)
    # Two such tasks: 36 ways, of which 2 separate both in the same direction; an opposite one undoes the first.
    assert equality(np.hstack([x, x]), np.hstack([y, y])) == pytest.approx(2 / 36)
    assert equality(np.hstack([x, y]), np.hstack([y, x])) == 1.0
    assert equality(x, x) == 1.0
    assert np.isnan(equality(x, np.array([[1.0], [np.nan]])))


def test_the_test_of_equality_is_the_rank_sum_test_of_scipy():
    draw = np.random.default_rng(5)
    for n, m in ((5, 5), (4, 7), (10, 10)):
        x, y = draw.normal(size=n), draw.normal(0.8, size=m)
        theirs = scipy_stats.mannwhitneyu(x, y, method="exact").pvalue
        assert equality(x[:, None], y[:, None]) == pytest.approx(theirs)
    x, y = np.array([1.0, 2, 2, 5, 6]), np.array([2.0, 5, 7, 8])  # with ties: all ways to share out, one by one
    theirs = scipy_stats.permutation_test(
        (x, y), lambda a, b: abs(improvement(a[:, None], b[:, None]) - 0.5), alternative="greater", n_resamples=np.inf
    )
    assert equality(x[:, None], y[:, None]) == pytest.approx(theirs.pvalue)


def test_many_runs_are_not_counted_way_by_way_to_much_the_same_p(monkeypatch):
    draw = np.random.default_rng(7)
    x, y = draw.normal(size=(40, 2)), draw.normal(0.35, size=(50, 2))
    exact = equality(x, y)
    monkeypatch.setattr(stats, "COUNTED", 89)
    assert 0.001 < exact < 0.3 and equality(x, y) == pytest.approx(exact, rel=0.05)
    assert equality(np.ones((400, 1)), np.ones((500, 1))) == 1.0
    assert equality(draw.normal(size=(1024, 1)), 1.0 + draw.normal(size=(1024, 1))) < 1e-9  # as many as a run may have


def test_methods_that_are_alike_are_seldom_called_different():
    """By the test in at most one of twenty, by whether the interval holds one half in about one of ten."""
    draw = np.random.default_rng(6)
    found = [probability_of_improvement(*draw.normal(size=(2, 5, 1)), draws=200) for _ in range(400)]
    by_test = np.mean([one.decided() for one in found])
    by_interval = np.mean([not one.low <= 0.5 <= one.high for one in found])
    assert by_test < 0.05 < 0.07 < by_interval
