"""The folder of a run: what lies where, what was asked for, and who may work in it.

runs/<layout>/<method>/<name>/
  config.json    what was asked for, and of which versions
  log.jsonl      one line an update
  checkpoints/   the two newest: everything that ever changes, after so many rounds
  strategies/    what the learner was after each round, every seed in one file
  breakdown.json what each part of a round takes, if that was asked for
  agents/        what the run was for; written at the end
  finished       is there when nothing is left to do
  lock           held by the process at work here
"""

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax

from cole import __version__, sealed
from cole.errors import UserError
from cole.program import Program

FORMAT = 1  # of config.json
CONFIG, LOG, CHECKPOINTS, AGENTS = "config.json", "log.jsonl", "checkpoints", "agents"
STRATEGIES = "strategies"
FINISHED, LOCK, BREAKDOWN = "finished", "lock", "breakdown.json"
LARGEST_SEED = 2**32 - 1
AT_WORK = "another process is at work there"
MISSING = object()  # None is a value


def description(program: Program, config: dict[str, Any], seeds: list[int]) -> dict[str, Any]:
    """What decides a run, as plain JSON."""
    if not seeds or len(set(seeds)) < len(seeds) or not all(0 <= seed <= LARGEST_SEED for seed in seeds):
        raise UserError(f"seeds must be different whole numbers from 0 to {LARGEST_SEED}, not {seeds}")
    shape = {"rounds": program.rounds, "env_steps": program.env_steps, "kept_from": program.kept_from}
    deciding = {"seeds": seeds, **shape, "config": config}
    return json.loads(json.dumps(deciding, default=os.fspath))


def accept(folder: Path, asked: dict[str, Any], resume: bool, tell: Callable[[str], None], command: str = "") -> bool:
    """Whether there is a run to resume, which must be the one asked for; else writes config.json of a new one."""
    if not (folder / CONFIG).exists():
        if left := [name for name in (LOG, CHECKPOINTS, AGENTS, FINISHED) if (folder / name).exists()]:
            raise UserError(f"{folder} has no {CONFIG}, but {left[0]}: move it away, or choose another name")
        if resume:
            tell(f"{folder} holds no run to resume: this is its start")
        versions = {"format": FORMAT, "cole": __version__, "jax": jax.__version__, "command": command}
        text = json.dumps({**versions, "sha256": hash_of(asked), **asked}, indent=1) + "\n"
        with writing(folder, None):
            sealed.write_file(folder / CONFIG, text.encode())
        return False
    if not resume:
        raise UserError(f"{folder} holds a run already: resume it with --resume, or choose another name")
    begun = read_config(folder)
    if changed := differences({name: begun[name] for name in asked}, asked):
        raise UserError(f"{folder} is a run of other settings; {'; '.join(changed)}")
    for name, now in (("cole", __version__), ("jax", jax.__version__)):
        if begun[name] != now:
            tell(f"warning: begun with {name} {begun[name]}, resumed with {now}: the result may be that of neither")
    return True


def read_config(folder: Path) -> dict[str, Any]:
    """What config.json says, if it is as it was written."""
    try:
        found = json.loads((folder / CONFIG).read_bytes())
        names = ("seeds", "rounds", "env_steps", *(["kept_from"] if "kept_from" in found else []), "config")
        deciding = {name: found[name] for name in names}
        if found["format"] != FORMAT or found["sha256"] != hash_of(deciding):
            raise ValueError
        known = {"cole": found["cole"], "jax": found["jax"], "command": str(found.get("command", ""))}
        return known | {"kept_from": 0, **deciding}  # early runs do not say it
    except OSError as error:
        raise UserError(f"{folder / CONFIG} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise UserError(f"{folder / CONFIG} is damaged, or of another version of cole") from None


def hash_of(asked: dict[str, Any]) -> str:
    """The same for the same settings, in whatever order."""
    return sealed.sha256(json.dumps(asked, sort_keys=True).encode())


def differences(old: Any, new: Any, name: str = "") -> list[str]:
    """`field: old -> new` for every field that differs, at any depth."""
    if isinstance(old, dict) and isinstance(new, dict):
        prefix = f"{name}." if name and name != "config" else ""
        each = [(old.get(field, MISSING), new.get(field, MISSING), f"{prefix}{field}") for field in old | new]
        return [line for item in each for line in differences(*item)]
    was, now = ("(missing)" if value is MISSING else json.dumps(value) for value in (old, new))
    return [] if was == now else [f"{name}: {was} -> {now}"]


@contextmanager
def writing(folder: Path, saved: Path | None) -> Iterator[None]:
    """A full disk, or whatever else a file system has to say, in one sentence."""
    try:
        yield
    except OSError as error:
        kept = f"; the last good checkpoint is {saved}" if saved else ""
        reason = error.strerror or error
        raise UserError(f"{error.filename or folder} cannot be written: {reason}{kept}") from None


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keeps other processes out of the folder; the lock ends with the process, however that ends."""
    with writing(folder, None):
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / LOCK).open("a")
    with file:
        with writing(folder, None):
            for patience in (0.05, 0.2, 0.0):  # `is_running` holds it for an instant
                if take(file, fcntl.LOCK_EX):
                    break
                time.sleep(patience)
            else:
                raise UserError(f"{folder} is in use: {AT_WORK}")
        yield


def is_running(folder: Path) -> bool:
    """Whether a process is at work in the folder."""
    try:
        with (folder / LOCK).open("r") as file:
            return not take(file, fcntl.LOCK_SH)
    except OSError:
        return False


def take(file: Any, kind: int) -> bool:
    """Whether the lock could be had, which then lasts until the file is closed."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
