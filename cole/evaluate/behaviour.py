"""Who did what in games, and how often cooks stood in each other's way: deeds, idle time, blocked time, blocks.

A cook is *blocked* in a step in which it would have walked into a floor cell and did not get there: another stands
there, both wanted the cell, or they wanted to swap. A wall never blocks, nor does a cook block who just stands about.

A *block* is a stand-off of the team. Steps in which somebody is blocked belong to one block if from each of them to the
next there are at most GAP steps in between, and all cooks stand in the same cells again. So a block goes on while a
cook turns, fumbles, pauses, or steps aside and comes straight back; it ends when somebody has got past or gone away.
It begins and ends with a step in which somebody is blocked, and its length counts all steps from the one to the other.

A cook is *idle* in a step after which it stands, looks and holds as before, unless it was blocked: STAY, an INTERACT
without effect, or a walk against what it faces already. Networks wait in all three ways; STAY alone is `stayed`.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from cole.evaluate import pairs
from cole.evaluate.crossplay import check, games_at_once
from cole.evaluate.pairs import Pair, Setting
from cole.kitchen import game, layouts
from cole.kitchen.layouts import Layout

GAP = 4  # steps without anybody blocked that do not end a block
STEP = 0.15  # seconds, as people play


class Behaviour(NamedTuple):
    """What was done in E games, by S seats. Of one game without the leading axis; `observe` gives NumPy arrays."""

    steps: Array  # [E] of the game
    returns: Array  # [E] the team's sparse reward
    potted: Array  # [E, S] onions put into a pot
    dishes: Array  # [E, S] dishes taken from a dispenser
    plated: Array  # [E, S] soups taken from a pot
    served: Array  # [E, S] soups served
    stayed: Array  # [E, S] steps with STAY
    idle: Array  # [E, S] steps that changed nothing, those with STAY included, those blocked not
    blocked: Array  # [E, S] steps
    hindered: Array  # [E] steps in which anybody was blocked
    blocks: Array  # [E] how many
    longest: Array  # [E] steps of the longest block; 0 if there was none
    start: Array  # [E] the step it begins with, counted from 0; the earliest of equals; -1 if there was none
    held_up: Array  # [E, S] steps of it in which each was blocked


class Summary(NamedTuple):
    """The games of a pair on average. S seats."""

    games: int
    returns: float
    potted: np.ndarray  # [S] in a game, as the next two
    plated: np.ndarray  # [S]
    served: np.ndarray  # [S]
    idle: np.ndarray  # [S] share of the steps, as the next
    blocked: np.ndarray  # [S]
    longest: float  # steps of the longest block of a game, on average
    worst: int  # steps of the longest of all


class Block(NamedTuple):
    """One block of a game."""

    start: int  # the step it begins with, counted from 0
    length: int  # in steps
    blocked: tuple[int, ...]  # [S] steps of it in which each was blocked


def behaviour_of(layout: Layout, pair: Pair, setting: Setting) -> Behaviour:
    """All games of a pair, the first in seat 0: the same games as in a cross-play."""
    return observe(layout, play(layout, pair, setting))


def play(layout: Layout, pair: Pair, setting: Setting, at_once: int | None = None) -> np.ndarray:
    """Actions [E, T, S] of all games of a pair; those of one kind share a compiled program."""
    check(setting, at_once)
    games = pairs.batch_of(1, setting.episodes, at_once or games_at_once()).games
    program = _player(layouts.to_text(layout), pair[0].kind, pair[1].kind, setting.greedy)
    words, parts = pairs.dice(setting, pair)[None], []
    for first in range(0, setting.episodes, games):
        chance = pairs.throw(layout, words, np.int32(first), games, setting.steps)[0]
        with jax.default_matmul_precision("float32"):
            parts.append(np.asarray(program(pair[0].params, pair[1].params, chance), np.int8))
    return np.concatenate(parts)[: setting.episodes]


def observe(layout: Layout, actions: np.ndarray) -> Behaviour:
    """What happened in games [E, T, S] that began with the opening."""
    return jax.device_get(_observe(layout, np.asarray(actions, np.int32)))


def summary(played: Behaviour) -> Summary:
    """Means over games, time as shares of the steps; and the longest block of all."""
    deeds = [np.mean(count, 0) for count in (played.potted, played.plated, played.served)]
    times = [np.mean(time / played.steps[:, None], 0) for time in (played.idle, played.blocked)]
    return Summary(
        len(played.steps),
        float(np.mean(played.returns, dtype=np.float64)),
        *deeds,
        *times,
        longest=float(np.mean(played.longest)),
        worst=int(np.max(played.longest)),
    )


def blocks(cell: ArrayLike, blocked: ArrayLike) -> list[Block]:
    """Every block of a game, from where cooks stood before each step and who was blocked in it, [T, S] each."""
    since = np.asarray(_block_since(jnp.asarray(cell), jnp.asarray(blocked)))
    found = []
    for start in np.unique(since[since >= 0]).tolist():
        inside = np.flatnonzero(since == start)
        by_seat = np.asarray(blocked)[inside].sum(0)
        found.append(Block(start, int(inside[-1]) - start + 1, tuple(by_seat.tolist())))
    return found


def block_since(cell: Array, blocked: Array) -> Array:
    """[T] int32: the first step of the block that a step with somebody blocked belongs to; -1 for all other steps."""
    hindered, steps = jnp.any(blocked, -1), jnp.arange(len(blocked), dtype=jnp.int32)
    latest = jax.lax.cummax(jnp.where(hindered, steps, -1))
    before = jnp.concatenate([jnp.full(1, -1, jnp.int32), latest[:-1]])  # the last such step before this one
    near = (before >= 0) & (steps - before <= GAP + 1)
    goes_on = near & jnp.all(cell == cell[before], -1)
    return jnp.where(hindered, jax.lax.cummax(jnp.where(hindered & ~goes_on, steps, -1)), -1)


def of_game(layout: Layout, actions: Array) -> Behaviour:
    """One game [T, S] from the opening."""

    def tick(state, joint):
        after, events = game.step(layout, state, joint)
        kept = (after.cell == state.cell) & (after.facing == state.facing) & (after.held == state.held)
        return after, (state.cell, events, kept & jnp.logical_not(events.blocked))

    _, (cell, events, idle) = jax.lax.scan(tick, game.reset(layout), actions)
    steps = jnp.arange(len(actions), dtype=jnp.int32)
    blocked = jnp.asarray(events.blocked)
    since = block_since(cell, blocked)
    length = jnp.where(since >= 0, steps - since + 1, 0)
    longest, start = jnp.max(length), since[jnp.argmax(length)]
    in_longest = (since >= 0) & (since == start)
    return Behaviour(
        jnp.int32(len(actions)),
        jnp.sum(jax.vmap(lambda each: game.reward(game.SPARSE, each))(events)),
        *(_times(deed) for deed in (events.onion_in_pot, events.dish_taken, events.soup_taken, events.soup_served)),
        *(_times(which) for which in (events.stayed, idle, blocked)),
        hindered=_times(since >= 0),
        blocks=_times(since == steps),
        longest=longest,
        start=start,
        held_up=_times(blocked & in_longest[:, None]),
    )


_block_since = jax.jit(block_since)


@jax.jit
def _observe(layout: Layout, actions: Array) -> Behaviour:
    return jax.vmap(of_game, in_axes=(None, 0))(layout, actions)


@lru_cache(pairs.PROGRAMS)
def _player(text: str, first: str, second: str, greedy: bool) -> Callable[..., Array]:
    """(params of both, chance of E games) -> their actions [E, T, S]."""
    return jax.jit(jax.vmap(pairs.recorder(text, first, second, greedy), in_axes=(None, None, 0)))


def _times(happened: Array | float) -> Array:
    return jnp.sum(happened, 0, dtype=jnp.int32)
