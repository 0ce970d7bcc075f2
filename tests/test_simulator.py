"""The payoff matrix: who sat where, how often, and that only what is new is played."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cole import graph as gg
from cole import population, rollout, simulator
from cole.kitchen import game, layouts
from cole.policy import network
from cole.policy.policy import neural

SMALL = layouts.parse("XPXX\nO12X\nXDSX")
CAPACITY, EPISODES, STEPS = 4, 2, 12


def graph_with(alive: list[bool]) -> gg.GameGraph:
    return gg.empty_graph(CAPACITY)._replace(alive=jnp.array(alive))


def test_a_newcomer_in_seat_0_fills_its_row_and_in_seat_1_its_column():
    returns = jnp.stack([jnp.full((CAPACITY, EPISODES), 10.0), jnp.full((CAPACITY, EPISODES), 30.0)])
    returns = returns.at[0, :, 1].add(4.0)  # 10 and 14
    known = simulator.record(graph_with([True, False, True, False]), 2, returns)
    assert known.by_seat.tolist() == [[0, 0, 30, 0], [0, 0, 0, 0], [12, 0, 21, 0], [0, 0, 0, 0]]
    assert known.episodes.tolist() == [[0, 0, 2, 0], [0, 0, 0, 0], [2, 0, 4, 0], [0, 0, 0, 0]]
    np.testing.assert_allclose(known.sum_squares[2, 0], 10.0**2 + 14.0**2)
    np.testing.assert_allclose(gg.payoff(known)[0, 2], 21.0)  # mean of both seats
    np.testing.assert_allclose(gg.standard_error(known)[2, 0], np.std([10, 14], ddof=1) / np.sqrt(2))


def test_more_episodes_are_added_to_those_there_are():
    once = simulator.record(graph_with([True] * 4), 1, jnp.full((2, CAPACITY, 3), 8.0))
    twice = simulator.record(once, 1, jnp.full((2, CAPACITY, 1), 16.0))
    assert int(twice.episodes[1, 0]) == 4
    np.testing.assert_allclose(twice.by_seat[1, 0], (3 * 8 + 16) / 4)
    np.testing.assert_allclose(twice.by_seat[0, 2], 0.0)
    again = simulator.forget(twice, 1)
    assert int(jnp.sum(again.episodes)) == 0
    assert bool(again.alive[1])


def test_what_is_recorded_is_what_is_played():
    policy = neural(SMALL)
    params = jax.jit(jax.vmap(lambda key: jax.tree.map(lambda x: 3 * x, network.init(key, (4, 3, 20)))))(
        jax.random.split(jax.random.key(0), CAPACITY)
    )
    members = population.Population(params, jnp.array([True, True, False, True]), jnp.arange(CAPACITY))
    key = jax.random.key(7)
    graph = graph_with([True, True, False, True])
    known = jax.jit(lambda: simulator.complete(key, SMALL, policy, members, graph, jnp.int32(1), EPISODES, STEPS))()
    chance = rollout.draw_chance(key, SMALL, 2 * CAPACITY * EPISODES * STEPS)
    chance = chance.reshape(2, CAPACITY, EPISODES, STEPS, 2, -1)

    @jax.jit
    def earned(seat, other, episode):
        mine, theirs = (jax.tree.map(lambda x, i=i: x[i], params) for i in (1, other))
        start = game.reset(SMALL)
        played = rollout.play(SMALL, policy, mine, policy, theirs, seat, start, chance[seat, other, episode])
        return jnp.sum(game.reward(game.SPARSE, played.events))

    for other in (0, 3):
        for seat, entry in ((0, (1, other)), (1, (other, 1))):
            expected = np.mean([earned(seat, other, episode) for episode in range(EPISODES)])
            np.testing.assert_allclose(known.by_seat[entry], expected)
    assert int(known.episodes[1, 2]) == int(known.episodes[0, 3]) == 0


@pytest.mark.parametrize("count", [1, 3])
def test_a_population_from_the_start_is_played_pair_by_pair(count):
    policy = neural(SMALL)
    params = jax.jit(jax.vmap(lambda key: network.init(key, (4, 3, 20))))(jax.random.split(jax.random.key(0), CAPACITY))
    members = population.Population(params, jnp.arange(CAPACITY) < count, jnp.arange(CAPACITY))
    known = jax.jit(
        lambda: simulator.complete_all(
            jax.random.key(1), SMALL, policy, members, gg.empty_graph(CAPACITY), count, EPISODES, STEPS
        )
    )()
    expected = np.zeros((CAPACITY, CAPACITY), int)
    expected[:count, :count] = EPISODES
    np.fill_diagonal(expected[:count, :count], 2 * EPISODES)
    assert known.episodes.tolist() == expected.tolist()
    assert known.alive.tolist() == [slot < count for slot in range(CAPACITY)]
