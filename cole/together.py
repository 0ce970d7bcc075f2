"""Several runs in one program: while they learn they are one run, whose seeds are those of all, then each gets its own.

A GPU has twenty learners done sooner than four times five. The seeds of the first run are 0, 1, ... as everywhere,
those of the second APART + 0, APART + 1, ...; a learner begins as in a run of its own. They learn in a hidden folder
beside those they will have, which is removed when all of these are there.
"""

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jax import Array
from safetensors import numpy as safetensors

from cole import journal, runfolder, sealed
from cole.errors import UserError
from cole.program import Program

APART = 2**20
RATIOS = "ratios"  # in the config of the run they are while they learn


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


def called(ratio: str) -> str:
    """1:3 as 1to3: in names of runs."""
    return ratio.replace(":", "to")


def place(part: Path, name: str, ratios: Sequence[str]) -> Path:
    """The folder in which runs of these ratios learn, beside one of theirs."""
    return part.with_name(f".{name}-{'-'.join(map(called, ratios))}")


def is_there(part: Path, asked: dict[str, Any]) -> bool:
    """Whether a run was handed out, finished and with its agents; a folder with anything else in it is refused."""
    if not part.exists():
        return False
    done = all((part / name).exists() for name in (runfolder.CONFIG, runfolder.FINISHED, runfolder.AGENTS))
    if not done or runfolder.differences({name: runfolder.read_config(part)[name] for name in asked}, asked):
        raise UserError(f"{part} holds another run already: leave its ratio out, or choose another name")
    return True


def is_leftover(path: Path) -> bool:
    """Whether a folder was only half written, or half removed."""
    return path.name.startswith(".") and path.suffix in (".new", ".old")


def hand_out(source: Path, part: Path, mine: slice, write: Callable[[Path], None]) -> None:
    """Makes the folder of one run: of log and strategies its share `mine`; `write` adds config and agents.

    It appears whole or not at all.
    """
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
        sealed.rename(fresh, part)


def share(line: dict[str, Any], mine: slice) -> dict[str, Any]:
    """A line of the log with the values of some seeds."""
    return {name: value if name in journal.OWN else value[mine] for name, value in line.items()}


def remove(source: Path) -> None:
    """The folder in which they learned; however that ends, no half of it is taken for a run."""
    old = source.with_name(f"{source.name}.old")
    if source.exists():
        shutil.rmtree(old, ignore_errors=True)
        source.rename(old)
    shutil.rmtree(old, ignore_errors=True)
