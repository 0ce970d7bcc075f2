"""The tables of scripted cooks, against the distances of the kitchen itself."""

from pathlib import Path

import numpy as np
import pytest

from cole.kitchen import layouts
from cole.kitchen.game import DISH, ONION, SOUP
from cole.kitchen.layouts import COUNTER, UNREACHABLE, Layout
from cole.policy.routes import CROWD, FAR, SUPPLIES, WALL, WHOLE_JOB, Routes, routes

KITCHENS = [*layouts.MAPS, Path(__file__).parents[1] / "examples/three_cooks.txt"]

THREE_ROOMS = """
XXXXXXXX
O1X2X3PX
D X X  S
XXXXXXXX
"""


def floor_cells(layout: Layout) -> np.ndarray:
    return np.flatnonzero(np.isin(layout.room, layout.room[layout.start]))


def to_stations(layout: Layout, known: Routes, table: int, standing: int) -> np.ndarray:
    """[F, 4, stations]: the ways of a table as distances between poses and stations, like Layout.distance."""
    columns = np.searchsorted(known.things, layout.stations)
    faces = layout.faced[floor_cells(layout)][:, :, None] == layout.stations
    return np.where(faces, 0, known.ways[table, standing].min(1)[:, None, columns])


@pytest.mark.parametrize("name", KITCHENS, ids=lambda name: Path(name).stem)
def test_with_nobody_in_the_way_ways_are_the_distances_of_the_kitchen(name):
    layout = layouts.load(name)
    known = routes(layout, WHOLE_JOB)
    ours, theirs = to_stations(layout, known, 0, -1), layout.distance[floor_cells(layout)]
    assert (np.where(theirs == UNREACHABLE, FAR, theirs) == ours).all()


@pytest.mark.parametrize("name", KITCHENS, ids=lambda name: Path(name).stem)
def test_a_cook_who_will_not_move_is_a_piece_of_the_kitchen(name):
    layout = layouts.load(name)
    known = routes(layout, WHOLE_JOB)
    cells = floor_cells(layout)
    for number, cell in enumerate(cells):
        terrain = layout.terrain.copy()
        terrain.ravel()[cell] = COUNTER
        theirs = layouts.build(terrain, layout.start).distance[cells]
        ours = to_stations(layout, known, 1, number)
        elsewhere = cells != cell
        assert (np.where(theirs < WALL, ours == theirs, ours >= WALL))[elsewhere].all()


def test_walking_through_a_moving_cook_costs_a_little():
    layout = layouts.parse("XXXXX\nO1 2P\nXXDSX\nXXXXX")
    known = routes(layout, WHOLE_JOB)
    pot = known.kind.tolist().index(layouts.POT)
    assert known.ways[0, -1, 0].min(0)[pot] == 2
    assert known.ways[0, 1, 0].min(0)[pot] == 2 + CROWD


def test_things_are_handed_from_room_to_room_towards_their_use():
    layout = layouts.parse(THREE_ROOMS)
    known = routes(layout, WHOLE_JOB)
    starts = known.floor[layout.start]
    assert known.own_level[starts][:, [ONION, DISH, SOUP]].tolist() == [[2] * 3, [1] * 3, [0] * 3]
    columns = [set((known.things[known.passing[start, ONION]] % 8).tolist()) for start in starts]
    assert columns == [{2}, {4}, set()]


def test_only_one_cook_with_company_can_leave_its_own_room_a_job():
    alone, company = (routes(layouts.parse(map_), SUPPLIES) for map_ in ("XPXX\nO1 S\nXDXX", "XPXX\nO12S\nXDXX"))
    assert (alone.own_level[:, ONION] == FAR).all() and not alone.passing.any()
    assert (company.own_level[:, ONION] == 1).all() and company.passing[:, ONION].any()


def test_one_is_in_nobodys_way_beside_no_station_and_outside_bottlenecks():
    layout = layouts.load("cramped_room")
    aside = routes(layout, WHOLE_JOB).aside
    assert aside.reshape(2, 3).tolist() == [[2, 1, 2], [1, 0, 1]]
