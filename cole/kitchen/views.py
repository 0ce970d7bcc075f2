"""What a seat sees: grid views for networks, the feature view for the human proxy.

Grid views are [W, H, channels] uint8, x first as in the originals, and put the own cook first:

    0 own cell       1 the others' cells      2-5 own facing N S E W      6-9 the others' facing

All take (layout, state, seat); the seat may be traced.
"""

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
from jax import Array

from cole.errors import UserError
from cole.kitchen.game import COOK_TICKS, DISH, HORIZON, ONION, READY, SOUP, SOUP_ONIONS, State
from cole.kitchen.layouts import COUNTER, DISHES, FLOOR, ONIONS, POT, SERVING, UNREACHABLE, Layout


def grid(layout: Layout, state: State, seat: int | Array) -> Array:
    """The 20 channels of 2019, with nothing hidden; any number of seats.

    10 pot  11 counter  12 onions  13 dishes  14 serving (the map), 15 onions in a pot (0-3)  16 ticks cooked (0-20),
    17 soups  18 dishes  19 onions (in hands, at the holder's cell, and on counters)
    """
    return _stack(layout, _cooks(layout, state, seat) + _map(layout) + _pots(layout, state) + _items(layout, state))


def grid2019(layout: Layout, state: State, seat: int | Array) -> Array:
    """The view published 2019 agents were trained on, to the bit.

    Its quirk: while any cook holds a thing of a kind, all others of that kind vanish from both views, and a soup in
    hand makes every pot look empty.
    """
    _two_seats(layout, "grid2019")
    lying = jnp.where(_is(layout, COUNTER), state.contents, 0)
    for item in (ONION, DISH, SOUP):
        lying = jnp.where((lying == item) & jnp.any(state.held == item), 0, lying)
    contents = jnp.where(_is(layout, POT) & jnp.all(state.held != SOUP), state.contents, lying)
    return grid(layout, state._replace(contents=contents), seat)


def grid26(layout: Layout, state: State, seat: int | Array, horizon: int = HORIZON) -> Array:
    """The 26 channels of overcooked-ai 1.1.0; tomatoes do not exist here, so their channels are 0.

    10 pot  11 counter  12 onions  13 tomatoes  14 dishes  15 serving,  16 onions  17 tomatoes in a pot not yet cooking,
    18 onions  19 tomatoes in a soup  20 ticks left  21 soup done,  22 dishes  23 onions  24 tomatoes  25 under 40 left
    """
    _two_seats(layout, "grid26")
    pot, counter, onion_box, dish_box, serving = _map(layout)
    soups, dishes, onions = _items(layout, state)
    inside = jnp.where(_is(layout, POT), state.contents, 0)
    cooking = inside >= SOUP_ONIONS
    none = jnp.zeros_like(soups)
    channels = [pot, counter, onion_box, none, dish_box, serving]
    channels += [jnp.where(cooking, 0, inside), none, SOUP_ONIONS * (cooking | soups), none]
    channels += [jnp.where(cooking, READY - inside, 0), (inside == READY) | soups, dishes, onions, none]
    channels += [jnp.broadcast_to(horizon - state.clock < 40, none.shape)]
    return _stack(layout, _cooks(layout, state, seat) + channels)


def features(layout: Layout, state: State, seat: int | Array) -> Array:
    """The 62 numbers [62] int8 of the 2019 human proxy: own 29, the other's 29, the way to the other, a position.

    Its quirks: pots with one or two onions and things on counters are never seen (always 0), and the last two numbers
    are seat 0's position in both views.
    """
    _two_seats(layout, "features")
    by_seat = jnp.stack([_cook_features(layout, state, s) for s in range(2)])
    position = jnp.stack([_xy(layout, cell) for cell in state.cell])
    parts = [by_seat[seat], by_seat[1 - seat], position[1 - seat] - position[seat], position[0]]
    return jnp.concatenate(parts).astype(jnp.int8)


VIEWS: dict[str, Callable[..., Array]] = {"grid": grid, "grid2019": grid2019, "grid26": grid26, "features": features}


def _two_seats(layout: Layout, view: str) -> None:
    if len(layout.start) != 2:
        raise UserError(f"the view {view} exists for two seats only, this kitchen has {len(layout.start)}: use grid")


def _is(layout: Layout, kind: int) -> Array:
    return jnp.asarray(layout.terrain).ravel() == kind


def _stack(layout: Layout, channels: list[Array]) -> Array:
    height, width = layout.terrain.shape
    flat = jnp.stack([channel.astype(jnp.uint8) for channel in channels], axis=-1)
    return flat.reshape(height, width, len(channels)).swapaxes(0, 1)


def _cooks(layout: Layout, state: State, seat: int | Array) -> list[Array]:
    """Channels 0-9, each [H*W]."""
    seats = range(len(layout.start))
    cells = jnp.arange(layout.terrain.size)
    here = [cells == state.cell[s] for s in seats]
    own = [here[s] & (s == seat) for s in seats]
    others = [here[s] & (s != seat) for s in seats]

    def facing(cooks: list[Array]) -> list[Array]:
        return [_any([cooks[s] & (state.facing[s] == d) for s in seats]) for d in range(4)]

    return [_any(own), _any(others), *facing(own), *facing(others)]


def _any(masks: list[Array]) -> Array:
    result = masks[0]
    for mask in masks[1:]:
        result = result | mask
    return result


def _map(layout: Layout) -> list[Array]:
    return [_is(layout, kind) for kind in (POT, COUNTER, ONIONS, DISHES, SERVING)]


def _pots(layout: Layout, state: State) -> list[Array]:
    inside = jnp.where(_is(layout, POT), state.contents, 0)
    return [jnp.minimum(inside, SOUP_ONIONS), jnp.maximum(inside - SOUP_ONIONS, 0)]


def _items(layout: Layout, state: State) -> list[Array]:
    """Soups, dishes, onions, each [H*W]: on counters and in hands."""
    cells = jnp.arange(layout.terrain.size)
    thing = jnp.where(_is(layout, COUNTER), state.contents, 0)
    for s in range(len(layout.start)):
        thing = jnp.where(cells == state.cell[s], state.held[s], thing)
    return [thing == item for item in (SOUP, DISH, ONION)]


def _cook_features(layout: Layout, state: State, seat: int) -> Array:
    """[29]: facing 4, held 3 (onion, soup, dish), the way to nine nearest things 18, walls around 4."""
    cell, held = state.cell[seat], state.held[seat]
    terrain = jnp.asarray(layout.terrain).ravel()
    kind, inside = terrain[layout.stations], state.contents[layout.stations]
    pot = kind == POT
    never = jnp.zeros_like(pot)
    nearest = [
        (kind == ONIONS) & (held != ONION),
        pot & (inside == 0),
        never,  # a pot with one onion
        never,  # a pot with two
        pot & (inside >= SOUP_ONIONS) & (inside < READY),
        pot & (inside == READY),
        (kind == DISHES) & (held != DISH),
        never,  # a soup on a counter
        kind == SERVING,
    ]
    ways = [_way_to_nearest(layout, cell, state.facing[seat], wanted) for wanted in nearest]
    facing = state.facing[seat] == jnp.arange(4)
    holds = held == jnp.array([ONION, SOUP, DISH])
    walls = terrain[jnp.asarray(layout.faced)[cell]] != FLOOR
    return jnp.concatenate([facing.astype(jnp.int32), holds.astype(jnp.int32), *ways, walls.astype(jnp.int32)])


def _way_to_nearest(layout: Layout, cell: Array, facing: Array, wanted: Array) -> Array:
    """(dx, dy) to the wanted station with the fewest actions, the first in reading order on ties; (0, 0) if none."""
    cost = jnp.where(wanted, jnp.asarray(layout.distance)[cell, facing], UNREACHABLE)
    best = jnp.argmin(cost)
    way = _xy(layout, jnp.asarray(layout.stations)[best]) - _xy(layout, cell)
    return jnp.where(cost[best] < UNREACHABLE, way, 0)


def _xy(layout: Layout, cell: Array) -> Array:
    width = layout.terrain.shape[1]
    return jnp.stack([cell % width, cell // width])
