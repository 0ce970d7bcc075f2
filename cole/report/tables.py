"""A table of the report: cells that know their number, its spread and what it lacks, and how they are written."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from cole.evaluate.stats import Improvement, Mean, Summary

HOLE, MARK = "\N{EN DASH}", "\N{DAGGER}"


Runs = tuple[str, tuple[str, ...]]  # a method, and the folders of its runs


class Cell(NamedTuple):
    """A number of a table, or a hole."""

    text: str  # as it is shown
    value: float = math.nan
    error: float = math.nan  # its standard error
    low: float = math.nan  # its interval
    high: float = math.nan
    lacks: tuple[str, ...] = ()  # what it should be a mean of, too, and is not
    best: bool = False  # the highest of its row or column


class Row(NamedTuple):
    """A line of a table."""

    keys: tuple[str, ...]  # what it is about
    cells: list[Cell]
    soft: bool = False  # numbers of others, to compare with


class Table(NamedTuple):
    """A table with all that stands around it."""

    name: str  # of its files
    title: str
    about: str  # what it means, and which way is better
    keys: tuple[str, ...]  # headings of what rows are about
    columns: tuple[str, ...]  # headings of the cells
    rows: list[Row]
    notes: tuple[str, ...]  # below: what is missing, what numbers are divided by
    commands: tuple[str, ...]  # what makes its numbers again
    runs: tuple[Runs, ...] = ()  # whose numbers they are


def mean_cell(number: Mean, digits: int = 1) -> Cell:
    """`153.0 ± 2.1`; with a mark if it lacks something, and a hole if there is nothing."""
    if math.isnan(number.mean):
        return Cell(HOLE, lacks=number.lacks)
    error = "" if math.isnan(number.error) else f" ± {number.error:.{digits}f}"
    text = f"{number.mean:.{digits}f}{error}{MARK * bool(number.lacks)}"
    return Cell(text, number.mean, number.error, lacks=number.lacks)


def iqm_cell(found: Summary, digits: int = 1, lacks: tuple[str, ...] = ()) -> Cell:
    """`153.0 [140.1, 160.2]`: the interquartile mean and its interval."""
    return _within(found.iqm, found.low, found.high, digits, lacks)


def chance_cell(found: Improvement, lacks: tuple[str, ...] = ()) -> Cell:
    """`0.96 [0.76, 1.00] *`: how likely one is better than the other, with a star where that is decided."""
    cell = _within(found.chance, found.low, found.high, 2, lacks)
    return cell._replace(text=f"{cell.text} *") if found.decided() else cell


def number_cell(value: float | None, digits: int = 1, lacks: tuple[str, ...] = ()) -> Cell:
    """A bare number; a hole where there is none."""
    if value is None or math.isnan(value):
        return Cell(HOLE, lacks=lacks)
    return Cell(f"{value:.{digits}f}{MARK * bool(lacks)}", float(value), lacks=lacks)


def mark_highest(cells: Sequence[Cell]) -> list[Cell]:
    """The same, with the highest of them marked; nothing is the highest of fewer than two."""
    there = [cell.value for cell in cells if not math.isnan(cell.value)]
    highest = max(there) if len(there) > 1 else math.nan
    return [cell._replace(best=cell.value == highest) for cell in cells]


def mark_columns(rows: Sequence[Row], columns: Iterable[int]) -> list[Row]:
    """The same rows, with the highest of each of these columns marked; soft rows do not compete."""
    chosen = set(columns)
    hard = [row for row in rows if not row.soft]
    by_column = list(zip(*(row.cells for row in hard), strict=True))
    marked = [mark_highest(cells) if at in chosen else list(cells) for at, cells in enumerate(by_column)]
    done = iter(list(cells) for cells in zip(*marked, strict=True))
    return [row if row.soft else row._replace(cells=next(done)) for row in rows]


def missing(rows: Iterable[Row]) -> tuple[str, ...]:
    """What holes and marked numbers lack, in one sentence; nothing if they are whole."""
    lacks = lacking(name for row in rows for cell in row.cells for name in cell.lacks)
    return (f"{lacks}.",) if lacks else ()


def lacking(names: Iterable[str]) -> str:
    """What holes and marks stand for, if these are missing; nothing if nothing is."""
    lacks = dict.fromkeys(names)
    return f"{HOLE} missing, {MARK} a mean without it: {listed(lacks)}" if lacks else ""


def listed(lacks: Iterable[str]) -> str:
    """`SP seeds 1, 2; MEP`: what is missing, the seeds of a method together."""
    groups: dict[tuple[str, str], list[str]] = {}
    for name in lacks:
        found = re.fullmatch(r"(.+) seed (\d+)( in .+)?", name)
        label, seed, where = found.groups() if found else (name, "", "")
        groups.setdefault((label, where or ""), []).append(seed)
    said = []
    for (label, where), seeds in groups.items():
        which = ", ".join(seed for seed in seeds if seed)
        many = "seeds" if len(seeds) > 1 else "seed"
        said.append(f"{label} {many} {which}{where}" if which else f"{label}{where}")
    return "; ".join(said)


def _within(value: float, low: float, high: float, digits: int, lacks: tuple[str, ...]) -> Cell:
    if math.isnan(value):
        return Cell(HOLE, lacks=lacks)
    interval = "" if math.isnan(low) else f" [{low:.{digits}f}, {high:.{digits}f}]"
    return Cell(f"{value:.{digits}f}{interval}{MARK * bool(lacks)}", value, low=low, high=high, lacks=lacks)
