"""Pairs that have played before: one small file each, found by all that decides its games, and checked when read."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cole import sealed
from cole.kitchen.game import Events

Question = dict[str, Any]  # all that decides the games of a pair, as plain JSON


class Played(NamedTuple):
    """What came of E games of one pair."""

    returns: np.ndarray  # [E] float32
    counts: np.ndarray  # [S, K] int64: how often each event of `Events` happened to each seat, in all games


def home() -> Path:
    """Where results are kept if nobody says otherwise."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cole" / "crossplay"


def file_of(folder: Path, question: Question) -> Path:
    """Where the answer lies, if it is known."""
    return folder / f"{_hash(question)}.json"


def read(folder: Path, question: Question) -> Played | None:
    """The answer; None if it is not known, and ValueError if the file is not what was written."""
    try:
        found = json.loads(file_of(folder, question).read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ValueError(error.strerror) from None
    try:
        if found.pop("sha256") != _hash(found) or found["question"] != question:
            raise ValueError("its SHA-256 is another")
        counts = np.array([found["events"][name] for name in Events._fields], np.int64).T
        return Played(np.array(found["returns"], np.float32), counts)
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"it is no result ({error!r})") from None


def write(folder: Path, question: Question, played: Played) -> None:
    """Keeps an answer; whenever power fails, no half of it is seen."""
    folder.mkdir(parents=True, exist_ok=True)
    events = dict(zip(Events._fields, played.counts.T.tolist(), strict=True))
    answer = {"question": question, "returns": played.returns.tolist(), "events": events}
    with suppress(FileNotFoundError):  # another process has just kept the same
        sealed.write_file(file_of(folder, question), json.dumps(answer | {"sha256": _hash(answer)}).encode())


def _hash(value: Any) -> str:
    return sealed.sha256(json.dumps(value, sort_keys=True).encode())
