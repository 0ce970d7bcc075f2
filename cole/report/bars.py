"""Draws Figures 4 and 5 of the paper: what each method earns with the human proxy in either seat, and with itself."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from cole.evaluate.labels import method_of
from cole.evaluate.proxy import ProxyRow
from cole.evaluate.stats import Mean
from cole.report.comparison import folded
from cole.report.style import STYLE, new_figure

# The Okabe-Ito palette: told apart by all eyes. Bars stand above their names, so that none is needed in grey print.
COLOURS = {
    "SP": "#56b4e9",
    "PBT": "#009e73",
    "FCP": "#e69f00",
    "MEP": "#cc79a7",
    "COLE 0:4": "#f0a37e",
    "COLE 1:3": "#d55e00",
    "COLE 2:2": "#a34700",
    "COLE 3:1": "#6b2f00",
}
MORE = ("#0072b2", "#f0e442", "#999933", "#332288", "#44aa99", "#882255")  # of all others, in turn
ITSELF = "#d9d9d9"
LARGER: dict[Any, Any] = STYLE | {
    "font.size": 8,
    "axes.titlesize": 9,
    "hatch.linewidth": 0.6,
    "text.parse_math": False,  # names of kitchens and runs are drawn as they are, `$` included
}  # for a page that is also read on a phone
WIDTH = 0.36  # of a bar; a method is 1 wide
SMALL = 6.5  # points of names in a crowd
LETTER, BESIDE = 0.009, 0.75  # inches: how wide a letter of one point is, and what stands beside the bars


def colours(labels: Sequence[str]) -> dict[str, str]:
    """The colour of each method, the same in all figures; of several variants the first has the method's."""
    chosen: dict[str, str] = {}
    more = cycle(MORE)
    for label in dict.fromkeys(labels):
        own = COLOURS.get(method_of(label))
        chosen[label] = own if own and own not in chosen.values() else next(more)
    return chosen


def chart(title: str, rows: Sequence[ProxyRow], labels: Sequence[str], palette: dict[str, str]) -> Figure:
    """One kitchen: for each label two bars, seats switched in the hashed one, and with itself in grey behind.

    Whiskers are standard errors over seeds. A label without a row, or without a number, is a hole and says so; a mean
    that lacks a seed has a dagger.
    """
    found = {row.label: row for row in rows}
    with mpl.rc_context(LARGER):
        figure = new_figure(2.5)
        axes = figure.subplots()
        for x, label in enumerate(labels):
            row = found.get(label)
            if row is None or row.both.mean != row.both.mean:
                axes.text(x, 0, "missing", rotation=90, ha="center", va="bottom", color="0.35", parse_math=False)
            else:
                draw_method(axes, x, row, palette[label])
        names = [_name(label, found.get(label)) for label in labels]
        points = SMALL if len(labels) > 7 else LARGER["font.size"]
        axes.set_xticks(range(len(labels)), names, parse_math=False, fontsize=points)
        longest = max((len(line) for name in names for line in name.split("\n")), default=0)
        figure.set_figwidth(max(figure.get_figwidth(), BESIDE + len(labels) * LETTER * points * (longest + 1)))
        axes.set(title=title, ylabel="mean return", xlim=(-0.6, len(labels) - 0.4), ylim=(0, None))
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(handles=keys(), loc="outside lower center", ncols=3, frameon=False, fontsize=7, handlelength=1.4)
    return figure


def draw_method(axes: Axes, x: float, row: ProxyRow, colour: str) -> None:
    """Two bars, the grey one behind, and whiskers."""
    axes.bar(x, row.itself.mean, 2 * WIDTH + 0.16, color=ITSELF, edgecolor="0.6", linewidth=0.5, zorder=1)
    _whisker(axes, x, row.itself, "0.45", 1.5)  # behind the coloured bars
    for side, mean, hatch in ((-1, row.seat0, ""), (1, row.seat1, "////")):
        at = x + side * WIDTH / 2
        axes.bar(at, mean.mean, WIDTH, color=colour, edgecolor="black", linewidth=0.5, hatch=hatch, zorder=2)
        _whisker(axes, at, mean, "black", 3)


def keys() -> list[Patch]:
    """What the legend shows."""
    return [
        Patch(facecolor="white", edgecolor="black", linewidth=0.5, label="in seat 0"),
        Patch(facecolor="white", edgecolor="black", linewidth=0.5, hatch="////", label="seats switched"),
        Patch(facecolor=ITSELF, edgecolor="0.6", linewidth=0.5, label="with itself"),
    ]


def _whisker(axes: Axes, x: float, mean: Mean, colour: str, layer: float) -> None:
    if mean.error == mean.error:
        axes.errorbar(x, mean.mean, mean.error, color=colour, linewidth=0.8, capsize=1.8, capthick=0.8, zorder=layer)


def _name(label: str, row: ProxyRow | None) -> str:
    mark = "\N{DAGGER}" if row and row.both.lacks and row.both.mean == row.both.mean else ""
    return folded(label, 9 if len(label) < 20 else 8) + mark
