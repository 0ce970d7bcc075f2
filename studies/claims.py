"""The paper's claims beside what was measured: a Markdown table of claim, our figure with its interval, and verdict.

From the files that `cole evaluate` or `cole report` leave (its folder `games`), from those of `cole analyze`, and from
games that the agents of some folders play for it (`blocks.py`).
Chances are those that a seed of one earns more than a seed of the other, with 95 % bootstrap intervals: a claim holds
or does not if an exact permutation test has p < .05, and is undecided else. What was not measured is left out. Where a
method was trained by several recipes, its `paper` is meant.

    python studies/claims.py report/games --analyses runs/*/cole/paper-1to3/analysis --agents runs
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import blocks
import numpy as np

from cole.cli import prepare_jax
from cole.evaluate import experts, stats
from cole.evaluate.experts import Experts
from cole.evaluate.labels import BASELINES
from cole.evaluate.lineup import gather
from cole.evaluate.pairs import Setting
from cole.evaluate.proxy import WithProxy
from cole.report.evaluation import load_both
from cole.report.published import RATIOS, TABLE_1

ONE_TO_THREE, NONE_TO_FOUR = "COLE 1:3", "COLE 0:4"
GOOD_FOR_1_TO_3 = ("cramped_room", "coordination_ring", "counter_circuit")
GOOD_FOR_0_TO_4 = ("asymmetric_advantages", "forced_coordination")
OURS = (NONE_TO_FOUR, ONE_TO_THREE)  # of the paper's comparisons with baselines
LOPSIDED = "asymmetric_advantages"
LOPSIDED_CLAIM = {
    True: "a baseline's poor seat earns a third of its good one (below one half)",
    False: "COLE does well in both seats (the poor one earns above one half of the good one)",
}


class Row(NamedTuple):
    """A claim in one kitchen."""

    claim: str
    kitchen: str
    figure: str
    verdict: str


class Measured(NamedTuple):
    """By kitchen."""

    proxy: dict[str, WithProxy]
    experts: dict[str, Experts]


def read(folder: Path) -> Measured:
    """What was evaluated, as arrays again."""
    figures = {name: found for facts in load_both(folder).values() for name, found in facts["figures"].items()}
    with_proxy = [WithProxy(**_arrays(one, WithProxy._fields)) for one in figures.get("with_proxy", [])]
    with_experts = [Experts(**_arrays(one, Experts._fields)) for one in figures.get("experts", [])]
    return Measured({one.kitchen: one for one in with_proxy}, {one.kitchen: one for one in with_experts})


def _arrays(record: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    """Nested lists as arrays, with NaN for what is null; and the paper's methods by their plain names."""
    numbers = ("by_seat", "itself", "returns", "errors")
    found = {name: np.array(record[name], float) if name in numbers else record[name] for name in fields}
    return found | {"labels": [plain(label, record["labels"]) for label in record["labels"]]}


def plain(label: str, labels: Sequence[str]) -> str:
    """`COLE 1:3` of `COLE 1:3, paper`, unless another one is called that: what the claims are about."""
    short = label.removesuffix(", paper")
    return label if short in labels else short


def verdict(found: stats.Improvement) -> str:
    if not found.decided():
        return "undecided"
    return "holds" if found.chance > 0.5 else "does not hold"


def compared(claim: str, kitchen: str, one: tuple[str, np.ndarray], other: tuple[str, np.ndarray]) -> Row:
    """Whether seeds of one earn more than those of the other."""
    (name, x), (other_name, y) = ((label, scores[~np.isnan(scores)]) for label, scores in (one, other))
    chance = stats.probability_of_improvement(x[:, None], y[:, None])
    means = f"{name} {x.mean():.1f}, {other_name} {y.mean():.1f}"
    return Row(claim, kitchen, f"{means}: {chance.chance:.2f} [{chance.low:.2f}, {chance.high:.2f}]", verdict(chance))


def by_label(one: WithProxy | Experts, scores: np.ndarray, wanted: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Scores [M, R] of those of the wanted methods that are there."""
    there = [label for label in wanted if label in one.labels]
    found = {label: scores[one.labels.index(label)] for label in there}
    return {label: each for label, each in found.items() if not np.isnan(each).all()}


def ratios(measured: Measured) -> Iterator[Row]:
    """Figure 4 and 5: which ratio is best with the human proxy, and which with itself."""
    for kitchen, one in measured.proxy.items():
        found = by_label(one, one.by_seat.mean(axis=0), RATIOS)
        others = [item for item in found.items() if item[0] != ONE_TO_THREE]
        if kitchen in GOOD_FOR_1_TO_3 and ONE_TO_THREE in found and others:
            best = max(others, key=lambda item: np.nanmean(item[1]))
            yield compared("1:3 is the best ratio with the proxy", kitchen, (ONE_TO_THREE, found[ONE_TO_THREE]), best)
        if kitchen in GOOD_FOR_0_TO_4 and {ONE_TO_THREE, NONE_TO_FOUR} <= found.keys():
            pair = ((label, found[label]) for label in (NONE_TO_FOUR, ONE_TO_THREE))
            yield compared("0:4 is better than 1:3 with the proxy", kitchen, *pair)
    for kitchen, one in measured.proxy.items():
        own = by_label(one, one.itself, (*BASELINES, ONE_TO_THREE, NONE_TO_FOUR))
        for label in own.keys() - {NONE_TO_FOUR} if NONE_TO_FOUR in own else ():
            pair = ((label, own[label]), (NONE_TO_FOUR, own[NONE_TO_FOUR]))
            yield compared("0:4 earns less with itself", kitchen, *pair)


def baselines(measured: Measured) -> Iterator[Row]:
    """Figure 5: COLE earns more with the human proxy than every other method, in all kitchens."""
    for kitchen, one in measured.proxy.items():
        found = by_label(one, one.by_seat.mean(axis=0), (*BASELINES, *OURS))
        for mine in (label for label in OURS if label in found):
            for label in (label for label in BASELINES if label in found):
                claim = f"{mine.removeprefix('COLE ')} earns more with the proxy than a baseline"
                yield compared(claim, kitchen, (mine, found[mine]), (label, found[label]))


def seats(measured: Measured) -> Iterator[Row]:
    """In the asymmetric kitchen baselines earn nearly a third in their poor seat, and COLE does well in both."""
    if LOPSIDED not in measured.proxy:
        return
    one = measured.proxy[LOPSIDED]
    first, second = (by_label(one, seat, (*BASELINES, *OURS)) for seat in one.by_seat)
    for label in first:
        shares = np.minimum(first[label], second[label]) / np.maximum(first[label], second[label])
        shares = shares[~np.isnan(shares)]
        found = stats.summary(shares[:, None])
        poor, fair = found.high < 0.5, found.low > 0.5
        holds, fails = (poor, fair) if label in BASELINES else (fair, poor)
        said = "holds" if holds else "does not hold" if fails else "undecided"
        share = f"{label} {found.iqm:.2f} [{found.low:.2f}, {found.high:.2f}]"
        yield Row(LOPSIDED_CLAIM[label in BASELINES], LOPSIDED, share, said)


def table_1(measured: Measured) -> Iterator[Row]:
    """COLE 1:3 with experts: above each baseline and 0:4 but in one kitchen, and beside the printed number."""
    for kitchen, one in measured.experts.items():
        rows = {label: with_experts(one, label) for label in OURS if label in one.labels}
        known = rows.get(ONE_TO_THREE, {})
        if ONE_TO_THREE not in known:
            continue
        for label in [label for label in known if label != ONE_TO_THREE and kitchen != LOPSIDED]:
            pair = ((ONE_TO_THREE, known[ONE_TO_THREE]), (label, known[label]))
            yield compared("1:3 earns more with experts than a baseline", kitchen, *pair)
        if NONE_TO_FOUR in rows.get(NONE_TO_FOUR, {}):
            pair = ((ONE_TO_THREE, known[ONE_TO_THREE]), (NONE_TO_FOUR, rows[NONE_TO_FOUR][NONE_TO_FOUR]))
            yield compared("1:3 earns more with experts than 0:4", kitchen, *pair)
        printed, mine = TABLE_1[kitchen, "1:3"][-1], known[ONE_TO_THREE][~np.isnan(known[ONE_TO_THREE])]
        mean, error = stats.mean_and_error(mine)
        said = "reached" if mean >= printed else "not reached"
        yield Row(f"1:3 earns {printed:.1f} with experts", kitchen, f"{mean:.1f} ± {error:.1f}", said)


def with_experts(one: Experts, ours: str) -> dict[str, np.ndarray]:
    """A row of Table 1 by seed: what each baseline and this COLE earn with all others of the row."""
    group = [label for label in (*BASELINES, ours) if label in one.labels]
    scores = {label: experts.scores([one], label, group)[:, 0] for label in group}
    return {label: each for label, each in scores.items() if not np.isnan(each).all()}


def newest(analyses: list[Path]) -> Iterator[Row]:
    """Figure 6: the newest strategy is preferred by most."""
    for folder in analyses:
        found = json.loads((folder / "analysis.json").read_bytes())
        share, run = found["newest_preferred_by_most"], Path(found["run"])
        said = "holds" if share > 0.5 else "does not hold"
        yield Row("the newest strategy is preferred by most", run.parent.parent.name, f"in {share:.0%} of steps", said)


def long_blocks(agents: list[Path], episodes: int) -> Iterator[Row]:
    """The case study of App. H: 0:4 and an expert block each other, 1:3 does not."""
    if not agents:
        return
    lineup = gather(agents)
    found = list(blocks.found_in(lineup, Setting(episodes)))
    longest = {(one.kitchen, one.expert, plain(one.cole, lineup.labels)): one.longest for one in found}
    for kitchen, expert in dict.fromkeys((one.kitchen, one.expert) for one in found):
        pair = [(label, longest.get((kitchen, expert, label))) for label in (NONE_TO_FOUR, ONE_TO_THREE)]
        known = [(label, steps) for label, steps in pair if steps is not None]
        if len(known) == 2 and any(steps.any() for _, steps in known):  # there are kitchens where nobody can
            yield compared(
                f"0:4 and {expert} block each other for longer than 1:3 and {expert} (steps)", kitchen, *known
            )
    for one in (one for one in found if plain(one.cole, lineup.labels) == ONE_TO_THREE and one.longest.any()):
        share = one.often.mean()
        figure = f"1:3 with {one.expert}: in {share:.0%} of games"
        said = "holds" if share == 0 else "does not hold"
        yield Row(f"1:3 has no block of {blocks.STEP * blocks.LONG:.0f} s with experts", one.kitchen, figure, said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("evaluation", type=Path)
    parser.add_argument("--analyses", type=Path, nargs="*", default=[])
    parser.add_argument("--agents", type=Path, nargs="*", default=[], help="whose blocks are looked at")
    parser.add_argument("--episodes", type=int, default=20, help="games of each pair for that, in each order of seats")
    asked = parser.parse_args()
    prepare_jax()
    measured = read(asked.evaluation)
    claims = [*ratios(measured), *baselines(measured), *seats(measured), *table_1(measured), *newest(asked.analyses)]
    print("| claim | kitchen | here | verdict |\n|---|---|---|---|")
    for row in [*claims, *long_blocks(asked.agents, asked.episodes)]:
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
