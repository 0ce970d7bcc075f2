"""What a kitchen looks like: every tile, thing and cook as a few shapes. The only place that knows colours."""

from functools import cache
from math import sin
from typing import NamedTuple

from cole.kitchen.game import COOK_TICKS, DISH, NOTHING, ONION, READY, SOUP, SOUP_ONIONS
from cole.kitchen.layouts import DIRECTIONS, DISHES, FLOOR, NORTH, ONIONS, POT, SERVING, SOUTH
from cole.kitchen.shapes import Shape, arc, darker, line, moved, oval, polygon, rect, text

STATURE = 1.1  # cooks are drawn in a cell and then enlarged: hats may stick out of it
ITEM_NAMES = ("nothing", "onion", "dish", "soup")
FACING_NAMES = ("north", "south", "east", "west")

# Seats stay apart for colour-blind eyes: the set of Okabe and Ito, strongest contrasts first, and a wine red.
SEAT_COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#f0e442",
    "#56b4e9",
    "#4d4d4d",
    "#882255",
    "#e69f00",
)
SKINS = ("#f4cfa8", "#b9794a", "#e3ac7c", "#8a5535")
HAIRS = ("#6b4527", "#33241c", "#a8632f", "#1f1815")

INK, PAPER, GOLD, GREEN = "#24313a", "#ffffff", "#ffd166", "#2bb673"
BASE, WORKTOP, WORKTOP_LIGHT, FRONT = "#42525d", "#8296a2", "#92a5b0", "#5b6d79"
FLOORS = ("#f6eee1", "#efe4d3")
WOOD, WOOD_DARK = "#c08a52", "#7d5129"
ONION_SKIN, ONION_EDGE, SPROUT = "#f0b53c", "#8a5a12", "#6f9b3c"
BROTH, BROTH_LIGHT, PLATE_EDGE = "#e8872b", "#f7b45c", "#8795a0"


class Sprite(NamedTuple):
    """A thing to be placed in a cell; its name says in words all that can be seen."""

    name: str
    shapes: tuple[Shape, ...]


# Items lie around (0, 0), about 30 units wide.


def _onion() -> tuple[Shape, ...]:
    return (
        line(((-1, -10), (-3, -17)), SPROUT, 2.6),
        line(((1, -10), (4, -16)), SPROUT, 2.6),
        polygon(((-7, -4), (0, -14), (7, -4)), ONION_SKIN, ONION_EDGE),
        oval(0, 3, 13.5, 11, ONION_SKIN, ONION_EDGE),
        polygon(((-6.2, -4), (0, -12.5), (6.2, -4), (0, 0)), ONION_SKIN),
        line(arc(1, 1, 8.5, 11, 205, 335), ONION_EDGE, 1.1, 0.6),
        line(arc(-1, 1, 8.5, 11, 155, 25), ONION_EDGE, 1.1, 0.6),
        line(((-9, 1), (-8, -2.5), (-5.5, -4.5)), "#fff3cf", 2.2),
    )


def _dish() -> tuple[Shape, ...]:
    return (
        oval(0, 2, 16, 15, "#000000", opacity=0.18),
        oval(0, 0, 15.5, 15, PAPER, PLATE_EDGE),
        oval(0, 0, 9.5, 9, "#edf2f5", "#bcc7ce", 1.3),
        line(arc(0, 0, 12.3, 11.8, 285, 340), PLATE_EDGE, 1.1, 0.6),
    )


def _steam(x: float, y: float) -> Shape:
    return line(tuple((x + 1.7 * sin(up * 0.7), y - up) for up in range(11)), PAPER, 2, 0.9)


def _soup() -> tuple[Shape, ...]:
    bowl = arc(0, -2, 16, 16, 90, 270)
    return (
        oval(0, 14, 11, 3, "#000000", opacity=0.18),
        rect(-6, 10, 12, 5, PAPER, 2, edge=PLATE_EDGE, width=1.5),
        polygon(bowl, PAPER, PLATE_EDGE),
        oval(0, -2, 16, 7, PAPER, PLATE_EDGE),
        oval(0, -1.5, 12.8, 4.9, BROTH, darker(BROTH), 1),
        oval(-5, -2, 2.8, 1.4, BROTH_LIGHT),
        oval(4, -0.5, 3.2, 1.5, BROTH_LIGHT),
        line(((-9, 5), (-6, 9)), "#d3dbe0", 2),
        _steam(-4, -8),
        _steam(5, -8),
    )


ITEMS = ((), _onion(), _dish(), _soup())


@cache
def item(kind: int) -> Sprite:
    """ONION, DISH or SOUP, lying on a counter."""
    return Sprite(ITEM_NAMES[kind], moved(ITEMS[kind], 32, 31, 0.95))


@cache
def tile(kind: int, odd: bool, front: bool, shaded: bool) -> Sprite:
    """A cell of the empty kitchen. `front`: floor lies south of it; `shaded`: a worktop stands north of it."""
    name = ("floor", "counter", "stove", "onions", "dishes", "serving hatch")[kind]
    if kind == FLOOR:
        # A hair wider than the cell, so that no seam shows between neighbours at odd zooms.
        shade = (rect(-0.3, -0.3, 64.6, 5.8, "#000000", opacity=0.1),) if shaded else ()
        return Sprite(name, (rect(-0.3, -0.3, 64.6, 64.6, FLOORS[odd]), *shade))
    depth = 54 if front else 61
    face = (rect(-0.3, 57, 64.6, 7.3, FRONT),) if front else ()
    slab = (rect(1.5, 1.5, 61, depth, WORKTOP, 5), rect(4, 3, 56, 2, WORKTOP_LIGHT, 1))
    return Sprite(name, (*face, *slab, *_fitting(kind)))


def _fitting(kind: int) -> tuple[Shape, ...]:
    """What is built into the worktop."""
    if kind == ONIONS:
        return _crate()
    if kind == DISHES:
        return (oval(32, 38, 19, 15, "#000000", opacity=0.2), *_stack())
    if kind == SERVING:
        return _hatch()
    if kind == POT:
        return (rect(5, 4, 54, 51, "#2b353c", 7), oval(32, 29.5, 19, 19, "#1d252a"))
    return ()


def _crate() -> tuple[Shape, ...]:
    heap = ((21, 21), (43, 21), (32, 19), (25, 30), (40, 30))
    onions = tuple(shape for x, y in heap for shape in moved(ITEMS[ONION], x, y, 0.72))
    plank = {"edge": WOOD_DARK, "width": 1.5}
    return (
        rect(8, 10, 48, 42, darker(WOOD_DARK, 0.75), 4),
        *onions,
        rect(6, 34, 52, 8.5, WOOD, 2, **plank),
        rect(6, 44, 52, 8.5, WOOD, 2, **plank),
        *(oval(x, y, 1.3, 1.3, WOOD_DARK) for x in (11, 53) for y in (38.3, 48.3)),
    )


def _stack() -> tuple[Shape, ...]:
    return tuple(shape for up in range(4) for shape in moved(ITEMS[DISH][1:], 32, 35 - 4 * up, 1.12))


def _hatch() -> tuple[Shape, ...]:
    """A mat with a bell on it."""
    mat, bell = "#1f8a86", {"edge": darker(GOLD, 0.55), "width": 1.5}
    return (
        rect(5, 4, 54, 51, mat, 7),
        rect(8.5, 7.5, 47, 44, "", 5, edge="#bfe6e3", width=1.6),
        oval(32, 45, 18, 3, "#000000", opacity=0.25),
        polygon(arc(32, 39, 15, 17, -90, 90), GOLD, bell["edge"]),
        oval(32, 20.5, 3.2, 3.2, GOLD, bell["edge"]),
        rect(14, 38, 36, 6, "#f4f7f8", 3, **bell),
        line(arc(32, 39, 10, 12, -65, -20), "#fff6da", 2.4),
    )


@cache
def pot(content: int) -> Sprite:
    """A pot by its entry in `State.contents`: empty, 1 or 2 onions, cooking with its timer, ready."""
    ticks = content - SOUP_ONIONS
    if content == READY:
        return Sprite("pot with a soup ready", (*_kettle(BROTH), *_bits(), *_ready()))
    if ticks >= 0:
        name = f"pot cooking, {COOK_TICKS - ticks} ticks left"
        return Sprite(name, (*_kettle(BROTH), *_bits(), *_timer(ticks)))
    name = ("empty pot", "pot with 1 onion", "pot with 2 onions")[content]
    places = ((26, 28), (38, 32))[:content]
    return Sprite(name, (*_kettle("#39454d"), *(s for x, y in places for s in moved(ITEMS[ONION], x, y, 0.68))))


def _kettle(inside: str) -> tuple[Shape, ...]:
    steel = {"edge": "#5c6a73", "width": 1.5}
    return (
        rect(8.5, 25.5, 47, 8, "#aab6bd", 4, **steel),
        oval(32, 29.5, 19.5, 19.5, "#c8d1d6", **steel),
        oval(32, 29.5, 15.5, 15.5, inside, "#5c6a73"),
    )


def _bits() -> tuple[Shape, ...]:
    """Pieces of onion floating in the soup."""
    places = ((25, 23, 4, 2.6), (38, 24, 3.4, 2.4), (30, 36, 4.2, 2.6), (41, 33, 2.4, 1.8), (23, 32, 2.2, 1.6))
    return tuple(oval(x, y, rx, ry, BROTH_LIGHT, "#cf6f17", 0.9) for x, y, rx, ry in places)


def _timer(ticks: int) -> tuple[Shape, ...]:
    done = (line(arc(32, 29.5, 22.5, 22.5, 0, 360 * ticks / COOK_TICKS), GOLD, 4.2),) if ticks else ()
    return (
        oval(32, 29.5, 22.5, 22.5, "", "#1d252a", 5.6),
        *done,
        oval(32, 29.5, 9.5, 9.5, INK, PAPER, 1.4),
        text(32, 34.2, str(COOK_TICKS - ticks), 13, PAPER),
    )


def _ready() -> tuple[Shape, ...]:
    return (
        oval(32, 29.5, 22.5, 22.5, "", GREEN, 4.6),
        _steam(26, 26),
        _steam(33, 23),
        _steam(40, 26),
        oval(51, 48, 9.5, 9.5, GREEN, PAPER, 1.8),
        line(((46.5, 48.5), (49.8, 51.8), (55.5, 44.8)), PAPER, 3),
    )


@cache
def cook(seat: int, facing: int, held: int) -> Sprite:
    """A cook; what it holds is in front of it, so behind its hat when it faces north."""
    hands = _hands(seat, facing, held)
    figure = (*_torso(seat, facing), *_head(seat, facing), *_hat(seat))
    layers = (*hands, *figure) if facing == NORTH else (*figure, *hands)
    body = moved((_SHADOW, *layers), 32 - 32 * STATURE, 60 - 60 * STATURE, STATURE)
    arrow = () if held else (_arrow(seat, facing),)  # an item in front shows the way as well
    thing = f" with {'an' if held == ONION else 'a'} {ITEM_NAMES[held]}" if held else ""
    return Sprite(f"cook {seat + 1} facing {FACING_NAMES[facing]}{thing}", (*arrow, *body))


_SHADOW = oval(32, 56, 16, 4.5, "#000000", opacity=0.2)


def _colour(seat: int) -> str:
    return SEAT_COLOURS[seat % len(SEAT_COLOURS)]


def _arrow(seat: int, facing: int) -> Shape:
    """An arrowhead in the middle of the edge that is faced; to the north it clears the hat."""
    dx, dy = DIRECTIONS[facing]
    foot = 37 if facing == NORTH else 27
    corners = ((7, 0), (0, 7), (0, -7))
    points = tuple((32 + dx * (foot + a) - dy * b, 32 + dy * (foot + a) + dx * b) for a, b in corners)
    return polygon(points, _colour(seat), PAPER, 1.4)


def _torso(seat: int, facing: int) -> tuple[Shape, ...]:
    colour = _colour(seat)
    side = DIRECTIONS[facing][0]
    legs = tuple(rect(x + 2 * side, 49, 7, 8.5, INK, 3) for x in (23.5, 33.5))
    coat = rect(20, 35, 24, 18.5, colour, 8, edge=darker(colour), width=1.5)
    if facing == NORTH:
        return *legs, coat, line(((21, 46), (43, 46)), PAPER, 2), line(((32, 46), (30, 51)), PAPER, 2)
    return *legs, coat, rect(26 + 5 * side, 41, 12, 12, PAPER, 3, edge="#ccd5da", width=1)


def _head(seat: int, facing: int) -> tuple[Shape, ...]:
    skin, hair = SKINS[seat % len(SKINS)], HAIRS[seat % len(HAIRS)]
    edge, side = darker(skin, 0.62), DIRECTIONS[facing][0]
    if facing == NORTH:
        ears = tuple(oval(x, 29.5, 3, 3.6, skin, edge, 1.2) for x in (19.5, 44.5))
        return *ears, rect(27, 34, 10, 6, skin, 2, edge=edge, width=1.2), oval(32, 27.5, 12.5, 10.5, hair, darker(hair))
    face = oval(32 + side, 28.5, 13, 12, skin, edge)
    if facing == SOUTH:
        eyes = (oval(27, 28.5, 1.9, 2.4, INK), oval(37, 28.5, 1.9, 2.4, INK))
        return face, *_cheeks(24, 40), *eyes, line(arc(32, 31.5, 3.4, 2.6, 110, 250), edge, 1.5)
    back = (oval(32 - 5 * side, 27, 10, 10.5, hair, darker(hair)), oval(32 + 3.5 * side, 28.5, 11, 12, skin, edge))
    eyes = (oval(32 + 4.5 * side, 28.5, 1.8, 2.4, INK), oval(32 + 10.5 * side, 28.5, 1.6, 2.4, INK))
    nose = oval(32 + 14 * side, 31, 2.6, 2.2, skin, edge, 1.2)
    return *back, nose, *eyes, line(arc(32 + 7.5 * side, 32.5, 2.8, 2.2, 110, 250), edge, 1.4)


def _cheeks(*columns: float) -> tuple[Shape, ...]:
    return tuple(oval(x, 33, 2.6, 1.8, "#e0705a", opacity=0.35) for x in columns)


def _hat(seat: int) -> tuple[Shape, ...]:
    edge = "#9aa7b0"
    return (
        oval(23.5, 10, 7, 6.5, PAPER, edge),
        oval(40.5, 10, 7, 6.5, PAPER, edge),
        oval(32, 7.5, 8.5, 7.5, PAPER, edge),
        rect(21.5, 8, 21, 11, PAPER),
        oval(32, 9, 8, 7.5, PAPER),
        rect(20.5, 16.5, 23, 5.5, _colour(seat), 2, edge=darker(_colour(seat)), width=1.2),
        text(32, 14.2, str(seat + 1), 11.5, INK),
    )


def _hands(seat: int, facing: int, held: int) -> tuple[Shape, ...]:
    """Two hands, and between them what they hold, towards the faced cell."""
    skin = SKINS[seat % len(SKINS)]
    palm = {"fill": skin, "edge": darker(skin, 0.62), "width": 1.2}
    if held == NOTHING:
        places = {NORTH: ((19.5, 42), (44.5, 42)), SOUTH: ((19.5, 45), (44.5, 45))}
        beside = ((32 + 8 * DIRECTIONS[facing][0], 46),)
        return tuple(oval(x, y, 4, 4, **palm) for x, y in places.get(facing, beside))
    x, y = ((32, -5), (32, 47.5), (51, 44), (13, 44))[facing]
    grip = 8 if DIRECTIONS[facing][0] else 11
    lift = 4 if held == SOUP else 2
    palms = tuple(oval(x + side * grip, y + lift + 2, 3.8, 3.8, **palm) for side in (-1, 1))
    return *moved(ITEMS[held], x, y, 0.72), *palms
