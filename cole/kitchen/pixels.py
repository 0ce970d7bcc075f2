"""The pictures of `draw` in pixels, with Pillow alone."""

from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from cole.kitchen import draw, shapes, sprites
from cole.kitchen.game import HORIZON, State
from cole.kitchen.layouts import Layout
from cole.kitchen.shapes import CELL, Shape
from cole.kitchen.sprites import Sprite

SMOOTH = 4  # shapes are drawn this many times too large and then averaged: Pillow's own edges are jagged


def image(layout: Layout, state: State, score: float = 0, horizon: int = HORIZON, cell: int = 48) -> Image.Image:
    """The state as `draw.svg` shows it, `cell` pixels to a cell."""
    return paint(empty_kitchen(layout, cell), layout, state, score, horizon, cell)


def empty_kitchen(layout: Layout, cell: int) -> Image.Image:
    """The part of the picture that stays the same all game long."""
    height, width = layout.terrain.shape
    margin, strip = _pixels(draw.MARGIN, cell), _pixels(draw.STRIP, cell)
    picture = Image.new("RGB", (width * cell + 2 * margin, height * cell + margin + strip), sprites.INK)
    board = _raster((draw.board(layout),), (width * cell, height * cell), cell / CELL)
    picture.paste(board, (margin, strip), board)
    return _stamped(picture, draw.kitchen(layout), cell)


def paint(empty: Image.Image, layout: Layout, state: State, score: float, horizon: int, cell: int) -> Image.Image:
    """A copy of the empty kitchen with everything of the state in it."""
    state = draw.as_numpy(state)
    strip = draw.strip(layout, int(state.clock), score, horizon)
    head = _raster(strip, (empty.width, _pixels(draw.STRIP, cell)), cell / CELL)
    picture = empty.copy()
    picture.paste(head, (0, 0), head)
    return _stamped(picture, draw.scene(layout, state), cell)


def _pixels(units: float, cell: int) -> int:
    return round(units * cell / CELL)


def _stamped(picture: Image.Image, placed: list[draw.Placed], cell: int) -> Image.Image:
    left, top = _pixels(draw.MARGIN, cell) - cell // 2, _pixels(draw.STRIP, cell) - cell // 2
    for x, y, sprite in placed:
        stamp = _stamp(sprite, cell)
        picture.paste(stamp, (left + x * cell, top + y * cell), stamp)
    return picture


@lru_cache(maxsize=1024)
def _stamp(sprite: Sprite, cell: int) -> Image.Image:
    """The sprite in the middle of two by two cells: a hat or a held item may reach out of its own."""
    scale, half = cell / CELL, cell // 2
    return _raster(shapes.moved(sprite.shapes, half / scale, half / scale), (2 * cell, 2 * cell), scale)


def _raster(drawn: tuple[Shape, ...], size: tuple[int, int], scale: float) -> Image.Image:
    """The shapes on a transparent ground."""
    large = Image.new("RGBA", (size[0] * SMOOTH, size[1] * SMOOTH))
    for shape in shapes.moved(drawn, 0, 0, scale * SMOOTH):
        if shape.opacity == 1:
            _draw_shape(ImageDraw.Draw(large), shape)
        else:
            large.alpha_composite(_veil(shape, large.size))
    return large.reduce(SMOOTH)


def _veil(shape: Shape, size: tuple[int, int]) -> Image.Image:
    """A see-through shape needs a layer of its own: Pillow replaces pixels where SVG mixes them."""
    layer = Image.new("RGBA", size)
    _draw_shape(ImageDraw.Draw(layer), shape)
    layer.putalpha(layer.getchannel("A").point([round(level * shape.opacity) for level in range(256)]))
    return layer


def _draw_shape(pen: ImageDraw.ImageDraw, shape: Shape) -> None:
    fill, width = shape.fill or None, round(shape.width)
    if shape.kind in ("rect", "oval"):
        # SVG's edge lies half outside the shape, Pillow's wholly inside.
        (x, y), (x2, y2) = shape.points
        box = (x - width / 2, y - width / 2, x2 + width / 2, y2 + width / 2)
        paint = {"fill": fill, "outline": shape.edge or None, "width": width}
        if shape.kind == "oval":
            pen.ellipse(box, **paint)
        else:
            radius = min(shape.size + width / 2 if shape.size else 0, (x2 - x + width) / 2, (y2 - y + width) / 2)
            pen.rounded_rectangle(box, radius, **paint)
    elif shape.kind == "text":
        font = _font(round(shape.size))
        bold = round(shape.size / 28)
        anchor = {"start": "ls", "middle": "ms", "end": "rs"}[shape.anchor]
        pen.text(shape.points[0], shape.words, fill, font, anchor=anchor, stroke_width=bold)
    else:
        if shape.kind == "polygon" and fill:
            pen.polygon(shape.points, fill=fill)
        if shape.edge:
            _draw_line(pen, shape, width)


def _draw_line(pen: ImageDraw.ImageDraw, shape: Shape, width: int) -> None:
    """A line with round ends and corners."""
    points = (*shape.points, shape.points[0]) if shape.kind == "polygon" else shape.points
    pen.line(points, fill=shape.edge, width=width)
    reach = (width - 1) / 2
    for x, y in points:
        pen.ellipse((x - reach, y - reach, x + reach, y + reach), fill=shape.edge)


@lru_cache(maxsize=64)
def _font(pixels: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(pixels)
