"""Every method in every kitchen at `--size quick`: does it train, and what does it earn with itself and with the rest?

Trains what is not trained yet, several runs at a time, then lets all agents of a kitchen play with each other; runs
that are there already are taken as they are. Prints a Markdown table: the return with itself, and the mean over all
other methods in both seats.

    python studies/smoke.py --jobs 2 --episodes 20
"""

import argparse
import math
import sys
from itertools import product
from pathlib import Path

from cole.campaign import Job, carry_out, is_done
from cole.cli import prepare_jax
from cole.evaluate.crossplay import Setting, crossplay, with_itself, with_others
from cole.evaluate.players import find, kitchen_of
from cole.kitchen.layouts import MAPS
from cole.menu import METHODS
from cole.run import stop_requests

NAME = "smoke"


def job(method: str, layout: str, runs: Path) -> Job:
    """One run; how long it takes nobody has predicted."""
    where = ("--layout", layout, "--runs", str(runs), "--name", NAME, "--resume")
    command = ("train", method, "--size", "quick", "--seeds", "1", "--games-after", "20", *where)
    return Job(method, layout, runs / layout / method / NAME, command, 0.0)


def judged(layout: str, methods: list[str], runs: Path, episodes: int) -> dict[str, str]:
    """By method: what it earns with itself, and with all others."""
    agents = find([runs / layout / method / NAME for method in methods])
    result = crossplay(agents, kitchen_of(agents)[0], Setting(episodes))
    each = zip(methods, with_itself(result), with_others(result), strict=True)
    return {method: f"{own:.0f} / {others:.0f}" for method, own, others in each}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--layouts", nargs="+", default=list(MAPS), choices=list(MAPS))
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    parser.add_argument("--episodes", type=int, default=20, help="games of each ordered pair")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--train-only", action="store_true", help="leave the table for later")
    asked = parser.parse_args()
    prepare_jax()
    every = [job(*pair, asked.runs) for pair in product(asked.methods, asked.layouts)]
    with stop_requests("all runs end their round and stop") as stop:
        for ended in carry_out([one for one in every if not is_done(one)], asked.jobs, math.inf, stop):
            words = f"{ended.job.label} in {ended.job.kitchen}: {ended.seconds:.0f} s, exit code {ended.code}"
            print(f"{words}, {ended.words}", file=sys.stderr, flush=True)
    left = [one for one in every if not is_done(one)]
    if not left and not asked.train_only:
        found = {layout: judged(layout, asked.methods, asked.runs, asked.episodes) for layout in asked.layouts}
        print(f"| method | {' | '.join(asked.layouts)} |\n|---|{'---|' * len(asked.layouts)}")
        for method in asked.methods:
            print(f"| {method} | {' | '.join(found[layout][method] for layout in asked.layouts)} |")
    return len(left) > 0


if __name__ == "__main__":
    sys.exit(main())
