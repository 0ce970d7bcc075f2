"""A game tick by tick: the same jitted rules and policies as in training, compiled before anybody waits for them."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from cole.evaluate.players import COOKS, Player, policy_of
from cole.kitchen import game, layouts
from cole.kitchen.game import Events, State
from cole.kitchen.layouts import STAY, Layout
from cole.policy import cloned
from cole.policy.policy import NOISE

PROGRAMS = 64  # compiled ones to keep


class Thought(NamedTuple):
    """What the partner is about to do. S seats, of which a person has one and the partner all others."""

    actions: Array  # [S] int32; STAY in the person's seat
    probabilities: Array  # [A] of the first of them
    value: Array  # []
    memory: Any


class Partner(NamedTuple):
    """A player made ready for one seat of the person."""

    think: Callable[..., Thought]
    params: Any  # prepared
    seat: np.int32  # of the person
    has_value: bool
    memory: Any


class Kitchen(NamedTuple):
    """All that a game needs, compiled."""

    layout: Layout
    step: Callable[[State, np.ndarray], tuple[State, Array]]
    partner: Partner | None  # None: two people
    opening: State


@lru_cache(PROGRAMS)
def stepper(text: str) -> Callable[[State, np.ndarray], tuple[State, Array]]:
    """(state, actions [S]) -> the next state, and which events happened [K, S]."""
    layout = layouts.parse(text)

    def step(state: State, actions: Array) -> tuple[State, Array]:
        after, events = game.step(layout, state, actions)
        return after, jnp.stack([jnp.asarray(event, bool) for event in events])

    return jax.jit(step)


@lru_cache(PROGRAMS)
def thinker(text: str, kind: str) -> tuple[Callable[..., Thought], Callable[[Any], Any], Callable[[], Any]]:
    """How all players of one kind think in a kitchen, prepare their parameters, and begin to remember."""
    layout = layouts.parse(text)
    policy = policy_of(kind, layout)
    seats = len(layout.start)

    def think(params: Any, state: State, memory: list[Any], seat: Array, chance: Array) -> Thought:
        with jax.default_matmul_precision("float32"):
            others = [(seat + 1 + i) % seats for i in range(seats - 1)]
            acts = [
                policy.act(params, policy.view(layout, state, other), memory[i], chance[i])
                for i, other in enumerate(others)
            ]
        person_first = jnp.stack([jnp.int32(STAY), *(act.action for act in acts)])
        actions = person_first[(jnp.arange(seats) - seat) % seats]
        return Thought(actions, jax.nn.softmax(acts[0].logits), acts[0].value, [act.memory for act in acts])

    return jax.jit(think), jax.jit(policy.prepare), lambda: [policy.memory() for _ in range(seats - 1)]


def ready(layout: Layout, player: Player | None, seat: int) -> Kitchen:
    """Compiles and plays a first tick for nobody, so that the real ones take no time."""
    text = layouts.to_text(layout)
    step, opening = stepper(text), as_host(game.reset(layout))
    after, _ = step(opening, np.full(len(layout.start), STAY, np.int32))
    if player is None:
        jax.block_until_ready(after)
        return Kitchen(layout, step, None, opening)
    think, prepare, memory = thinker(text, player.kind)
    partner = Partner(think, prepare(player.params), np.int32(seat), _values(player), memory())
    kitchen = Kitchen(layout, step, partner, opening)
    chance = np.random.default_rng(0)
    thought = first_thought(kitchen, opening, chance)
    jax.block_until_ready(next_thought(kitchen, after, thought, chance))
    return kitchen


def heat(layout: Layout, player: Player | None, seat: int) -> None:
    """The same for another process, which finds in jax's cache what is compiled here."""
    ready(layout, player, seat)


def first_thought(kitchen: Kitchen, state: State, chance: np.random.Generator) -> Thought | None:
    """What the partner is about to do when a game begins; None without one."""
    partner = kitchen.partner
    return partner and _think(kitchen, partner, state, partner.memory, chance)


def next_thought(kitchen: Kitchen, state: State, before: Thought | None, chance: np.random.Generator) -> Thought | None:
    """The same later in the game."""
    partner = kitchen.partner
    return partner and before and _think(kitchen, partner, state, before.memory, chance)


def advance(
    kitchen: Kitchen, state: State, thought: Thought | None, people: dict[int, int]
) -> tuple[State, Events, np.ndarray]:
    """One tick with the actions of people by seat: the next state, what happened [S] each, and all actions [S]."""
    seats = len(kitchen.layout.start)
    actions = np.full(seats, STAY, np.int32) if thought is None else np.array(thought.actions, np.int32)
    for seat, action in people.items():
        actions[seat] = action
    after, happened = jax.device_get(kitchen.step(state, actions))
    return after, Events._make(happened), actions


def shown(kitchen: Kitchen, thought: Thought) -> dict[str, Any]:
    """A thought as the page draws it; only a trained network knows what a state is worth."""
    knows = kitchen.partner is not None and kitchen.partner.has_value
    probabilities = [round(float(p), 3) for p in np.asarray(thought.probabilities)]
    return {"probabilities": probabilities, "value": round(float(thought.value), 2) if knows else None}


def as_host(state: State) -> State:
    """The state in NumPy arrays, of the types it always has."""
    return jax.tree.map(np.asarray, jax.device_get(state))


def _values(player: Player) -> bool:
    """Whether it was trained to know what a state is worth."""
    return player.kind not in (*COOKS, cloned.VIEW)


def _think(kitchen: Kitchen, partner: Partner, state: State, memory: Any, chance: np.random.Generator) -> Thought:
    noise = chance.random((len(kitchen.layout.start) - 1, NOISE), np.float32)
    return partner.think(partner.params, state, memory, partner.seat, noise)
