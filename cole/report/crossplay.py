"""A cross-play in a folder: `payoff.csv`, which `cole analyze` reads, and `crossplay.json` with every figure there is.

Fields of `crossplay.json`, version 1; n players, S seats, E games:

    "format"      "cole-crossplay", and "version"
    "evaluation"  raised when results of before can no longer be compared; "cole", "jax", "device": what played
    "layout"      {"name", "map": its rows}
    "episodes"    games of each pair; "seed"; "greedy": networks took their best action; "steps" of a game
    "players"     [n] {"name", "kind", "identity": SHA-256 of what decides how it acts}; of an agent also its history
    "mean"        [n, n] return, the row's player in seat 0, the column's in all others; "error": its standard error
    "with_others" [n] mean of both places with all others; "with_itself"
    "events"      by name, [n, n, S]: how often in a game, on average
    "returns"     [n, n, E]
"""

from pathlib import Path
from typing import Any

import jax
import numpy as np

from cole import __version__, sealed
from cole.errors import UserError
from cole.evaluate.crossplay import EVALUATION, CrossPlay, with_itself, with_others
from cole.evaluate.players import Player
from cole.kitchen import layouts
from cole.report.folders import as_lines, has_format, refuse_unless
from cole.report.matrix import write_matrix

FORMAT, VERSION = "cole-crossplay", 1
PAYOFF, FIGURES = "payoff.csv", "crossplay.json"


def check_folder(folder: Path) -> None:
    """Refuses a folder that has something in it, but no result of a cross-play."""
    refuse_unless(folder, lambda: has_format(folder / FIGURES, FORMAT), "result of a cross-play")


def save(folder: Path, result: CrossPlay, kitchen: str) -> list[Path]:
    """Writes both files, over those of an earlier cross-play; everything else in the folder stays."""
    check_folder(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        sealed.write_file(folder / FIGURES, as_lines(as_json(result, kitchen)).encode())
        write_matrix(folder / PAYOFF, [player.name for player in result.players], result.mean, "seat 0 with")
    except OSError as error:
        raise UserError(f"{error.filename or folder} cannot be written: {error.strerror or error}") from None
    return [folder / PAYOFF, folder / FIGURES]


def as_json(result: CrossPlay, kitchen: str) -> dict[str, Any]:
    """All figures as plain values; null where there is no number."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "evaluation": EVALUATION,
        "cole": __version__,
        "jax": jax.__version__,
        "device": jax.devices()[0].device_kind,
        "layout": {"name": kitchen, "map": layouts.to_text(result.layout).split("\n")},
        **result.setting._asdict(),
        "players": [_about(player) for player in result.players],
        "mean": result.mean.tolist(),
        "error": _plain(result.error),
        "with_others": _plain(with_others(result)),
        "with_itself": with_itself(result).tolist(),
        "events": {name: counts.tolist() for name, counts in result.events._asdict().items()},
        "returns": result.returns.tolist(),
    }


def _about(player: Player) -> dict[str, Any]:
    about = {"name": player.name, "kind": player.kind, "identity": player.identity}
    if player.agent:
        card = player.agent.card
        about |= {"method": card.method, "seed": card.seed, "steps": card.steps}
    return about


def _plain(numbers: np.ndarray) -> list:
    plain = numbers.astype(object)
    plain[~np.isfinite(numbers)] = None
    return plain.tolist()
