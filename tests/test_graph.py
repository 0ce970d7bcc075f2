"""Checks the game graph and its preference graph: numbers worked by hand, plain loops, networkx, padding."""

import jax
import jax.numpy as jnp
import networkx as nx
import numpy as np
import pytest

from cole import graph as gg
from cole.report.examples import snapshots

# Four strategies; the best partner of each, not counting itself, is 1, 2, 1, 2.
W = np.array([[9.0, 5.0, 2.0, 1.0], [3.0, 9.0, 6.0, 0.0], [2.0, 4.0, 9.0, 4.0], [1.0, 1.0, 8.0, 9.0]], np.float32)
ALIVE = jnp.ones(4, bool)

# Where the strategies of a small graph sit in a graph of capacity 9, and what lies in the dead slots.
SLOTS = np.array([1, 2, 4, 7])
RUBBISH = 1e6


def padded(w, slots=SLOTS, capacity=9):
    """The matrix spread over scattered slots, with rubbish in the dead ones."""
    wide = np.full((capacity, capacity), RUBBISH, np.float32)
    wide[np.ix_(slots, slots)] = w
    alive = np.zeros(capacity, bool)
    alive[slots] = True
    return jnp.asarray(wide), jnp.asarray(alive)


def random_payoffs(seed, n):
    return np.random.default_rng(seed).uniform(0, 200, (n, n)).astype(np.float32)


def test_payoff_is_the_mean_of_both_seats_or_the_ordered_one():
    graph = gg.graph_of_payoffs(W)
    assert gg.payoff(graph)[0, 1] == 4.0  # (5 + 3) / 2
    assert gg.payoff(graph)[1, 0] == 4.0
    assert gg.payoff(graph, "ordered")[0, 1] == 5.0


def test_a_seat_never_played_is_left_out_of_the_mean():
    graph = gg.graph_of_payoffs(W)
    graph = graph._replace(episodes=graph.episodes.at[1, 0].set(0))
    assert gg.payoff(graph)[0, 1] == gg.payoff(graph)[1, 0] == 5.0
    assert gg.payoff(graph, "ordered")[1, 0] == 0.0


def test_dead_slots_have_no_payoff():
    wide, alive = padded(W)
    w = gg.payoff(gg.graph_of_payoffs(wide, alive))
    assert float(jnp.max(w)) == 9.0
    assert float(jnp.sum(w)) == float(W.sum())


def test_an_empty_graph_has_nobody_alive_and_nobody_preferred():
    graph = gg.empty_graph(3)
    assert not graph.alive.any()
    assert gg.preferred(gg.payoff(graph), graph.alive).tolist() == [gg.NOBODY] * 3


def test_standard_error_by_hand_and_unknown_below_two_episodes():
    # Returns 0, 20, 40: mean 20, sample variance 400, error sqrt(400 / 3).
    one = jnp.ones((1, 1))
    graph = gg.GameGraph(20.0 * one, 2000.0 * one, 3 * one.astype(int), jnp.ones(1, bool))
    assert gg.standard_error(graph)[0, 0] == pytest.approx((400 / 3) ** 0.5, rel=1e-6)
    assert jnp.isinf(gg.standard_error(graph._replace(episodes=one.astype(int)))[0, 0])


def test_each_strategy_prefers_its_best_partner_except_itself():
    assert gg.preferred(jnp.asarray(W), ALIVE).tolist() == [1, 2, 1, 2]


def test_ties_go_to_the_earliest_or_the_latest_born():
    # Strategy 2 earns 4 with 1 and with 3.
    order = jnp.array([0, 30, 20, 10])  # 3 is older than 1
    assert gg.preferred(jnp.asarray(W), ALIVE)[2] == 1
    assert gg.preferred(jnp.asarray(W), ALIVE, ties="latest")[2] == 3
    assert gg.preferred(jnp.asarray(W), ALIVE, order)[2] == 3
    assert gg.preferred(jnp.asarray(W), ALIVE, order, ties="latest")[2] == 1


def test_preferring_itself_is_an_option():
    assert gg.preferred(jnp.asarray(W), ALIVE, itself=True).tolist() == [0, 1, 2, 3]


def test_a_lone_strategy_prefers_nobody_and_has_centrality_one():
    alive = jnp.array([False, True, False, False])
    chosen = gg.preferred(jnp.asarray(W), alive)
    assert chosen.tolist() == [gg.NOBODY] * 4
    for centrality in gg.CENTRALITIES.values():
        assert gg.preference_centrality(chosen, alive, centrality)[1] == 1.0


def test_generation_counts_the_living_in_order_of_birth():
    alive = jnp.array([True, False, True, True, False])
    assert gg.generation(alive).tolist() == [0, 5, 1, 2, 5]
    assert gg.generation(alive, jnp.array([7, 0, 3, 5, 1])).tolist() == [2, 5, 0, 1, 5]


def test_in_degree_centrality_by_hand():
    # In-degrees 0, 2, 2, 0 of n - 1 = 3.
    eta = gg.preference_centrality(gg.preferred(jnp.asarray(W), ALIVE), ALIVE)
    np.testing.assert_allclose(eta, [1, 1 / 3, 1 / 3, 1], rtol=1e-6)


def test_in_degree_never_exceeds_one_when_a_strategy_prefers_itself():
    w = jnp.asarray(np.tile(np.array([1.0, 2.0, 3.0], np.float32), (3, 1)))
    alive = jnp.ones(3, bool)
    eta = gg.preference_centrality(gg.preferred(w, alive, itself=True), alive)
    assert eta.tolist() == [1.0, 1.0, 0.0]


def test_history_is_the_preference_graph_of_every_earlier_generation():
    history = gg.preference_history(jnp.asarray(W), ALIVE)
    assert history.tolist() == [[-1, -1, -1, -1], [1, 0, -1, -1], [1, 2, 1, -1], [1, 2, 1, 2]]


def test_centrality_matrix_has_a_row_per_generation():
    eta = gg.preference_centrality_matrix(jnp.asarray(W), ALIVE)
    expected = [[1, 1, 1, 1], [0, 0, 1, 1], [1, 0, 0.5, 1], [1, 1 / 3, 1 / 3, 1]]
    np.testing.assert_allclose(eta, expected, rtol=1e-6)


def test_history_follows_the_order_of_birth_not_of_slots():
    order = jnp.array([3, 2, 1, 0])
    history = gg.preference_history(jnp.asarray(W), ALIVE, order)
    assert history[1].tolist() == [-1, -1, 3, 2]
    assert history[3].tolist() == gg.preferred(jnp.asarray(W), ALIVE, order).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_closeness_and_pagerank_of_the_preference_graph_equal_networkx(seed):
    w, alive = jnp.asarray(random_payoffs(seed, 12)), jnp.ones(12, bool)
    chosen = gg.preferred(w, alive)
    picture = nx.DiGraph([(i, int(j)) for i, j in enumerate(chosen)])
    closeness, pagerank = nx.closeness_centrality(picture), nx.pagerank(picture, tol=1e-12, max_iter=500)
    np.testing.assert_allclose(gg.closeness(chosen, alive), [closeness[i] for i in range(12)], rtol=1e-5)
    top = max(pagerank.values())
    expected = [pagerank[i] / top for i in range(12)]
    np.testing.assert_allclose(gg.preference_pagerank(chosen, alive), expected, rtol=1e-5)


def test_rank_counts_from_the_lowest_eta_and_shares_places():
    eta = jnp.array([0.5, 0.2, 0.5, 0.0, 1.0])
    alive = jnp.array([True, True, True, True, False])
    assert gg.rank(eta, alive).tolist() == [3, 2, 3, 1, 6]
    assert gg.rank(eta, alive, "worst").tolist() == [4, 2, 4, 1, 6]


def test_a_dead_slot_does_not_take_a_rank():
    assert gg.rank(jnp.array([0.0, 0.5]), jnp.array([False, True])).tolist() == [3, 1]


def test_gamescape_holds_the_rows_and_their_mixtures():
    mixtures = jnp.array([[1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]])
    points = gg.gamescape(jnp.asarray(W), mixtures)
    np.testing.assert_allclose(points[0], W[0])
    np.testing.assert_allclose(points[1], [6, 7, 4, 0.5])


def test_gamescape_dimension_of_a_point_a_line_and_a_full_simplex():
    alive = jnp.ones(4, bool)
    assert gg.gamescape_dimension(jnp.full((4, 4), 1e6 / 3), alive) == 0
    line = jnp.asarray(np.outer([0.0, 1.0, 2.0, 5.0], [1.0, 3.0, 2.0, 2.0]).astype(np.float32))
    assert gg.gamescape_dimension(line, alive) == 1
    assert gg.gamescape_dimension(jnp.eye(4), alive) == 3  # four corners, three dimensions


def test_gamescape_volume_is_zero_for_equal_rows_and_known_for_two_points():
    alive = jnp.ones(2, bool)
    assert gg.gamescape_volume(jnp.full((2, 2), 7.0), alive) == pytest.approx(0.0, abs=1e-9)
    # Rows (3, 0) and (0, 4) lie 5 apart; about their mean the singular value is 5 / sqrt(2).
    corner = jnp.array([[3.0, 0.0], [0.0, 4.0]])
    assert gg.gamescape_volume(corner, alive) == pytest.approx(0.5 * np.log(1 + 12.5), rel=1e-5)
    assert gg.gamescape_volume(corner, alive, unit=5.0) == pytest.approx(0.5 * np.log(1.5), rel=1e-5)


def test_gamescape_grows_with_a_strategy_that_behaves_differently():
    w = jnp.asarray(snapshots(0, 10).astype(np.float32))
    smaller = gg.gamescape_volume(w, jnp.arange(10) < 9)
    assert gg.gamescape_volume(w, jnp.ones(10, bool)) > smaller


def padded_functions():
    def centralities(w, alive):
        chosen = gg.preferred(w, alive)
        return jnp.stack([gg.preference_centrality(chosen, alive, c) for c in gg.CENTRALITIES.values()], axis=1)

    def ranks(w, alive):
        return gg.rank(gg.preference_centrality(gg.preferred(w, alive), alive), alive).astype(jnp.float32)

    return {"centralities": centralities, "ranks": ranks}


@pytest.mark.parametrize("name", padded_functions())
def test_scattered_dead_slots_change_nothing(name):
    function = jax.jit(padded_functions()[name])
    for seed in range(3):
        w = random_payoffs(seed, 4)
        small = function(jnp.asarray(w), jnp.ones(4, bool))
        wide = function(*padded(w))
        np.testing.assert_allclose(wide[SLOTS], small, rtol=1e-6)


def test_scattered_dead_slots_change_neither_preferences_nor_history_nor_gamescape():
    wide, alive = padded(W)
    there = np.append(SLOTS, gg.NOBODY)  # slot of each small index; -1 stays -1
    assert gg.preferred(wide, alive)[SLOTS].tolist() == there[gg.preferred(jnp.asarray(W), ALIVE)].tolist()
    history = gg.preference_history(wide, alive)
    assert history[:4, SLOTS].tolist() == there[gg.preference_history(jnp.asarray(W), ALIVE)].tolist()
    assert (history[4:] == gg.NOBODY).all()
    small = gg.preference_centrality_matrix(jnp.asarray(W), ALIVE)
    np.testing.assert_allclose(gg.preference_centrality_matrix(wide, alive)[:4, SLOTS], small, rtol=1e-6)
    assert gg.gamescape_dimension(wide, alive) == gg.gamescape_dimension(jnp.asarray(W), ALIVE)
    np.testing.assert_allclose(gg.gamescape_volume(wide, alive), gg.gamescape_volume(jnp.asarray(W), ALIVE), rtol=1e-5)


def test_a_growing_population_compiles_once():
    compiled = jax.jit(gg.preference_history)
    for n in (2, 5, 9):
        compiled(jnp.asarray(random_payoffs(0, 9)), jnp.arange(9) < n)
    assert compiled._cache_size() == 1
