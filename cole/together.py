"""Several runs in one program: while they learn they are one run, whose seeds are those of all, then each gets its own.

A GPU has twenty learners done sooner than four times five. The seeds of the first run are 0, 1, ... as everywhere,
those of the second APART + 0, APART + 1, ...; a learner begins as in a run of its own.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from jax import Array
from safetensors import numpy as safetensors

from cole import journal, runfolder, sealed
from cole.errors import UserError
from cole.program import Program

APART = 2**20


def program(one: Program) -> Program:
    """The program, with seeds that tell the runs apart."""

    def start(seeds: Array) -> Any:
        return one.start(seeds % APART)

    return one._replace(start=start)


def seeds(each: list[int], runs: int) -> list[int]:
    """Of so many runs with these seeds."""
    if max(each) >= APART:
        raise UserError(f"--seed: several runs in one program have seeds below {APART}")
    return [number * APART + seed for number in range(runs) for seed in each]


def folder(parts: list[Path], name: str) -> Path:
    """Where they learn: hidden beside the folders they will have. If some of these are there already it is refused.

    A program that was stopped while it handed out has done so for some; one that has ended, for all.
    """
    place = parts[0].with_name(f".{name}")
    there = [part for part in parts if part.exists()]
    if there and not place.exists() and not all(map(is_finished, parts)):
        raise UserError(f"{there[0]} holds a run already: leave its ratio out, or choose another name")
    return place


def is_finished(part: Path) -> bool:
    return (part / runfolder.FINISHED).exists()


def hand_out(source: Path, part: Path, mine: slice, write: Callable[[Path], None]) -> None:
    """The folder of one run: of log and strategies its share `mine`; `write` adds config and agents.

    It appears whole, and what is there already is left alone.
    """
    if part.exists():
        return
    fresh = part.with_name(f".{part.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    with runfolder.writing(fresh, None):
        (fresh / runfolder.STRATEGIES).mkdir(parents=True)
        write(fresh)
        lines = [share(line, mine) for line in journal.every_line(source / runfolder.LOG)]
        sealed.write_file(fresh / runfolder.LOG, "".join(json.dumps(line) + "\n" for line in lines).encode())
        for path in sorted((source / runfolder.STRATEGIES).glob("*.safetensors")):
            arrays = {name: np.ascontiguousarray(x[mine]) for name, x in safetensors.load(path.read_bytes()).items()}
            sealed.write_file(fresh / runfolder.STRATEGIES / path.name, safetensors.save(arrays))
        sealed.write_file(fresh / runfolder.FINISHED, b"")
        fresh.rename(part)


def share(line: dict[str, Any], mine: slice) -> dict[str, Any]:
    """A line of the log with the values of some seeds."""
    return {name: value if name in journal.OWN else value[mine] for name, value in line.items()}
