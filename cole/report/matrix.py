"""Reads and writes a cross-play matrix as CSV: row strategy with column partner, names in header and first column."""

import csv
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cole.errors import UserError

LARGEST = 1e30  # float32 has room above it for sums and for sigma


class Matrix(NamedTuple):
    """A cross-play matrix."""

    names: list[str]  # [n]
    payoffs: np.ndarray  # [n, n] row strategy (seat 0) with column partner (seat 1)


def read_matrix(path: Path) -> Matrix:
    """The matrix in a CSV file, or a UserError that says what is wrong and where. Names may be left out."""
    lines, cells = read_cells(path)
    if len({len(row) for row in cells}) > 1:
        odd = next(i for i, row in enumerate(cells) if len(row) != len(cells[0]))
        first = f"line {lines[0]} has {len(cells[0])}"
        raise UserError(f"{path}: line {lines[odd]} has {len(cells[odd])} cells, {first}.")
    header, column = named_sides(path, cells)
    names = agreed_names(path, cells, header, column)
    body = [row[column:] for row in cells[header:]]
    if len(body) == 1:
        raise UserError(f"{path}: a single strategy has no partner to prefer; give at least two.")
    payoffs = [[number(path, cell, names[i], names[j]) for j, cell in enumerate(row)] for i, row in enumerate(body)]
    return Matrix(names, np.array(payoffs))


def read_cells(path: Path) -> tuple[list[int], list[list[str]]]:
    """The lines that are not blank: their numbers in the file from 1, and their cells without surrounding spaces."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file.") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{path}: cannot be read as CSV text ({error}).") from None
    lines, cells = [line for line, row in rows if any(row)], [row for _, row in rows if any(row)]
    if not cells:
        raise UserError(f"{path}: the file is empty.")
    if all(len(row) == 1 for row in cells) and any(mark in row[0] for row in cells for mark in ";\t"):
        raise UserError(f"{path}: cells must be separated by commas, not by semicolons or tabs.")
    return lines, cells


def is_number(cell: str) -> bool:
    """Whether a cell reads as a number (also nan and inf, which are refused later; not 1_000, python's own)."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def counts_up(cells: list[str]) -> bool:
    """Whether cells are 0, 1, 2, ... or 1, 2, 3, ...: numbers that can only be meant as names."""
    return cells in ([str(i) for i in range(len(cells))], [str(i + 1) for i in range(len(cells))])


def named_sides(path: Path, cells: list[list[str]]) -> tuple[bool, bool]:
    """Whether the first row, and whether the first column, holds names: the shape decides, then the corner."""
    rows, columns = len(cells), len(cells[0])
    top, left = cells[0], [row[0] for row in cells]
    if rows == columns:
        sides = (top[1:], left[1:])
        named = not is_number(top[0]) and any(has_text(side) or counts_up(side) for side in sides)
        return named, named
    if rows == columns + 1 and has_text(top):
        return True, False
    if columns == rows + 1 and has_text(left):
        return False, True
    raise UserError(f"{path}: {rows} rows and {columns} columns are not a square matrix, with or without names.")


def has_text(cells: list[str]) -> bool:
    """Whether some cell is neither empty nor a number."""
    return any(cell and not is_number(cell) for cell in cells)


def agreed_names(path: Path, cells: list[list[str]], header: bool, column: bool) -> list[str]:
    """The strategies' names, the same in both places, none twice; 1, 2, 3, ... if there are none."""
    top = cells[0][column:]
    left = [row[0] for row in cells[header:]]
    if header and column and top != left:
        at = next(i for i, (a, b) in enumerate(zip(top, left, strict=True)) if a != b)
        raise UserError(
            f"{path}: strategy {at + 1} is called {top[at]!r} in the first row but {left[at]!r} in its own."
        )
    names = top if header else left if column else [str(i + 1) for i in range(len(cells))]
    if "" in names:
        raise UserError(f"{path}: strategy {names.index('') + 1} has no name.")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UserError(f"{path}: two strategies are called {twice!r}.")
    return names


def number(path: Path, cell: str, row: str, column: str) -> float:
    """The payoff in a cell, or a UserError that names its place."""
    place = f"{path}: row {row!r}, column {column!r}"
    if not cell:
        raise UserError(f"{place}: the payoff is missing.")
    if not is_number(cell):
        raise UserError(f"{place}: {cell!r} is not a number.")
    value = float(cell)
    if not math.isfinite(value):
        raise UserError(f"{place}: {cell!r} is not a finite number.")
    if abs(value) > LARGEST:
        raise UserError(f"{place}: {cell!r} is beyond {LARGEST:g}, the largest payoff analysed.")
    return value


def write_matrix(
    path: Path, names: list[str], values: np.ndarray, corner: str = "", rows: list[str] | None = None
) -> None:
    """Writes values with `names` over the columns and `rows` (or names) before the rows; NaN as an empty cell."""
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow([corner, *names])
        for name, row in zip(rows or names, values, strict=True):
            lines.writerow([name, *("" if math.isnan(v) else f"{float(v):.9g}" for v in row)])
