"""Kitchens: ASCII maps turned into the tables the game runs on.

A map is rectangular text. ` ` floor, `X` counter, `P` pot, `O` onions, `D` dishes, `S` serving hatch, and the digits
`1`, `2`, ... mark where the cook of seat 0, 1, ... starts. A *cell* is a number, `y * W + x`, counted as one reads.
"""

from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cole.errors import UserError

FLOOR, COUNTER, POT, ONIONS, DISHES, SERVING = range(6)
SYMBOLS = " XPODS"  # the symbol of terrain k is SYMBOLS[k]

# Actions 0-3 are also the directions a cook can face; (dx, dy) with y pointing down.
NORTH, SOUTH, EAST, WEST, STAY, INTERACT = range(6)
ACTIONS = INTERACT + 1
DIRECTIONS = ((0, -1), (0, 1), (1, 0), (-1, 0))

UNREACHABLE = np.iinfo(np.int16).max

# The five kitchens of the paper, maps of 2019.
MAPS = {
    "cramped_room": """
XXPXX
O  2O
X1  X
XDXSX
""",
    "asymmetric_advantages": """
XXXXXXXXX
O XSXOX S
X   P 1 X
X2  P   X
XXXDXDXXX
""",
    "coordination_ring": """
XXXPX
X 1 P
D2X X
O   X
XOSXX
""",
    "forced_coordination": """
XXXPX
O X1P
O2X X
D X X
XXXSX
""",
    "counter_circuit": """
XXXPPXXX
X  2   X
D XXXX S
X  1   X
XXXOOXXX
""",
}
KITCHENS = tuple(MAPS)  # the paper's, in its order


class Layout(NamedTuple):
    """One kitchen, as tables. S seats, F stations (every pot, dispenser and hatch, in reading order)."""

    terrain: np.ndarray  # [H, W] int8: FLOOR, COUNTER, ...
    start: np.ndarray  # [S] int32: the cell each seat starts in
    next_cell: np.ndarray  # [H*W, 6] int32: where an action leads from a cell if nobody is in the way
    faced: np.ndarray  # [H*W, 4] int32: the neighbouring cell in each direction (itself at the border)
    room: np.ndarray  # [H*W] int32: which connected piece of floor; -1 where there is no floor
    touchable: np.ndarray  # [H*W] bool: can be faced by a cook that stays in the room it starts in
    stations: np.ndarray  # [F] int32: cells
    distance: np.ndarray  # [H*W, 4, F] int16: fewest actions from a pose to facing a station, or UNREACHABLE


def load(name_or_file: str | Path) -> Layout:
    """One of the five kitchens by name, or a map from a text file."""
    if str(name_or_file) in MAPS:
        return parse(MAPS[str(name_or_file)])
    return parse(read_map(name_or_file), where=f"{name_or_file}: ")


def read_map(file: str | Path) -> str:
    """The text of a map file; a name that is neither a kitchen nor a file is refused."""
    try:
        return Path(file).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(f"there is no kitchen or map file called {file}; the kitchens are {', '.join(MAPS)}") from None
    except (OSError, ValueError) as error:  # not UTF-8, or a name no file can have
        raise UserError(f"the map file {file} cannot be read: {error}") from None


def parse(text: str, where: str = "") -> Layout:
    """A checked Layout from ASCII; a map nobody could cook in is refused with line and column."""
    rows, first_line = _rows(text)

    def refuse(why: str, x: int | None = None, y: int | None = None) -> UserError:
        line = "" if y is None else f"line {y + first_line}, "
        column = "" if x is None else f"column {x + 1}: "
        return UserError(f"{where}{line}{column}{why}")

    _check_shape(rows, refuse)
    terrain = np.array([[SYMBOLS.index(" " if s.isdigit() else s) for s in row] for row in rows], np.int8)
    layout = build(terrain, _starts(rows, refuse))
    _check_cookable(layout, refuse)
    return layout


def to_text(layout: Layout) -> str:
    """The map of a layout, as `parse` reads it."""
    symbols = [[SYMBOLS[kind] for kind in row] for row in np.asarray(layout.terrain)]
    for seat, cell in enumerate(np.asarray(layout.start)):
        symbols[cell // len(symbols[0])][cell % len(symbols[0])] = str(seat + 1)
    return "\n".join("".join(row) for row in symbols)


def name_of(layout: Layout) -> str | None:
    """The name of one of the paper's kitchens, or None for any other map."""
    text = to_text(layout)
    return next((name for name, map_ in MAPS.items() if map_.strip() == text), None)


def build(terrain: np.ndarray, start: Iterable[int]) -> Layout:
    """All tables of a kitchen from its terrain [H, W] and start cells [S]; nothing is checked."""
    kinds = terrain.ravel()
    faced = _faced(*terrain.shape)
    cells = np.arange(kinds.size, dtype=np.int32)
    moves = np.where(kinds[faced] == FLOOR, faced, cells[:, None])
    next_cell = np.concatenate([moves, cells[:, None], cells[:, None]], axis=1)
    start = np.array(list(start), np.int32)
    room = _rooms(kinds, faced)
    standing = np.isin(room, room[start])
    touchable = np.zeros(kinds.size, bool)
    touchable[faced[standing].ravel()] = True
    stations = np.flatnonzero(kinds > COUNTER).astype(np.int32)
    distance = np.stack(
        [_distance(kinds, faced, next_cell, cell) for cell in stations.tolist()] or [faced[..., :0]], axis=-1
    )
    return Layout(terrain, start, next_cell, faced, room, touchable & (kinds != FLOOR), stations, distance)


def _faced(height: int, width: int) -> np.ndarray:
    y, x = np.divmod(np.arange(height * width, dtype=np.int32), width)
    ahead = [np.clip(y + dy, 0, height - 1) * width + np.clip(x + dx, 0, width - 1) for dx, dy in DIRECTIONS]
    return np.stack(ahead, axis=1).astype(np.int32)


def _rooms(kinds: np.ndarray, faced: np.ndarray) -> np.ndarray:
    room = np.full(kinds.size, -1, np.int32)
    for seed in np.flatnonzero(kinds == FLOOR):
        if room[seed] >= 0:
            continue
        room[seed], queue = room.max() + 1, deque([seed])
        while queue:
            here = queue.popleft()
            for cell in faced[here]:
                if kinds[cell] == FLOOR and room[cell] < 0:
                    room[cell] = room[here]
                    queue.append(cell)
    return room


def _distance(kinds: np.ndarray, faced: np.ndarray, next_cell: np.ndarray, station: int) -> np.ndarray:
    """[H*W, 4]: breadth-first search backwards from every pose that faces the station.

    Acting towards direction d takes any pose (cell, .) to (next_cell[cell, d], d), so the poses one action before
    (cell, d) are those of `cell` itself if it cannot be left towards d, and those of the cell behind it.
    """
    distance = np.full((kinds.size, 4), UNREACHABLE, np.int16)
    floor = np.flatnonzero(kinds == FLOOR).tolist()
    queue = deque((cell, d) for cell in floor for d in range(4) if faced[cell, d] == station)
    for pose in queue:
        distance[pose] = 0
    opposite = (SOUTH, NORTH, WEST, EAST)
    while queue:
        cell, d = queue.popleft()
        for before in {int(cell), int(faced[cell, opposite[d]])}:
            if kinds[before] != FLOOR or next_cell[before, d] != cell:
                continue
            for facing in range(4):
                if distance[before, facing] == UNREACHABLE:
                    distance[before, facing] = distance[cell, d] + 1
                    queue.append((before, facing))
    return distance


def _rows(text: str) -> tuple[list[str], int]:
    """The lines of the map and the file's line number of the first; blank lines around the map do not count."""
    lines = text.splitlines()
    first = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    last = next((i for i in range(len(lines), first, -1) if lines[i - 1].strip()), first)
    return lines[first:last], first + 1


def _check_shape(rows: list[str], refuse) -> None:
    if not rows:
        raise refuse("the map is empty")
    for y, row in enumerate(rows):
        for x, symbol in enumerate(row):
            if symbol not in SYMBOLS and not (symbol.isascii() and symbol.isdigit() and symbol != "0"):
                raise refuse(
                    f"{symbol!r} is not a symbol of a map; use space, X, P, O, D, S and the seats 1 to 9", x, y
                )
        if len(row) != len(rows[0]):
            raise refuse(
                f"this line has {len(row)} symbols, the first has {len(rows[0])}", min(len(row), len(rows[0])), y
            )
    for y, row in enumerate(rows):
        for x, symbol in enumerate(row):
            if (x in (0, len(row) - 1) or y in (0, len(rows) - 1)) and (symbol == " " or symbol.isdigit()):
                raise refuse("the border must be closed, but here is floor", x, y)


def _starts(rows: list[str], refuse) -> list[int]:
    starts: dict[int, int] = {}
    for y, row in enumerate(rows):
        for x, symbol in enumerate(row):
            if symbol.isdigit():
                if int(symbol) in starts:
                    raise refuse(f"seat {symbol} starts twice", x, y)
                starts[int(symbol)] = y * len(row) + x
    if not starts:
        raise refuse("no cook starts anywhere: mark the start of each seat with 1, 2, ...")
    for seat in range(1, max(starts) + 1):
        if seat not in starts:
            raise refuse(f"seat {max(starts)} has a start but seat {seat} has none")
    return [starts[seat] for seat in sorted(starts)]


def _check_cookable(layout: Layout, refuse) -> None:
    """The team can bring onions and a dish to one pot, and its soup to a hatch.

    Cooks stay in the rooms they start in; a thing passes between two rooms over a counter that both touch.
    """
    kinds = layout.terrain.ravel()
    named = {POT: "pot (P)", ONIONS: "onion dispenser (O)", DISHES: "dish dispenser (D)", SERVING: "serving hatch (S)"}
    for kind, name in named.items():
        if not (kinds == kind).any():
            raise refuse(f"the kitchen has no {name}")
        if not (layout.touchable & (kinds == kind)).any():
            raise refuse(f"no cook can reach this {name}", *_xy(layout, int(np.flatnonzero(kinds == kind)[0])))

    beside = {cell: _rooms_beside(layout, cell) for cell in np.flatnonzero(layout.touchable).tolist()}
    links = [rooms for cell, rooms in beside.items() if kinds[cell] == COUNTER]
    onions = _spread(_union(beside, kinds, ONIONS), links)
    dishes = _spread(_union(beside, kinds, DISHES), links)
    hatches = _union(beside, kinds, SERVING)
    pots = [cell for cell in beside if kinds[cell] == POT]
    lacks = {}
    for pot in pots:
        if not beside[pot] & onions:
            lacks[pot] = "onions cannot be brought to this pot"
        elif not beside[pot] & dishes:
            lacks[pot] = "dishes cannot be brought to this pot"
        elif not _spread(beside[pot] & dishes, links) & hatches:
            lacks[pot] = "a soup from this pot cannot be brought to a serving hatch"
    if len(lacks) == len(pots):
        raise refuse(lacks[pots[0]], *_xy(layout, pots[0]))


def _xy(layout: Layout, cell: int) -> tuple[int, int]:
    y, x = divmod(cell, layout.terrain.shape[1])
    return x, y


def _rooms_beside(layout: Layout, cell: int) -> set[int]:
    """The rooms some cook starts in from which the cell can be faced."""
    around = [here for here in layout.faced[cell] if layout.room[here] >= 0]
    return {int(layout.room[here]) for here in around} & {int(r) for r in layout.room[layout.start]}


def _union(beside: dict, kinds: np.ndarray, kind: int) -> set[int]:
    return set().union(*(rooms for cell, rooms in beside.items() if kinds[cell] == kind))


def _spread(rooms: set[int], links: list[set[int]]) -> set[int]:
    """All rooms a thing can get to when it is handed over counters."""
    for _ in links:
        rooms = rooms.union(*(link for link in links if link & rooms))
    return rooms
