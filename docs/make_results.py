"""Draws docs/figures/proxy.svg: what every method earns with the human proxy, from the table of docs/results.md.

Run it from the repository root: python docs/make_results.py
"""

import re
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cole.report.comparison import kitchen_title
from cole.report.style import STYLE

HERE = Path(__file__).parent
CELL = re.compile(r": \**([\d.]+)(?: ± ([\d.]+))?")  # "84 / 100: **91.9 ± 5.1**": the mean of both seats, its error
TAUGHT = {"PPO_BC": "PPO with clones", "best response": "best response"}  # these have learned with clones of people
NAMES = TAUGHT | {
    "COLE 1:3, `default`": "COLE 1:3, our settings",
    "COLE 1:3, `authors`": "COLE 1:3, authors' settings",
}
OURS, COLE, OTHERS, PEOPLE = "#d55e00", "#a87000", "#0072b2", "#555555"


class Row(NamedTuple):
    """A method: by kitchen its return and the standard error over seeds; None where it was not trained."""

    name: str
    earned: list[tuple[float, float] | None]


def read(words: str) -> tuple[list[str], list[Row]]:
    """The kitchens, and the methods, of the table of kitchens under "With the human proxy"."""
    table = words.split("## With the human proxy")[1].split("\n| | ")[1].split("\n\n")[0].splitlines()
    kitchens = [cell.strip() for cell in table[0].split("|")[:-2]]  # the last column has all of them together
    lines = [[cell.strip() for cell in line.split("|")[1:-2]] for line in table[2:]]
    found = [Row(name, [_earned(cell) for cell in cells]) for name, *cells in lines]
    return kitchens, [row for row in found if any(row.earned)]  # what was published has no mean of both seats


def _earned(cell: str) -> tuple[float, float] | None:
    match = CELL.search(cell)
    return (float(match[1]), float(match[2] or 0)) if match else None


def share(row: Row, best: Row) -> float:
    """Mean over its kitchens of what it earns of the best response's return: the order of the rows."""
    shares = [own[0] / most[0] for own, most in zip(row.earned, best.earned, strict=True) if own and most]
    return sum(shares) / len(shares)


def colour(name: str) -> str:
    if name in TAUGHT:
        return PEOPLE
    return OURS if "default" in name else COLE if name.startswith("COLE") else OTHERS


def panel(axes: Axes, kitchen: str, rows: list[Row], place: int) -> None:
    """A kitchen: a point for each method, the whisker its standard error, a dash where it is missing."""
    for y, row in enumerate(rows):
        if earned := row.earned[place]:
            axes.errorbar(earned[0], y, xerr=earned[1], fmt="o", markersize=4, color=colour(row.name), elinewidth=1.2)
        else:
            axes.text(0, y, "missing", ha="left", va="center", color="0.5", fontsize=7)
    axes.axhline(len(TAUGHT) - 0.5, color="0.7", linewidth=0.6, linestyle=(0, (4, 3)))
    axes.set_title(kitchen_title(kitchen))
    axes.set(xlim=(-6, None), ylim=(len(rows) - 0.4, -0.6))
    axes.grid(axis="x", color="0.9", linewidth=0.6)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)


def drawn(words: str) -> Figure:
    kitchens, found = read(words)
    best = next(row for row in found if row.name == "best response")
    rows = sorted(found, key=lambda row: (row.name not in TAUGHT, -share(row, best)))
    figure = Figure(figsize=(9.6, 3.9), layout="constrained")
    panels = figure.subplots(1, len(kitchens), sharey=True)
    for place, (axes, kitchen) in enumerate(zip(panels, kitchens, strict=True)):
        panel(axes, kitchen, rows, place)
    panels[0].set_yticks(range(len(rows)), [NAMES.get(row.name, row.name) for row in rows])
    for label, row in zip(panels[0].get_yticklabels(), rows, strict=True):
        label.set_color(colour(row.name))
    figure.supxlabel("return with the human proxy in 400 steps, mean of both seats", fontsize=8)
    return figure


def main() -> None:
    with mpl.rc_context(STYLE | {"font.size": 8, "axes.titlesize": 8.5}):
        drawn((HERE / "results.md").read_text()).savefig(HERE / "figures" / "proxy.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
