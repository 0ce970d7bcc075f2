"""What each seed of each method earns with the human proxy, in either seat, as a table: CSV, a line for each seed.

From the files that `cole evaluate proxy` or `cole report` leave (its folder `games`).

    python studies/seeds.py evaluation --out docs/data/proxy.csv
"""

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from claims import read

from cole.evaluate.proxy import WithProxy

HEAD = ("kitchen", "method", "seed", "seat 0", "seat 1")


def lines(kitchens: dict[str, WithProxy]) -> Iterator[tuple[str, str, int, str, str]]:
    """A line for each seed that was there."""
    for kitchen, one in kitchens.items():
        for m, label in enumerate(one.labels):
            for r, seed in enumerate(one.seeds):
                first, second = one.by_seat[:, m, r]
                if not np.isnan(first + second):
                    yield kitchen, label, seed, f"{first:g}", f"{second:g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("evaluation", type=Path)
    parser.add_argument("--out", type=Path, default=Path("docs/data/proxy.csv"))
    asked = parser.parse_args()
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    with asked.out.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([HEAD, *lines(read(asked.evaluation).proxy)])
    print(f"saved {asked.out}")


if __name__ == "__main__":
    main()
