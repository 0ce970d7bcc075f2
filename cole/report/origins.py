"""Where the numbers of a table come from, what they lack, and the words that tables share."""

from collections.abc import Sequence
from typing import NamedTuple

from cole.evaluate.lineup import lacking
from cole.report.comparison import Comparison, command, runs_of
from cole.report.tables import Runs

HIGHER = "Higher is better; the highest of each column is bold."
SEEDS = "± standard error over seeds"
IQM = "IQM: interquartile mean over seeds with a 95 % interval"


class Origin(NamedTuple):
    """The last fields of a table."""

    commands: tuple[str, ...]
    runs: tuple[Runs, ...]


def made_by(found: Comparison, protocol: str, kitchens: Sequence[str], labels: Sequence[str]) -> Origin:
    """The command, and the runs of these methods in these kitchens."""
    return Origin((command(found, protocol),), runs_of(found.lineup, kitchens, labels))


def lacks_of(found: Comparison, labels: Sequence[str], kitchens: Sequence[str]) -> tuple[str, ...]:
    """What these methods lack in these kitchens."""
    several = len(found.lineup.kitchens) > 1
    pairs = [(kitchen, label) for label in labels for kitchen in kitchens]
    every = [(kitchen, name) for kitchen, label in pairs for name in lacking(found.lineup, kitchen, label)]
    return tuple(dict.fromkeys(f"{name} in {kitchen}" if several else name for kitchen, name in every))
