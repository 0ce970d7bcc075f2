"""Every method in every kitchen at `--size quick`: does it train, and what does it earn with itself and with the rest?

Trains what is not trained yet, several runs at a time, then lets all agents of a kitchen play with each other. Prints a
Markdown table: the return with itself, and the mean over all other methods in both seats.

    python studies/smoke.py --jobs 2 --episodes 20
"""

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

from cole.evaluate.crossplay import Setting, crossplay, with_itself, with_others
from cole.evaluate.players import find, kitchen_of
from cole.kitchen.layouts import MAPS
from cole.menu import METHODS

NAME = "smoke"


def train(method: str, layout: str, runs: Path) -> str:
    """One run; what went wrong, if anything did."""
    where = ["--layout", layout, "--runs", str(runs), "--name", NAME, "--resume"]
    command = [sys.executable, "-m", "cole.cli", "train", method, "--size", "quick", "--games-after", "20", *where]
    began = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    said = (done.stderr if done.returncode else done.stdout).strip().splitlines()
    print(f"{method} in {layout}: {time.monotonic() - began:.0f} s, {said[-1] if said else ''}", file=sys.stderr)
    return f"{method} in {layout}: {said[-1:]}" if done.returncode else ""


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
    with ThreadPoolExecutor(asked.jobs) as pool:
        every = product(asked.methods, asked.layouts)
        failed = [words for words in pool.map(lambda pair: train(*pair, asked.runs), every) if words]
    for words in failed:
        print(words, file=sys.stderr)
    if not failed and not asked.train_only:
        found = {layout: judged(layout, asked.methods, asked.runs, asked.episodes) for layout in asked.layouts}
        print(f"| method | {' | '.join(asked.layouts)} |\n|---|{'---|' * len(asked.layouts)}")
        for method in asked.methods:
            print(f"| {method} | {' | '.join(found[layout][method] for layout in asked.layouts)} |")
    return len(failed) > 0


if __name__ == "__main__":
    sys.exit(main())
