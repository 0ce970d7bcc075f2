"""Draws how a run went: what each newcomer earned and who preferred it, whom the learner was to meet and met."""

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from cole.evaluate.history import Partners
from cole.report.analysis import Newest, how_often
from cole.report.style import HIGH_IS_DARK, NEWEST, STYLE, colour_bar, new_figure, span

DARK = HIGH_IS_DARK(1.0)
CROWD = 60  # beyond, marks would hide the line
MANY = 10_000  # vector cells are slow to open: beyond, one image instead


def in_words(in_edges: np.ndarray) -> str:
    """How often the newest strategy is preferred."""
    most, everybody = (f"{100 * share:.0f} %" for share in how_often(in_edges).values())
    rounds = f"{len(in_edges) - 1} round{'s' * (len(in_edges) > 2)}"
    return f"the newest is preferred by most predecessors in {most} of {rounds}, by all of them in {everybody}"


def newest(rounds: np.ndarray, found: Newest) -> Figure:
    """What each strategy earned when it was new, and the share of its predecessors that preferred it, by round [n]."""
    with mpl.rc_context(STYLE):
        figure = new_figure(3.4)
        above, below = figure.subplots(2, sharex=True)
        draw_lines(above, rounds, {"with itself": found.with_itself, "with its predecessors": found.with_predecessors})
        above.set(ylabel="mean payoff", title="what the newest strategy earns")
        below.axhline(0.5, color="0.6", linewidth=0.6, linestyle="--", zorder=0)
        below.vlines(rounds[1:], 0.0, found.in_edges[1:], color="0.75", linewidth=0.6, zorder=1)
        below.plot(rounds, found.in_edges, "o", color=NEWEST, markersize=2.5, zorder=2)
        below.set(ylim=(-0.04, 1.04), ylabel="share that prefers it", xlabel="round of the newest strategy")
        below.set_title(in_words(found.in_edges).replace(" in ", "\nin ", 1))
        below.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def draw_lines(axes: Axes, x: np.ndarray, lines: dict[str, np.ndarray]) -> None:
    """Two series of numbers that are never negative, told apart by colour and by mark, and room for a legend above."""
    for (name, values), colour, mark in zip(lines.items(), (DARK, NEWEST), "os", strict=True):
        axes.plot(
            x, values, marker=mark if len(x) <= CROWD else "", color=colour, markersize=2, linewidth=0.8, label=name
        )
    axes.set_ylim(0.0, 1.3 * axes.dataLim.y1 or 1.0)
    axes.legend(frameon=False, loc="upper left", ncols=3, handlelength=1.5, columnspacing=1.2)


def partners(met: Partners) -> Figure:
    """phi and realised draws, slots by generations, and how many partners they amount to.

    phi is drawn as a multiple of a uniform draw, 1 / n: else the first generations, with few to choose from, hide all
    later ones.
    """
    slots = int(np.flatnonzero(met.there.any(axis=0)).max()) + 1
    n = met.there.sum(axis=1)
    self_play = met.draws.sum(axis=1) == 0
    drawn = np.where(self_play[:, None] | ~met.there, np.nan, met.draws)
    with mpl.rc_context(STYLE):
        figure = new_figure(5.0)
        top, middle, bottom = figure.subplots(3, sharex=True, height_ratios=[1.0, 1.0, 0.8])
        multiple = np.where(met.there, met.phi * n[:, None], np.nan)
        draw_map(figure, top, met.rounds, multiple[:, :slots], r"$\phi$ / uniform")
        top.set_title(r"whom to meet, by $\phi$ (white: slot empty)")
        draw_map(figure, middle, met.rounds, drawn[:, :slots], "draws")
        middle.set_title("who was met" + (" (white also: pure self-play)" if self_play.any() else ""))
        bottom.plot(met.rounds, n, color="0.8", linewidth=2.5, label="if uniform")
        as_drawn = np.where(self_play, np.nan, met.effective)
        draw_lines(bottom, met.rounds, {r"by $\phi$": effective(met.phi), "as drawn": as_drawn})
        bottom.set(ylabel="effective number", xlabel="generation", title="how many partners that amounts to")
        bottom.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def effective(chances: np.ndarray) -> np.ndarray:
    """[T] exp(entropy) of each of the distributions [T, C]."""
    logs = np.log(np.where(chances > 0, chances, 1.0))
    return np.exp(-np.sum(chances * logs, axis=1))


def draw_map(figure: Figure, axes: Axes, rounds: np.ndarray, values: np.ndarray, label: str) -> None:
    """Cells of values [T, slots], generations to the right and slots downwards; NaN stays white."""
    cells = np.ma.masked_invalid(values.T)
    norm = span(np.append(cells.compressed(), 0.0))
    extent = (rounds[0] - 0.5, rounds[-1] + 0.5, len(cells) - 0.5, -0.5)
    if cells.size <= MANY:
        x, y = np.append(rounds, rounds[-1] + 1) - 0.5, np.arange(len(cells) + 1) - 0.5
        axes.pcolormesh(x, y, cells, cmap=HIGH_IS_DARK, norm=norm, linewidth=0, antialiased=False)
    else:
        axes.imshow(cells, cmap=HIGH_IS_DARK, norm=norm, interpolation="none", extent=extent, aspect="auto")
    axes.set(xlim=extent[:2], ylim=extent[2:], ylabel="slot")
    axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))
    colour_bar(figure, axes, norm, HIGH_IS_DARK, label)
