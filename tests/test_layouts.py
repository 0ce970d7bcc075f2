"""Maps become tables or are refused with line and column; distances against a plain search."""

from collections import deque

import numpy as np
import pytest
from hypothesis import given
from strategies import kitchens, quickly

from cole.errors import UserError
from cole.kitchen import layouts
from cole.kitchen.layouts import DIRECTIONS, SYMBOLS, UNREACHABLE, Layout

SHAPES = {  # width, height, and (x, y) of the two seats
    "cramped_room": (5, 4, (1, 2), (3, 1)),
    "asymmetric_advantages": (9, 5, (6, 2), (1, 3)),
    "coordination_ring": (5, 5, (2, 1), (1, 2)),
    "forced_coordination": (5, 5, (3, 1), (1, 2)),
    "counter_circuit": (8, 5, (3, 3), (3, 1)),
}


@pytest.mark.parametrize("name", layouts.MAPS)
def test_the_five_kitchens_have_the_size_and_starts_of_2019(name):
    layout = layouts.load(name)
    width, height, *starts = SHAPES[name]
    assert layout.terrain.shape == (height, width)
    assert layout.start.tolist() == [y * width + x for x, y in starts]
    assert layouts.name_of(layout) == name


@pytest.mark.parametrize("name", layouts.MAPS)
def test_a_map_read_is_the_map_written(name):
    text = layouts.to_text(layouts.load(name))
    assert text == layouts.MAPS[name].strip("\n")
    assert same(layouts.parse(text), layouts.load(name))


@quickly(max_examples=30)
@given(kitchens(4))
def test_generated_maps_survive_writing_and_reading(layout):
    assert same(layouts.parse(layouts.to_text(layout)), layout)
    assert layouts.name_of(layout) is None


def same(left: Layout, right: Layout) -> bool:
    return all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(left, right, strict=True))


REFUSED = {
    "an empty map": ("", "the map is empty"),
    "only blank lines": ("\n  \n\n", "the map is empty"),
    "an unknown symbol": ("XXPXX\nO 1TO\nXDXSX", "line 2, column 4: 'T' is not a symbol of a map"),
    "a small letter": ("XXpXX\nO 1 O\nXDXSX", "line 1, column 3: 'p' is not a symbol"),
    "a seat 0": ("XXPXX\nO 0 O\nXDXSX", "line 2, column 3: '0' is not a symbol"),
    "a digit of another script": ("XXPXX\nO \u0661 O\nXDXSX", "line 2, column 3: '\u0661' is not a symbol"),
    "a short line": ("XXPXX\nO 1 O\nXDXS", "line 3, column 5: this line has 4 symbols, the first has 5"),
    "a long line": ("XXPXX\nO 1 OX\nXDXSX", "line 2, column 6: this line has 6 symbols, the first has 5"),
    "a trailing space": ("XXPXX\nO 1 O \nXDXSX", "line 2, column 6: this line has 6 symbols"),
    "a hole on the left": ("XXPXX\n  1 O\nXDOSX", "line 2, column 1: the border must be closed"),
    "a hole on the right": ("XXPXX\nO 1  \nXDXSX", "line 2, column 5: the border must be closed"),
    "a hole at the top": ("XXP X\nO 1 O\nXDXSX", "line 1, column 4: the border must be closed"),
    "a hole at the bottom": ("XXPXX\nO 1 O\nXD SX", "line 3, column 3: the border must be closed"),
    "a seat in the border": ("XXPXX\nO 1 O\nXD2SX", "line 3, column 3: the border must be closed"),
    "a tab": ("XXPXX\nO\t1 O\nXDXSX", "line 2, column 2: '\\t' is not a symbol of a map"),
    "a seat twice": ("XXPXX\nO1 1O\nXDXSX", "line 2, column 4: seat 1 starts twice"),
    "no seat 1": ("XXPXX\nO 2 O\nXDXSX", "seat 2 has a start but seat 1 has none"),
    "a gap in the seats": ("XXPXX\nO123O\nX 5 X\nXDXSX", "seat 5 has a start but seat 4 has none"),
    "nobody": ("XXPXX\nO   O\nXDXSX", "no cook starts anywhere"),
    "no pot": ("XXXXX\nO 1 O\nXDXSX", "the kitchen has no pot (P)"),
    "no onions": ("XXPXX\nX 1 X\nXDXSX", "the kitchen has no onion dispenser (O)"),
    "no dishes": ("XXPXX\nO 1 O\nXXXSX", "the kitchen has no dish dispenser (D)"),
    "no hatch": ("XXPXX\nO 1 O\nXDXXX", "the kitchen has no serving hatch (S)"),
    "a pot in a corner": ("PXXXX\nO 1 O\nXDXSX", "line 1, column 1: no cook can reach this pot (P)"),
    "onions in a corner": ("XXPXO\nX 1 X\nXDXSX", "line 1, column 5: no cook can reach this onion dispenser (O)"),
    "dishes in an empty room": ("XXPXXXX\nO 1 X D\nXXXSXXX", "line 2, column 7: no cook can reach this dish dispenser"),
    "a hatch in an empty room": ("XXPXXXX\nO 1 X S\nXDXXXXX", "line 2, column 7: no cook can reach this serving hatch"),
    "onions in the next room, a double wall": (
        "XXPXXXXXX\nX 1 XX2 O\nXDXSXXXXX",
        "line 1, column 3: onions cannot be brought to this pot",
    ),
    "dishes in the next room, a double wall": (
        "XXPXXXXXX\nO 1 XX2 D\nXXXSXXXXX",
        "line 1, column 3: dishes cannot be brought to this pot",
    ),
    "the hatch in the next room, a double wall": (
        "XXPXXXXXX\nO 1 XX2 S\nXDXXXXXXX",
        "line 1, column 3: a soup from this pot cannot be brought to a serving hatch",
    ),
    "onions in the next room, only a dispenser between": (
        "XPXXXXX\nX 1D2 O\nXSXXXXX",
        "line 1, column 2: onions cannot be brought to this pot",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_map_nobody_could_cook_in_is_refused(case):
    text, message = REFUSED[case]
    with pytest.raises(UserError) as caught:
        layouts.parse(text)
    assert str(caught.value).startswith(message)


def test_the_refusal_names_the_file_and_counts_its_lines(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("\n\nXXPXX\nO 1?O\nXDXSX\n")
    with pytest.raises(UserError, match=r"mine\.txt: line 4, column 4: '\?' is not a symbol"):
        layouts.load(file)


def test_a_counter_between_two_rooms_hands_things_over():
    layout = layouts.parse("XXPXXXXX\nX 1 X2 O\nXDXSXXXX")
    assert len(set(layout.room[layout.start])) == 2
    with pytest.raises(UserError, match="onions cannot be brought"):
        layouts.parse("XXPXXXXX\nX 1 S2 O\nXDXSXXXX")


def test_things_are_handed_over_through_a_room_in_between():
    layouts.parse("XXPXXXXXX\nX 1X2X3 O\nXDSXXXXXX")
    with pytest.raises(UserError, match="onions cannot be brought"):
        layouts.parse("XXPXXXXXX\nX 1X XX2O\nXDSXXXXXX")


def test_a_pot_out_of_reach_does_no_harm_beside_one_within():
    layout = layouts.parse("PXPXX\nO 1 O\nXDXSX")
    assert layout.touchable[2] and not layout.touchable[0]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_line_ends_and_blank_lines_around_a_map_do_not_matter(tmp_path, ends):
    file = tmp_path / "map.txt"
    file.write_bytes(ends.join(["", "XXPXX", "O 1 O", "XDXSX", "", "  ", ""]).encode())
    expected = layouts.parse("XXPXX\nO 1 O\nXDXSX")
    assert same(layouts.load(file), expected)
    assert same(layouts.parse(file.read_bytes().decode()), expected)


def test_a_file_that_is_not_text_is_refused(tmp_path):
    file = tmp_path / "map.txt"
    file.write_bytes(b"XXPXX\nO\xff1 O\nXDXSX")
    with pytest.raises(UserError, match=r"map\.txt cannot be read"):
        layouts.load(file)


def test_what_is_no_kitchen_and_no_file_is_refused(tmp_path):
    with pytest.raises(UserError, match="no kitchen or map file called cramped_rom; the kitchens are cramped_room"):
        layouts.load("cramped_rom")
    with pytest.raises(UserError, match="cannot be read"):
        layouts.load(tmp_path)
    with pytest.raises(UserError, match="cannot be read"):
        layouts.load("a\0b")


@pytest.mark.parametrize("middle", ["O1   O\nX    X", "O1 3 O\nX   2X", "O1 3 O\nX4  2X"])
def test_one_three_or_four_cooks_can_start(middle):
    layout = layouts.parse(f"XXPXXX\n{middle}\nXDXSXX")
    assert layout.start.tolist() == [7, 16, 9, 13][: sum(symbol.isdigit() for symbol in middle)]
    assert layouts.to_text(layout) == f"XXPXXX\n{middle}\nXDXSXX"


def test_a_large_map_can_be_read():
    rows = ["X" * 60, *(["X" + " " * 58 + "X", "X" + " X" * 29 + "X"] * 29), "X" * 60]
    rows[0], rows[30] = "XP" + "X" * 56 + "OX", "S1" + rows[30][2:58] + "2D"
    layout = layouts.parse("\n".join(rows))
    assert layout.terrain.shape == (60, 60)
    # From the north-west corner facing north: east along the top row to the corner below the onions, and turn north.
    onions = layout.stations.tolist().index(58)
    assert layout.distance[61, layouts.NORTH, onions] == 57 + 1


def test_more_rooms_than_a_byte_can_count():
    rows = ["X" * 60] + ["XX" * 30 if y % 2 else "X" + " X" * 29 + "X" for y in range(58)] + ["X" * 60]
    rows[1] = "P1O" + rows[1][3:]
    rows[0], rows[2] = "XD" + rows[0][2:], "XS" + rows[2][2:]
    layout = layouts.parse("\n".join(rows))
    assert sorted(layout.room[layout.room >= 0]) == list(range(29 * 29))


def walks(layout: Layout) -> dict:
    """Fewest actions between any two poses ((x, y), facing), by a search over the written map."""
    rows = layouts.to_text(layout).split("\n")
    floor = [(x, y) for y, row in enumerate(rows) for x, symbol in enumerate(row) if symbol not in SYMBOLS[1:]]

    def after(pose, facing):
        (x, y), (dx, dy) = pose[0], DIRECTIONS[facing]
        return ((x + dx, y + dy) if (x + dx, y + dy) in floor else (x, y)), facing

    steps = {}
    for start in ((cell, facing) for cell in floor for facing in range(4)):
        reached, queue = {start: 0}, deque([start])
        while queue:
            pose = queue.popleft()
            for facing in range(4):
                there = after(pose, facing)
                if there not in reached:
                    reached[there] = reached[pose] + 1
                    queue.append(there)
        steps[start] = reached
    return steps


def assert_distances_are_shortest(layout: Layout) -> None:
    width = layout.terrain.shape[1]
    steps = walks(layout)
    for number, station in enumerate(layout.stations):
        sx, sy = station % width, station // width
        goals = {((sx - dx, sy - dy), d) for d, (dx, dy) in enumerate(DIRECTIONS)}
        for ((x, y), facing), reached in steps.items():
            shortest = min((reached[goal] for goal in goals if goal in reached), default=UNREACHABLE)
            assert layout.distance[y * width + x, facing, number] == shortest


@pytest.mark.parametrize("name", layouts.MAPS)
def test_distances_in_the_papers_kitchens_equal_those_of_a_plain_search(name):
    layout = layouts.load(name)
    assert_distances_are_shortest(layout)
    assert layout.distance.shape == (layout.terrain.size, 4, (layout.terrain > layouts.COUNTER).sum())
    assert (layout.distance[layout.room < 0] == UNREACHABLE).all()


@quickly(max_examples=10)
@given(kitchens(2))
def test_distances_in_generated_kitchens_equal_those_of_a_plain_search(layout):
    assert_distances_are_shortest(layout)
