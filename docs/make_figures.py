"""Draws the pictures of docs/figures: Figure 1 of the paper, worked, and `cole analyze` on a made-up population of 50.

`python docs/make_figures.py`, from the root of the project.
"""

from pathlib import Path

import matplotlib as mpl
import numpy as np

from cole.config.judging import Analyze
from cole.graph import graph_of_payoffs, payoff, preference_centrality_matrix, preference_history
from cole.report import figures
from cole.report.examples import snapshots
from cole.report.figure1 import figure1
from cole.report.matrix import read_matrix, write_matrix
from cole.report.style import STYLE
from cole.verbs.analyze import columns_of

FOLDER = Path(__file__).parent / "figures"


def main() -> None:
    """Writes figure1.svg, population50.csv and a PNG of each of its figures (the SVGs of 2500 cells are large)."""
    with mpl.rc_context(STYLE):
        figure1().savefig(FOLDER / "figure1.svg", metadata={"Date": None})
    file = FOLDER / "population50.csv"
    names = [str(i + 1) for i in range(50)]
    write_matrix(file, names, snapshots(0, 50))
    graph = graph_of_payoffs(read_matrix(file).payoffs)
    w, alive = payoff(graph), graph.alive
    columns = columns_of(w, alive, Analyze(file))
    history, eta = np.asarray(preference_history(w, alive)), np.asarray(preference_centrality_matrix(w, alive))
    drawn = figures.all_figures(np.asarray(w), columns["preferred"], columns["eta"], history, eta, names)
    for name, figure in drawn.items():
        with mpl.rc_context(STYLE):
            figure.savefig(FOLDER / f"population50_{name}.png", dpi=200, metadata={"Software": None})


if __name__ == "__main__":
    main()
