"""Draws a game graph: its payoff matrix, its preference graphs over time, its preference centralities.

Every function takes arrays of live strategies only and returns a matplotlib Figure one column (3.3 in) wide, with
letters of 6 points or more and the colour-blind safe map cividis. Names are drawn as they are, `$` included. As in the
paper, dark is a high payoff in payoff figures and a low eta, hence much preferred, in preference figures.
"""

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from cole.report.style import (
    HIGH_IS_DARK,
    LOW_IS_DARK,
    NEWEST,
    STYLE,
    colour_bar,
    colour_bar_below,
    eta_colours,
    ink,
    new_figure,
    short,
    span,
)

FEW = 8  # up to here every payoff is written out
CROWD = 24  # beyond, names no longer fit beside every row
PANELS = 6  # of a history that is longer
PREFERRED = "preferred by all others"  # what an eta of 0 means for in-degree


# -------------------------------------------------------------------------------------------------------- matrices


def name_ticks(axes: Axes, rows: Sequence[str], columns: Sequence[str]) -> None:
    """Names beside rows and below columns; in a crowd only every fifth, tenth, ..."""
    for axis, names in ((axes.yaxis, rows), (axes.xaxis, columns)):
        step = 1 if len(names) <= CROWD else next(s for s in (5, 10, 20, 50, 100, 500) if len(names) / s <= CROWD)
        shown = range(0, len(names), 1) if step == 1 else range(step - 1, len(names), step)
        axis.set_ticks([i + 0.5 for i in shown], [names[i] for i in shown], parse_math=False)
    crowded = max(map(len, columns)) * min(len(columns), CROWD) > 30
    axes.tick_params(axis="x", rotation=90 if crowded else 0)


def draw_matrix(axes: Axes, values: np.ndarray, colours, norm: Normalize) -> None:
    """Cells of `values`, row 0 on top; masked cells stay white; few enough cells carry their number."""
    size = values.shape[0]
    if size <= 100:
        axes.pcolormesh(values, cmap=colours, norm=norm, linewidth=0, antialiased=False)
    else:  # ten thousand vector cells are slow to open: one image instead
        axes.imshow(values, cmap=colours, norm=norm, interpolation="none", extent=(0, size, size, 0))
    axes.set_ylim(size, 0)
    axes.set_aspect("equal")
    if values.shape[0] <= FEW:
        for (i, j), value in np.ndenumerate(values):
            if not np.ma.is_masked(values[i, j]):
                text = short(float(value))
                axes.text(j + 0.5, i + 0.5, text, ha="center", va="center", color=ink(colours(norm(float(value)))))


def payoff_matrix(w: np.ndarray, names: Sequence[str], by_round: bool = False) -> Figure:
    """Figures 2 and 6, left: payoff of each row with each column; `by_round`: names are the rounds of a run."""
    with mpl.rc_context(STYLE):
        figure = new_figure(2.9)
        axes = figure.subplots()
        draw_matrix(axes, np.ma.asarray(w), HIGH_IS_DARK, span(w))
        name_ticks(axes, names, names)
        of = " of round" if by_round else ""
        axes.set(ylabel=f"strategy{of}", xlabel=f"partner{of}")
        colour_bar(figure, axes, span(w), HIGH_IS_DARK, "payoff", shrink=0.9)
    return figure


def centrality_matrix(eta: np.ndarray, names: Sequence[str], by_round: bool = False) -> Figure:
    """Figures 2 and 6, right: eta of each strategy (column) in each generation (row); white before its birth."""
    with mpl.rc_context(STYLE):
        figure = new_figure(2.9)
        axes = figure.subplots()
        draw_centralities(axes, eta, names, by_round)
        colour_bar(figure, axes, eta_colours(len(eta)), LOW_IS_DARK, r"preference centrality $\eta$", shrink=0.9)
    return figure


def draw_centralities(axes: Axes, eta: np.ndarray, names: Sequence[str], by_round: bool = False) -> None:
    """The preference centrality matrix, generations downwards."""
    unborn = np.triu(np.ones(eta.shape, bool), 1)
    draw_matrix(axes, np.ma.array(eta, mask=unborn), LOW_IS_DARK, eta_colours(len(eta)))
    name_ticks(axes, names if by_round else [str(t + 1) for t in range(len(eta))], names)
    axes.set(ylabel="round" if by_round else "generation", xlabel="strategy of round" if by_round else "strategy")


# ---------------------------------------------------------------------------------------------------------- graphs


def circle(n: int) -> np.ndarray:
    """[n, 2] places on the unit circle, the first on top, clockwise."""
    angle = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def bare(axes: Axes, margin: float) -> None:
    """Room for the unit circle and `margin` around it, no frame."""
    axes.set(xlim=(-1 - margin, 1 + margin), ylim=(-1 - margin, 1 + margin), aspect="equal")
    axes.axis("off")


def outwards(names: Sequence[str]) -> bool:
    """Whether names around a circle are turned outwards: many, or long ones, would lie on each other."""
    return len(names) > 12 or max(map(len, names)) > 3


def name_nodes(axes: Axes, places: np.ndarray, names: Sequence[str], distance: float) -> None:
    """Names around the circle; in a crowd beyond 90 only some."""
    step = 1 + len(names) // 90
    for (x, y), name in list(zip(places, names, strict=True))[::step]:
        turned, left = outwards(names), x < -1e-9
        angle = np.degrees(np.arctan2(y, x)) + 180 * left if turned else 0.0
        side = ("right" if left else "left") if turned else "center"
        style = {"rotation": angle, "rotation_mode": "anchor", "ha": side, "va": "center"}
        axes.text(distance * x, distance * y, name, parse_math=False, **style)


def margin_for(names: Sequence[str]) -> float:
    """Room outside the circle that the longest name needs when it points outwards."""
    return 0.25 + 0.062 * max(map(len, names)) * outwards(names)


def edges_drawn(n: int) -> int:
    """How many edges of a game graph are drawn: all up to 12 strategies, then the highest quarter, at most 1500."""
    edges = n * (n - 1) // 2
    return edges if n <= 12 else min(-(-edges // 4), 1500)


def draw_game(axes: Axes, both: np.ndarray, names: Sequence[str], norm: Normalize, distance: float = 1.22) -> None:
    """Strategies on a circle and lines between them, the higher payoffs on top; a few carry their number."""
    n, places = len(both), circle(len(both))
    first, second = np.triu_indices(n, 1)
    edges = both[first, second]
    shown = np.argsort(edges, kind="stable")[-edges_drawn(n) :]
    lines = np.stack([places[first[shown]], places[second[shown]]], axis=1)
    colours = HIGH_IS_DARK(norm(edges[shown]))
    axes.add_collection(LineCollection(list(lines), colors=colours, linewidths=1.8 if n <= FEW else 0.5, zorder=1))
    for (start, end), payoff in zip(lines, edges[shown], strict=True) if n <= FEW else ():
        x, y = start + 0.38 * (end - start)
        box = {"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none"}
        axes.text(x, y, short(payoff), ha="center", va="center", bbox=box, zorder=3)
    own = HIGH_IS_DARK(norm(np.diag(both)))
    axes.scatter(*places.T, s=45 if n <= 12 else 16, c=own, zorder=4, edgecolor="k", linewidth=0.4)
    name_nodes(axes, places, names, distance if n <= 12 else 1.06)
    bare(axes, margin_for(names) + (distance - 1.12 if n <= 12 else 0.0))


def game_graph(w: np.ndarray, names: Sequence[str]) -> Figure:
    """Def. 4.1: an edge per pair coloured by its payoff (mean of both seats), nodes by their payoff with themselves.

    With more than 12 strategies only the edges with the highest payoffs are drawn.
    """
    both = (np.asarray(w, float) + np.asarray(w, float).T) / 2
    what = "edges: with each other" if len(w) <= 12 else f"edges: the {edges_drawn(len(w))} highest"
    with mpl.rc_context(STYLE):
        figure = new_figure(3.3)
        axes = figure.subplots()
        draw_game(axes, both, names, span(both))
        colour_bar_below(figure, axes, span(both), HIGH_IS_DARK, f"payoff ({what}; nodes: with itself)")
    return figure


def bend(start: np.ndarray, end: np.ndarray, mutual: bool) -> float:
    """Curvature of an arrow: inwards, more for neighbours, and less for one of two that point at each other."""
    side = np.sign(start[0] * end[1] - start[1] * end[0]) or 1.0
    near = 1.0 - np.linalg.norm(end - start) / 2.0
    return float(-side * (0.1 + 0.5 * near**3) * (-0.5 if mutual else 1.0))


def draw_preferences(
    axes: Axes, chosen: np.ndarray, eta: np.ndarray, *, size: float, newest: int | None = None
) -> None:
    """Arrows from each strategy to the one it prefers; the more preferred, the larger and darker the node.

    `chosen` is -1 for strategies not yet born, which are left out; `newest` gets a ring.
    """
    n = len(chosen)
    places, degree = circle(n), np.bincount(chosen[chosen >= 0], minlength=n)
    there = np.flatnonzero(chosen >= 0)
    area = size * (1.0 + 4.0 * degree / min(max(n - 1, 1), 8))
    for i in there:
        arrow = FancyArrowPatch(
            tuple(places[i]),
            tuple(places[chosen[i]]),
            arrowstyle="-|>",
            mutation_scale=4 + size / 25,
            shrinkA=float(np.sqrt(area[i])) / 2,
            shrinkB=float(np.sqrt(area[chosen[i]])) / 2 + 0.5,
            connectionstyle=f"arc3,rad={bend(places[i], places[chosen[i]], chosen[chosen[i]] == i and chosen[i] < i)}",
            linewidth=0.6,
            color="0.35",
            zorder=1,
        )
        axes.add_patch(arrow)
    edge = [NEWEST if i == newest else "k" for i in there]
    width = [1.4 if i == newest else 0.4 for i in there]
    colours = LOW_IS_DARK(eta_colours(n)(eta[there]))
    axes.scatter(*places[there].T, s=area[there], c=colours, edgecolor=edge, linewidth=width, zorder=2)


def preference_graph(chosen: np.ndarray, eta: np.ndarray, names: Sequence[str], zero: str = PREFERRED) -> Figure:
    """Def. 4.2: every strategy points at the partner it earns most with; `zero` says what an eta of 0 means."""
    n = len(chosen)
    with mpl.rc_context(STYLE):
        figure = new_figure(3.3)
        axes = figure.subplots()
        draw_preferences(axes, chosen, eta, size=80 if n <= 12 else 11)
        name_nodes(axes, circle(n), names, 1.27 if n <= 12 else 1.1)
        bare(axes, margin_for(names) + (0.15 if n <= 12 else 0.05))
        label = rf"preference centrality $\eta$ (0: {zero})"
        colour_bar_below(figure, axes, eta_colours(n), LOW_IS_DARK, label)
    return figure


def draw_history_panel(
    axes: Axes, history: np.ndarray, eta: np.ndarray, names: Sequence[str], t: int, by_round: bool = False
) -> None:
    """The sub-preference graph of generation t (from 0), its newest strategy ringed."""
    n = len(names)
    draw_preferences(axes, history[t], eta[t], size=35 if n <= 12 else 4, newest=t)
    if n <= 12:  # small panels: numbers instead of long names
        short_names = [str(i + 1) for i in range(n)] if outwards(names) else names
        for (x, y), name in list(zip(circle(n), short_names, strict=True))[: t + 1]:
            axes.text(1.55 * x, 1.55 * y, name, ha="center", va="center", parse_math=False)
    bare(axes, 0.65 if n <= 12 else 0.15)
    time = f"round {names[t]}" if by_round else f"generation {t + 1}"
    axes.set_title(f"{time}\n" + rf"newest: $\eta$ = {eta[t, t]:.2f}", pad=4)


def history_shown(n: int) -> list[int]:
    """Which generations (from 0) are drawn: all from the second on, or PANELS of them evenly spread to the last."""
    if n - 1 <= PANELS:
        return list(range(1, n))
    return [round(t) for t in np.linspace(n / PANELS, n, PANELS) - 1]


def preference_history(history: np.ndarray, eta: np.ndarray, names: Sequence[str], by_round: bool = False) -> Figure:
    """Sub-preference graphs of earlier generations, up to six of them; the newest strategy has a ring."""
    shown = history_shown(len(names))
    columns = min(3, len(shown))
    rows = -(-len(shown) // columns)
    with mpl.rc_context(STYLE):
        figure = new_figure(1.45 * rows + 0.5)
        panels = figure.subplots(rows, columns, squeeze=False).flatten()
        for axes in panels[len(shown) :]:
            axes.axis("off")
        for axes, t in zip(panels, shown, strict=False):
            draw_history_panel(axes, history, eta, names, t, by_round)
        label = r"preference centrality $\eta$ (ring: newest strategy)"
        colour_bar_below(figure, panels.tolist(), eta_colours(len(names)), LOW_IS_DARK, label, aspect=30)
    return figure


def all_figures(
    w: np.ndarray,
    chosen: np.ndarray,
    eta: np.ndarray,
    history: np.ndarray,
    etas: np.ndarray,
    names: Sequence[str],
    zero: str = PREFERRED,
    by_round: bool = False,
) -> dict[str, Figure]:
    """The five figures of a population by name; `eta` [n] now, `etas` [n, n] by generation, `zero` an eta of 0.

    `by_round`: the names are the rounds of a run.
    """
    return {
        "game_graph": game_graph(w, names),
        "payoff_matrix": payoff_matrix(w, names, by_round),
        "preference_graph": preference_graph(chosen, eta, names, zero),
        "preference_history": preference_history(history, etas, names, by_round),
        "preference_centrality": centrality_matrix(etas, names, by_round),
    }
