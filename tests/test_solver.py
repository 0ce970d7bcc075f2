"""Checks phi and SUCG: numbers worked by hand, padding, and that any finite payoffs give a distribution."""

from functools import partial

import jax
import jax.numpy as jnp
import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from test_graph import SLOTS, padded, random_payoffs

from cole import solver as so
from cole.coalition import shapley_exact_enumerated
from cole.graph import GameGraph, graph_of_payoffs
from cole.pagerank import link_weights, weighted_pagerank
from cole.report.examples import snapshots

KEY = jax.random.key(0)
ALIVE = jnp.ones(3, bool)
DEAD_IN_THE_MIDDLE = jnp.array([True, False, True, True])

VARIANTS = {
    **so.SOLVERS,
    "shapley_sampled": partial(so.graphic_shapley_value, permutations=16),
    "authors": partial(so.authors, permutations=4),
    "shapley, softmax": partial(so.shapley, inversion=so.SOFTMAX),
    "shapley, sigma softmax, ordered": partial(so.shapley, sigma=so.SOFTMAX_SIGMA, seats="ordered"),
    "shapley, sigma = 1": partial(so.shapley, sigma=so.NO_SIGMA),
    "shapley, counted, no loops, no zero edges": partial(
        so.shapley, sigma=so.Sigma(degrees="counted", self_loops=False, zero_edges=False)
    ),
    "returns, softmax, with itself": partial(so.returns, inversion=so.SOFTMAX, itself=True),
    "authors, linear, no clipping": partial(so.authors, permutations=4, inversion=so.LINEAR, clip=False),
}


# ------------------------------------------------------------------------------------------------ sigma and pairs


def test_sigma_is_the_reciprocal_of_weighted_pagerank_and_nothing_on_dead_slots():
    w = jnp.asarray(random_payoffs(0, 4))
    popularity = weighted_pagerank(w, DEAD_IN_THE_MIDDLE)
    sigma = so.unpopularity(w, DEAD_IN_THE_MIDDLE)
    np.testing.assert_allclose(np.asarray(sigma)[[0, 2, 3]], 1.0 / np.asarray(popularity)[[0, 2, 3]], rtol=1e-6)
    assert sigma[1] == 0.0


def test_sigma_as_softmax_and_as_one():
    w = jnp.asarray(random_payoffs(0, 4))
    popularity = np.asarray(weighted_pagerank(w, DEAD_IN_THE_MIDDLE))[[0, 2, 3]]
    expected = np.exp(-popularity / 0.1) / np.exp(-popularity / 0.1).sum()
    sigma = np.asarray(so.unpopularity(w, DEAD_IN_THE_MIDDLE, so.SOFTMAX_SIGMA))
    np.testing.assert_allclose(sigma[[0, 2, 3]], expected, rtol=1e-5)
    assert sigma[1] == 0.0
    assert so.unpopularity(w, DEAD_IN_THE_MIDDLE, so.NO_SIGMA).tolist() == [1.0, 0.0, 1.0, 1.0]


def test_the_value_of_a_pair_is_sigma_sigma_w():
    w = jnp.asarray(random_payoffs(0, 4))
    sigma, s = so.unpopularity(w, DEAD_IN_THE_MIDDLE), so.pair_values(w, DEAD_IN_THE_MIDDLE)
    assert s[0, 2] == pytest.approx(float(sigma[0] * sigma[2] * w[0, 2]), rel=1e-6)
    assert s[1].tolist() == [0.0] * 4


# -------------------------------------------------------------------------------------------- scores to probabilities


def test_normalise_and_linear_inversion_by_hand():
    score = jnp.array([1.0, 2.0, 5.0])
    share = so.normalise(score, ALIVE)
    np.testing.assert_allclose(share, [0.125, 0.25, 0.625], rtol=1e-6)
    np.testing.assert_allclose(so.invert_linear(share, ALIVE), [0.4375, 0.375, 0.1875], rtol=1e-6)


def test_a_negative_score_is_inverted_as_printed():
    """-1, 4 and 7 sum to 10: shares -.1, .4, .7; 1 - phi is 1.1, .6, .3, which sum to 2."""
    np.testing.assert_allclose(so.normalise(jnp.array([-1.0, 4.0, 7.0]), ALIVE), [-0.1, 0.4, 0.7], rtol=1e-6)
    np.testing.assert_allclose(so.incompatibility(jnp.array([-1.0, 4.0, 7.0]), ALIVE), [0.55, 0.3, 0.15], rtol=1e-6)


def test_where_a_share_would_be_above_one_scores_are_lifted_until_it_is_one():
    """-1, 0 and 2 sum to 1, and 1 - phi would be -1 for the last: half a point more for each makes -.5, .5, 2.5."""
    np.testing.assert_allclose(so.normalise(jnp.array([-1.0, 0.0, 2.0]), ALIVE), [-0.2, 0.2, 1.0], rtol=1e-6)
    np.testing.assert_allclose(
        so.incompatibility(jnp.array([-1.0, 0.0, 2.0]), ALIVE), [0.6, 0.4, 0.0], rtol=1e-6, atol=1e-7
    )
    # Of slots that are dead nothing counts: 7 alone is above its 1 only beside a -3.
    alive = jnp.array([True, False, True])
    np.testing.assert_allclose(so.normalise(jnp.array([-3.0, 99.0, 7.0]), alive), [0, 0, 1], atol=1e-6)


def test_scores_that_sum_to_zero_or_are_all_zero_still_give_a_distribution():
    for score in ([-1.0, 0.0, 1.0], [0.0, 0.0, 0.0], [-3.0, -3.0, -3.0]):
        phi = so.incompatibility(jnp.array(score), ALIVE)
        assert float(jnp.sum(phi)) == pytest.approx(1.0)
    np.testing.assert_allclose(so.incompatibility(jnp.zeros(3), ALIVE), 1 / 3, rtol=1e-6)


def test_softmax_inversion_by_hand():
    # norm2(3, 4) = 5: softmax of -6, -8 at temperature 0.1.
    phi = so.invert_softmax(jnp.array([3.0, 0.0, 4.0]), jnp.array([True, False, True]), 0.1)
    np.testing.assert_allclose(phi, [1 / (1 + np.exp(-2)), 0, 1 / (1 + np.exp(2))], rtol=1e-5)


def test_linear_inversion_of_two_swaps_them_and_of_one_keeps_it():
    assert so.invert_linear(jnp.array([1.0, 0.0, 0.0]), jnp.array([True, True, False])).tolist() == [0.0, 1.0, 0.0]
    assert so.invert_linear(jnp.array([0.0, 1.0, 0.0]), jnp.array([False, True, False])).tolist() == [0.0, 1.0, 0.0]


# -------------------------------------------------------------------------------------------------------- solvers


def test_shapley_by_hand_through_enumeration():
    w = random_payoffs(0, 4)
    mean = (w + w.T) / 2
    sigma = np.asarray(so.unpopularity(jnp.asarray(mean), jnp.ones(4, bool)), np.float64)
    score = shapley_exact_enumerated(np.outer(sigma, sigma) * mean)
    share = score / score.sum()
    assert share.max() <= 1
    expected = (1 - share) / (1 - share).sum()
    np.testing.assert_allclose(so.shapley(KEY, graph_of_payoffs(w)), expected, rtol=1e-5)


def test_algorithm_2_tends_to_the_exact_solver():
    graph = graph_of_payoffs(snapshots(0, 9))
    exact = so.shapley(KEY, graph)
    sampled = so.graphic_shapley_value(KEY, graph, permutations=8192)
    assert np.corrcoef(sampled, exact)[0, 1] > 0.99


def authors_by_plain_loops(w, places):
    """The authors' Shapley estimate with lists, and networkx's PageRank of each coalition's own small graph."""

    def worth(members):
        if not members:
            return 0.0
        small = w[np.ix_(members, members)].astype(float)
        ranked = nx.pagerank(nx.from_numpy_array(small, create_using=nx.DiGraph), tol=1e-12, max_iter=500)
        sigma = np.exp(-10 * np.array(list(ranked.values())))
        return max(0.0, float((small @ sigma / sigma.sum()).mean()))

    score = np.zeros(len(w))
    for place in places:
        order = np.argsort(place)
        for size, i in enumerate(order):
            score[i] += max(0.0, worth(list(order[: size + 1])) - worth(list(order[:size]))) / len(places)
    return score


def test_authors_equals_plain_loops_over_the_same_orders():
    w = random_payoffs(0, 4) / 200
    alive = jnp.ones(4, bool)
    expected = authors_by_plain_loops(w, np.asarray(so.sample_orders(KEY, alive, 5)))
    found = so.authors_shapley(KEY, jnp.asarray(w), alive, 5)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_mean_payoff_leaves_itself_out_unless_asked_or_alone():
    w = jnp.array([[9.0, 1.0, 3.0], [1.0, 9.0, 5.0], [3.0, 5.0, 9.0]])
    assert so.mean_payoff(w, ALIVE).tolist() == [2.0, 3.0, 4.0]
    np.testing.assert_allclose(so.mean_payoff(w, ALIVE, itself=True), [13 / 3, 5, 17 / 3], rtol=1e-6)
    assert so.mean_payoff(w, jnp.array([False, True, False]))[1] == 9.0


def test_returns_by_hand():
    # Mean payoffs 2, 3, 4: shares 2/9, 3/9, 4/9, inverted 7/18, 6/18, 5/18.
    graph = graph_of_payoffs([[9.0, 1.0, 3.0], [1.0, 9.0, 5.0], [3.0, 5.0, 9.0]])
    np.testing.assert_allclose(so.returns(KEY, graph), [7 / 18, 6 / 18, 5 / 18], rtol=1e-6)


def test_worst_puts_everything_on_the_lowest_mean_and_the_lowest_slot_among_equals():
    graph = graph_of_payoffs([[9.0, 1.0, 3.0], [1.0, 9.0, 5.0], [3.0, 5.0, 9.0]])
    assert so.worst(KEY, graph).tolist() == [1.0, 0.0, 0.0]
    equal = graph_of_payoffs(np.ones((4, 4)), jnp.array([False, True, True, True]))
    assert so.worst(KEY, equal).tolist() == [0.0, 1.0, 0.0, 0.0]


def test_uniform_shares_among_the_living():
    graph = graph_of_payoffs(np.ones((4, 4)), DEAD_IN_THE_MIDDLE)
    np.testing.assert_allclose(so.uniform(KEY, graph), [1 / 3, 0, 1 / 3, 1 / 3], rtol=1e-6)


@pytest.mark.parametrize("name", ["shapley", "returns", "worst", "uniform", "shapley, softmax"])
def test_scattered_dead_slots_change_no_solver(name):
    for seed in range(3):
        w = random_payoffs(seed, 4) - 50.0
        small = VARIANTS[name](KEY, graph_of_payoffs(w))
        wide = VARIANTS[name](KEY, graph_of_payoffs(*padded(w)))
        np.testing.assert_allclose(wide[SLOTS], small, rtol=1e-4)


def test_scattered_dead_slots_change_no_value_of_the_authors():
    w = random_payoffs(0, 4)
    expected = authors_by_plain_loops(w, [[0, 1, 2, 3]])
    wide, alive = padded(w)
    w0 = jnp.where(alive[:, None] & alive[None, :], wide, 0.0)
    member = jnp.zeros(9, bool)
    worth = [0.0]
    for slot in SLOTS:
        member = member.at[slot].set(True)
        worth.append(float(so.authors_coalition_value(w0, link_weights(w0, alive), member)))
    np.testing.assert_allclose(np.maximum(np.diff(worth), 0), expected, rtol=1e-4, atol=1e-3)


def test_a_growing_population_compiles_once():
    solver = jax.jit(partial(so.shapley, sigma=so.Sigma(self_loops=False)))
    for n in (1, 4, 9):
        solver(KEY, graph_of_payoffs(random_payoffs(0, 9), jnp.arange(9) < n))
    assert solver._cache_size() == 1


FLOAT32_MAX = float(np.finfo(np.float32).max)
ANY_PAYOFF = st.one_of(
    st.floats(-FLOAT32_MAX, FLOAT32_MAX, width=32),
    st.sampled_from([0.0, 1.0, -1.0, 1e30, -1e30, 1e-30, 1e-45, FLOAT32_MAX, -FLOAT32_MAX, 20.0]),
)


@pytest.mark.parametrize("name", VARIANTS)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    by_seat=hnp.arrays(np.float32, (5, 5), elements=ANY_PAYOFF),
    alive=hnp.arrays(bool, 5).filter(np.any),
)
@example(by_seat=np.zeros((5, 5), np.float32), alive=np.ones(5, bool))
@example(by_seat=np.full((5, 5), -7.0, np.float32), alive=np.ones(5, bool))
@example(by_seat=np.full((5, 5), FLOAT32_MAX, np.float32), alive=np.ones(5, bool))
@example(by_seat=np.eye(5, dtype=np.float32) * -1e30, alive=np.array([0, 1, 0, 1, 0], bool))
@example(by_seat=np.full((5, 5), 1e-45, np.float32), alive=np.array([0, 0, 1, 0, 0], bool))
def test_any_finite_payoffs_give_a_distribution_over_the_living(name, by_seat, alive):
    graph = GameGraph(by_seat, np.zeros_like(by_seat), np.ones((5, 5), np.int32), alive)
    phi = np.asarray(VARIANTS[name](KEY, graph))
    assert (phi >= 0).all()
    assert phi.sum() == pytest.approx(1.0, abs=1e-5)
    assert (phi[~alive] == 0).all()


@pytest.mark.parametrize("name", ["shapley", "returns"])
def test_phi_does_not_depend_on_the_unit_of_payoff(name):
    w = snapshots(0, 9)
    for unit in (1e-36, 1e30):
        np.testing.assert_allclose(
            VARIANTS[name](KEY, graph_of_payoffs(w * unit)), VARIANTS[name](KEY, graph_of_payoffs(w)), rtol=1e-4
        )


@pytest.mark.parametrize("name", ["shapley", "shapley, softmax", "returns"])
def test_the_one_nobody_can_work_with_gets_the_highest_phi(name):
    w = np.full((5, 5), 10.0, np.float32)
    w[3, :] = w[:, 3] = 1.0
    w[3, 3] = 10.0
    phi = VARIANTS[name](KEY, graph_of_payoffs(w))
    assert int(jnp.argmax(phi)) == 3
    assert phi[3] > 1 / 5


# ------------------------------------------------------------------------------------------------------------ SUCG


PHI, VISITS = jnp.array([0.5, 0.3, 0.2]), jnp.array([7, 1, 1])


def test_sucg_as_printed_by_hand():
    # sqrt(9) = 3: bonuses 3/8, 3/2, 3/2, times c = 2.
    value = so.sucg_value(PHI, VISITS, ALIVE, so.Exploration(c=2.0))
    np.testing.assert_allclose(value, [1.25, 3.3, 3.2], rtol=1e-6)
    drawn = so.sucg(PHI, VISITS, ALIVE, so.Exploration(c=2.0))
    np.testing.assert_allclose(drawn, np.array([1.25, 3.3, 3.2]) / 7.75, rtol=1e-6)


def test_c_may_be_data():
    """In one program, c = 0 leaves phi as it is and c = 2 does not."""
    drawn = jax.vmap(lambda c: so.sucg(PHI, VISITS, ALIVE, so.Exploration(c=c)))(jnp.array([0.0, 2.0]))
    np.testing.assert_allclose(drawn[0], PHI / PHI.sum(), rtol=1e-6)
    np.testing.assert_allclose(drawn[1], so.sucg(PHI, VISITS, ALIVE, so.Exploration(c=2.0)), rtol=1e-6)
    assert not np.allclose(drawn[0], drawn[1])


def test_sucg_of_the_authors_divides_the_bonus_by_its_norm():
    bonus = np.array([1, 4, 4]) / np.sqrt(33.0)
    value = so.sucg_value(PHI, VISITS, ALIVE, so.Exploration(bonus="normalised"))
    np.testing.assert_allclose(value, np.asarray(PHI) + bonus, rtol=1e-6)


@pytest.mark.parametrize("bonus", ["printed", "normalised"])
def test_sucg_before_any_visit_is_phi(bonus):
    drawn = so.sucg(PHI, jnp.zeros(3, int), ALIVE, so.Exploration(bonus=bonus))
    np.testing.assert_allclose(drawn, PHI, rtol=1e-6)


def test_sucg_ignores_dead_slots_and_their_old_visits():
    alive = jnp.array([True, False, True])
    drawn = so.sucg(jnp.array([0.6, 0.0, 0.4]), jnp.array([3, 1000, 1]), alive)
    np.testing.assert_allclose(drawn, np.array([0.6 + 2 / 4, 0, 0.4 + 2 / 2]) / 2.5, rtol=1e-6)


@pytest.mark.parametrize("bonus", ["printed", "normalised"])
def test_in_an_empty_graph_nobody_is_drawn(bonus):
    drawn = so.sucg(jnp.zeros(3), VISITS, jnp.zeros(3, bool), so.Exploration(bonus=bonus))
    assert drawn.tolist() == [0.0, 0.0, 0.0]


def test_visits_are_kept_or_reset_at_the_start_of_a_generation():
    assert so.visits_at_start(VISITS).tolist() == [7, 1, 1]
    assert so.visits_at_start(VISITS, so.Exploration(reset=True)).tolist() == [0, 0, 0]


def test_effective_number_of_partners():
    assert so.effective_number(jnp.full(8, 1 / 8)) == pytest.approx(8.0, rel=1e-5)
    assert so.effective_number(jnp.array([0.0, 1.0])) == 1.0
    assert so.effective_number(jnp.array([0.5, 0.25, 0.25])) == pytest.approx(2**1.5, rel=1e-5)
