"""The log of a run: one line of JSON an update, in it one value a seed; it can be cut back to a checkpoint."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cole.errors import UserError

OWN = ("round", "update", "steps")  # what every line begins with
PIECE = 2**20  # bytes read at once


class Written(NamedTuple):
    """How far the log is: enough to know the same log again."""

    updates: int  # lines
    size: int  # bytes
    sha256: Any  # hashlib's, ready to be continued

    def digest(self) -> str:
        return self.sha256.hexdigest()


def nothing() -> Written:
    """A log before its first line."""
    return Written(0, 0, hashlib.sha256())


def lines_of(log: dict[str, np.ndarray], round: int, updates: int, env_steps: int) -> list[dict[str, Any]]:
    """The U lines of a round's log [P, U, ...], after `updates` earlier ones; a round has env_steps steps a seed."""
    counts = {values.shape[1] for values in log.values()}
    if len(counts) > 1 or log.keys() & set(OWN):
        raise ValueError(f"not a log of one number of updates, or with fields named {', '.join(OWN)}: {sorted(log)}")
    count = max(counts, default=0)
    fields = {name: numbers(np.moveaxis(values, 1, 0)) for name, values in log.items()}
    return [
        {"round": round, "update": updates + u, "steps": round * env_steps + (u + 1) * env_steps // count}
        | {name: values[u] for name, values in fields.items()}
        for u in range(count)
    ]


def numbers(values: np.ndarray) -> list:
    """As JSON has them: of float32 the shortest decimals that mean it, and null for what is not finite."""
    if values.dtype.kind in "biu":
        return values.tolist()
    short = values.astype(np.promote_types(values.dtype, np.float32)).astype(str).astype(np.float64)
    listed = short.astype(object)
    listed[~np.isfinite(short)] = None
    return listed.tolist()


def append(path: Path, written: Written, lines: list[dict[str, Any]]) -> Written:
    """Adds the lines, down to the disk: whatever counts them afterwards finds them."""
    content = "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines).encode()
    with path.open("ab") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    sha256 = written.sha256.copy()
    sha256.update(content)
    return Written(written.updates + len(lines), written.size + len(content), sha256)


def check(path: Path, updates: int, size: int, sha256: str) -> Written:
    """The log up to this size, if it has this hash so far; else it is refused by name."""
    found = hashlib.sha256()
    left = size
    try:
        with path.open("rb") if size else open(os.devnull, "rb") as file:
            while left and (piece := file.read(min(left, PIECE))):
                found.update(piece)
                left -= len(piece)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
    if left:
        raise UserError(f"{path} is damaged: it has lost at least {left} bytes that its checkpoint knows of")
    if found.hexdigest() != sha256:
        raise UserError(f"{path} is damaged: its first {size} bytes are not those that its checkpoint knows of")
    return Written(updates, size, found)


def cut(path: Path, written: Written) -> None:
    """Takes away what came later."""
    with path.open("ab") as file:
        file.truncate(written.size)
        os.fsync(file.fileno())


def every_line(path: Path) -> list[dict[str, Any]]:
    """All whole lines, also of a log that is being written; one that is not ours is refused by its number."""
    try:
        whole = path.read_bytes().split(b"\n")[:-1]
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
    lines = []
    for number, text in enumerate(whole, 1):
        try:
            line = json.loads(text)
        except ValueError:
            line = None
        if not isinstance(line, dict) or not line.keys() >= set(OWN):
            raise UserError(f"{path} is damaged: line {number} is none of a log")
        lines.append(line)
    return lines


def last_line(path: Path) -> dict[str, Any] | None:
    """The last whole line, also of a log that is being written."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - PIECE))
            whole = file.read().split(b"\n")[:-1]
        line = json.loads(whole[-1])
        return line if isinstance(line, dict) else None
    except (OSError, IndexError, ValueError):
        return None
