"""Plays the games of many pairs at once, the first of a pair in seat 0, the second in all others.

What a pair plays depends on the seed and on the two of them alone: not on who else plays, nor on how many at once.
Players of one kind share a compiled program, in which networks are data: more agents of a kind compile nothing new.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from cole import rollout, sealed
from cole.evaluate.players import Player, policy_of
from cole.kitchen import game, layouts
from cole.kitchen.layouts import Layout
from cole.policy.policy import Policy
from cole.rollout import Rollout

Pair = tuple[Player, Player]
DICE = "threefry2x32"  # whatever jax is set to: results are to be the same everywhere
PROGRAMS = 64  # compiled ones to keep


class Setting(NamedTuple):
    """What decides the games, beside kitchen and players."""

    episodes: int = 100
    seed: int = 0
    greedy: bool = False  # networks take their best action instead of drawing one
    steps: int = game.HORIZON


class Seating(NamedTuple):
    """A pair as `rollout.play` has it: one player in a seat, the other in all others."""

    one: Player
    other: Player
    seat: int  # of the one


class Batch(NamedTuple):
    """What is compiled for: so many pairs, and so many games of each."""

    pairs: int
    games: int


def play_pairs(
    layout: Layout, pairs: Sequence[Pair], setting: Setting, at_once: int
) -> Iterator[tuple[Pair, np.ndarray]]:
    """Every pair, in whatever order, with what happened in each of its games: counts of events [E, S, K]."""
    for kinds, group in by_kinds(layout, pairs).items():
        batch = batch_of(len(group), setting.episodes, at_once)
        play = program(layouts.to_text(layout), *kinds, setting.greedy)
        for at in range(0, len(group), batch.pairs):
            chunk = group[at : at + batch.pairs]
            filled = chunk + chunk[:1] * (batch.pairs - len(chunk))
            counts = _counts(play, layout, filled, setting, batch.games)
            yield from zip(chunk, counts[: len(chunk)], strict=True)


def by_kinds(layout: Layout, pairs: Sequence[Pair]) -> dict[tuple[str, str], list[Pair]]:
    """Pairs that can share a program."""
    groups: dict[tuple[str, str], list[Pair]] = {}
    for pair in pairs:
        one, other, _ = seating(layout, pair)
        groups.setdefault((one.kind, other.kind), []).append(pair)
    return groups


def seating(layout: Layout, pair: Pair) -> Seating:
    """Of two seats either may be the one: so a program serves two kinds both ways round."""
    first, second = pair
    turned = len(layout.start) == 2 and second.kind < first.kind
    return Seating(second, first, 1) if turned else Seating(first, second, 0)


def batch_of(pairs: int, episodes: int, at_once: int) -> Batch:
    """At most `at_once` games. The number of pairs is a power of two, so that few shapes are compiled for."""
    parts = -(-episodes // at_once)
    games = -(-episodes // parts)
    most = 1 << ((at_once // games).bit_length() - 1)
    return Batch(min(most, 1 << (pairs - 1).bit_length()), games)


def dice(setting: Setting, pair: Pair) -> np.ndarray:
    """[2] uint32: the key of a pair's games."""
    deciding = f"{setting.seed} {pair[0].identity} {pair[1].identity}"
    return np.frombuffer(bytes.fromhex(sealed.sha256(deciding.encode())), ">u4")[:2].astype(np.uint32)


@partial(jax.jit, static_argnames=("games", "steps"))
def throw(layout: Layout, words: Array, first: Array, games: int, steps: int) -> Array:
    """[B, games, T, S, NOISE]: all that is random in games number `first` and up, from the dice [B, 2] of pairs.

    Apart from the games, so that it is compiled once for all kinds.
    """

    def one(words: Array, episode: Array) -> Array:
        key = jax.random.fold_in(jax.random.wrap_key_data(words, impl=DICE), episode)
        return rollout.draw_chance(key, layout, steps)

    each = jax.vmap(one, in_axes=(None, 0))
    return jax.vmap(each, in_axes=(0, None))(words, first + jnp.arange(games))


@lru_cache(PROGRAMS)
def program(text: str, one: str, other: str, greedy: bool) -> Callable[..., Array]:
    """(params of both [B, ...], seat [B], chance [B, games, ...]) -> counts of events [B, games, S, K]."""
    layout, policies = _policies(text, one, other, greedy)

    def pair(mine: Any, theirs: Any, seat: Array, chance: Array) -> Array:
        def count(chance: Array) -> Array:
            events = _game(layout, policies, mine, theirs, seat, chance).events
            by_player = jnp.stack([jnp.sum(event, 0, dtype=jnp.int32) for event in events], -1)
            return jnp.roll(by_player, seat, 0)

        return jax.vmap(count)(chance)

    return jax.jit(jax.vmap(pair))


@lru_cache(PROGRAMS)
def recorder(text: str, first: str, second: str, greedy: bool) -> Callable[..., Array]:
    """(params of both, chance of one game) -> its actions [T, S]."""
    layout, policies = _policies(text, first, second, greedy)
    alike = _seeing_both(*policies)
    return jax.jit(lambda mine, theirs, chance: _game(layout, alike, mine, theirs, 0, chance, record_all=True).action)


def record(layout: Layout, pair: Pair, setting: Setting, episode: int = 0) -> np.ndarray:
    """Actions [T, S] of one of the games of a pair."""
    first, second = pair
    play = recorder(layouts.to_text(layout), first.kind, second.kind, setting.greedy)
    chance = throw(layout, dice(setting, pair)[None], np.int32(episode), 1, setting.steps)
    with jax.default_matmul_precision("float32"):
        return np.asarray(play(first.params, second.params, chance[0, 0]))


def _policies(text: str, one: str, other: str, greedy: bool) -> tuple[Layout, tuple[Policy, Policy]]:
    layout = layouts.parse(text)
    policy = policy_of(one, layout, greedy)
    return layout, (policy, policy if one == other else policy_of(other, layout, greedy))


def _game(
    layout: Layout,
    policies: tuple[Policy, Policy],
    mine: Any,
    theirs: Any,
    seat: Array | int,
    chance: Array,
    record_all: bool = False,
) -> Rollout:
    """One game from the opening. Chance is by seat, whichever of the players is said to be the one."""
    start, by_player = game.reset(layout), jnp.roll(chance, -seat, 1)
    return rollout.play(layout, policies[0], mine, policies[1], theirs, seat, start, by_player, record_all=record_all)


def _seeing_both(one: Policy, other: Policy) -> tuple[Policy, Policy]:
    """The same policies; what either sees is a record of both views, so that one record has room for either's.

    What one remembers is not recorded: the other may remember something else, or nothing.
    """

    def sees(*place: Any) -> tuple[Array, Array]:
        return one.view(*place), other.view(*place)

    def acting(policy: Policy, which: int) -> Policy:
        return policy._replace(
            view=sees, act=lambda ready, seen, *rest: policy.act(ready, seen[which], *rest), recall=False
        )

    return acting(one, 0), acting(other, 1)


def _counts(play: Callable[..., Array], layout: Layout, pairs: list[Pair], setting: Setting, games: int) -> np.ndarray:
    """[B, E, S, K] of pairs that share a program."""
    seated = [seating(layout, pair) for pair in pairs]
    params = [_stack([getattr(seats, who).params for seats in seated]) for who in ("one", "other")]
    seats = np.array([seats.seat for seats in seated], np.int32)
    words = np.stack([dice(setting, pair) for pair in pairs])
    parts = []
    for first in range(0, setting.episodes, games):
        chance = throw(layout, words, np.int32(first), games, setting.steps)
        # Full float32 also on accelerators, whose habit is less: results are the same everywhere, but for rounding.
        with jax.default_matmul_precision("float32"):
            parts.append(jax.device_get(play(*params, seats, chance)))
    return np.concatenate(parts, axis=1)[:, : setting.episodes]


def _stack(each: list[Any]) -> Any:
    return jax.tree.map(lambda *leaves: np.stack(leaves), *each)
