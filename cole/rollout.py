"""Plays games: a learner in one seat, a partner in all others."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from cole.kitchen import game, views
from cole.kitchen.game import Events, State
from cole.kitchen.layouts import ACTIONS, STAY, Layout
from cole.policy.policy import NOISE, Act, Policy

# Ticks compiled in a row where very many are played: on a GPU fewer turns of the loop save time, elsewhere only
# compilation would grow.
UNROLL = {"gpu": 4}
# From how many partners at once the learner's network is better multiplied apart from theirs (see `play`): not yet with
# COLE's 4, but with an ego's 10; on a CPU always, in training.
APART = {"cpu": 1, "gpu": 10}


class Rollout(NamedTuple):
    """One game of T steps; everything by player, the learner first. R players are recorded: the learner, or all S."""

    seen: Any  # [T, R, ...] what the policy saw, and what it remembered then if it learns from that too
    action: Array  # [T, R] int32
    events: Events  # [T, S] each
    last: State  # the state after the last step
    partner: Any = ()  # [T, R] int32: what the next cook did, where policies learn from what they remember


def draw_chance(key: Array, layout: Layout, steps: int) -> Array:
    """Everything random of one game [T, S, NOISE]."""
    return jax.random.uniform(key, (steps, len(layout.start), NOISE))


def play(
    layout: Layout,
    learner: Policy,
    mine: Any,
    partner: Policy,
    theirs: Any,
    seat: Array | int,
    start: State,
    chance: Array,
    *,
    record_all: bool = False,
    distraction: Array | None = None,
    apart: bool = False,
    unroll: int = 1,
) -> Rollout:
    """One game: the learner, with parameters `mine`, in `seat`; the partner, with `theirs`, in all others.

    `distraction` [2]: the chances that a partner pauses, and that it errs, instead of doing what it wanted. `apart`:
    the learner's network is not multiplied together with the partner's, for which it would be copied for each partner.
    `unroll`: ticks that are compiled in a row.
    """
    seats = len(layout.start)
    order = (seat + jnp.arange(seats)) % seats  # the learner first
    back = (jnp.arange(seats) - seat) % seats  # from learner-first to seat order
    players = [learner] + [partner] * (seats - 1)
    act_all = _everybody(players, mine, theirs, apart)

    def tick(carry, chance):
        state, memories = carry
        seen = [player.view(layout, state, order[i]) for i, player in enumerate(players)]
        acts = act_all(seen, memories, chance)
        if distraction is not None:
            acts[1:] = [distracted(act, chance[1 + i], distraction) for i, act in enumerate(acts[1:])]
        state, events = game.step(layout, state, jnp.stack([act.action for act in acts])[back])
        recorded = [noted(seen, memories, acts, i) for i in range(seats if record_all else 1)]
        ordered = jax.tree.map(lambda field: views.rows(field, order), events)
        return (state, [act.memory for act in acts]), (_stack(recorded), ordered)

    def noted(seen: list, memories: list, acts: list[Act], i: int) -> tuple[Any, Array, Any]:
        if not players[i].recall:
            return seen[i], acts[i].action, ()
        return (seen[i], memories[i]), acts[i].action, acts[(i + 1) % seats].action

    memories = [player.memory() for player in players]
    begin = (start, memories)
    (last, _), ((seen, action, other), events) = jax.lax.scan(tick, begin, chance, unroll=unroll)
    return Rollout(seen, action, events, last, other)


def distracted(act: Act, noise: Array, distraction: Array) -> Act:
    """The act of a cook who sometimes stands still instead, and sometimes does anything."""
    anything = jnp.floor(ACTIONS * noise[-1]).astype(jnp.int32)
    erring = jnp.where(noise[-2] < jnp.sum(distraction), anything, act.action)
    return act._replace(action=jnp.where(noise[-2] < distraction[0], STAY, erring))


def returns_with_itself(key: Array, layout: Layout, policy: Policy, params: Any, games: int) -> Array:
    """What a policy earns [games] with a copy of itself, from the opening."""
    chance = draw_chance(key, layout, games * game.HORIZON).reshape(games, game.HORIZON, len(layout.start), NOISE)

    def one(chance: Array) -> Array:
        played = play(layout, policy, params, policy, params, 0, game.reset(layout), chance)
        return jnp.sum(game.reward(game.SPARSE, played.events))

    return jax.vmap(one)(chance)


def _everybody(players: list[Policy], mine: Any, theirs: Any, apart: bool) -> Callable[[list, list, Array], list[Act]]:
    """(seen, memories, chance) -> acts. Players of one kind act in one batched product: half as many kernels."""
    params = [player.prepare(theirs if i else mine) for i, player in enumerate(players)]
    if apart or any(player.act is not players[0].act for player in players):
        return lambda seen, memories, chance: [
            player.act(params[i], seen[i], memories[i], chance[i]) for i, player in enumerate(players)
        ]
    together = _stack(params)

    def act(seen: list, memories: list, chance: Array) -> list[Act]:
        acts = jax.vmap(players[0].act)(together, _stack(seen), _stack(memories), chance)
        return [jax.tree.map(lambda x, i=i: x[i], acts) for i in range(len(players))]

    return act


def _stack(each: list[Any]) -> Any:
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *each)
