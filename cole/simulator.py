"""The simulator: completes the payoff matrix of a population by playing what is missing.

Who joins brings a row and a column: it in seat 0 beside everybody, and everybody in seat 0 beside it. Both are one
compiled call, whatever the population's size (dead slots play too, to no effect: the price of compiling once), and the
episodes behind each entry are counted with their squares. For two seats.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from cole import rollout
from cole.graph import GameGraph
from cole.kitchen import game
from cole.kitchen.layouts import Layout
from cole.policy.policy import Policy
from cole.population import Population


def forget(graph: GameGraph, slot: Array | int) -> GameGraph:
    """The graph when another strategy has moved into a slot: nothing is known of it yet."""
    touched = _touched(graph, slot)
    return GameGraph(
        jnp.where(touched, 0.0, graph.by_seat),
        jnp.where(touched, 0.0, graph.sum_squares),
        jnp.where(touched, 0, graph.episodes),
        graph.alive.at[slot].set(True),
    )


def complete(
    key: Array,
    layout: Layout,
    policy: Policy,
    population: Population,
    graph: GameGraph,
    slot: Array | int,
    episodes: int,
    steps: int,
) -> GameGraph:
    """Step 1 of Algorithm 1: plays the slot's row and column and adds these episodes to the graph."""
    mine = jax.tree.map(lambda x: x[slot], population.params)
    returns = play_with_all(key, layout, policy, mine, population.params, episodes, steps)
    return record(graph, slot, returns)


def play_with_all(
    key: Array, layout: Layout, policy: Policy, mine: Any, params: Any, episodes: int, steps: int
) -> Array:
    """Returns [2, C, episodes] of one strategy in seat 0, then in seat 1, beside each of C others."""
    count = jax.tree.leaves(params)[0].shape[0]
    chance = rollout.draw_chance(key, layout, 2 * count * episodes * steps)
    chance = jnp.moveaxis(chance.reshape(2, count, episodes, steps, *chance.shape[1:]), 1, 0)
    chance = chance.reshape(count, 2 * episodes, *chance.shape[3:])  # both seats in a row
    seats = jnp.repeat(jnp.arange(2), episodes)
    # One opening for all would become many only while the games are traced, which would be traced once more then.
    starts = jax.tree.map(lambda x: jnp.broadcast_to(x, (*chance.shape[:2], *x.shape)), game.reset(layout))

    def one(theirs: Any, seat: Array, start: game.State, chance: Array) -> Array:
        played = rollout.play(layout, policy, mine, policy, theirs, seat, start, chance, apart=True)
        return jnp.sum(game.reward(game.SPARSE, played.events))

    by_episode = jax.vmap(one, in_axes=(None, 0, 0, 0))
    returns = jax.vmap(by_episode, in_axes=(0, None, 0, 0))(params, seats, starts, chance)  # [C, 2 * episodes]
    return jnp.moveaxis(returns.reshape(count, 2, episodes), 1, 0)


def record(graph: GameGraph, slot: Array | int, returns: Array) -> GameGraph:
    """The graph with returns [2, C, E] of the slot's strategy in both seats added to what was known."""
    count = graph.alive.shape[0]
    here = jnp.arange(count) == slot
    # [C, C]: in the slot's row it sits in seat 0, in its column in seat 1; with itself either is the same.
    row, column = here[:, None] & graph.alive[None, :], here[None, :] & graph.alive[:, None]

    def spread(statistic: Array) -> Array:  # [2, C] -> [C, C]
        first, second = (jnp.broadcast_to(part, (count, count)) for part in statistic)
        return jnp.where(row, first, 0.0) + jnp.where(column, second.T, 0.0)

    played = returns.shape[2] * (row.astype(jnp.int32) + column.astype(jnp.int32))
    episodes = graph.episodes + played
    total = graph.by_seat * graph.episodes + spread(jnp.sum(returns, axis=2))
    squares = graph.sum_squares + spread(jnp.sum(returns**2, axis=2))
    by_seat = jnp.where(played > 0, total / jnp.maximum(episodes, 1), graph.by_seat)
    return GameGraph(by_seat, squares, episodes, graph.alive)


def complete_all(
    key: Array,
    layout: Layout,
    policy: Policy,
    population: Population,
    graph: GameGraph,
    count: int,
    episodes: int,
    steps: int,
) -> GameGraph:
    """The whole matrix of a population that is there from the start, in the first `count` slots."""
    members = jax.tree.map(lambda x: x[:count], population.params)
    dead = ((0, 0), (0, graph.alive.shape[0] - count), (0, 0))

    def join(graph: GameGraph, item: tuple[Array, Array]) -> tuple[GameGraph, None]:
        slot, key = item
        mine = jax.tree.map(lambda x: x[slot], members)
        returns = play_with_all(key, layout, policy, mine, members, episodes, steps)
        return record(forget(graph, slot), slot, jnp.pad(returns, dead)), None

    return jax.lax.scan(join, graph, (jnp.arange(count), jax.random.split(key, count)))[0]


def _touched(graph: GameGraph, slot: Array | int) -> Array:
    """[C, C]: the slot's row and column."""
    here = jnp.arange(graph.alive.shape[0]) == slot
    return here[:, None] | here[None, :]
