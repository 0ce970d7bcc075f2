"""A population as the page draws it: who earns what with whom, who prefers whom at each generation, whom COLE met.

Of a run, payoffs are those that `cole analyze RUN` has written; without them a small replay can be asked for. The rest
comes from its log. Of a cross-play there is the matrix alone.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cole import graph, journal, runfolder, sealed
from cole.errors import UserError
from cole.evaluate import cache, history
from cole.evaluate.history import History
from cole.evaluate.pairs import Setting
from cole.evaluate.players import Player
from cole.report.crossplay import FIGURES, PAYOFF
from cole.report.matrix import Matrix, read_matrix
from cole.web.partners import partners_json, thinned

EXAMPLE = Path(__file__).with_name("example")
REPLAY, REPLAY_GAMES = 12, Setting(episodes=2)  # strategies, and games of each pair, of a replay on request
MOST = 200  # strategies of a matrix that is drawn
POINTS = 500  # of a curve
DEPTH = 3  # layout, method, name


class Source(NamedTuple):
    """Where a population can be read."""

    id: str
    name: str
    kind: str  # run or crossplay
    path: Path  # a run's folder, or a matrix


class Strategies(NamedTuple):
    """Who is in a population, as far as they can play."""

    matrix: Matrix | None  # None: not played yet
    players: list[Player | None]
    identities: list[str | None]


def sources(runs: Iterable[Path], matrices: Iterable[Path]) -> list[Source]:
    """All populations there are; the one that comes with the project first."""
    found = [Source("example", "A small COLE run that comes with the project", "run", EXAMPLE)]
    for folder in (run for place in runs if place.is_dir() for run in _runs_in(place, DEPTH)):
        if any((folder / runfolder.STRATEGIES).glob("*.safetensors")):
            found.append(Source(_id(folder), _name(folder, DEPTH, found), "run", folder))
    for file in matrices:
        found.append(Source(_id(file), _name(file, 2, found), "crossplay", file))
    return list({source.id: source for source in found}.values())


def read(source: Source, replayed: Matrix | None) -> tuple[dict[str, Any], Strategies]:
    """A population from its files, and from what was replayed."""
    return of_crossplay(source) if source.kind == "crossplay" else of_run(source, replayed)


def of_run(source: Source, replayed: Matrix | None = None) -> tuple[dict[str, Any], Strategies]:
    """Everything about a run, and its strategies."""
    written = source.path / "analysis" / PAYOFF
    seed, matrix = _seed(source.path), replayed
    if matrix is None and written.exists():
        matrix = read_matrix(written)
    found = history.read(source.path, len(matrix.names) if matrix else REPLAY, seed)
    cooks: list[Player | None] = list(history.players(found))
    names = [player.name for player in cooks if player]
    if matrix is not None and matrix.names != names:  # the run has gone on since it was analysed
        by_name = dict(zip(names, cooks, strict=True))
        cooks = [by_name.get(name) for name in matrix.names]
    told = {"kitchen": found.agents[0].card.layout, **_matrix_json(matrix, names), **_logged(source.path, found)}
    return told, Strategies(matrix, cooks, [player and player.identity for player in cooks])


def of_crossplay(source: Source) -> tuple[dict[str, Any], Strategies]:
    """A matrix, and what crossplay.json beside it says of its players."""
    matrix = read_matrix(source.path)
    kitchen, identities = _beside(source.path.with_name(FIGURES), matrix.names)
    nothing = {"phi": None, "draws": None, "partners": None, "generations": None, "curves": None}
    told = {"kitchen": kitchen, **_matrix_json(matrix, matrix.names), **nothing}
    return told, Strategies(matrix, [None] * len(matrix.names), identities)


def replay(folder: Path) -> Matrix:
    """A run's strategies, a few of them, played with each other now."""
    played = history.replay(history.read(folder, REPLAY, _seed(folder)), REPLAY_GAMES, known=cache.home())
    return Matrix([player.name for player in played.players], played.mean)


def _matrix_json(matrix: Matrix | None, names: list[str]) -> dict[str, Any]:
    """Payoffs, preferences and centralities at each generation; nulls where nobody is born yet."""
    if matrix is None:
        return {"names": names, "payoff": None, "by_seat": None, "eta": None, "preferred": None}
    if len(matrix.names) > MOST:
        raise UserError(f"{len(matrix.names)} strategies are more than can be drawn, {MOST}")
    game = graph.graph_of_payoffs(matrix.payoffs)
    w = graph.payoff(game)
    eta = np.asarray(graph.preference_centrality_matrix(w, game.alive), float).round(4).tolist()
    chosen = np.asarray(graph.preference_history(w, game.alive)).tolist()
    return {
        "names": matrix.names,
        "payoff": np.asarray(w, float).round(3).tolist(),
        "by_seat": matrix.payoffs.round(3).tolist(),
        "eta": [[x if i <= t else None for i, x in enumerate(row)] for t, row in enumerate(eta)],
        "preferred": [[None if j == graph.NOBODY else j for j in row] for row in chosen],
    }


def _logged(folder: Path, found: History) -> dict[str, Any]:
    """What the run's log says: partners and returns."""
    lines = journal.every_line(folder / runfolder.LOG)
    place = runfolder.read_config(folder)["seeds"].index(found.seed)
    try:
        curve = [(int(line["steps"]), float(line["return"][place])) for line in thinned(lines, POINTS)]
        curves = {"steps": [steps for steps, _ in curve], "return": [round(reached, 2) for _, reached in curve]}
    except (KeyError, TypeError, ValueError, IndexError):
        curves = None
    return {"curves": curves, **partners_json(lines, place, history.partners(folder, found.seed))}


def _beside(file: Path, names: list[str]) -> tuple[str | None, list[str | None]]:
    """The kitchen and the players' identities, if the cross-play was ours and is still the same."""
    try:
        told = json.loads(file.read_bytes())
        if [player["name"] for player in told["players"]] == names:
            return str(told["layout"]["name"]), [str(player["identity"]) for player in told["players"]]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None, [None] * len(names)


def _seed(folder: Path) -> int | None:
    """The seed that was analysed, if one was."""
    try:
        seed = json.loads((folder / "analysis" / "analysis.json").read_bytes())["seed"]
        return seed if type(seed) is int else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _runs_in(folder: Path, depth: int) -> list[Path]:
    """Folders of runs, at most so many levels below; inside a run there is no other."""
    if (folder / runfolder.CONFIG).exists():
        return [folder]
    below = sorted(path for path in folder.iterdir() if path.is_dir() and path.name[0] != ".") if depth else []
    return [found for path in below for found in _runs_in(path, depth - 1)]


def _name(path: Path, parts: int, others: list[Source]) -> str:
    """The last parts of a path, one more if that is not enough to tell it from others."""
    short, longer = ("/".join(path.resolve().parts[-count:]) for count in (parts, parts + 1))
    return longer if any(source.name == short for source in others) else short


def _id(path: Path) -> str:
    return sealed.sha256(str(path.resolve()).encode())[:16]
