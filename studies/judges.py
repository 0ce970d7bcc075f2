"""The judges of the studies: self-play agents of other seeds, plain and from random starts, trained if need be."""

import subprocess
import sys
from pathlib import Path

from cole.evaluate.players import Player, find

KINDS = {"self-play": ["--seed", "100"], "self-play, random starts": ["--seed", "200", "--random-starts", "1.0"]}


def judges(runs: Path, layout: str, size: str, seeds: int = 5) -> dict[str, list[Player]]:
    """By kind."""
    every = enumerate(KINDS.items())
    return {kind: find([_run(number, more, runs, layout, size, seeds)]) for number, (kind, more) in every}


def _run(number: int, more: list[str], runs: Path, layout: str, size: str, seeds: int) -> Path:
    """The folder of one kind, trained if it is not there yet."""
    command = ["train", "sp", "--layout", layout, "--runs", str(runs), "--name", f"judges-{number}"]
    command += ["--seeds", str(seeds), "--size", size, "--resume", *more]
    subprocess.run([sys.executable, "-m", "cole.cli", *command], check=True, stdout=sys.stderr)
    return runs / layout / "sp" / f"judges-{number}"
