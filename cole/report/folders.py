"""Folders of results: which may be written over, and records as JSON with a line for each field."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cole.errors import UserError


def refuse_unless(folder: Path, ours: Callable[[], bool], what: str) -> None:
    """Refuses a folder that has something in it, unless it is ours; hidden files are nothing.

    A write that was cut short leaves such.
    """
    try:
        empty = not folder.exists() or (folder.is_dir() and all(path.name.startswith(".") for path in folder.iterdir()))
        free = empty or ours()
    except OSError as error:
        raise UserError(f"{folder} cannot be read: {error.strerror}") from None
    if not free:
        raise UserError(f"{folder} exists and is no {what}, so it is left alone: choose another --out")


def has_format(file: Path, name: str) -> bool:
    """Whether it is a record that says of itself that it is of this format."""
    try:
        return json.loads(file.read_bytes())["format"] == name
    except (OSError, ValueError, TypeError, KeyError):
        return False


def as_lines(record: dict[str, Any]) -> str:
    """A record of plain values as JSON; None, not NaN, where there is no number."""
    fields = [f"{json.dumps(name)}: {json.dumps(value, allow_nan=False)}" for name, value in record.items()]
    return "{\n" + ",\n".join(fields) + "\n}\n"
