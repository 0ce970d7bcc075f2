"""What a scripted cook knows by heart about its kitchen: the ways to everything, and who needs what passed on.

All tables are made once, with numpy. F floor cells in rooms where a cook starts, Q things (all that can be faced from
them: counters, pots, dispensers, hatches), R rooms, both in reading order.
"""

from typing import NamedTuple

import numpy as np

from cole.kitchen.game import DISH, ONION, SOUP
from cole.kitchen.layouts import COUNTER, DISHES, ONIONS, POT, SERVING, Layout

FAR = 10_000  # farther than any way
WALL = 1_000  # what a way through a cook costs who will not move: more than any detour
CROWD = 3  # what a way through a cook costs who is on the move

WHOLE_JOB = (COUNTER, POT, ONIONS, DISHES, SERVING)
SUPPLIES = (COUNTER, ONIONS, DISHES)
COOKING = (COUNTER, POT, SERVING)


class Routes(NamedTuple):
    """One kitchen for a cook with given duties."""

    floor: np.ndarray  # [H*W] int32: the number of a floor cell; 0 where no cook can be
    onto: np.ndarray  # [F, 4] int32: the floor cell a step leads to, itself if there is none
    things: np.ndarray  # [Q] int32: cells
    faced: np.ndarray  # [F, 4] int32: the number of the thing in each direction, 0 .. Q-1; Q if there is none
    kind: np.ndarray  # [Q] int8: COUNTER, POT, ...
    ways: np.ndarray  # [2, F+1, F, 4, Q] int16: actions until a thing is faced, see `_ways`; the first with CROWD
    between: np.ndarray  # [Q, Q] int32: actions from facing one thing to facing another, by anybody, nobody in the way
    to_pot: np.ndarray  # [Q] int32: the same to the nearest pot, at most WALL
    to_hatch: np.ndarray  # [Q] int32
    aside: np.ndarray  # [F] int16: actions to the nearest cell where a cook is in nobody's way
    duty: np.ndarray  # [F, Q] bool: what the cook may use from its room
    level: np.ndarray  # [F, 4] int16, by item: rooms an item must cross until a cook there can use it; FAR if none can
    own_level: np.ndarray  # [F, 4] int16: the same for this cook, whose duties may be fewer
    passing: np.ndarray  # [F, 4, Q] bool: the counters where this cook leaves an item for someone nearer its use
    shared: np.ndarray  # [Q] bool: counters that two rooms touch


def routes(layout: Layout, duties: tuple[int, ...]) -> Routes:
    """The tables of a kitchen for a cook that uses only things of these kinds."""
    terrain = np.asarray(layout.terrain).ravel()
    things = np.flatnonzero(layout.touchable).astype(np.int32)
    kind = terrain[things]
    cells = np.flatnonzero(np.isin(layout.room, layout.room[layout.start]))
    floor = np.zeros(terrain.size, np.int32)
    floor[cells] = np.arange(len(cells))

    faces = layout.faced[cells][:, :, None] == things  # [F, 4, Q]
    onto = floor[layout.next_cell[cells, :4]]  # [F, 4]
    ways = np.stack([_ways(faces, onto, cost) for cost in (CROWD, WALL)])
    free = np.where(faces, 0, ways[0, -1].min(1, keepdims=True))  # [F, 4, Q], nobody in the way
    between = np.stack([free[faces[..., q]].min(0) for q in range(len(things))]).astype(np.int32)

    rooms, room = np.unique(layout.room[cells], return_inverse=True)  # [R], [F]
    touches = np.stack([faces[room == r].any((0, 1)) for r in range(len(rooms))])  # [R, Q]
    cooks = (layout.room[layout.start] == rooms[:, None]).sum(1)  # [R]
    own_level, level, passing = _roles(touches, cooks, kind, np.isin(kind, duties))
    return Routes(
        floor=floor,
        onto=onto,
        things=things,
        faced=np.where(faces.any(-1), faces.argmax(-1), len(things)).astype(np.int32),
        kind=kind,
        ways=ways,
        between=between,
        to_pot=_to_nearest(between, kind == POT),
        to_hatch=_to_nearest(between, kind == SERVING),
        aside=_aside(onto, faces[..., kind != COUNTER].any((1, 2)), cooks[room] == 1),
        duty=touches[room] & np.isin(kind, duties),
        level=level.T[room],
        own_level=own_level.T[room],
        passing=passing.swapaxes(0, 1)[room],
        shared=(kind == COUNTER) & (touches.sum(0) > 1),
    )


def _to_nearest(between: np.ndarray, places: np.ndarray) -> np.ndarray:
    return between[:, places].min(1, initial=WALL)


def _ways(faces: np.ndarray, onto: np.ndarray, cost: int) -> np.ndarray:
    """[F+1, F, 4, Q]: a cook stands in cell 0 .. F-1 or nowhere; from a cell; first going d; to a thing.

    Stepping where the cook stands costs so much more.

    Going d leads from any pose in a cell to the same pose, so what is left to do depends on the cell alone, except
    that a thing may already be faced.
    """
    standing = np.arange(len(onto) + 1)[:, None, None]
    enters = (onto == standing) & (onto != np.arange(len(onto))[:, None])
    price = (1 + cost * enters)[..., None]  # [F+1, F, 4, 1]
    arrives = faces[onto, np.arange(4)]  # [F, 4, Q]
    idle = (onto == np.arange(len(onto))[:, None])[..., None] & ~arrives  # turns to something else
    left = np.full((len(onto) + 1, len(onto), faces.shape[-1]), FAR, np.int16)  # [F+1, F, Q]
    while True:
        ways = np.minimum(price + np.where(arrives, 0, np.where(idle, FAR, left[:, onto])), FAR).astype(np.int16)
        if (ways.min(2) == left).all():
            return ways
        left = ways.min(2)


def _aside(onto: np.ndarray, beside_station: np.ndarray, alone: np.ndarray) -> np.ndarray:
    """[F]: to the nearest cell that is beside no station and whose loss cuts no room in two.

    FAR where there is none; 0 where a cook is alone.
    """
    cells = np.arange(len(onto))
    steps = np.where(beside_station | np.array([_cuts(onto, cell) for cell in cells.tolist()], bool), FAR, 0)
    for _ in cells:
        steps = np.minimum(steps, 1 + steps[onto].min(1))
    return np.where(alone, 0, np.minimum(steps, FAR)).astype(np.int16)


def _cuts(onto: np.ndarray, cell: int) -> bool:
    """Whether some neighbours of a floor cell are connected only through it."""
    neighbours = set(onto[cell].tolist()) - {cell}
    reached, queue = set(), list(neighbours)[:1]
    while queue:
        here = queue.pop()
        if here != cell and here not in reached:
            reached.add(here)
            queue += onto[here].tolist()
    return not neighbours <= reached


def _roles(
    touches: np.ndarray, cooks: np.ndarray, kind: np.ndarray, duty: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """own_level [4, R], level [4, R], passing [4, R, Q] of Routes, by room."""
    counter = kind == COUNTER
    link = (touches[:, None] & touches & counter).any(-1)  # [R, R]
    shape = (SOUP + 1, len(touches))
    own_level, level = np.full(shape, FAR, np.int16), np.full(shape, FAR, np.int16)
    passing = np.zeros((*shape, len(kind)), bool)
    for item, place in ((SOUP, SERVING), (DISH, POT), (ONION, POT)):
        useful = (kind == place) & touches
        if item == DISH:  # a soup from there must find its way
            useful &= (level[SOUP] < FAR)[:, None]
        level[item][useful.any(1)] = 0
        for _ in touches:
            level[item] = np.minimum(level[item], 1 + np.where(link, level[item], FAR - 1).min(1))
        # A cook passes things on to other rooms, and to its own if it has company there.
        company = ~np.eye(len(touches), dtype=bool) | (cooks > 1)
        nearest = np.where(link & company, level[item], FAR - 1).min(1)
        own_level[item] = np.where((useful & duty).any(1), 0, np.minimum(1 + nearest, FAR))
        nearer = company & (level[item] < own_level[item][:, None])  # [R, R]
        passing[item] = (nearer[..., None] & touches).any(1) & touches & counter
    return own_level, level, passing
