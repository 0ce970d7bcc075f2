"""`cole runs`: every run in a folder, how far it is, and whether it is at work, stopped, finished or damaged."""

import time
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cole import checkpoint, journal, runfolder, together
from cole.config.training import Runs
from cole.errors import UserError

COLOURS = {"running": "green", "stopped": "yellow", "finished": "", "damaged": "red"}
DEPTH = 3  # layout, method, name
UNITS = (("days", 86400), ("h", 3600), ("min", 60), ("s", 1))


class Row(NamedTuple):
    """A run as the table shows it."""

    layout: str
    method: str
    name: str
    seeds: str
    state: str
    steps: str
    score: str
    age: str


def run(config: Runs) -> int:
    """Prints the table."""
    console = Console(highlight=False)
    if not config.folder.is_dir():
        raise UserError(f"there is no folder {config.folder}")
    rows = [row(folder) for folder in runs_in(config.folder, DEPTH)]
    if not rows:
        console.print(f"no runs in {config.folder}", markup=False, soft_wrap=True)
        return 0
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("layout", "method", "name", "seeds", "state", "steps", "return", "last change"):
        table.add_column(heading, justify="right" if heading in ("steps", "return") else "left", overflow="fold")
    for one in rows:
        table.add_row(*(Text(cell, COLOURS[cell] if cell == one.state else "") for cell in one))
    console.print(table)
    return 0


def runs_in(folder: Path, depth: int) -> list[Path]:
    """The folders with a config.json, at most so many levels below; inside a run there is no other."""
    try:
        if (folder / runfolder.CONFIG).exists():
            return [folder]
        inside = folder.iterdir() if depth else []
        below = sorted(path for path in inside if path.is_dir() and not together.is_leftover(path))
    except OSError as error:
        raise UserError(f"{folder} cannot be read: {error.strerror}") from None
    return [found for path in below for found in runs_in(path, depth - 1)]


def row(folder: Path) -> Row:
    """What can be said of a run, damaged or not."""
    layout, method, name = ("", "", *folder.resolve().parts)[-3:]
    try:
        known = runfolder.read_config(folder)
        own = together.RATIOS in known["config"]  # several runs while they learn, each with these seeds
        seeds = span(list(dict.fromkeys(seed % together.APART for seed in known["seeds"])) if own else known["seeds"])
    except UserError:
        seeds = "?"
    last = journal.last_line(folder / runfolder.LOG) or {}
    steps = f"{last['steps']:,}" if "steps" in last else "0"
    return Row(layout, method, name, seeds, state_of(folder), steps, score(last.get("return")), age(folder))


def state_of(folder: Path) -> str:
    """Stopped means that it could be resumed, damaged that it could not."""
    if runfolder.is_running(folder):
        return "running"
    try:
        runfolder.read_config(folder)
        if (folder / runfolder.FINISHED).exists():
            return "finished"
        return "stopped" if can_resume(folder) else "damaged"
    except UserError:
        return "damaged"


def can_resume(folder: Path) -> bool:
    """Whether a checkpoint is whole and the log is the one it knows, or nothing had begun."""
    log = folder / runfolder.LOG
    paths = checkpoint.found(folder / runfolder.CHECKPOINTS)
    for path in paths:
        try:
            card = checkpoint.read(path)[1]
        except UserError:
            continue
        journal.check(log, card.updates, card.log_bytes, card.log_sha256)
        return True
    return not paths and not log.exists()


def span(seeds: list[int]) -> str:
    """0-4 for five in a row, else each by itself."""
    in_a_row = len(seeds) > 2 and seeds == list(range(seeds[0], seeds[0] + len(seeds)))
    return f"{seeds[0]}-{seeds[-1]}" if in_a_row else " ".join(map(str, seeds))


def score(values: Any) -> str:
    """The mean over the seeds, and over learners if there are several."""
    found = numbers(values)
    return f"{mean(found):.1f}" if found else "-"


def numbers(values: Any) -> list[float]:
    """All numbers in lists of lists."""
    if isinstance(values, list):
        return [number for value in values for number in numbers(value)]
    return [] if values is None else [values]


def age(folder: Path) -> str:
    """The time since something was written."""
    names = (runfolder.CONFIG, runfolder.LOG, runfolder.FINISHED)
    newest = max(path.stat().st_mtime for path in map(folder.joinpath, names) if path.exists())
    seconds = max(0, int(time.time() - newest))
    unit, size = next((unit, size) for unit, size in UNITS if seconds >= size or size == 1)
    return f"{seconds // size} {unit} ago"
