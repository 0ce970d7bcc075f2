"""Tables of Protocol 1, the human proxy; how likely ours are better; and what the best and the worst pair did."""

import shlex
from collections.abc import Sequence

from cole.evaluate import proxy, stats
from cole.evaluate.proxy import WithProxy
from cole.evaluate.stats import Mean
from cole.report import published, tables
from cole.report.comparison import Chances, Comparison, Pairing, file_names, kitchen_title
from cole.report.origins import HIGHER, IQM, SEEDS, different_recipes, lacks_of, made_by
from cole.report.tables import Cell, Row, Table

ALL = "all"  # what the table of all kitchens is called instead of a kitchen


def proxy_table(found: Comparison, result: WithProxy) -> Table:
    """One kitchen of Protocol 1, beside what was published."""
    kitchen = result.kitchen
    with_best = result.best is not None
    rows = []
    for m, row in enumerate(proxy.rows(result)):
        each = result.by_seat[:, m].mean(axis=0)[:, None]
        numbers = [*map(tables.mean_cell, (row.seat0, row.seat1, row.both))]
        numbers += [tables.iqm_cell(stats.summary(each), lacks=row.both.lacks), tables.mean_cell(row.itself)]
        numbers += [tables.number_cell(row.br_prox, 2, row.br_lacks)] if with_best else []
        rows.append(Row((row.label,), numbers))
    marked = tables.mark_columns(rows, range(3))
    columns = ("seat 0", "seat 1", "both seats", "both, IQM", "with itself", *(["BR-Prox"] if with_best else []))
    notes = (*tables.missing(rows), *best_notes(found, result), *people(kitchen))
    about = (
        f"{len(result.proxies)} human proxies, {found.proxy_setting.episodes} games with each in each seat; {SEEDS}; "
        f"{IQM}. {HIGHER}"
    )
    return Table(
        f"proxy-{file_names(found.lineup.kitchens, [ALL])[kitchen]}",
        f"{kitchen_title(kitchen)}: with the human proxy",
        about,
        ("method",),
        columns,
        beside_published(kitchen, marked, len(columns)),
        notes,
        *made_by(found, "proxy", [kitchen], result.labels),
    )


def beside_published(kitchen: str, rows: Sequence[Row], width: int) -> list[Row]:
    """After each row what was published of that method, if anything."""
    both = []
    for row in rows:
        both.append(row)
        if known := published.with_h_proxy(kitchen, row.keys[0]):
            mean = (known.seat0 + known.seat1) / 2
            numbers = [known.seat0, known.seat1, mean, None, known.itself, None][:width]
            cells = [tables.number_cell(number) for number in numbers]
            both.append(Row((f"{row.keys[0]} (published)",), cells, soft=True))
    return both


def people(kitchen: str) -> tuple[str, ...]:
    """What was published of people and of the proxy alone."""
    if kitchen not in published.PEOPLE:
        return ()
    pairs = f"two people earned {published.PEOPLE[kitchen]}, two proxies {published.H_PROXY_ITSELF[kitchen]}"
    return (f"Published: {published.CARROLL}, one proxy of theirs; there {pairs}.",)


def best_notes(found: Comparison, result: WithProxy) -> tuple[str, ...]:
    """What BR-Prox is divided by, and whether that was still learning."""
    if result.best is None:
        return ()
    lacks = proxy.best_lacks(result)
    without = f" without {tables.listed(lacks)}" if lacks else ""
    earns = f"{result.best} earns{without}, {proxy.best_return(result):.1f}"
    divisor = f"BR-Prox: both seats divided by what {earns}; not clipped."
    seeds = found.still_learning.get(result.kitchen, [])
    late = f"It had not reached its plateau with seed {', '.join(map(str, seeds))}: above 1 is possible."
    return (f"{divisor} {late}" if seeds else divisor,)


def overall_table(found: Comparison) -> Table | None:
    """Protocol 1 over all its kitchens, in parts of a stated number of each; None for one kitchen, or without it."""
    whole = proxy.overall(found.lineup, found.with_proxy)
    if whole is None:
        return None
    by, words, _ = whole.divided
    kitchens, less, rows = [one.kitchen for one in found.with_proxy], whole.less, []
    for label, one in whole.earned.items():
        mean = Mean(one.mean, one.error, whole.lacks[label])
        rows.append(Row((label,), [tables.mean_cell(mean, 3), tables.iqm_cell(one, 3, mean.lacks)]))
    divisors = ", ".join(f"{number:.1f} in {kitchen}" for kitchen, number in zip(kitchens, by, strict=True))
    without = f", without {tables.listed(less)}" if less else ""
    return Table(
        f"proxy-{ALL}",
        "All kitchens: with the human proxy",
        f"Both seats, each kitchen divided by {words}, then averaged; a method that lacks a seed anywhere is a hole; "
        f"{SEEDS}; {IQM}. {HIGHER}",
        ("method",),
        ("mean", "IQM"),
        tables.mark_columns(rows, range(2)),
        (
            *tables.missing(rows),
            f"Divided by {words}: {divisors}{without}.",
            *different_recipes(found, found.lineup.labels, kitchens),
        ),
        *made_by(found, "proxy", kitchens, found.lineup.labels),
    )


def improvement_table(found: Comparison, chances: Chances, protocol: str, kitchens: Sequence[str]) -> Table | None:
    """How likely a seed of ours earns more than a seed of another method; None if there is nobody to compare."""
    if not chances:
        return None
    rows = []
    for (one, other), each in chances.items():
        who = (one, other) if protocol == "proxy" else (*found.baselines, one)
        where = [*([kitchen] for kitchen in kitchens), kitchens]
        cells = [
            tables.chance_cell(chance, lacks_of(found, who, place)) for chance, place in zip(each, where, strict=True)
        ]
        rows.append(Row((one, other), cells if len(kitchens) > 1 else cells[:1]))
    labels = list(dict.fromkeys(label for pair in chances for label in pair))
    with_whom = {"proxy": "the human proxy", "experts": "experts, reading (b)"}[protocol]
    return Table(
        f"improvement-{protocol}",
        f"With {with_whom}: probability of improvement",
        "How likely a seed of the first earns more than a seed of the second; equal ones count half. Above 0.5 the "
        "first is better. * decided: p < .05 by an exact permutation test of seeds. In brackets a 95 % bootstrap "
        "interval over seeds, which is too narrow where seeds are few.",
        ("better", "than"),
        (*map(kitchen_title, kitchens), *(["all"] if len(kitchens) > 1 else [])),
        rows,
        (*tables.missing(rows), *different_recipes(found, labels, kitchens)),
        *made_by(found, protocol, kitchens, labels),
    )


def behaviour_table(found: Comparison, pairings: Sequence[Pairing]) -> Table:
    """Who did what in the best and the worst pairing of each kitchen."""
    rows = []
    for pairing in pairings:
        done = pairing.done
        for seat in range(len(done.potted)):
            deeds = [tables.number_cell(float(each[seat])) for each in (done.potted, done.plated, done.served)]
            times = [_share(float(each[seat])) for each in (done.idle, done.blocked)]
            team = [tables.number_cell(done.longest), tables.number_cell(done.returns)] if seat == 0 else [Cell("")] * 2
            name = pairing.names[min(seat, 1)]
            rows.append(
                Row((kitchen_title(pairing.kitchen), pairing.which, f"{seat}: {name}"), [*deeds, *times, *team])
            )
    return Table(
        "behaviour",
        "Who did what",
        f"Onions potted, soups plated and served in a game; shares of the steps idle and blocked; steps of a game's "
        f"longest block; means over {found.setting.episodes} games. Blocked: would have walked on, and another was in "
        "the way. A block of 73 steps is the 11 seconds of the paper's trajectory appendix.",
        ("kitchen", "pairing", "seat"),
        ("potted", "plated", "served", "idle", "blocked", "longest block", "return"),
        rows,
        (),
        tuple(dict.fromkeys(blocks_command(found, one) for one in pairings)),
    )


def blocks_command(found: Comparison, one: Pairing) -> str:
    """What shows where they block each other."""
    setting = ["--episodes", str(found.setting.episodes), "--seed", str(found.setting.seed)]
    return shlex.join(["cole", "evaluate", "blocks", *one.folders, *setting])


def _share(share: float) -> Cell:
    return Cell(f"{100 * share:.0f} %", share)
