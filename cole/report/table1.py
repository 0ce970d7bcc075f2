"""Tables of Protocol 2, the experts: Table 1 of the paper in both readings beside its own numbers, and statistics."""

import math
from collections.abc import Sequence

import numpy as np

from cole.evaluate import experts, proxy, stats
from cole.evaluate.experts import ExpertRow, Experts
from cole.evaluate.labels import COLE, headings, method_of, row_name
from cole.evaluate.proxy import Divisors
from cole.evaluate.stats import Mean
from cole.report import published, tables
from cole.report.comparison import Comparison, kitchen_title
from cole.report.origins import IQM, SEEDS, different_recipes, lacks_of, made_by
from cole.report.tables import Cell, Row, Table


def experts_table(found: Comparison, reading: str) -> Table:
    """Table 1 in the paper's format, each row above the paper's own."""
    table = {"a": experts.table_a, "b": experts.table_b}[reading]
    several = len(found.lineup.kitchens) > 1
    first, last = headings(found.ours)
    measured = [row for result in found.experts for row in table(result, found.baselines)]
    rows = [
        row._replace(keys=(*_keys(one, first), *row.keys))
        for one in measured
        for row in (_measured(one, found.baselines, several), *_papers(one, found.baselines))
    ]
    what = {
        "a": "Reading (a): the best seed of each method, chosen by what it earns with the other seeds of its own "
        "method; ± standard error over games, since each is one agent.",
        "b": f"Reading (b), which decides: all seeds with all seeds; {SEEDS} of the method itself.",
    }[reading]
    rules = (
        "Each method with all others of its row, both seats, never with its own. Higher is better; the highest is bold."
    )
    chosen = [f"{one.kitchen}: {_best_seeds(one)}." for one in found.experts] if reading == "a" else []
    return Table(
        f"experts-{reading}",
        f"Table 1, reading ({reading}): with experts of other methods",
        f"{what} {rules} {found.setting.episodes} games of each pair in each order of the seats.",
        ("layout", first, "whose"),
        (*found.baselines, last),
        rows,
        (*tables.missing(rows), *chosen, f"Paper: {published.PAPER}, Table 1."),
        *made_by(found, "experts", found.lineup.kitchens, [*found.baselines, *found.ours]),
    )


def _best_seeds(result: Experts) -> str:
    chosen = [
        f"{label} seed {seed}" for label, seed in zip(result.labels, result.best, strict=True) if seed is not None
    ]
    return f"best seeds {', '.join(chosen)}" if chosen else "nobody"


def _keys(row: ExpertRow, heading: str) -> tuple[str, str]:
    return published.SHORT.get(row.kitchen, row.kitchen), row_name(row.ours or tables.HOLE, heading)


def _measured(row: ExpertRow, baselines: Sequence[str], several: bool) -> Row:
    """What was measured; where there are several kitchens, what a number lacks is named with its own."""
    means = [row.cells[label] for label in baselines]
    means += [row.cells[row.ours] if row.ours else Mean(math.nan, math.nan, (COLE,))]
    where = f" in {row.kitchen}" if several else ""
    told = [mean._replace(lacks=tuple(f"{name}{where}" for name in mean.lacks)) for mean in means]
    return Row(("here",), tables.mark_highest([tables.mean_cell(mean) for mean in told]))


def _papers(row: ExpertRow, baselines: Sequence[str]) -> list[Row]:
    """What the paper printed, if it did."""
    labels = [*baselines, row.ours or COLE]
    known = {label: published.table_1(row.kitchen, row.ours, label) for label in labels}
    first = {method_of(label): label for label in reversed(labels) if known[label] is not None}  # each number once
    numbers = [known[label] if first.get(method_of(label)) == label else None for label in labels]
    if all(number is None for number in numbers):
        return []
    cells = [tables.number_cell(number, 2) for number in numbers]
    return [Row(("paper",), tables.mark_highest(cells), soft=True)]


def experts_iqm_table(found: Comparison) -> Table | None:
    """Reading (b) once more: interquartile means with intervals, by kitchen and over all; None for one who is alone."""
    over_all = _divisors(found) if len(found.experts) > 1 else None
    kitchens, among = found.lineup.kitchens, [*found.baselines, *found.ours]
    groups = [(one, [*found.baselines, *([one] if one else [])]) for one in found.ours or [None]]
    rows = [
        Row((one or tables.HOLE, label), _iqm_cells(found, label, group, over_all))
        for one, group in groups
        for label in group
        if len(group) > 1
    ]
    if not rows:
        return None
    together = f" All: kitchens divided by {over_all.words}, then together." if over_all else ""
    return Table(
        "experts-iqm",
        "With experts: interquartile means",
        f"Reading (b) by seed. {IQM}; whoever lacks an own seed, or a whole method among its partners, is a hole. "
        f"Higher is better.{together}",
        ("group of", "method"),
        (*map(kitchen_title, kitchens), *(["all"] if over_all else [])),
        rows,
        (*tables.missing(rows), *(different_recipes(found, among, kitchens) if over_all else ())),
        *made_by(found, "experts", kitchens, among),
    )


def _iqm_cells(found: Comparison, label: str, group: list[str], divided: Divisors | None) -> list[Cell]:
    """Of each kitchen, and with divisors also of all."""
    kitchens = found.lineup.kitchens
    scores = experts.scores(found.experts, label, group)  # [R, K]
    cells = [
        tables.iqm_cell(stats.summary(column[:, None]), lacks=lacks_of(found, group, [kitchen]))
        for column, kitchen in zip(scores.T, kitchens, strict=True)
    ]
    if divided:
        parts = stats.summary(stats.normalised(scores, divided.by))
        less = proxy.divisors_lack(found.lineup, found.with_proxy, divided)
        lacks = tuple(dict.fromkeys((*lacks_of(found, group, kitchens), *less)))
        cells.append(tables.iqm_cell(parts, 3, lacks))
    return cells


def _divisors(found: Comparison) -> Divisors | None:
    """What scores with experts are divided by before kitchens are put together: that of the proxy's tables."""
    if len(found.with_proxy) < len(found.experts):
        return None
    divided = proxy.divisors(found.with_proxy)
    return None if np.isnan(divided.by).any() else divided
