"""Checks what the paper claims of preference graphs, claim by claim: Figure 1, the theorem, its lemma, its rate.

No oracle here is a learner: a newcomer is a new row and column of a payoff matrix, chosen openly. What holds and what
does not is summed up in docs/paper.md.
"""

import itertools

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import linprog
from test_graph import random_payoffs

from cole import graph as gg
from cole.report.examples import FIGURE1_FAILING, FIGURE1_IDEAL


def centralities(w):
    """[n, n] eta of strategy j in generation i."""
    w = jnp.asarray(w, jnp.float32)
    return np.asarray(gg.preference_centrality_matrix(w, jnp.ones(len(w), bool)))


def newcomers(gaps):
    """A common-payoff game in which strategy t = 1, 2, ... (from 0) is the best partner of all but gaps[t] before it.

    The predecessors it fails to win are the first ones. A won pair earns t, more than anything before; a lost one 0.
    """
    n = len(gaps)
    w = np.zeros((n, n))
    for t, gap in enumerate(gaps):
        w[gap:t, t] = w[t, gap:t] = t
    return w


def newcomer_eta(gaps):
    """[n] eta of each strategy in the generation in which it was new."""
    return np.diag(centralities(newcomers(gaps)))


def largest_of_group(w, k):
    """[n] eta_g: the largest eta among the k most preferred, in each generation."""
    eta = centralities(w)
    return np.array([np.sort(eta[t, : t + 1])[min(k, t + 1) - 1] for t in range(len(w))])


def newcomer_rank(w):
    """[n] rank of each strategy's eta in the generation in which it was new, equals sharing the worst place."""
    eta = centralities(w)
    n = len(w)
    return [int(gg.rank(jnp.asarray(eta[t]), jnp.arange(n) <= t, "worst")[t]) for t in range(n)]


# ------------------------------------------------------------------------------------------------------- Figure 1


def test_figure_1a_third_and_fourth_fail_though_the_mean_reward_rises():
    eta = centralities(FIGURE1_FAILING)
    np.testing.assert_allclose(eta[1, :2], [0, 0])
    np.testing.assert_allclose(eta[2, :3], [0, 0.5, 1])
    np.testing.assert_allclose(eta[3], [0, 2 / 3, 1, 1], rtol=1e-6)
    with_others = (FIGURE1_FAILING.sum(1) - np.diag(FIGURE1_FAILING)) / 3
    np.testing.assert_allclose(with_others[1:], [14 / 3, 16 / 3, 18 / 3], rtol=1e-6)
    assert (np.diff(with_others[1:]) > 0).all()
    assert (np.diff(FIGURE1_FAILING.mean(1)[1:]) > 0).all()


def test_figure_1a_is_a_common_payoff_game_with_these_preference_graphs():
    assert (FIGURE1_FAILING == FIGURE1_FAILING.T).all()
    history = gg.preference_history(jnp.asarray(FIGURE1_FAILING), jnp.ones(4, bool))
    assert history[1:].tolist() == [[1, 0, -1, -1], [1, 0, 0, -1], [1, 0, 0, 0]]


def steepest_rise(first):
    """Largest t for which payoffs in [-1, 1] let the mean with the others rise by t per strategy from `first` on.

    Among four of which the third and fourth are nobody's best partner; a linear program for each way in which
    the third and fourth themselves find somebody better than each other.
    """
    pair = {frozenset(p): i for i, p in enumerate(itertools.combinations(range(4), 2))}

    def w(i, j):
        return np.eye(7)[pair[frozenset((i, j))]]  # six payoffs, and t

    def total(i):
        return sum(w(i, j) for j in range(4) if j != i)

    known = [w(i, j) - w(0, 1) for i in (0, 1) for j in (2, 3)]
    known += [total(i) - total(i + 1) + np.eye(7)[6] for i in range(first, 3)]
    best = -np.inf
    for third, fourth in itertools.product((0, 1), repeat=2):
        rows = [*known, w(2, 3) - w(2, third), w(2, 3) - w(3, fourth)]
        found = linprog(-np.eye(7)[6], A_ub=rows, b_ub=np.zeros(len(rows)), bounds=[(-1, 1)] * 6 + [(None, None)])
        best = max(best, -found.fun)
    return best


def test_where_two_of_four_fail_the_mean_reward_cannot_rise_throughout_but_can_from_the_second_on():
    assert steepest_rise(first=0) == pytest.approx(0.0, abs=1e-9)
    assert steepest_rise(first=1) > 0.1


def test_figure_1b_every_newcomer_is_preferred_by_all():
    eta = centralities(FIGURE1_IDEAL)
    np.testing.assert_allclose(np.diag(eta)[1:], 0)
    assert eta[0, 0] == 1.0  # alone, by convention


# -------------------------------------------------------------------------------- (a) eta is a zero-sum quantity


@pytest.mark.parametrize("n", [2, 3, 10])
def test_the_sum_of_one_minus_eta_is_n_over_n_minus_one(n):
    for seed in range(3):
        eta = centralities(random_payoffs(seed, n))[-1]
        assert np.sum(1 - eta) == pytest.approx(n / (n - 1), rel=1e-5)


@pytest.mark.parametrize("k", [2, 5])
def test_the_largest_eta_of_the_best_k_has_a_lower_bound_that_tends_to_one_minus_one_over_k(k):
    n = 30
    for w in (random_payoffs(0, n), newcomers([0] * n), newcomers([t // 2 for t in range(n)])):
        largest = largest_of_group(w, k)
        sizes = np.arange(k, n + 1)
        assert (largest[k - 1 :] >= 1 - sizes / (k * (sizes - 1)) - 1e-6).all()


def test_the_lower_bound_is_reached_when_two_share_all_preferences():
    # Strategies 0 and 1 prefer each other, 2 and 3 one of them each: eta = 1/3, 1/3, 1, 1 and 1 - 4/(2 * 3) = 1/3.
    w = np.array([[0, 9, 1, 2], [9, 0, 2, 1], [5, 1, 0, 1], [1, 5, 1, 0]])
    assert largest_of_group(w, 2)[-1] == pytest.approx(1 - 4 / (2 * 3))


# -------------------------------------------------------------------------- (b) the lemma: eta_g need not diminish


def test_with_k_2_a_perfect_oracle_makes_the_groups_largest_eta_rise_every_time():
    w = newcomers([0] * 20)
    assert newcomer_rank(w)[2:] == [1] * 18  # alone in first place, so any k passes
    largest = largest_of_group(w, 2)[1:]
    np.testing.assert_allclose(largest, [1 - 1 / t for t in range(1, 20)], rtol=1e-5)
    assert (np.diff(largest) > 0).all()


def test_with_k_1_a_newcomer_in_first_place_can_raise_the_groups_largest_eta():
    # The third strategy is preferred by both (eta 0); the fourth is alone in first place with two of three (eta 1/3).
    w = np.array(
        [[0, 1, 2, 5], [1, 0, 2, 5], [4, 2, 0, 1], [2, 2, 3, 0]],
        float,
    )
    assert newcomer_rank(w)[2:] == [1, 1]
    np.testing.assert_allclose(largest_of_group(w, 1)[2:], [0, 1 / 3], rtol=1e-6)


def test_a_newcomer_preferred_by_half_raises_the_best_eta_from_zero_to_one_half():
    # The fifth strategy shares first place with the fourth, which all had preferred: two of four prefer each.
    w = newcomers([0, 0, 0, 0, 2])
    np.testing.assert_allclose(centralities(w)[4], [1, 1, 0.75, 0.5, 0.5])
    np.testing.assert_allclose(largest_of_group(w, 1)[3:], [0, 0.5])


def test_a_product_of_factors_below_one_need_not_vanish():
    """The theorem's last step: beta_t < 1 for all t does not make prod beta_t tend to 0."""
    t = np.arange(2, 100_000, dtype=np.float64)
    beta = 1 - 1 / t**2
    assert (beta < 1).all()
    assert np.prod(beta) == pytest.approx(0.5, abs=1e-4)


# ------------------------------------------------------------------------------------ (c) an oracle preferred by all


def test_an_oracle_preferred_by_all_gives_eta_zero_each_time():
    assert (newcomer_eta([0] * 30)[1:] == 0).all()


# ------------------------------------------------------------------------------------------- (d) the rate of eta_t


@pytest.mark.parametrize("gap", [1, 3])
def test_a_constant_gap_gives_eta_g_over_t_minus_one_and_a_ratio_that_tends_to_one(gap):
    n = 60
    eta = newcomer_eta([min(gap, max(t - 1, 0)) for t in range(n)])
    t = np.arange(gap + 2, n + 1)  # the paper's t counts from 1; below gap + 2 there are too few predecessors
    np.testing.assert_allclose(eta[t - 1], gap / (t - 1), rtol=1e-5)
    np.testing.assert_allclose(eta[t[1:] - 1] / eta[t[:-1] - 1], (t[:-1] - 1) / t[:-1], rtol=1e-4)


def test_a_gap_that_alternates_between_two_numbers_has_no_limit_of_ratios():
    # eta tends to 0, but successive ratios tend to 3 and 1/3: the corollary's last step does not follow.
    eta = newcomer_eta([0, 0, 0, 0, 0] + [1 if t % 2 else 3 for t in range(5, 61)])
    ratios = eta[1:] / np.where(eta[:-1] > 0, eta[:-1], np.nan)
    last = sorted(ratios[-2:])
    np.testing.assert_allclose(last, [1 / 3, 3], rtol=0.05)
    assert eta[-1] < 0.1


def test_a_gap_that_alternates_between_none_and_half_does_not_converge():
    eta = newcomer_eta([0 if t % 2 else t // 2 for t in range(61)])
    assert eta[59] == 0.0
    assert eta[60] == pytest.approx(0.5)
