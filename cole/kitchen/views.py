"""What a seat sees: grid views for networks, the feature view for the human proxy.

A grid view is [W, H, channels] uint8, x first as in the originals. A cell holds one thing only, a piece of the kitchen
with what is in it or a cook with what it carries, so it has one of 64 codes, and every grid view is a table with a row
of channels for each code. All views take (layout, state, seat); the seat may be traced.
"""

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from cole.errors import UserError
from cole.kitchen.game import DISH, HORIZON, NOTHING, ONION, READY, SOUP, SOUP_ONIONS, State
from cole.kitchen.layouts import COUNTER, DISHES, FLOOR, ONIONS, POT, SERVING, UNREACHABLE, Layout

Row = dict[int, int]  # channel -> value; all other channels are 0

# The code of a cell: that of its terrain plus its contents, or, where a cook stands, that of the cook.
_TERRAIN = np.array([0, 1, 5, 29, 30, 31], np.int8)  # FLOOR, COUNTER (4 codes), POT (24), ONIONS, DISHES, SERVING
_COOK = 32  # + 16 if it is another cook + 4 * facing + held


def codes(layout: Layout, state: State, seat: int | Array) -> Array:
    """[W, H] int8: the code of every cell, as the seat sees it."""
    code = jnp.asarray(_TERRAIN)[layout.terrain.ravel()] + state.contents
    cells = np.arange(layout.terrain.size)
    for s in range(len(layout.start)):
        cook = _COOK + 16 * jnp.asarray(seat != s, jnp.int8) + 4 * state.facing[s] + state.held[s]
        code = jnp.where(cells == state.cell[s], cook, code)
    return code.reshape(layout.terrain.shape).T


def _table(channels: int, kitchen: dict[int, int], item: list[Row], pot: list[Row]) -> np.ndarray:
    """[64, channels] uint8: the row of each code, from those of terrain, items and pots' contents.

    Cooks are the same in every view: channel 0 own cell, 1 another's, 2-5 own facing N S E W, 6-9 another's facing.
    """
    every: list[Row] = [{}]
    every += [{kitchen[COUNTER]: 1, **item[held]} for held in (NOTHING, ONION, DISH, SOUP)]
    every += [{kitchen[POT]: 1, **pot[inside]} for inside in range(READY + 1)]
    every += [{kitchen[kind]: 1} for kind in (ONIONS, DISHES, SERVING)]
    cooks = product((0, 1), range(4), (NOTHING, ONION, DISH, SOUP))
    every += [{other: 1, (6 if other else 2) + facing: 1, **item[held]} for other, facing, held in cooks]
    table = np.zeros((len(every), channels), np.uint8)
    for code, row in enumerate(every):
        table[code, list(row)] = list(row.values())
    return table


def rows(table: np.ndarray, code: Array) -> Array:
    """table[code] without the checks of an ordinary index: a code is never out of bounds."""
    return jnp.asarray(table).at[code].get(mode="promise_in_bounds", wrap_negative_indices=False)


_GRID = _table(
    20,
    kitchen={POT: 10, COUNTER: 11, ONIONS: 12, DISHES: 13, SERVING: 14},
    item=[{}, {19: 1}, {18: 1}, {17: 1}],
    pot=[{15: min(inside, SOUP_ONIONS), 16: max(inside - SOUP_ONIONS, 0)} for inside in range(READY + 1)],
)


def grid(layout: Layout, state: State, seat: int | Array) -> Array:
    """The 20 channels of 2019, with nothing hidden; any number of seats.

    0 own cell  1 the others' cells  2-5 own facing  6-9 the others' facing, 10 pot  11 counter  12 onions  13 dishes
    14 serving (the map), 15 onions in a pot (0-3)  16 ticks cooked (0-20), 17 soups  18 dishes  19 onions (in hands, at
    the holder's cell, and on counters)
    """
    return rows(_GRID, codes(layout, state, seat))


def grid2019(layout: Layout, state: State, seat: int | Array) -> Array:
    """The view published 2019 agents were trained on, to the bit: `grid` with the quirk of `codes2019`."""
    return rows(_GRID, codes2019(layout, state, seat))


def codes2019(layout: Layout, state: State, seat: int | Array) -> Array:
    """[W, H] int8: `codes` as 2019 had them.

    While any cook holds a thing of a kind, all others of that kind vanish from both views, and a soup in hand makes
    every pot look empty.
    """
    _two_seats(layout, "grid2019")
    terrain = jnp.asarray(layout.terrain).ravel()
    hidden = (terrain == POT) & jnp.any(state.held == SOUP)
    for item in (ONION, DISH, SOUP):
        hidden |= (terrain == COUNTER) & (state.contents == item) & jnp.any(state.held == item)
    return codes(layout, state._replace(contents=jnp.where(hidden, 0, state.contents)), seat)


_GRID26 = _table(
    26,
    kitchen={POT: 10, COUNTER: 11, ONIONS: 12, DISHES: 14, SERVING: 15},
    item=[{}, {23: 1}, {22: 1}, {18: SOUP_ONIONS, 21: 1}],
    pot=[{16: inside} for inside in range(SOUP_ONIONS)]
    + [{18: SOUP_ONIONS, 20: READY - inside, 21: int(inside == READY)} for inside in range(SOUP_ONIONS, READY + 1)],
)


def grid26(layout: Layout, state: State, seat: int | Array, horizon: int = HORIZON) -> Array:
    """The 26 channels of overcooked-ai 1.1.0; tomatoes do not exist here, so their channels are 0.

    0-9 as in `grid`, 10 pot  11 counter  12 onions  13 tomatoes  14 dishes  15 serving, 16 onions  17 tomatoes in a pot
    not yet cooking, 18 onions  19 tomatoes in a soup  20 ticks left  21 soup done, 22 dishes  23 onions  24 tomatoes
    25 fewer than 40 steps left
    """
    _two_seats(layout, "grid26")
    urgent = (np.arange(26) == 25) & (horizon - state.clock < 40)
    return rows(_GRID26, codes(layout, state, seat)) + urgent.astype(jnp.uint8)[None, None, :]


def features(layout: Layout, state: State, seat: int | Array) -> Array:
    """The 62 numbers [62] int16 of the 2019 human proxy: own 29, the other's 29, the way to the other, a position.

    Its quirks: pots with one or two onions and things on counters are never seen (always 0), and the last two numbers
    are seat 0's position in both views.
    """
    _two_seats(layout, "features")
    by_seat = jnp.stack([_cook_features(layout, state, s) for s in range(2)])
    position = jnp.stack([_xy(layout, cell) for cell in state.cell])
    parts = [by_seat[seat], by_seat[1 - seat], position[1 - seat] - position[seat], position[0]]
    return jnp.concatenate(parts).astype(jnp.int16)


class Coded(NamedTuple):
    """A grid view in two steps, for those who keep many: codes to store (a byte a cell), and their rows of channels."""

    codes: Callable[..., Array]  # (layout, state, seat) -> [W, H] int8
    table: np.ndarray  # [64, channels] uint8


def possible(layout: Layout, cell: int) -> np.ndarray:
    """All codes a cell can have, whoever stands there and whatever lies there."""
    kind = int(layout.terrain.ravel()[cell])
    contents = {COUNTER: SOUP + 1, POT: READY + 1}.get(kind, 1)
    codes = _TERRAIN[kind] + np.arange(contents)
    return np.concatenate([codes, np.arange(_COOK, len(_GRID))]) if kind == FLOOR else codes


CODED = {"grid": Coded(codes, _GRID), "grid2019": Coded(codes2019, _GRID)}
VIEWS: dict[str, Callable[..., Array]] = {"grid": grid, "grid2019": grid2019, "grid26": grid26, "features": features}


def _two_seats(layout: Layout, view: str) -> None:
    if len(layout.start) != 2:
        raise UserError(f"the view {view} exists for two seats only, this kitchen has {len(layout.start)}: use grid")


def _cook_features(layout: Layout, state: State, seat: int) -> Array:
    """[29]: facing 4, held 3 (onion, soup, dish), the way to nine nearest things 18, walls around 4."""
    cell, held = state.cell[seat], state.held[seat]
    terrain = jnp.asarray(layout.terrain).ravel()
    kind, inside = terrain[layout.stations], state.contents[layout.stations]
    pot = kind == POT
    nearest: list[Array | None] = [
        (kind == ONIONS) & (held != ONION),
        pot & (inside == 0),
        None,  # a pot with one onion: never seen
        None,  # a pot with two
        pot & (inside >= SOUP_ONIONS) & (inside < READY),
        pot & (inside == READY),
        (kind == DISHES) & (held != DISH),
        None,  # a soup on a counter
        kind == SERVING,
    ]
    ways = [_way_to_nearest(layout, cell, state.facing[seat], wanted) for wanted in nearest]
    facing = state.facing[seat] == jnp.arange(4)
    holds = held == jnp.array([ONION, SOUP, DISH])
    walls = terrain[jnp.asarray(layout.faced)[cell]] != FLOOR
    return jnp.concatenate([facing.astype(jnp.int32), holds.astype(jnp.int32), *ways, walls.astype(jnp.int32)])


def _way_to_nearest(layout: Layout, cell: Array, facing: Array, wanted: Array | None) -> Array:
    """(dx, dy) to the wanted station with the fewest actions, the first in reading order on ties; (0, 0) if none."""
    if wanted is None:
        return jnp.zeros(2, jnp.int32)
    cost = jnp.where(wanted, jnp.asarray(layout.distance)[cell, facing], UNREACHABLE)
    best = jnp.argmin(cost)
    way = _xy(layout, jnp.asarray(layout.stations)[best]) - _xy(layout, cell)
    return jnp.where(cost[best] < UNREACHABLE, way, 0)


def _xy(layout: Layout, cell: Array) -> Array:
    width = layout.terrain.shape[1]
    return jnp.stack([cell % width, cell // width])
