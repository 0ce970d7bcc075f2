"""What the judges found, in a folder: for each protocol a table, all games, and both with everything else as JSON.

`proxy.csv` and `experts.csv` have a line for each number of the tables; `proxy-games.csv` and `experts-games.csv` one
for each game. Fields of `proxy.json` and `experts.json`, version 1:

    "format"      "cole-evaluation", and "version"; "protocol": "proxy" or "experts"
    "evaluation"  raised when results of before can no longer be compared; "cole", "jax", "device": what played
    "episodes"    games of each ordered pair; "seed"; "greedy"; "steps" of a game
    "kitchens", "labels", "seeds"    of the line-up
    "teams"       {"kitchen", "label", "recipe", "source", "command",
                   "players": seed -> SHA-256 of what decides how it acts}
    "unfinished"  runs without agents yet, whose seeds are holes: {"label", "kitchen", "seeds", "source", "command"}
    "figures"     the records of `evaluate.proxy` or `evaluate.experts`; null where there is no number
    "games"       {"kitchen", "first" (in seat 0), "second", "identities" of both, "returns": of every game}
"""

import csv
import io
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from cole import __version__, sealed
from cole.errors import UserError
from cole.evaluate.cache import Played
from cole.evaluate.crossplay import EVALUATION, Ids
from cole.evaluate.lineup import Lineup
from cole.evaluate.pairs import Pair, Setting
from cole.evaluate.players import Player
from cole.report.folders import as_lines, has_format, refuse_unless

FORMAT, VERSION = "cole-evaluation", 1
PROTOCOLS = ("proxy", "experts")


class Games(NamedTuple):
    """What was played in one kitchen."""

    kitchen: str
    pairs: list[Pair]
    found: dict[Ids, Played]


class Findings(NamedTuple):
    """What came of a protocol."""

    protocol: str  # one of PROTOCOLS
    figures: dict[str, Any]  # records by name
    lines: list[dict[str, Any]]  # of the CSV, the same names in each


def check_folder(folder: Path) -> None:
    """Refuses a folder that has something in it, but no result of an evaluation."""
    files = [folder / f"{protocol}.json" for protocol in PROTOCOLS]
    refuse_unless(folder, lambda: any(has_format(file, FORMAT) for file in files), "result of an evaluation")


def save(folder: Path, found: Findings, lineup: Lineup, setting: Setting, games: Sequence[Games]) -> list[Path]:
    """Writes the three files, over those of an earlier evaluation; everything else in the folder stays."""
    check_folder(folder)
    played = [line for one in games for line in _game_lines(one, lineup)]
    files = {  # the first makes the folder ours, whatever ends the writing
        f"{found.protocol}.json": as_lines(as_json(found, lineup, setting, games)),
        f"{found.protocol}.csv": _csv(found.lines),
        f"{found.protocol}-games.csv": _csv(played),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            sealed.write_file(folder / name, text.encode())
    except OSError as error:
        raise UserError(f"{error.filename or folder} cannot be written: {error.strerror or error}") from None
    return [folder / name for name in files]


def load(folder: Path, protocol: str) -> dict[str, Any] | None:
    """What `save` wrote of a protocol, as plain values; None if there is nothing of it."""
    path = folder / f"{protocol}.json"
    if not path.exists():
        return None
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        found = None
    if (
        not isinstance(found, dict)
        or found.get("format") != FORMAT
        or not found.keys() >= {"teams", "figures", "games"}
    ):
        raise UserError(f"{path} is no result of `cole evaluate`")
    return found


def load_both(folder: Path) -> dict[str, dict[str, Any]]:
    """What `save` wrote, by protocol: of one, or of both."""
    found = {protocol: facts for protocol in PROTOCOLS if (facts := load(folder, protocol))}
    if not found:
        raise UserError(f"{folder} has no results of an evaluation: neither proxy.json nor experts.json is there")
    return found


def as_json(found: Findings, lineup: Lineup, setting: Setting, games: Sequence[Games]) -> dict[str, Any]:
    """Everything as plain values; null where there is no number."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "protocol": found.protocol,
        "evaluation": EVALUATION,
        "cole": __version__,
        "jax": jax.__version__,
        "device": jax.devices()[0].device_kind,
        **setting._asdict(),
        "kitchens": lineup.kitchens,
        "labels": lineup.labels,
        "seeds": lineup.seeds,
        "teams": [
            plain(team._replace(players={}))
            | {"players": {str(seed): one.identity for seed, one in team.players.items()}}
            for team in lineup.teams.values()
        ],
        "unfinished": plain(lineup.begun),
        "figures": plain(found.figures),
        "games": [_pair_facts(one, pair, lineup) for one in games for pair in one.pairs],
    }


def plain(value: Any) -> Any:
    """Records, arrays and numbers as JSON has them."""
    if fields := getattr(value, "_fields", None):
        return {name: plain(getattr(value, name)) for name in fields}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, dict):
        return {str(name): plain(inside) for name, inside in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inside) for inside in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _pair_facts(games: Games, pair: Pair, lineup: Lineup) -> dict[str, Any]:
    first, second = pair
    returns = games.found[first.identity, second.identity].returns.tolist()
    names = {"first": called(first, games.kitchen, lineup), "second": called(second, games.kitchen, lineup)}
    return {"kitchen": games.kitchen, **names, "identities": [first.identity, second.identity], "returns": returns}


def _game_lines(games: Games, lineup: Lineup) -> Iterator[dict[str, Any]]:
    for pair in games.pairs:
        facts = _pair_facts(games, pair, lineup)
        about = {name: facts[name] for name in ("kitchen", "first", "second")}
        for number, earned in enumerate(facts["returns"]):
            yield about | {"game": number, "return": earned}


def called(one: Player, kitchen: str, lineup: Lineup) -> str:
    """`SP seed 3` of an agent that is compared, else its name."""
    for label in lineup.labels:
        team = lineup.teams.get((kitchen, label))
        for seed, member in team.players.items() if team else ():
            if member is one:
                return f"{label} seed {seed}"
    return one.name


def _csv(lines: Sequence[dict[str, Any]]) -> str:
    """A table with a header; an empty cell where there is no number."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(lines[0]) if lines else [], lineterminator="\n")
    writer.writeheader()
    for line in lines:
        writer.writerow({name: _cell(value) for name, value in line.items()})
    return text.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.9g}" if math.isfinite(value) else ""
    return value
