"""The open-ended loop in the smallest kitchen: Algorithm 1 step by step, its options, one compilation, resume."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cole import graph as gg
from cole import solver
from cole.kitchen import layouts
from cole.learning import Batch
from cole.methods import cole
from cole.oracle import Mixture, RankTest, given_up, objective_J, rank_test
from cole.policy import network
from cole.population import Population
from cole.ppo import Hyper
from cole.program import Program

SMALL = layouts.parse("XPXX\nO12X\nXDSX")
HYPER = Hyper(rate=1e-2, entropy=0.01)
BATCH = Batch(groups=4, games=2, steps=10, minibatches=2, epochs=1)
SETTING = cole.Setting(
    HYPER,
    HYPER,
    BATCH,
    Mixture(own=1),
    shaped_until=1e5,
    generations=6,
    updates=2,
    capacity=4,
    earliest=2,
    episodes=1,
    founders=cole.Founders(warmup=1),
)


def run(program: Program, seeds=(0,), generations: int = 6):
    """The state after some generations, and the logs [P] of each."""
    state, logs = program.start(jnp.array(seeds, jnp.uint32)), []
    for t in range(generations):
        state, log = program.advance(state, t)
        logs.append(jax.tree.map(lambda x: np.asarray(x[:, 0]), log))
    return state, logs


@pytest.fixture(scope="module")
def loop() -> Program:
    return cole.program(SMALL, SETTING)


@pytest.fixture(scope="module")
def history(loop):
    return run(loop)


@pytest.mark.slow
def test_the_population_grows_to_its_capacity_and_then_one_of_the_earliest_leaves(history):
    state, logs = history
    assert [int(log["alive"][0]) for log in logs] == [2, 3, 4, 4, 4, 4]
    assert np.asarray(state.population.alive).all()
    born = set(np.asarray(state.population.born)[0].tolist())
    assert {4, 5} <= born  # the newest never leave
    assert int(state.population.born[0, state.newest[0]]) == 5


def test_every_pair_of_the_living_has_been_played(history):
    state, _ = history
    episodes = np.asarray(state.graph.episodes[0])
    assert episodes.tolist() == (np.ones((4, 4), int) + np.eye(4, dtype=int)).tolist()


def test_after_the_warm_up_one_group_in_four_meets_itself(history):
    _, logs = history
    assert logs[0]["draws"].sum() == 0  # warm-up: pure self-play
    assert all(log["draws"].sum() == 2 * 3 for log in logs[1:])  # two updates of three groups
    assert all(1.0 <= log["effective_partners"][0] <= 4.0 for log in logs[1:])


def test_visits_count_who_was_met_and_a_newcomer_starts_from_none(loop):
    """Also in the slot of a member that has left, which was met as often as ever while the newcomer learned."""
    state, _ = run(loop, generations=3)
    for t in range(3, 6):
        before = np.asarray(state.visits[0])
        state, log = loop.advance(state, t)
        expected = before + np.asarray(log["draws"][0, 0])
        expected[int(state.newest[0])] = 0.0
        assert int(log["alive"][0, 0]) == 4
        np.testing.assert_allclose(state.visits[0], expected)


def test_phi_is_what_the_solver_makes_of_the_payoff_matrix(loop):
    state, _ = run(loop, generations=3)
    expected = solver.shapley(jax.random.key(0), jax.tree.map(lambda x: x[0], state.graph))
    _, log = loop.advance(state, 3)
    np.testing.assert_allclose(log["phi"][0, 0], expected, rtol=1e-5)


def test_the_objective_is_the_phi_weighted_payoff_with_others_and_alpha_times_that_with_itself():
    graph = rows([1.0, 2.0, 4.0], [2.0, 0.0, 6.0], [4.0, 6.0, 8.0])
    told = objective_J(jnp.array([0.25, 0.75, 0.0]), graph, jnp.int32(2), alpha=0.5)
    np.testing.assert_allclose(told["J_c"], 0.25 * 4 + 0.75 * 6)
    np.testing.assert_allclose(told["J_i"], 8.0)
    np.testing.assert_allclose(told["J"], 5.5 + 0.5 * 8)
    np.testing.assert_allclose(told["return_with_population"], 5.0)
    assert told["payoff_row"].tolist() == [4.0, 6.0, 8.0]
    assert float(told["sigma_ratio"]) > 1.0


def test_population_and_solver_never_recompile(loop, compiled):
    counts = []
    state = loop.start(jnp.array([8, 9], jnp.uint32))
    for t in range(6):
        state, _ = loop.advance(state, t)
        counts.append(len(compiled))
    assert counts[0] > 0
    assert counts == [counts[0]] * 6


def test_a_seed_among_others_does_what_it_does_alone(loop):
    alone, among = run(loop, generations=2)[0], run(loop, seeds=(3, 0), generations=2)[0]
    for a, b in zip(jax.tree.leaves(loop.agents(alone)), jax.tree.leaves(loop.agents(among)), strict=True):
        np.testing.assert_array_equal(a[0], b[1])  # on a CPU, where seeds learn one after the other
    assert alone.population.born[0].tolist() == among.population.born[1].tolist()


def rows(*payoffs) -> gg.GameGraph:
    return gg.graph_of_payoffs(jnp.array(payoffs))


def test_the_rank_test_passes_who_is_among_the_k_most_preferred():
    # 0 and 1 prefer 2; 2 prefers 0: eta is 1/2, 1, 0.
    graph = rows([1.0, 0.0, 5.0], [0.0, 1.0, 5.0], [5.0, 5.0, 9.0])
    members = Population({}, graph.alive, jnp.arange(3))
    ranks = {}
    for slot in range(3):
        passed, told = rank_test(RankTest(k=2), graph, members, jnp.int32(slot))
        ranks[slot] = (int(told["rank"]), bool(passed), float(told["eta"]))
    assert ranks == {0: (2, True, 0.5), 1: (3, False, 1.0), 2: (1, True, 0.0)}


def test_the_authors_ask_whether_the_most_preferred_is_among_the_newest():
    def passes(members: int, younger: int, generation: int) -> bool:
        """Who has `younger` after it is preferred by all; 0, who is preferred by that one, comes after it in eta."""
        star = members - 1 - younger
        payoffs = np.ones((members, members))
        payoffs[:, star] = payoffs[star, :] = 5.0
        graph = gg.graph_of_payoffs(jnp.asarray(payoffs, jnp.float32))
        born = jnp.arange(members) + generation - (members - 1)
        population = Population({}, graph.alive, born)
        return bool(rank_test(RankTest(newest=0.1), graph, population, jnp.int32(members - 1))[0])

    # A tenth of the others, rounded down, and one more may be younger; of 11, 10 are others.
    most = {6: 1, 10: 1, 11: 2, 21: 3, 50: 5}
    for members, allowed in most.items():
        assert passes(members, allowed, 49) and not passes(members, allowed + 1, 49)
    late = {6: 2, 11: 3, 50: 10}  # a fifth from generation 50 on
    for members, allowed in late.items():
        assert passes(members, allowed, 50) and not passes(members, allowed + 1, 50)


def test_of_equally_preferred_the_authors_ask_for_the_oldest():
    # 0 and 1 prefer each other, and 2 and 3 do: all eta are 2/3.
    w = jnp.array([[0.0, 5, 1, 1], [5, 0, 1, 1], [1, 1, 0, 5], [1, 1, 5, 0]])
    graph = gg.graph_of_payoffs(w)
    assert not bool(rank_test(RankTest(newest=0.1), graph, Population({}, graph.alive, jnp.arange(4)), jnp.int32(3))[0])


@pytest.fixture(scope="module")
def strict() -> Program:
    """Nobody passes the test, of three in a row one joins all the same; games with itself count for nothing."""
    setting = SETTING._replace(test=RankTest(k=0, tries=3), mixture=Mixture(weighted=True, alpha=0.0))
    return cole.program(SMALL, setting)


def test_who_fails_stays_out_and_learns_on_until_the_last_try(strict, compiled):
    run(strict, generations=1)
    before = len(compiled)
    state, logs = run(strict, generations=5)
    assert len(compiled) == before  # nothing compiles anew
    assert not any(log["passed"][0] for log in logs)
    assert [bool(log["joined"][0]) for log in logs] == [True, False, False, True, False]  # the warm-up is not tested
    assert [int(log["alive"][0]) for log in logs] == [2, 2, 2, 3, 3]
    assert sorted(state.population.born[0, state.population.alive[0]].tolist()) == [-1, 0, 3]
    assert int(state.failures[0]) == 1
    assert int(state.learner.steps[0, 0]) == 5 * 2 * 4 * 2 * 10  # what was learned in vain is learned all the same


def test_the_last_try_joins_unless_it_is_discarded():
    assert [bool(given_up(RankTest(tries=3), jnp.int32(n))) for n in (1, 2, 3)] == [False, False, True]
    assert bool(given_up(RankTest(), jnp.int32(1)))
    assert not bool(given_up(RankTest(discard=True), jnp.int32(9)))


@pytest.mark.slow
def test_groups_can_be_weighted_as_the_objective_is_printed(strict):
    """In the warm-up the learner meets only itself: with alpha 0 these games weigh nothing."""
    before = jax.tree.leaves(jax.tree.map(np.asarray, strict.start(jnp.array([0], jnp.uint32)).learner.params))
    state, _ = run(strict, generations=1)
    assert all((a == b).all() for a, b in zip(before, jax.tree.leaves(state.learner.params), strict=True))
    state, _ = strict.advance(state, 1)  # now three groups in four have partners, whose phi is above 0
    assert any((a != b).any() for a, b in zip(before, jax.tree.leaves(state.learner.params), strict=True))


@pytest.mark.slow
def test_the_options_of_the_loop_all_run():
    initial = jax.vmap(lambda key: network.init(key, (4, 3, 20)))(jax.random.split(jax.random.key(0), 2))
    setting = SETTING._replace(
        mixture=Mixture(per_draw=True, pause=0.3, err=0.1),
        fresh_ego=True,
        refresh=2,
        publish="preferred",
        solving=cole.Solving("authors", permutations=5),
        founders=cole.Founders(warmup=0),
    )
    program = cole.program(SMALL, setting, initial)
    state, logs = run(program, generations=2)
    assert [int(log["alive"][0]) for log in logs] == [3, 4]
    assert logs[1]["draws"].sum() == 6
    episodes = np.asarray(state.graph.episodes[0])
    assert episodes.sum() > (16 + 4)  # one member has been played once more
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(program.agents(state)))


def test_a_fresh_ego_begins_every_generation_at_the_first_rate_with_all_of_its_shaping():
    end = HYPER._replace(rate=0.0)  # nothing would be learned in the last generation
    setting = SETTING._replace(hyper_end=end, fresh_ego=True, generations=2, founders=cole.Founders(warmup=0))
    program = cole.program(SMALL, setting)
    state, _ = run(program, generations=2)
    assert float(state.learner.hyper.rate[0, 0]) == pytest.approx(HYPER.rate)
    assert int(state.learner.steps[0, 0]) == 2 * 4 * 2 * 10 == program.all_steps // 2
    first, second = (jax.tree.map(lambda x, i=i: x[0, i], state.population.params) for i in (1, 2))
    assert state.population.born[0].tolist()[:3] == [-1, 0, 1]
    assert (np.asarray(first["dense1"]["w"]) != np.asarray(second["dense1"]["w"])).all()


@pytest.mark.slow
def test_self_play_strategies_can_found_the_population():
    founders = cole.Founders(warmup=0, self_play=1, snapshots=2, updates=2)
    program = cole.program(SMALL, SETTING._replace(founders=founders, publish="payoff"))
    state, _ = run(program, generations=1)
    assert state.population.alive[0].tolist() == [True, True, True, False]
    assert state.population.born[0, :3].tolist() == [-2, -1, 0]
    first, second = (np.asarray(state.population.params["dense1"]["w"][0, slot]) for slot in (0, 1))
    assert (first != second).any()
