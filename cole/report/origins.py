"""Where the numbers of a table come from, what they lack, and the words that tables share."""

from collections.abc import Sequence
from typing import NamedTuple

from cole.evaluate.lineup import all_lacking, differing
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
    return all_lacking(found.lineup, labels, kitchens)


def different_recipes(found: Comparison, labels: Sequence[str], kitchens: Sequence[str]) -> tuple[str, ...]:
    """A note on methods whose kitchens are put together and were not trained by one recipe; nothing if all were."""
    each = differing(found.lineup, labels, kitchens)
    return (f"Not trained by the same recipe everywhere: {'; '.join(each)}.",) if each else ()
