"""Analyses any cross-play matrix as the paper does: who prefers whom, centralities, Shapley values, phi, pictures.

That of a run is played first, by strategies of its rounds: Figure 6 of the paper, or Figure 2 for other methods.
"""

import csv
import json
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
from matplotlib.figure import Figure
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cole import graph as gg
from cole import sealed, solver
from cole.config.judging import Analyze
from cole.errors import UserError
from cole.evaluate import cache, history
from cole.evaluate.crossplay import Setting, check
from cole.evaluate.history import Partners
from cole.kitchen.trajectory import LARGEST_SEED
from cole.report import figures, learning
from cole.report.analysis import COLUMNS, Newest, by_strategy, how_often, summary_of, when_newest
from cole.report.crossplay import PAYOFF
from cole.report.matrix import Matrix, read_matrix, write_matrix
from cole.report.style import save
from cole.verbs.crossplay import progress

ZERO = {  # what an eta of 0 means, by centrality
    "in_degree": figures.PREFERRED,
    "pagerank": "highest PageRank in the preference graph",
    "closeness": figures.PREFERRED,  # all others are one step away
}
SETTINGS = ("count", "seats", "centrality", "sigma", "inversion", "temperature")  # that decide, beside the games
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
    sealed.write_file(folder / "analysis.json", f"{text}\n".encode())
    return [folder / "strategies.csv", centrality, folder / "analysis.json"]


class Source(NamedTuple):
    """What is analysed; n strategies."""

    matrix: Matrix
    facts: dict[str, Any]  # where it comes from
    rounds: list[int]  # [n] those of a run that the strategies are of; none of a file
    partners: Partners | None  # of a run with phi


class Found(NamedTuple):
    """What the analysis finds; n strategies."""

    w: np.ndarray  # [n, n] payoffs
    columns: dict[str, np.ndarray]  # [n] each
    eta: np.ndarray  # [n, n] preference centralities, row t among the first t + 1
    chosen: np.ndarray  # [n, n] whom each prefers, likewise
    newest: Newest
    summary: dict[str, Any]  # of all together


def of_file(config: Analyze, folder: Path) -> Source:
    """A matrix on disk."""
    matrix = read_matrix(config.source)
    make(folder)
    return Source(matrix, {"file": config.source.name}, [], None)


def of_run(config: Analyze, folder: Path) -> Source:
    """Strategies of a run, which play with each other now."""
    if not 0 <= config.games_seed <= LARGEST_SEED:
        raise UserError(f"--games-seed must be from 0 to {LARGEST_SEED}, not {config.games_seed}")
    setting = Setting(config.episodes, config.games_seed)
    check(setting, None)
    found = history.read(config.source, config.count, config.seed)
    partners = history.partners(config.source, found.seed)
    make(folder)
    with progress(Console(stderr=True)) as show:
        played = history.replay(found, setting, known=cache.home(), progress=show)
    facts = {"run": str(config.source), "method": found.method, "seed": found.seed}
    facts |= {"episodes": config.episodes, "games_seed": config.games_seed}
    return Source(Matrix([player.name for player in played.players], played.mean), facts, found.rounds, partners)


def make(folder: Path) -> None:
    """Makes the folder of the results, before anything takes long."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder}: cannot be made ({error.strerror}).") from None


def found_in(source: Source, config: Analyze) -> Found:
    """All that is computed."""
    graph = gg.graph_of_payoffs(source.matrix.payoffs)
    w, alive = gg.payoff(graph, config.seats), graph.alive
    columns = columns_of(w, alive, config)
    eta = gg.preference_centrality_matrix(w, alive, centrality=gg.CENTRALITIES[config.centrality])
    chosen = np.asarray(gg.preference_history(w, alive))
    facts = source.facts | {"seats": config.seats} | unusual(config)
    summary = facts | summary_of(w, alive, source.matrix.payoffs, columns)
    return Found(np.asarray(w), columns, np.asarray(eta), chosen, when_newest(np.asarray(w), chosen), summary)


def unusual(config: Analyze) -> dict[str, Any]:
    """Those settings that are not as usual."""
    usual = Analyze(config.source)
    return {name: value for name in SETTINGS if (value := getattr(config, name)) != getattr(usual, name)}


def run(config: Analyze) -> int:
    """Reads the file or plays the run's strategies, prints the tables, writes the folder."""
    if not COLDEST <= config.temperature <= HOTTEST:
        raise UserError(f"--temperature must be above 0 ({COLDEST:g} to {HOTTEST:g}), not {config.temperature}.")
    is_run = config.source.is_dir()
    folder = config.out or (config.source / "analysis" if is_run else Path(f"{config.source.stem}-analysis"))
    source = (of_run if is_run else of_file)(config, folder)
    found = found_in(source, config)
    console = Console()
    print_strategies(console, source.matrix.names, found.columns, ZERO[config.centrality])
    for name, value in found.summary.items():
        text = f"{value:.4g}" if isinstance(value, float) else str(value)
        console.print(f"{name.replace('_', ' ')}: {text}", markup=False, highlight=False, soft_wrap=True)
    if is_run:
        console.print(learning.in_words(found.newest.in_edges), highlight=False, soft_wrap=True)
    for path in save_all(folder, source, found, config):
        console.print(f"saved {path}", markup=False, highlight=False, soft_wrap=True)
    return 0


def save_all(folder: Path, source: Source, found: Found, config: Analyze) -> list[Path]:
    """Writes tables and figures."""
    matrix, summary = source.matrix, found.summary
    saved = [folder / PAYOFF] if source.rounds else []
    try:
        if source.rounds:
            summary = summary | over_rounds(source.rounds, found.newest)
            write_matrix(folder / PAYOFF, matrix.names, matrix.payoffs, "seat 0 with")
        saved += save_tables(folder, matrix.names, found.columns, found.eta, summary)
        drawn = drawings(source, found, ZERO[config.centrality]) if config.figures else {}
        return saved + [path for name, figure in drawn.items() for path in save(figure, folder, name)]
    except OSError as error:
        place = error.filename2 or error.filename or folder
        raise UserError(f"{place}: cannot be written ({error.strerror or error}).") from None


def over_rounds(rounds: list[int], newest: Newest) -> dict[str, Any]:
    """How newcomers fared, as JSON has it: null where there is no number."""
    listed = {name: [None if np.isnan(x) else float(x) for x in values] for name, values in newest._asdict().items()}
    return {**how_often(newest.in_edges), "newest": {"round": rounds, **listed}}


def drawings(source: Source, found: Found, zero: str) -> dict[str, Figure]:
    """All figures by name; strategies of a run are called by their rounds alone, which takes less room."""
    names = [str(round) for round in source.rounds] or source.matrix.names
    now = (found.columns["preferred"], found.columns["eta"])
    drawn = figures.all_figures(found.w, *now, found.chosen, found.eta, names, zero, by_round=bool(source.rounds))
    if source.rounds:
        drawn["newest"] = learning.newest(np.array(source.rounds), found.newest)
    if source.partners:
        drawn["partners"] = learning.partners(source.partners)
    return drawn
