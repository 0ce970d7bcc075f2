"""Flat shapes, the few words both kinds of picture understand, 64 units to a cell of the kitchen.

`draw` writes them as SVG, `pixels` paints them; whatever is made of shapes looks the same in both.
"""

from math import ceil, cos, radians, sin
from typing import Literal, NamedTuple

CELL = 64

Point = tuple[float, float]


class Shape(NamedTuple):
    """One flat shape. A rect or oval fills the box between two points; a text stands on its one point."""

    kind: Literal["rect", "oval", "polygon", "line", "text"]
    points: tuple[Point, ...]
    fill: str = ""  # "#rrggbb", or "" for none
    edge: str = ""
    width: float = 0.0  # of the edge, or of a line
    size: float = 0.0  # corner radius of a rect, height of a text
    opacity: float = 1.0
    words: str = ""
    anchor: Literal["start", "middle", "end"] = "middle"


def rect(x: float, y: float, w: float, h: float, fill: str, corner: float = 0, **more) -> Shape:
    return Shape("rect", ((x, y), (x + w, y + h)), fill, size=corner, **more)


def oval(x: float, y: float, rx: float, ry: float, fill: str, edge: str = "", width: float = 1.5, **more) -> Shape:
    return Shape("oval", ((x - rx, y - ry), (x + rx, y + ry)), fill, edge, width if edge else 0, **more)


def polygon(points: tuple[Point, ...], fill: str, edge: str = "", width: float = 1.5) -> Shape:
    return Shape("polygon", points, fill, edge, width if edge else 0)


def line(points: tuple[Point, ...], colour: str, width: float, opacity: float = 1) -> Shape:
    return Shape("line", points, edge=colour, width=width, opacity=opacity)


def text(x: float, y: float, words: str, size: float, fill: str, **more) -> Shape:
    return Shape("text", ((x, y),), fill, size=size, words=words, **more)


def arc(x: float, y: float, rx: float, ry: float, start: float, stop: float) -> tuple[Point, ...]:
    """Points along part of an ellipse; degrees, clockwise from the top."""
    parts = max(2, ceil(abs(stop - start) / 9))
    angles = [radians(start + (stop - start) * i / parts) for i in range(parts + 1)]
    return tuple((x + rx * sin(a), y - ry * cos(a)) for a in angles)


def moved(shapes: tuple[Shape, ...], dx: float, dy: float, scale: float = 1) -> tuple[Shape, ...]:
    """The shapes scaled about the origin, then shifted."""
    return tuple(
        shape._replace(
            points=tuple((x * scale + dx, y * scale + dy) for x, y in shape.points),
            width=shape.width * scale,
            size=shape.size * scale,
        )
        for shape in shapes
    )


def darker(colour: str, share: float = 0.68) -> str:
    return "#" + "".join(f"{round(int(colour[i : i + 2], 16) * share):02x}" for i in (1, 3, 5))
