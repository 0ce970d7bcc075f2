"""Whom a learner of COLE was to meet, and whom it met, by strategy: its log counts slots, which change hands."""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from cole.evaluate.history import Partners

ROWS = 100  # generations that are drawn

Item = TypeVar("Item")


def partners_json(lines: list[dict[str, Any]], place: int, partners: Partners | None) -> dict[str, Any]:
    """phi and draws, a row for each generation, a column for each strategy ever met; null where it was not there."""
    if partners is None:
        return {"phi": None, "draws": None, "partners": None, "generations": None}
    seated = sitters([line for line in lines if "phi" in line], place, partners.there)
    names = sorted({name for row in seated for name in row if name}, key=lambda name: (name[0] != "s", len(name), name))
    rows = thinned(range(len(seated)), ROWS)
    return {
        "partners": names,
        "generations": [int(partners.rounds[t]) for t in rows],
        "phi": [by_name(partners.phi[t], seated[t], names) for t in rows],
        "draws": [by_name(partners.draws[t], seated[t], names) for t in rows],
    }


def sitters(lines: list[dict[str, Any]], place: int, there: np.ndarray) -> list[list[str | None]]:
    """Who sat in each slot when each generation began: strategies of the start, then those of rounds that joined."""
    now: list[str | None] = [f"start-{slot:03d}" if is_there else None for slot, is_there in enumerate(there[0])]
    rows = []
    for line, row in zip(lines, there, strict=True):
        rows.append([name if is_there else None for name, is_there in zip(now, row, strict=True)])
        slot, joined = (_value(line.get(name), place) for name in ("slot", "joined"))
        if joined and isinstance(slot, int) and 0 <= slot < len(now):
            now[slot] = f"round-{line['round']:03d}"
    return rows


def by_name(values: np.ndarray, seated: list[str | None], names: list[str]) -> list[float | None]:
    """Values of slots [C] in the order of names."""
    known = {name: round(float(value), 5) for name, value in zip(seated, values, strict=True) if name}
    return [known.get(name) for name in names]


def thinned(items: Sequence[Item], most: int) -> list[Item]:
    """At most so many of them, evenly, the first and the last among them."""
    if len(items) <= most:
        return list(items)
    return [items[round(i * (len(items) - 1) / (most - 1))] for i in range(most)]


def _value(field: Any, place: int) -> Any:
    return field[place] if isinstance(field, list) and place < len(field) else None
