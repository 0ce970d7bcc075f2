"""What all three doors share: the options, an opening, a turn, what the seats see, and pictures."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from cole.errors import UserError
from cole.kitchen import draw, game, layouts, pixels, views
from cole.kitchen.game import Events, State
from cole.kitchen.layouts import ACTIONS, Layout

RENDER_MODES = ("ansi", "rgb_array")
FRAMES_PER_SECOND = 1000 / 150  # people play with ticks of 150 ms

View = Callable[..., Array]  # (layout, state, seat) -> observation
Partner = Callable[[np.ndarray, np.random.Generator], int]


class Options(TypedDict, total=False):
    """What every door can be told."""

    view: str | View  # a name of views.VIEWS, or a function (layout, state, seat) -> array
    horizon: int  # steps of an episode
    weights: Events  # the reward of a step is weights . events, summed over the seats
    random_start: bool  # start from a random mid-game state instead of the opening


class Setup(NamedTuple):
    """The options, checked; tables and weights lie on the device, so that a turn need not send them there."""

    layout: Layout
    view: View
    horizon: int
    weights: Events
    random_start: bool


class Turn(NamedTuple):
    """What one step brought. S seats, K kinds of event."""

    state: State
    reward: Array  # [] float32: the team's, by the weights of the setup
    score: Array  # [] float32: the game's own, 20 per soup
    shaped: Array  # [S] float32: the usual shaping, by seat
    events: Array  # [K, S] bool: the fields of Events in order
    over: Array  # [] bool: the horizon is reached


def prepare(
    layout: str | Path | Layout,
    view: str | View = "grid",
    horizon: int = game.HORIZON,
    weights: Events = game.SPARSE,
    random_start: bool = False,
) -> Setup:
    """A Setup from what a user gave, or a refusal."""
    if not isinstance(layout, Layout):
        layout = layouts.load(layout)
    if isinstance(horizon, bool) or not isinstance(horizon, int | np.integer) or horizon < 1:
        raise UserError(f"horizon is {horizon!r}, but an episode has a whole number of steps, one or more")
    if not isinstance(weights, Events):
        raise UserError("weights must be a cole.kitchen.game.Events, for example game.SPARSE")
    weights = Events(*(jnp.asarray(weight, jnp.float32) for weight in weights))
    return with_view(Setup(jax.device_put(layout), views.grid, int(horizon), weights, bool(random_start)), view)


def named_view(view: str | View) -> View:
    """The function behind a name of views.VIEWS; a function is taken as it is."""
    if callable(view):
        return view
    if not isinstance(view, str) or view not in views.VIEWS:
        raise UserError(f"there is no view called {view}; the views are {', '.join(views.VIEWS)}")
    return views.VIEWS[view]


def agents(setup: Setup) -> list[str]:
    """The names of the seats."""
    return [f"agent_{seat}" for seat in range(len(setup.layout.start))]


def opening(setup: Setup, key: Array) -> State:
    """The state an episode starts from."""
    return _random_state(key, setup.layout) if setup.random_start else _reset(setup.layout)


def turn(setup: Setup, state: State, actions: Array | np.ndarray) -> Turn:
    """One step of the game and what it is worth."""
    return _turn(setup.layout, setup.weights, setup.horizon, state, actions)


def look(setup: Setup, state: State) -> Array:
    """What every seat sees [S, ...]."""
    return _look(setup.view, setup.layout, setup.horizon, state)


# Compiled once for all kitchens of one size: the layout, weights and horizon are arguments.
_random_state, _reset = jax.jit(game.random_state), jax.jit(game.reset)


@jax.jit
def _turn(layout: Layout, weights: Events, horizon: Array, state: State, actions: Array) -> Turn:
    state, events = game.step(layout, state, actions)
    return Turn(
        state=state,
        reward=game.reward(weights, events).sum(),
        score=game.reward(game.SPARSE, events).sum(),
        shaped=game.reward(game.SHAPED, events),
        events=jnp.stack(events),
        over=state.clock >= horizon,
    )


@partial(jax.jit, static_argnums=0)
def _look(view: View, layout: Layout, horizon: Array, state: State) -> Array:
    see = partial(view, horizon=horizon) if view is views.grid26 else view
    return jax.vmap(lambda seat: see(layout, state, seat))(jnp.arange(len(layout.start)))


def observation_shape(setup: Setup) -> jax.ShapeDtypeStruct:
    """Shape and dtype of one seat's observation."""
    seen = jax.eval_shape(partial(look, setup), jax.eval_shape(_reset, setup.layout))
    return jax.ShapeDtypeStruct(seen.shape[1:], seen.dtype)


def bounds(setup: Setup) -> tuple[float, float]:
    """The least and the greatest number an observation can hold.

    In a grid view that is the ticks of a pot; nobody should take it for a picture of 0 to 255.
    """
    if setup.view in (views.grid, views.grid2019, views.grid26):
        return 0, game.COOK_TICKS
    if setup.view is views.features:
        return -max(setup.layout.terrain.shape), max(setup.layout.terrain.shape)
    dtype = observation_shape(setup).dtype
    limits = jnp.iinfo(dtype) if jnp.issubdtype(dtype, jnp.integer) else jnp.finfo(dtype)
    return float(limits.min), float(limits.max)


def with_view(setup: Setup, view: str | View | None) -> Setup:
    """The same game seen otherwise (None: as before); a view that does not fit the kitchen is refused."""
    setup = setup if view is None else setup._replace(view=named_view(view))
    observation_shape(setup)
    return setup


def check_action(agent: str, action: Any) -> int:
    """An action as a plain number; anything but 0 to 5 is refused."""
    number = np.asarray(action)
    if number.size != 1 or not np.issubdtype(number.dtype, np.integer) or not 0 <= number.item() < ACTIONS:
        raise UserError(f"the action of {agent} is {action!r}, but actions are whole numbers from 0 to {ACTIONS - 1}")
    return number.item()


def info(turn: Turn, seat: int, score: float) -> dict[str, Any]:
    """What one seat is told beside the reward: its shaping, the score so far, and what it did."""
    events = dict(zip(Events._fields, turn.events[:, seat].tolist(), strict=True))
    return {"shaped_reward": float(turn.shaped[seat]), "score": score, "events": events}


def check_going_on(going_on: bool) -> None:
    """Between the end of an episode and the next reset there is nothing to step or to draw."""
    if not going_on:
        raise UserError("no episode is going on: call reset first")


def check_render_mode(mode: str | None) -> str | None:
    if mode is not None and mode not in RENDER_MODES:
        raise UserError(f"there is no render mode {mode!r}; use {', '.join(RENDER_MODES)} or None")
    return mode


def picture(setup: Setup, state: State, score: float, mode: str | None) -> Any:
    """The state as text, as an image [height, width, 3] uint8, or nothing."""
    if mode == "ansi":
        return draw.text(setup.layout, state, score, setup.horizon)
    if mode == "rgb_array":
        return np.asarray(pixels.image(setup.layout, state, score, setup.horizon))
    return None
