"""Checks coalition and Shapley values: numbers worked by hand, enumeration, shapiq, sampling, padding, size."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from test_graph import SLOTS, padded

from cole import coalition as co

# v({0}) = 4, v({1}) = 8, v({0, 1}) = (4 + 2 + 6 + 8) / 4 = 5.
PAIR = jnp.array([[4.0, 2.0], [6.0, 8.0]])


def random_values(seed, n):
    return np.random.default_rng(seed).normal(20.0, 50.0, (n, n)).astype(np.float32)


def closed_form_from_expectations(s):
    """SV(i) as the plain average over s of E v(C + i) - E v(C), from the sums D, O, R, in float64."""
    s = np.asarray(s, np.float64)
    n, m = len(s), len(s) - 1
    values = np.zeros(n)
    for i in range(n):
        others = [j for j in range(n) if j != i]
        rest = s[np.ix_(others, others)]
        diagonal, off = np.trace(rest), rest.sum() - np.trace(rest)
        cross = s[i, others].sum() + s[others, i].sum()
        for size in range(n):
            inner = size / m * diagonal if m else 0.0
            inner += size * (size - 1) / (m * (m - 1)) * off if m > 1 else 0.0
            joined = (inner + (size / m * cross if m else 0.0) + s[i, i]) / (size + 1) ** 2
            values[i] += joined - (inner / size**2 if size else 0.0)
    return values / n


def test_empty_coalition_is_worth_nothing():
    assert co.coalition_value(PAIR, jnp.zeros(2, bool)) == 0.0


def test_a_coalition_is_worth_the_mean_over_its_pairs_self_included():
    assert co.coalition_value(PAIR, jnp.array([True, False])) == 4.0
    assert co.coalition_value(PAIR, jnp.array([False, True])) == 8.0
    assert co.coalition_value(PAIR, jnp.ones(2, bool)) == 5.0


def test_shapley_value_of_two_by_hand():
    # Player 0 joins first (4) or last (5 - 8 = -3): 0.5. Player 1: 8 or 5 - 4 = 1: 4.5.
    np.testing.assert_allclose(co.shapley_exact_enumerated(PAIR), [0.5, 4.5])
    np.testing.assert_allclose(co.shapley_exact(PAIR, jnp.ones(2, bool)), [0.5, 4.5], rtol=1e-6)


def test_shapley_value_of_one_is_its_own_worth():
    assert co.shapley_exact_enumerated([[7.0]]).tolist() == [7.0]
    assert co.shapley_exact(jnp.array([[7.0]]), jnp.ones(1, bool)).tolist() == [7.0]


def test_too_many_strategies_to_enumerate_are_refused():
    with pytest.raises(ValueError, match="9!"):
        co.shapley_exact_enumerated(np.zeros((9, 9)))


@pytest.mark.parametrize("n", range(1, 8))
def test_closed_form_equals_enumeration(n, tell):
    """Both ways of writing it: the average over coalition sizes to 1e-12, the two coefficients in float32."""
    s = random_values(n, n)
    enumerated = co.shapley_exact_enumerated(s)
    np.testing.assert_allclose(closed_form_from_expectations(s), enumerated, atol=1e-11)
    wide, alive = padded(s, np.arange(n))  # one capacity, one compilation
    exact = co.shapley_exact(wide, alive)[:n]
    np.testing.assert_allclose(exact, enumerated, atol=2e-5)
    tell(f"closed form against enumeration, n = {n}: {np.abs(exact - enumerated).max():.1e} at payoffs of about 50")


def test_closed_form_equals_shapiq():
    import shapiq

    s = random_values(3, 6).astype(np.float64)

    class CoalitionGame(shapiq.Game):
        def __init__(self):
            super().__init__(n_players=6, normalize=False)

        def value_function(self, coalitions):
            rows = np.atleast_2d(coalitions)
            return np.array([s[np.ix_(r, r)].mean() if r.any() else 0.0 for r in rows])

    found = shapiq.ExactComputer(game=CoalitionGame(), n_players=6)("SV", order=1)
    expected = [found[(i,)] for i in range(6)]
    wide, alive = padded(s, np.arange(6))
    np.testing.assert_allclose(co.shapley_exact(wide, alive)[:6], expected, atol=2e-5)


def test_shapley_values_share_out_the_whole_worth_of_a_thousand():
    s = random_values(0, 1000)
    exact = co.shapley_exact(jnp.asarray(s), jnp.ones(1000, bool))
    expected = closed_form_from_expectations_fast(s)
    np.testing.assert_allclose(exact, expected, atol=1e-5 * np.abs(expected).max())
    assert float(jnp.sum(exact)) == pytest.approx(s.astype(np.float64).mean(), rel=1e-4)


def closed_form_from_expectations_fast(s):
    """The same average for large n: its four coefficients are summed once, in float64."""
    s = np.asarray(s, np.float64)
    n, m = len(s), len(s) - 1
    size = np.arange(n)
    after, before = 1.0 / (size + 1) ** 2, np.divide(1.0, size**2, where=size > 0, out=np.zeros(n))
    own = np.diag(s)
    cross = s.sum(0) + s.sum(1) - 2 * own
    diagonal = own.sum() - own
    off = s.sum() - own.sum() - cross
    gain = after - before
    total = own * after.sum() + cross * (size / m * after).sum() + diagonal * (size / m * gain).sum()
    return (total + off * (size * (size - 1) / (m * (m - 1)) * gain).sum()) / n


def test_equal_strategies_get_equal_shares():
    s = jnp.full((9, 9), 3.0)
    np.testing.assert_allclose(co.shapley_exact(s, jnp.ones(9, bool)), 3.0 / 9, rtol=1e-6)


def test_a_poor_member_has_a_negative_share():
    s = np.full((4, 4), 10.0)
    s[3, :] = s[:, 3] = 0.0
    assert co.shapley_exact_enumerated(s)[3] < 0
    wide, alive = padded(s)
    assert co.shapley_exact(wide, alive)[SLOTS[3]] < 0


def test_marginal_contributions_of_one_order_by_hand():
    # Order 1, 0: player 1 brings 8, player 0 turns 8 into 5.
    assert co.marginal_contributions(PAIR, jnp.array([1, 0])).tolist() == [-3.0, 8.0]


def test_marginal_contributions_equal_differences_of_coalition_values():
    s = random_values(5, 4)
    wide, alive = padded(s)
    wide = jnp.where(alive[:, None] & alive[None, :], wide, 0.0)
    for order in ([2, 0, 3, 1], [1, 3, 0, 2]):  # places of the four
        place = np.full(9, 9)
        place[SLOTS] = order
        expected = np.zeros(9)
        for i in SLOTS:
            with_i = co.coalition_value(wide, jnp.asarray(place <= place[i]) & alive)
            expected[i] = with_i - co.coalition_value(wide, jnp.asarray(place < place[i]) & alive)
        np.testing.assert_allclose(co.marginal_contributions(wide, jnp.asarray(place)), expected, atol=1e-4)


def test_sampled_orders_are_permutations_of_the_living_and_uniform():
    alive = jnp.array([True, False, True, True])
    places = np.asarray(co.sample_orders(jax.random.key(0), alive, 6000))
    assert (places[:, 1] == 4).all()
    orders, counts = np.unique(places[:, [0, 2, 3]], axis=0, return_counts=True)
    assert sorted(map(tuple, orders)) == [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    # 1000 expected of each, standard deviation 29.
    assert np.abs(counts - 1000).max() < 5 * 29


def test_all_orders_once_give_the_exact_value():
    """Algorithm 2 with every permutation of three instead of a sample."""
    s = random_values(0, 3)
    places = jnp.array([[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    mean = jnp.mean(jax.vmap(lambda place: co.marginal_contributions(jnp.asarray(s), place))(places), axis=0)
    np.testing.assert_allclose(mean, co.shapley_exact_enumerated(s), atol=1e-5 * np.abs(s).max())


def test_sampling_tends_to_the_exact_value_and_ignores_dead_slots():
    s = random_values(0, 4)
    wide, alive = padded(s)
    sampled = co.shapley_sampled(jax.random.key(1), wide, alive, 20_000)
    exact = co.shapley_exact_enumerated(s)
    # One marginal contribution varies by at most 2 max|v|; five standard errors of the mean.
    allowed = 5 * 2 * np.abs(s).max() / np.sqrt(20_000)
    np.testing.assert_allclose(sampled[SLOTS], exact, atol=allowed)
    assert (np.delete(np.asarray(sampled), SLOTS) == 0).all()
    assert float(jnp.sum(sampled)) == pytest.approx(s.mean(), abs=1e-3)  # every sample shares out the whole worth
