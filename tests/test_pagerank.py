"""Checks both PageRanks: numbers worked by hand, a plain double loop over eq:wpg, networkx, padding, extremes."""

import itertools

import jax.numpy as jnp
import networkx as nx
import numpy as np
import pytest
from test_graph import SLOTS, padded, random_payoffs

from cole import pagerank as pr

OPTIONS = list(itertools.product(["weighted", "counted"], [True, False], [True, False]))


def wpg_by_double_loop(w, degrees, self_loops, zero_edges, damping=0.85, rounds=400):
    """eq:wpg in float64 with sets, sums and loops, as it is printed."""
    n = len(w)
    edges = {(v, u) for v in range(n) for u in range(n) if (self_loops or v != u) and (zero_edges or w[v][u] > 0)}
    weight = {edge: float(w[edge]) if degrees == "weighted" else 1.0 for edge in edges}
    inward = [sum(weight[e] for e in edges if e[1] == u) for u in range(n)]
    outward = [sum(weight[e] for e in edges if e[0] == u) for u in range(n)]
    sigma = [1.0] * n
    for _ in range(rounds):
        new = []
        for u in range(n):
            total = 0.0
            for v in (v for v in range(n) if (v, u) in edges):
                linked = [p for p in range(n) if (v, p) in edges]
                over_in, over_out = sum(inward[p] for p in linked), sum(outward[p] for p in linked)
                if over_in > 0 and over_out > 0:
                    total += sigma[v] * inward[u] / over_in * outward[u] / over_out
            new.append((1 - damping) + damping * total)
        sigma = new
    return sigma


def test_weighted_pagerank_of_two_strategies_by_hand():
    # Only the edge 0 -> 1: I = (0, 1), O = (1, 0). The link passes I_1/I_1 * O_1/O_1 = 1 * 0/0 = 0, so both are 1 - d.
    w = jnp.array([[0.0, 1.0], [0.0, 0.0]])
    np.testing.assert_allclose(pr.weighted_pagerank(w, jnp.ones(2, bool), zero_edges=False), [0.15, 0.15], rtol=1e-6)
    # All four payoffs equal: every link passes 1/2 * 1/2, each strategy has two: s = 0.15 + 0.85 s / 2.
    expected = 0.15 / (1 - 0.85 / 2)
    np.testing.assert_allclose(pr.weighted_pagerank(jnp.ones((2, 2)), jnp.ones(2, bool)), expected, rtol=1e-6)
    # Without self-loops each has one link that passes everything: s = 0.15 + 0.85 s.
    alone = pr.weighted_pagerank(jnp.ones((2, 2)), jnp.ones(2, bool), self_loops=False)
    np.testing.assert_allclose(alone, 1.0, rtol=1e-6)


@pytest.mark.parametrize(("degrees", "self_loops", "zero_edges"), OPTIONS)
def test_weighted_pagerank_equals_a_double_loop(degrees, self_loops, zero_edges):
    options = {"degrees": degrees, "self_loops": self_loops, "zero_edges": zero_edges}
    for seed in range(3):
        w = random_payoffs(seed, 6)
        w[w < 80] = 0.0  # some pairs earn nothing
        w[2, :] = w[:, 2] = 0.0  # and one strategy with nobody
        expected = wpg_by_double_loop(w, **options)
        np.testing.assert_allclose(
            pr.weighted_pagerank(jnp.asarray(w), jnp.ones(6, bool), **options), expected, rtol=1e-5
        )


def test_counted_degrees_on_a_complete_graph_tell_nobody_apart():
    sigma = pr.weighted_pagerank(jnp.asarray(random_payoffs(0, 6)), jnp.ones(6, bool), degrees="counted")
    np.testing.assert_allclose(sigma, sigma[0], rtol=1e-6)


def test_a_strategy_that_earns_nothing_has_the_least_weighted_pagerank():
    w = random_payoffs(0, 6)
    w[3, :] = w[:, 3] = 0.0
    sigma = pr.weighted_pagerank(jnp.asarray(w), jnp.ones(6, bool))
    assert sigma[3] == pytest.approx(0.15)
    assert int(jnp.argmin(sigma)) == 3


def test_ordinary_pagerank_equals_networkx_with_self_loops_and_dead_ends():
    for seed in range(3):
        w = random_payoffs(seed, 7)
        w[w < 60] = 0.0
        w[4, :] = 0.0
        picture = nx.from_numpy_array(w.astype(float), create_using=nx.DiGraph)
        expected = nx.pagerank(picture, tol=1e-13, max_iter=500)
        np.testing.assert_allclose(pr.pagerank(jnp.asarray(w), jnp.ones(7, bool)), list(expected.values()), rtol=2e-5)


def test_the_two_pageranks_rank_differently():
    """networkx's weighted PageRank must not stand in for eq:wpg."""
    w, alive = jnp.asarray(random_payoffs(1, 8)), jnp.ones(8, bool)
    printed, ordinary = pr.weighted_pagerank(w, alive), pr.pagerank(w, alive)
    assert jnp.argsort(printed).tolist() != jnp.argsort(ordinary).tolist()


@pytest.mark.parametrize("ranked", [pr.weighted_pagerank, lambda w, a: pr.pagerank(pr.link_weights(w, a), a)])
def test_scattered_dead_slots_change_no_pagerank(ranked):
    for seed in range(3):
        w = random_payoffs(seed, 4) - 60.0  # negative payoffs too
        small, (wide, alive) = ranked(jnp.asarray(w), jnp.ones(4, bool)), padded(w)
        np.testing.assert_allclose(ranked(wide, alive)[SLOTS], small, rtol=1e-5)
        assert float(jnp.sum(ranked(wide, alive))) == pytest.approx(float(jnp.sum(small)), rel=1e-5)


def test_links_are_lifted_to_zero_only_if_a_payoff_is_negative():
    alive = jnp.ones(2, bool)
    assert pr.link_weights(jnp.array([[1.0, 2.0], [3.0, 4.0]]), alive).tolist() == [[0.25, 0.5], [0.75, 1.0]]
    lifted = pr.link_weights(jnp.array([[-1.0, 0.0], [1.0, 3.0]]), alive)
    np.testing.assert_allclose(lifted, [[0, 0.25], [0.5, 1.0]], rtol=1e-6)


def test_pagerank_does_not_depend_on_the_unit_of_payoff():
    w, alive = jnp.asarray(random_payoffs(0, 6)), jnp.ones(6, bool)
    for unit in (1e-36, 1e-20, 1e20, 1e36):
        np.testing.assert_allclose(pr.weighted_pagerank(w * unit, alive), pr.weighted_pagerank(w, alive), rtol=1e-5)


@pytest.mark.parametrize("largest", [0.0, 1e-45, 5e-38, 1e-19, 1.0, 1e19, 3.4e38])
def test_rescaling_is_finite_at_both_ends_of_float32(largest):
    scaled, scale = pr.rescale(jnp.array([largest, -largest / 4], jnp.float32))
    if largest < 1e-38:
        assert scaled.tolist() == [0.0, 0.0]
        assert scale == 1.0
    else:
        np.testing.assert_allclose(scaled, [1.0, -0.25], rtol=1e-6)
        assert scale == np.float32(largest)


def test_a_thousand_strategies_agree_with_the_linear_system():
    n = 1000
    w = random_payoffs(0, n).astype(np.float64)
    inward, outward = w.sum(0), w.sum(1)
    passed = np.outer(inward * outward, np.full(n, 1 / (inward.sum() * outward.sum())))
    expected = np.linalg.solve(np.eye(n) - 0.85 * passed, np.full(n, 0.15))
    np.testing.assert_allclose(
        pr.weighted_pagerank(jnp.asarray(w, jnp.float32), jnp.ones(n, bool)), expected, rtol=1e-5
    )
