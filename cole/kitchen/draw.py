"""Pictures of one state: text for a terminal, SVG for a page.

A picture is a list of placed sprites (see `sprites`); `pixels` paints the same list with Pillow.
"""

from html import escape
from typing import NamedTuple

import jax
import numpy as np

from cole.kitchen import shapes, sprites
from cole.kitchen.game import COOK_TICKS, HORIZON, READY, SOUP, SOUP_ONIONS, State
from cole.kitchen.layouts import COUNTER, FLOOR, POT, SYMBOLS, Layout, name_of
from cole.kitchen.shapes import CELL, Shape
from cole.kitchen.sprites import Sprite

MARGIN, STRIP = 8, 44  # around the kitchen, and above it for score and clock; in units of shapes
FONT = "ui-rounded, system-ui, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"
ARROWS = "^v><"
ITEM_LETTERS = " ods"
RICH_STYLES = ("bold blue", "bold red", "bold green", "bold magenta", "bold yellow", "bold cyan")


class Placed(NamedTuple):
    """A sprite in column x, row y."""

    x: int
    y: int
    sprite: Sprite


# What stands where


def as_numpy(state: State) -> State:
    """The state on the host, whatever arrays it came in."""
    return jax.tree.map(np.asarray, state)


def kitchen(layout: Layout) -> list[Placed]:
    """The empty kitchen: floor, worktops and what is built into them."""
    terrain = np.asarray(layout.terrain)
    solid = terrain != FLOOR
    placed = []
    for y, x in np.ndindex(*terrain.shape):
        front = bool(solid[y, x] and y + 1 < len(solid) and not solid[y + 1, x])
        shaded = bool(not solid[y, x] and y and solid[y - 1, x])
        placed.append(Placed(x, y, sprites.tile(int(terrain[y, x]), bool((x + y) % 2), front, shaded)))
    return placed


def pots_and_items(layout: Layout, state: State) -> list[Placed]:
    """Every pot and every item on a counter, in reading order."""
    kinds, contents = np.asarray(layout.terrain).ravel(), np.asarray(state.contents)
    wanted = np.flatnonzero((kinds == POT) | ((kinds == COUNTER) & (contents > 0)))
    return [_place(layout, cell, _thing(int(kinds[cell]), int(contents[cell]))) for cell in wanted.tolist()]


def _thing(kind: int, content: int) -> Sprite:
    return sprites.pot(content) if kind == POT else sprites.item(content)


def cooks(layout: Layout, state: State) -> list[Placed]:
    """Every cook, in seat order."""
    poses = zip(*(np.asarray(field).tolist() for field in state[:3]), strict=True)
    return [_place(layout, cell, sprites.cook(seat, *pose)) for seat, (cell, *pose) in enumerate(poses)]


def _place(layout: Layout, cell: int, sprite: Sprite) -> Placed:
    y, x = divmod(cell, layout.terrain.shape[1])
    return Placed(x, y, sprite)


def scene(layout: Layout, state: State) -> list[Placed]:
    """All that stands in the kitchen, back to front: a cook hides what is north of it, never what is south."""
    return pots_and_items(layout, state) + sorted(cooks(layout, state), key=lambda placed: placed.y)


def describe(layout: Layout, state: State) -> str:
    """The scene in words, for whoever cannot see it."""
    everything = cooks(layout, state) + pots_and_items(layout, state)
    return "; ".join(f"{sprite.name} at column {x + 1}, row {y + 1}" for x, y, sprite in everything)


def caption(layout: Layout, state: State, score: float, horizon: int) -> str:
    name = (name_of(layout) or "kitchen").replace("_", " ")
    return f"{name}: score {score:g}, step {int(state.clock)} of {horizon}"


# Text


def text(layout: Layout, state: State, score: float = 0, horizon: int = HORIZON, *, rich: bool = False) -> str:
    """The state in plain characters; with `rich`, the same characters in that library's colour markup.

    Cells are as in a map, four characters wide: `1^o` is cook 1 facing north with an onion, `X d` a dish on a counter,
    `P oo` a pot with two onions, `P 12` one with twelve ticks to go, `P ok` a soup ready. Items are o, d and s.
    """
    state = as_numpy(state)
    height, width = layout.terrain.shape
    cells = [_thing_letters(int(k), int(c)) for k, c in zip(np.ravel(layout.terrain), state.contents, strict=True)]
    for seat, (cell, facing, held) in enumerate(zip(*state[:3], strict=True)):
        cells[cell] = (f"{seat + 1}{ARROWS[facing]}{ITEM_LETTERS[held]}", RICH_STYLES[seat % len(RICH_STYLES)])
    padded = [f"[{style}]{word:4}[/]" if rich and style else f"{word:4}" for word, style in cells]
    rows = [" ".join(padded[y * width : (y + 1) * width]).rstrip() for y in range(height)]
    return "\n".join([f"score {score:g}   step {int(state.clock)}/{horizon}", "", *rows])


def _thing_letters(kind: int, content: int) -> tuple[str, str]:
    """The letters of a cell without a cook, and their style in colour."""
    if kind == FLOOR:
        return ".", "dim"
    if kind != POT:
        return f"{SYMBOLS[kind]} {ITEM_LETTERS[content]}", "bold" if content else ""
    if content == READY:
        return "P ok", "bold green"
    if content >= SOUP_ONIONS:
        return f"P {SOUP_ONIONS + COOK_TICKS - content:2}", "yellow"
    return f"P {'o' * content}", "yellow" if content else ""


# Shapes shared by both kinds of picture


def size(layout: Layout) -> tuple[int, int]:
    """Width and height of a whole picture, in units of shapes."""
    height, width = layout.terrain.shape
    return width * CELL + 2 * MARGIN, height * CELL + MARGIN + STRIP


def board(layout: Layout) -> Shape:
    """What the tiles lie on."""
    height, width = layout.terrain.shape
    return shapes.rect(0, 0, width * CELL, height * CELL, sprites.BASE, 6)


def card(layout: Layout) -> Shape:
    """The ground of the whole picture; dark, so that it sits well on light and on dark pages."""
    return shapes.rect(0, 0, *size(layout), sprites.INK, 12)


def strip(layout: Layout, clock: int, score: float, horizon: int) -> tuple[Shape, ...]:
    """Score, clock, and a bar of the time that has passed."""
    right = size(layout)[0] - MARGIN - 4
    share = min(1.0, clock / max(1, horizon))
    bar = (shapes.rect(12, 35, (right - 12) * share, 4, sprites.GOLD, 2),) if share > 0 else ()
    return (
        *shapes.moved(sprites.ITEMS[SOUP], 23, 19, 0.7),
        shapes.text(40, 25, f"{score:g}", 20, sprites.PAPER, anchor="start"),
        shapes.text(right, 24.5, f"{clock} / {horizon}", 16, "#c3ced5", anchor="end"),
        shapes.rect(12, 35, right - 12, 4, "#4a5a65", 2),
        *bar,
    )


# SVG


def svg(layout: Layout, state: State, score: float = 0, horizon: int = HORIZON) -> str:
    """The state as one self-contained SVG; it scales to any size."""
    state = as_numpy(state)
    width, height = size(layout)
    title = escape(caption(layout, state, score, horizon))
    placed = [svg_placed(each) for each in kitchen(layout) + scene(layout, state)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            f' role="img" aria-label="{title}" font-family="{FONT}" font-weight="700">',
            f"<title>{title}</title>",
            f"<desc>{escape(describe(layout, state))}</desc>",
            svg_shapes((card(layout), *strip(layout, int(state.clock), score, horizon))),
            f'<g transform="translate({MARGIN} {STRIP})">',
            svg_shapes((board(layout),)),
            *placed,
            "</g>",
            "</svg>\n",
        ]
    )


def svg_placed(placed: Placed) -> str:
    return f'<g transform="translate({placed.x * CELL} {placed.y * CELL})">{svg_shapes(placed.sprite.shapes)}</g>'


def svg_shapes(drawn: tuple[Shape, ...]) -> str:
    return "".join(_svg_shape(shape) for shape in drawn)


def _svg_shape(shape: Shape) -> str:
    paint = f' fill="{shape.fill or "none"}"'
    paint += f' stroke="{shape.edge}" stroke-width="{_short(shape.width)}"' if shape.edge else ""
    paint += f' opacity="{_short(shape.opacity)}"' if shape.opacity < 1 else ""
    (x, y), (x2, y2) = shape.points[0], shape.points[-1]
    if shape.kind == "rect":
        corner = f' rx="{_short(shape.size)}"' if shape.size else ""
        return f"<rect {_attributes(x=x, y=y, width=x2 - x, height=y2 - y)}{corner}{paint}/>"
    if shape.kind == "oval":
        return f"<ellipse {_attributes(cx=(x + x2) / 2, cy=(y + y2) / 2, rx=(x2 - x) / 2, ry=(y2 - y) / 2)}{paint}/>"
    if shape.kind == "text":
        where = f'{_attributes(x=x, y=y)} font-size="{_short(shape.size)}" text-anchor="{shape.anchor}"'
        return f"<text {where}{paint}>{escape(shape.words)}</text>"
    points = " ".join(f"{_short(px)},{_short(py)}" for px, py in shape.points)
    if shape.kind == "polygon":
        return f'<polygon points="{points}"{paint} stroke-linejoin="round"/>'
    return f'<polyline points="{points}"{paint} stroke-linecap="round" stroke-linejoin="round"/>'


def _attributes(**numbers: float) -> str:
    return " ".join(f'{name}="{_short(number)}"' for name, number in numbers.items())


def _short(number: float) -> str:
    return f"{round(number, 2):g}"
