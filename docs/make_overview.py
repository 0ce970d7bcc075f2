"""Draws docs/pictures/generation.svg: the paper's overview of one generation, with the file of each part below it.

Run it from the repository root: python docs/make_overview.py
"""

import math
from pathlib import Path

INK, SOFT, LINE, PAPER = "#1f2a44", "#6b7688", "#c3cad6", "#f6f7f9"
NEW, PARTNER, LEARNER = "#2a6fb0", "#e3b505", "#d95f02"
WIDTH, HEIGHT, WIDE, LEFTS = 900, 320, 200, (20, 240, 460, 680)


def text(x: float, y: float, words: str, size: int = 12, **style: str) -> str:
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
    return f'<text x="{x:g}" y="{y:g}" text-anchor="middle" font-size="{size}"{more}>{words}</text>'


def circle(x: float, y: float, fill: str = "#ffffff", radius: int = 12, dash: str = "none") -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{fill}" stroke="{INK}" stroke-dasharray="{dash}"/>'


def line(a: tuple[float, float], b: tuple[float, float], colour: str = LINE, width: float = 1.2) -> str:
    places = f'x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}"'
    return f'<line {places} stroke="{colour}" stroke-width="{width}"/>'


def arrow(path: str) -> str:
    return f'<path d="{path}" fill="none" stroke="{SOFT}" stroke-width="2" marker-end="url(#head)"/>'


def box(left: int, title: str, files: str, words: list[str]) -> list[str]:
    """A step of Algorithm 1, what it does, and where."""
    middle = left + WIDE / 2
    said = [text(middle, 238 - 16 * (len(words) - 1 - i), each) for i, each in enumerate(words)]
    return [
        f'<rect x="{left}" y="50" width="{WIDE}" height="202" rx="8" fill="{PAPER}" stroke="#d5dae2"/>',
        text(middle, 36, title, 15, font_weight="bold"),
        text(middle, 270, files, 11, fill=SOFT, font_family="monospace"),
        *said,
    ]


def game_graph(x: float, y: float) -> list[str]:
    """Five strategies and what they earn with each other; one of them is new."""
    turns = [2 * math.pi * i / 5 - math.pi / 2 for i in range(5)]
    places = [(x + 54 * math.cos(turn), y + 54 * math.sin(turn)) for turn in turns]
    pairs = [(a, b, b == places[4]) for i, a in enumerate(places) for b in places[i + 1 :]]
    edges = [line(a, b, NEW if new else LINE, 2 if new else 1.2) for a, b, new in pairs]
    return edges + [circle(*place, NEW if place == places[4] else "#ffffff") for place in places]


def distribution(left: float, bottom: float) -> list[str]:
    """phi as bars."""
    bars = [
        f'<rect x="{left + 29 * i:g}" y="{bottom - high}" width="20" height="{high}" fill="{PARTNER}" stroke="{INK}"/>'
        for i, high in enumerate((22, 70, 34, 52, 16))
    ]
    return [*bars, line((left - 10, bottom), (left + 147, bottom), INK)]


def learner(x: float, y: float) -> list[str]:
    """It meets itself and three others."""
    others = [(x + 54 * i, y + 66) for i in (-1, 0, 1)]
    return [
        arrow(f"M{x - 12} {y - 13} C {x - 46} {y - 56}, {x + 46} {y - 56}, {x + 12} {y - 13}"),
        *(line((x, y), other, SOFT, 2) for other in others),
        *(circle(*other, PARTNER) for other in others),
        circle(x, y, LEARNER, 17),
        text(x, y + 5, "s", 15, fill="#ffffff", font_style="italic"),
        text(x + 44, y - 26, "a", 15, font_style="italic"),
        text(x + 52, y + 34, "b", 15, font_style="italic"),
    ]


def members(left: float, top: float) -> list[str]:
    """Seven strategies, the one that joins, and room for more."""
    fills = ["#ffffff"] * 7 + [LEARNER] + ["none"] * 2
    return [
        circle(left + 34 * (i % 5), top + 40 * (i // 5), fill, dash="3 3" if fill == "none" else "none")
        for i, fill in enumerate(fills)
    ]


def overview() -> str:
    head = '<path d="M0 0L10 5L0 10z" fill="' + SOFT + '"/>'
    back = f"M{LEFTS[3] + WIDE / 2:g} 278 V 302 H {LEFTS[0] + WIDE / 2:g} V 280"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'font-family="Helvetica, Arial, sans-serif" fill="{INK}">',
        "<title>One generation of COLE, and the files it lives in</title>",
        '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="6" markerHeight="6" '
        f'orient="auto">{head}</marker></defs>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="10" fill="#ffffff"/>',
        *box(
            LEFTS[0],
            "1  simulator",
            "simulator.py graph.py",
            ["the newcomer with everybody,", "in both seats: w(i, j)"],
        ),
        *game_graph(LEFTS[0] + WIDE / 2, 130),
        *box(
            LEFTS[1],
            "2  solver",
            "solver.py coalition.py",
            ["from the graphic Shapley value:", "who is hard to cook with"],
        ),
        text(LEFTS[1] + WIDE / 2, 84, "φ", 20, font_style="italic"),
        *distribution(LEFTS[1] + 32, 192),
        *box(
            LEFTS[2], "3  trainer", "oracle.py trainer.py ppo.py", ["PPO with itself and with", "partners drawn from φ"]
        ),
        *learner(LEFTS[2] + WIDE / 2, 122),
        *box(
            LEFTS[3],
            "4  population",
            "population.py methods/cole.py",
            ["the new strategy joins", "if its rank is good enough"],
        ),
        *members(LEFTS[3] + 32, 112),
        *(arrow(f"M{left + WIDE + 2} 150 H{left + WIDE + 17}") for left in LEFTS[:3]),
        arrow(back),
        text(WIDTH / 2, 296, "the next generation", fill=SOFT),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    (Path(__file__).parent / "pictures" / "generation.svg").write_text(overview(), encoding="utf-8")
