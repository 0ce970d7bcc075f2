"""The tables that `cole evaluate` prints; a number that lacks something is marked, and what it lacks is named below."""

from collections.abc import Sequence

import numpy as np
from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from cole.evaluate import proxy
from cole.evaluate.experts import ExpertRow
from cole.evaluate.labels import headings, row_name
from cole.evaluate.proxy import WithProxy
from cole.evaluate.stats import Improvement, Mean, Summary, summary
from cole.report import tables
from cole.report.tables import HOLE

Lacks = tuple[str, ...]  # what a number should be made of, too, and is not


def cell(number: Mean) -> str:
    """As the report writes it."""
    return tables.mean_cell(number).text


def proxy_table(result: WithProxy, episodes: int) -> Group:
    """A line for each method: the bars of Figures 4 and 5 in one kitchen."""
    rows = proxy.rows(result)
    means = [mean for row in rows for mean in row[1:5]]
    about = f"{result.kitchen}: {len(result.proxies)} proxies, {episodes} games each in each seat; ± over seeds"
    lacks = proxy.best_lacks(result)
    without = f" without {', '.join(lacks)}" if lacks else ""
    best = f"BR-Prox: divided by {result.best}{without}, {proxy.best_return(result):.1f}" if result.best else ""
    table = _table(["method", "seat 0", "seat 1", "both", "both, IQM", "with itself", *(["BR-Prox"] if best else [])])
    for m, row in enumerate(rows):
        iqm = summary(result.by_seat[:, m].mean(axis=0)[:, None])
        cells = [cell(row.seat0), cell(row.seat1), cell(row.both), tables.iqm_cell(iqm).text, cell(row.itself)]
        near = [tables.number_cell(row.br_prox, 2, row.br_lacks).text] if best else []
        table.add_row(Text(row.label), *cells, *near)
    return _with_words(table, about, best, tables.lacking([*(name for mean in means for name in mean.lacks), *lacks]))


def experts_table(rows: Sequence[ExpertRow], baselines: Sequence[str], reading: str) -> Group:
    """Table 1 in the paper's format; the highest of each row is bold."""
    first, last = headings(row.ours for row in rows)
    table = _table(["layout", first, *baselines, last])
    for row in rows:
        means = [row.cells[label] for label in baselines]
        means += [row.cells[row.ours] if row.ours else Mean(np.nan, np.nan)]
        cells = tables.mark_highest([tables.mean_cell(mean) for mean in means])
        shown = [Text(cell.text, "bold" if cell.best else "") for cell in cells]
        table.add_row(Text(row.kitchen), Text(row_name(row.ours or HOLE, first)), *shown)
    lacks = tables.lacking(name for row in rows for mean in row.cells.values() for name in mean.lacks)
    return _with_words(table, f"{reading}; each with all others in its row", lacks)


def improvement_table(
    found: dict[tuple[str, str], list[Improvement]], lacks: dict[tuple[str, str], list[Lacks]], kitchens: Sequence[str]
) -> Group:
    """How likely one of ours earns more than each other method: in every kitchen, and over all, with an interval."""
    names = []
    table = _table(["", *kitchens, *(["all"] if len(kitchens) > 1 else [])])
    for (one, other), chances in found.items():
        shown = list(zip(chances, lacks[one, other], strict=True))[: None if len(kitchens) > 1 else 1]
        table.add_row(Text(f"{one} > {other}"), *(tables.chance_cell(*pair).text for pair in shown))
        names += [name for _, without in shown for name in without]
    about = "how likely a seed of one earns more than a seed of the other [95 % interval]; * p < .05"
    return _with_words(table, about, tables.lacking(names))


def overall_table(found: dict[str, Summary], lacks: dict[str, Lacks], divisor: str, *notes: str) -> Group:
    """What each method earns over all kitchens, in parts of a stated number of each."""
    table = _table(["method", "mean", "IQM"])
    for label, one in found.items():
        mean = tables.mean_cell(Mean(one.mean, one.error, lacks[label]), 3)
        table.add_row(Text(label), mean.text, tables.iqm_cell(one, 3, lacks[label]).text)
    about = f"over all kitchens, both seats, divided by {divisor}; ± over seeds"
    return _with_words(table, about, *notes, tables.lacking(name for each in lacks.values() for name in each))


def _table(headings: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for number, heading in enumerate(headings):
        table.add_column(Text(heading), justify="right" if number else "left", overflow="fold")
    return table


def _with_words(table: Table, *about: str) -> Group:
    """A table with some lines below it."""
    return Group(table, *(Text(f" {line}") for line in about if line))
