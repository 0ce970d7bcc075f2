"""Draws learning curves, and everybody with everybody as a map, methods apart."""

from collections.abc import Sequence
from itertools import groupby

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from cole.evaluate.curves import Curve
from cole.report.bars import LARGER
from cole.report.comparison import Matrix, folded
from cole.report.figures import draw_matrix
from cole.report.style import HIGH_IS_DARK, colour_bar, new_figure, span

DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))  # told apart in grey print too
LETTERS = 32  # that fit below a matrix


def learning(title: str, curves: Sequence[Curve], palette: dict[str, str]) -> Figure:
    """Mean over seeds, and the range of all seeds around it, over millions of environment steps of one learner."""
    with mpl.rc_context(LARGER):
        figure = new_figure(2.6)
        axes = figure.subplots()
        for number, curve in enumerate(curves):
            steps, there = curve.steps / 1e6, ~np.isnan(curve.returns).any(axis=0)
            mean, low, high = (f(curve.returns[:, there], axis=0) for f in (np.mean, np.min, np.max))
            axes.fill_between(steps[there], low, high, color=palette[curve.label], alpha=0.25, linewidth=0)
            style = DASHES[number % len(DASHES)]
            name = f"{folded(curve.label, 24).replace(chr(10), ' ')} ({len(curve.seeds)})"
            axes.plot(steps[there], mean, color=palette[curve.label], linewidth=1.2, linestyle=style, label=name)
        axes.set(
            title=title, xlabel="million environment steps of one learner", ylabel="training return", ylim=(0, None)
        )
        axes.spines[["top", "right"]].set_visible(False)
        columns = 3 if max(len(curve.label) for curve in curves) < 12 else 2
        figure.legend(loc="outside lower center", ncols=columns, frameon=False, fontsize=7, handlelength=2.6)
    return figure


def matrix(title: str, found: Matrix) -> Figure:
    """Mean return of each row (seat 0) with each column; lines part the methods."""
    means = found.played.mean
    with mpl.rc_context(LARGER):
        figure = new_figure(3.1)
        axes = figure.subplots()
        with mpl.rc_context({"font.size": 8 if len(means) < 5 else 5.5}):  # numbers that fit into their cells
            draw_matrix(axes, np.ma.asarray(means), HIGH_IS_DARK, span(means))
        groups = [(label, len(list(members))) for label, members in groupby(found.labels)]
        ends = np.cumsum([size for _, size in groups])
        middles = [end - size / 2 for end, (_, size) in zip(ends, groups, strict=True)]
        for end in ends[:-1]:
            axes.axhline(end, color="white", linewidth=1.2)
            axes.axvline(end, color="white", linewidth=1.2)
        names = [folded(label) for label, _ in groups]
        room = [size / len(means) * LETTERS for _, size in groups]
        crowded = any(_longest(name) > letters for name, letters in zip(names, room, strict=True))
        axes.set_xticks(middles, names, rotation=90 if crowded else 0, parse_math=False)
        axes.set_yticks(middles, names, parse_math=False)
        axes.tick_params(length=0)
        axes.set(title=title, ylabel="in seat 0", xlabel="its partner")
        colour_bar(figure, axes, span(means), HIGH_IS_DARK, "mean return", shrink=0.9)
    return figure


def _longest(name: str) -> int:
    return max(map(len, name.split("\n"))) + 1
