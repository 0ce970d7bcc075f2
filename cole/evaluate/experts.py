"""Protocol 2 of the paper: every method with the experts that other methods made (Table 1), in two readings.

(a) The best seed of each, as the text has it ("we selected the best models"). (b) All seeds with all seeds; this
reading decides. In both a pair plays in both orders of the seats, nobody plays with an agent of its own method, and
each method counts once among the partners, however many seeds it has.
"""

import shlex
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from cole.errors import UserError
from cole.evaluate.cache import Played
from cole.evaluate.crossplay import Ids
from cole.evaluate.labels import BASELINES, OURS, is_called
from cole.evaluate.lineup import Lineup, lacking, player
from cole.evaluate.pairs import Pair
from cole.evaluate.players import Player
from cole.evaluate.stats import Mean, mean_and_error

# In arrays below the first pair of letters is who sits in seat 0, the second who sits in all others.


class Experts(NamedTuple):
    """What the agents of M methods and R seeds earn with each other in one kitchen; NaN where one is missing."""

    kitchen: str
    labels: list[str]  # [M] the baselines, then ours; also those that are missing here
    seeds: list[int]  # [R]
    returns: np.ndarray  # [M, R, M, R] mean return of each ordered pair; NaN of those who do not meet
    errors: np.ndarray  # [M, R, M, R] its standard error over games; NaN for a single game
    best: list[int | None]  # [M] the seed that earns most with the others of its own method
    lacks: list[tuple[str, ...]]  # [M] what each method lacks here: itself, or some seeds


class ExpertRow(NamedTuple):
    """A row of Table 1: the baselines and one of ours, each with all others of these."""

    kitchen: str
    ours: str | None  # the label of the last column; None if there is none of ours at all
    cells: dict[str, Mean]  # by label: the baselines in their order, then that one of ours


Cell = Callable[[Experts, int, list[int]], Mean]  # (figures, place of a method, places of its partners) -> its number


def baselines_of(lineup: Lineup, wanted: Sequence[str] = BASELINES) -> list[str]:
    """Labels of the experts beside ours: one for each of these methods or labels; of a missing one its name."""
    return list(dict.fromkeys(_baseline(lineup, method, wanted) for method in wanted))


def _baseline(lineup: Lineup, method: str, wanted: Sequence[str]) -> str:
    """The only label of a method; of several, which may be trained in any way, the user must choose."""
    if method in lineup.labels:
        return method
    found = [label for label in lineup.labels if is_called(label, method)]
    finished = {label for (_, label), team in lineup.teams.items() if team.players}
    found = [label for label in found if label in finished] or found
    if len(found) > 1:
        named = [found[0] if one == method else one for one in wanted]
        several = ", ".join(f'"{label}"' for label in found)
        raise UserError(f"there are several {method}, {several}: name one, as in --baselines {shlex.join(named)}")
    return found[0] if found else method


def ours_of(lineup: Lineup, baselines: Sequence[str], wanted: Sequence[str] = OURS) -> list[str]:
    """Labels of those who are held against the baselines: these methods, COLE with each ratio.

    Whom a user named must be there; COLE, if nobody was named, may be missing, which leaves a hole.
    """
    if not wanted:
        raise UserError("--ours needs a method")
    chosen: list[str] = []
    named = tuple(wanted) != OURS
    for method in wanted:
        found = [label for label in lineup.labels if is_called(label, method)]
        others = [label for label in found if label not in baselines]
        if not found and named:
            raise UserError(f"--ours {method}: there are agents of {'; '.join(lineup.labels)}")
        if found and not others and named:
            rest = shlex.join(label for label in baselines if label not in found)
            raise UserError(f"--ours {method}: it is among the baselines; name the others, as in --baselines {rest}")
        chosen += others
    return [label for label in lineup.labels if label in chosen]


def meet(one: str, other: str, baselines: Sequence[str]) -> bool:
    """Whether agents of two methods play together: in a row of Table 1 there is only one of ours."""
    return one == other or one in baselines or other in baselines


def wanted_pairs(lineup: Lineup, kitchen: str, baselines: Sequence[str], ours: Sequence[str]) -> list[Pair]:
    """What has to be played for both readings: all who meet, in both orders."""
    teams = [lineup.teams[kitchen, label] for label in (*baselines, *ours) if (kitchen, label) in lineup.teams]
    agents = [(team.label, one) for team in teams for one in team.players.values()]
    return [(a, b) for x, a in agents for y, b in agents if a is not b and meet(x, y, baselines)]


def with_experts(
    lineup: Lineup, kitchen: str, baselines: Sequence[str], ours: Sequence[str], found: dict[Ids, Played]
) -> Experts:
    """The figures of one kitchen, from the games of `wanted_pairs`."""
    labels = [*baselines, *ours]
    every = [(label, player(lineup, kitchen, label, seed)) for label in labels for seed in lineup.seeds]
    each = np.array(
        [[_earned(a, b, found) if meet(x, y, baselines) else (np.nan, np.nan) for y, b in every] for x, a in every]
    )  # [M R, M R, 2]
    M, R = len(labels), len(lineup.seeds)
    returns, errors = np.moveaxis(each, -1, 0).reshape(2, M, R, M, R)
    there = np.array([one is not None for _, one in every]).reshape(M, R)
    best = [None if at is None else lineup.seeds[at] for at in best_places(returns, there)]
    lacks = [lacking(lineup, kitchen, label) for label in labels]
    return Experts(kitchen, labels, lineup.seeds, returns, errors, best, lacks)


def best_places(returns: np.ndarray, there: np.ndarray) -> list[int | None]:
    """[M] of each method in returns [M, R, M, R] the seed (as a place) with the highest mean with its other seeds.

    It never looks at other methods, which are the test. Of equal ones the first, as two seeds always are; a single seed
    is the best; of a method that is not `there` [M, R] none is.
    """
    both = _both_seats(returns)
    with_own = [np.nan_to_num(_nanmean(both[m, :, m])) for m in range(len(both))]
    ranked = [np.where(is_there, own, -np.inf) for is_there, own in zip(there, with_own, strict=True)]
    return [int(np.argmax(own)) if there[m].any() else None for m, own in enumerate(ranked)]


def by_partner(result: Experts) -> np.ndarray:
    """[M, R, M]: what each agent earns with each method, in both seats, mean over that method's seeds that are there.

    NaN with its own method.
    """
    table = _nanmean(_both_seats(result.returns))
    M = len(result.labels)
    table[np.arange(M), :, np.arange(M)] = np.nan
    return table


def table_a(result: Experts, baselines: Sequence[str]) -> list[ExpertRow]:
    """Reading (a): the best seed of each. Standard errors are over games: there is one agent of each method."""
    return [_row(result, baselines, ours, _cell_a) for ours in _ours(result, baselines)]


def table_b(result: Experts, baselines: Sequence[str]) -> list[ExpertRow]:
    """Reading (b): all seeds with all seeds. Standard errors are over the seeds of the method itself."""
    return [_row(result, baselines, ours, _cell_b) for ours in _ours(result, baselines)]


def scores(results: Sequence[Experts], label: str, others: Sequence[str]) -> np.ndarray:
    """[R, K]: what a method earns in each kitchen with all these others, by seed; NaN where one of them is missing."""
    columns = []
    for one in results:
        partners = [one.labels.index(other) for other in others if other != label]
        columns.append(by_partner(one)[one.labels.index(label)][:, partners].mean(axis=-1))
    return np.stack(columns, axis=-1)


def _ours(result: Experts, baselines: Sequence[str]) -> list[str | None]:
    return [label for label in result.labels if label not in baselines] or [None]


def _row(result: Experts, baselines: Sequence[str], ours: str | None, cell: Cell) -> ExpertRow:
    group = [*baselines, *([ours] if ours else [])]
    places = [result.labels.index(label) for label in group]
    cells = {label: cell(result, m, [j for j in places if j != m]) for label, m in zip(group, places, strict=True)}
    return ExpertRow(result.kitchen, ours, cells)


def _cell_a(result: Experts, m: int, partners: list[int]) -> Mean:
    place = {j: result.seeds.index(seed) for j in [m, *partners] if (seed := result.best[j]) is not None}
    there = [j for j in partners if j in place and m in place]
    games = [(m, place[m], j, place[j]) for j in there] + [(j, place[j], m, place[m]) for j in there]
    if not games:
        return Mean(np.nan, np.nan, _lacks(result, m, partners))
    returns, errors = (np.array([each[pair] for pair in games]) for each in (result.returns, result.errors))
    return Mean(float(returns.mean()), float(np.sum(errors**2) ** 0.5 / len(games)), _lacks(result, m, partners))


def _cell_b(result: Experts, m: int, partners: list[int]) -> Mean:
    by_seed = _nanmean(by_partner(result)[m][:, partners])  # [R]
    return Mean(*mean_and_error(by_seed[~np.isnan(by_seed)]), _lacks(result, m, partners))


def _lacks(result: Experts, m: int, partners: list[int]) -> tuple[str, ...]:
    """What a mean over partners should have and has not; of a method that is missing, itself alone."""
    if result.best[m] is None:
        return result.lacks[m]
    return (*result.lacks[m], *(name for j in partners for name in result.lacks[j]))


def _earned(first: Player | None, second: Player | None, found: dict[Ids, Played]) -> tuple[float, float]:
    """Mean and standard error of a pair's games; NaN for a hole, and for an agent with itself."""
    if first is None or second is None or first is second:
        return np.nan, np.nan
    returns = np.asarray(found[first.identity, second.identity].returns, np.float64)
    error = returns.std(ddof=1) / len(returns) ** 0.5 if len(returns) > 1 else np.nan
    return float(returns.mean()), float(error)


def _both_seats(returns: np.ndarray) -> np.ndarray:
    """[M, R, M, R] mean of both orders."""
    return (returns + returns.transpose(2, 3, 0, 1)) / 2


def _nanmean(values: np.ndarray) -> np.ndarray:
    """Over the last axis, of what is there; NaN where nothing is."""
    there = ~np.isnan(values)
    count = there.sum(-1)
    return np.where(count > 0, np.where(there, values, 0).sum(-1) / np.maximum(count, 1), np.nan)
