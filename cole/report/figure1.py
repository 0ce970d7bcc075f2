"""Figure 1 of the paper, worked: two games of four strategies, their preference graphs, their centralities.

`python -m cole.report.figure1 FOLDER` writes figure1.svg and figure1.pdf there.
"""

import sys
from pathlib import Path

import jax.numpy as jnp
import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from cole import graph as gg
from cole.report import figures, style
from cole.report.examples import FIGURE1_FAILING, FIGURE1_IDEAL

NAMES = ["1", "2", "3", "4"]
TITLES = [("(a) 3 and 4 fail", FIGURE1_FAILING), ("(b) the ideal", FIGURE1_IDEAL)]


def draw_row(row, title: str, w: np.ndarray) -> None:
    """Game graph, sub-preference graphs of generations 2 to 4 and centrality matrix of one game."""
    alive = jnp.ones(len(w), bool)
    history = np.asarray(gg.preference_history(jnp.asarray(w), alive))
    eta = np.asarray(gg.preference_centrality_matrix(jnp.asarray(w), alive))
    figures.draw_game(row[0], w, NAMES, style.span(w), distance=1.35)
    row[0].set_title(title, pad=4)
    for axes, t in zip(row[1:4], (1, 2, 3), strict=True):
        figures.draw_history_panel(axes, history, eta, NAMES, t)
    figures.draw_centralities(row[4], eta, NAMES)
    row[4].set_title(r"$\eta$", pad=4)


def figure1() -> Figure:
    """Both games, two columns (6.8 in) wide."""
    with mpl.rc_context(style.STYLE):
        figure = Figure(figsize=(2 * style.WIDTH + 0.2, 3.9), layout="constrained")
        rows = figure.subplots(2, 5, width_ratios=[1.2, 1, 1, 1, 1.1])
        for row, (title, w) in zip(rows, TITLES, strict=True):
            draw_row(row, title, w)
    return figure


if __name__ == "__main__":
    for path in style.save(figure1(), Path(sys.argv[1]), "figure1"):
        print(path)
