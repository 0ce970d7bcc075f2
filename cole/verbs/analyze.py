"""Analyses any cross-play matrix as the paper does: who prefers whom, centralities, Shapley values, phi, pictures."""

import csv
import io
import json
import sys
from pathlib import Path

import jax
import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cole import graph as gg
from cole import solver
from cole.config import Analyze
from cole.errors import UserError
from cole.report import figures
from cole.report.analysis import COLUMNS, by_strategy, summary_of
from cole.report.matrix import read_matrix, write_matrix
from cole.report.style import save

ZERO = {  # what an eta of 0 means, by centrality
    "in_degree": figures.PREFERRED,
    "pagerank": "highest PageRank in the preference graph",
    "closeness": figures.PREFERRED,  # all others are one step away
}
COLDEST, HOTTEST = 1e-30, 1e30  # temperatures that float32 can divide by without overflow


def columns_of(w: jax.Array, alive: jax.Array, config: Analyze) -> dict[str, np.ndarray]:
    """`by_strategy` with the user's settings, as numpy arrays in this order."""
    sigma = solver.Sigma(config.sigma, config.temperature)
    inversion = solver.Inversion(config.inversion, config.temperature)
    found = by_strategy(w, alive, config.centrality, sigma, inversion)
    return {name: np.asarray(found[name]) for name in COLUMNS}


def print_strategies(console: Console, names: list[str], columns: dict[str, np.ndarray], zero: str) -> None:
    """One line per strategy, in the order of the file; `zero` says what an eta of 0 means."""
    caption = f"in: how many prefer it; eta 0: {zero}; phi: its chance of being met in training"
    table = Table(caption=caption, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("strategy", "prefers", "in", "eta", "rank", "mean payoff", "sigma", "Shapley", "phi"):
        table.add_column(heading, justify="left" if heading in ("strategy", "prefers") else "right", overflow="fold")
    for i, name in enumerate(names):
        numbers = [f"{columns[c][i]:.4g}" for c in ("eta", "rank", "mean_payoff", "sigma", "shapley")]
        partner, wanted = names[columns["preferred"][i]], str(columns["in_degree"][i])
        table.add_row(Text(name), Text(partner), wanted, *numbers, f"{columns['phi'][i]:.4f}")
    console.print(table)


def save_tables(folder: Path, names: list[str], columns: dict[str, np.ndarray], eta: np.ndarray, found: dict) -> list:
    """Writes strategies.csv, preference_centrality.csv (white cells: not yet born) and analysis.json."""
    rows = {**columns, "preferred": np.array([names[j] for j in columns["preferred"]])}
    with (folder / "strategies.csv").open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["strategy", *rows])
        lines.writerows([name, *(values[i].item() for values in rows.values())] for i, name in enumerate(names))
    unborn = np.triu(np.ones(eta.shape, bool), 1)
    generations = [str(t + 1) for t in range(len(names))]
    centrality = folder / "preference_centrality.csv"
    write_matrix(centrality, names, np.where(unborn, np.nan, eta), "generation", generations)
    listed = {name: values.tolist() for name, values in rows.items()}
    text = json.dumps({**found, "names": names, "strategy": listed}, indent=1, allow_nan=False)
    (folder / "analysis.json").write_text(text + "\n")
    return [folder / "strategies.csv", centrality, folder / "analysis.json"]


def run(config: Analyze) -> int:
    """Reads the file, prints the tables, writes the folder."""
    if not COLDEST <= config.temperature <= HOTTEST:
        raise UserError(f"--temperature must be above 0 ({COLDEST:g} to {HOTTEST:g}), not {config.temperature}.")
    matrix = read_matrix(config.file)
    folder = config.out or Path(f"{config.file.stem}-analysis")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder}: cannot be made ({error.strerror}).") from None
    graph = gg.graph_of_payoffs(matrix.payoffs)
    w, alive = gg.payoff(graph, config.seats), graph.alive
    columns = columns_of(w, alive, config)
    found = {"file": config.file.name, "seats": config.seats, **summary_of(w, alive, matrix.payoffs, columns)}
    eta = np.asarray(gg.preference_centrality_matrix(w, alive, centrality=gg.CENTRALITIES[config.centrality]))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without a name's letters shows ? instead
    console = Console()
    print_strategies(console, matrix.names, columns, ZERO[config.centrality])
    for name, value in found.items():
        text = f"{value:.4g}" if isinstance(value, float) else str(value)
        console.print(f"{name.replace('_', ' ')}: {text}", markup=False, highlight=False)
    try:
        saved = save_tables(folder, matrix.names, columns, eta, found)
        if config.figures:
            history = np.asarray(gg.preference_history(w, alive))
            told = (columns["preferred"], columns["eta"], history, eta, matrix.names, ZERO[config.centrality])
            drawn = figures.all_figures(np.asarray(w), *told)
            saved += [path for name, figure in drawn.items() for path in save(figure, folder, name)]
    except OSError as error:
        raise UserError(f"{error.filename or folder}: cannot be written ({error.strerror or error}).") from None
    for path in saved:
        console.print(f"saved {path}", markup=False, highlight=False, soft_wrap=True)
    return 0
