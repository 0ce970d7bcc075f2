"""How long COLE 0:4 and 1:3 and each expert stand in each other's way (App. H): a Markdown table.

A block is what `evaluate.behaviour` calls one; the longest of each game counts, in steps of 150 ms. Every seed of COLE
meets the same seed of the expert, in both orders of the seats; ± is the standard error over seeds.

    python studies/blocks.py zoo --episodes 20
    cole evaluate blocks zoo/counter_circuit/cole-0to4/seed-0 zoo/counter_circuit/pbt/seed-0   # one pair, with a clip
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cole.cli import prepare_jax
from cole.evaluate import stats
from cole.evaluate.behaviour import STEP, Behaviour, behaviour_of
from cole.evaluate.labels import BASELINES, is_called
from cole.evaluate.lineup import Lineup, gather, layout_of
from cole.evaluate.pairs import Setting

RATIOS = ("COLE 0:4", "COLE 1:3")
LONG = 20  # steps: three seconds of play


class Found(NamedTuple):
    """A COLE and an expert in one kitchen. R seeds that both have."""

    kitchen: str
    cole: str
    expert: str
    returns: np.ndarray  # [R] mean of both seats
    longest: np.ndarray  # [R] steps of the longest block of a game, on average
    often: np.ndarray  # [R] share of the games with a block of at least LONG steps


def found_in(lineup: Lineup, setting: Setting) -> Iterator[Found]:
    """Every ratio with every expert, as far as they are there."""
    coles = [label for label in lineup.labels if any(is_called(label, ratio) for ratio in RATIOS)]
    experts = [label for label in lineup.labels if any(is_called(label, method) for method in BASELINES)]
    for kitchen, cole, expert in product(lineup.kitchens, coles, experts):
        mine, theirs = (getattr(lineup.teams.get((kitchen, label)), "players", {}) for label in (cole, expert))
        if seeds := sorted(mine.keys() & theirs.keys()):
            layout = layout_of(lineup, kitchen)
            pairs = [(mine[seed], theirs[seed]) for seed in seeds]
            both = [[behaviour_of(layout, pair, setting) for pair in (one, one[::-1])] for one in pairs]
            yield Found(kitchen, cole, expert, *(np.array(each) for each in zip(*map(figures, both), strict=True)))


def figures(played: Sequence[Behaviour]) -> tuple[float, float, float]:
    """Of a pair in both orders of the seats: return, longest block, share of games with a long one."""
    returns, longest = (np.concatenate([getattr(one, name) for one in played]) for name in ("returns", "longest"))
    return float(returns.mean()), float(longest.mean()), float((longest >= LONG).mean())


def row_of(one: Found) -> str:
    mean, error = stats.mean_and_error(one.longest)
    cells = [one.kitchen, one.cole, one.expert, f"{one.returns.mean():.1f}", f"{mean:.1f} ± {error:.1f}"]
    return f"| {' | '.join([*cells, f'{STEP * mean:.1f} s', f'{one.often.mean():.0%}'])} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", help="of runs, with runs below them, or of agents")
    parser.add_argument("--episodes", type=int, default=20, help="games of each pair in each order of the seats")
    asked = parser.parse_args()
    prepare_jax()
    long = f"games with a block of {STEP * LONG:.0f} s"
    print(f"| kitchen | | with | return | longest block of a game, steps | | {long} |\n|---|---|---|---|---|---|---|")
    for one in found_in(gather(asked.folders), Setting(asked.episodes)):
        print(row_of(one), flush=True)


if __name__ == "__main__":
    main()
