"""Games people agreed to have kept: a folder of trajectories, each with a small note beside it, and nothing personal.

games/ID.json         the game, as `trajectory.save` writes it
games/about/ID.json   {"people": seats, "players", "kitchen", "when": date and hour, "tick", "score", "steps"}
"""

import json
import re
import secrets
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from cole import sealed
from cole.errors import UserError
from cole.kitchen import trajectory
from cole.kitchen.trajectory import Trajectory
from cole.web.limits import LIMITS
from cole.web.refusals import Missing

ID = re.compile(r"[0-9a-f]{16}")
LARGEST = 2**20  # bytes of a file


class Note(NamedTuple):
    """What is known of a game beside its actions."""

    people: list[int]  # their seats
    players: list[str]  # by seat
    kitchen: str
    when: str  # date and hour
    tick: int  # milliseconds
    score: int
    steps: int


def hour() -> str:
    """Now, as exactly as is noted down."""
    return datetime.now().strftime("%Y-%m-%d %H:00")


def save(folder: Path, played: Trajectory, note: Note) -> str:
    """Keeps a game and gives its id; the note comes last, and without it there is no game."""
    try:
        (folder / "about").mkdir(parents=True, exist_ok=True)
        if sum(1 for _ in (folder / "about").iterdir()) >= LIMITS.recorded:
            raise UserError(f"{folder} holds {LIMITS.recorded} games already: delete some")
        id = secrets.token_hex(8)
        sealed.write_file(folder / f"{id}.json", (json.dumps(trajectory.as_json(played)) + "\n").encode())
        sealed.write_file(folder / "about" / f"{id}.json", (json.dumps(note._asdict()) + "\n").encode())
    except OSError as error:
        raise UserError(f"the game cannot be kept in {folder}: {error.strerror}") from None
    return id


def every(folder: Path) -> list[dict[str, Any]]:
    """All games, the newest first."""
    notes = [path for path in (folder / "about").glob("*.json") if ID.fullmatch(path.stem)]
    rows = []
    for path in sorted(notes, key=_time, reverse=True):
        try:
            note = read_note(folder, path.stem)
        except UserError:
            continue
        seat = note.people[0] if len(note.people) == 1 else None
        rows.append({"id": path.stem, "seat": seat, **note._asdict()})
    return rows


def read_note(folder: Path, id: str) -> Note:
    """What is noted of a game."""
    value = _read(folder, id, "about")
    try:
        note = Note(**value)
        texts, numbers = [note.kitchen, note.when, *note.players], [note.tick, note.score, note.steps, *note.people]
        if all(isinstance(t, str) for t in texts) and all(type(n) is int for n in numbers):
            return note
    except TypeError:
        pass
    raise UserError("the note of this game is damaged")


def read(folder: Path, id: str) -> Trajectory:
    """A game."""
    return trajectory.from_json(_read(folder, id), "the recording")


def delete(folder: Path, id: str) -> None:
    """Removes a game; the note goes first, and with it the game from the list."""
    note = _file(folder, id, "about")
    try:
        note.unlink(missing_ok=True)
        (folder / note.name).unlink(missing_ok=True)
    except OSError as error:
        raise UserError(f"the game cannot be deleted: {error.strerror}") from None


def _file(folder: Path, id: str, *below: str) -> Path:
    """Where a game lies: a plain file of the folder itself, whatever is asked for."""
    if not ID.fullmatch(id):
        raise Missing("there is no such game")
    file = folder.joinpath(*below, f"{id}.json")
    if file.is_symlink() or not file.is_file():
        raise Missing("there is no such game")
    return file


def _read(folder: Path, id: str, *below: str) -> Any:
    file = _file(folder, id, *below)
    try:
        if file.stat().st_size > LARGEST:
            raise UserError("the recording is damaged: it is too large")
        return json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        raise UserError("the recording is damaged") from None


def _time(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
