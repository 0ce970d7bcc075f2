"""Protocol 1 of the paper: every method with the human proxy in either seat, and with itself (Figures 4 and 5)."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cole.evaluate import stats
from cole.evaluate.cache import Played
from cole.evaluate.crossplay import Ids
from cole.evaluate.curves import of_run
from cole.evaluate.labels import is_called
from cole.evaluate.lineup import Lineup, Team, all_lacking, player, players_in
from cole.evaluate.pairs import Pair
from cole.evaluate.players import ZOO, Player, find
from cole.evaluate.stats import Mean, Summary, over_seeds

H_PROXY, BEST_RESPONSE = "h_proxy", "best response"


class WithProxy(NamedTuple):
    """What the agents of M methods and R seeds earn with H proxies in one kitchen; NaN where there is no agent."""

    kitchen: str
    labels: list[str]  # [M]
    seeds: list[int]  # [R]
    proxies: list[str]  # [H] names
    by_seat: np.ndarray  # [2, M, R] mean return over proxies and games: the agent in seat 0, then in seat 1
    itself: np.ndarray  # [M, R] mean return with a copy of itself
    best: str | None  # the label of a best response to exactly these proxies


class ProxyRow(NamedTuple):
    """One method, means over its seeds: the bars of Figures 4 and 5."""

    label: str
    seat0: Mean  # the coloured bar
    seat1: Mean  # the hashed bar: seats switched
    both: Mean  # the mean of both, for each seed
    itself: Mean  # the grey bar behind
    br_prox: float  # `both` divided by that of the best response; NaN without one
    br_lacks: tuple[str, ...] = ()  # what it should be made of, too: seeds of its own, and of the best response


class Divisors(NamedTuple):
    """What scores of K kitchens are divided by before their mean is taken."""

    by: np.ndarray  # [K] NaN where there is nothing
    words: str  # the same in words
    labels: list[str | None]  # [K] whose returns they are


class Overall(NamedTuple):
    """What methods earn over all kitchens, each kitchen divided before."""

    divided: Divisors
    less: tuple[str, ...]  # what the divisors lack
    earned: dict[str, Summary]  # by label
    lacks: dict[str, tuple[str, ...]]  # by label; what the divisors lack is lacking in all


def proxies_of(kitchen: str, wanted: str = H_PROXY) -> list[Player]:
    """The human proxies of a kitchen: those of the zoo, or whoever is wanted; none where the zoo has none."""
    if wanted == H_PROXY and kitchen not in {place.parent.name for place in ZOO.glob(f"*/{H_PROXY}")}:
        return []
    return find([wanted], kitchen)


def wanted_pairs(lineup: Lineup, kitchen: str, proxies: Sequence[Player]) -> list[Pair]:
    """What has to be played: each agent with itself, and with every proxy in both seats."""
    agents = players_in(lineup, kitchen)
    first = [(agent, proxy) for agent in agents for proxy in proxies]
    return [*((agent, agent) for agent in agents), *first, *((proxy, agent) for agent, proxy in first)]


def with_proxy(lineup: Lineup, kitchen: str, proxies: Sequence[Player], found: dict[Ids, Played]) -> WithProxy:
    """The figures of one kitchen, from the games of `wanted_pairs`."""

    def mean(pairs: list[Ids]) -> float:
        return float(np.mean([found[ids].returns.mean(dtype=np.float64) for ids in pairs]))

    def earned(label: str, seed: int) -> tuple[float, float, float]:
        agent = player(lineup, kitchen, label, seed)
        if agent is None:
            return np.nan, np.nan, np.nan
        mine, theirs = agent.identity, [proxy.identity for proxy in proxies]
        return mean([(mine, one) for one in theirs]), mean([(one, mine) for one in theirs]), mean([(mine, mine)])

    each = np.array([[earned(label, seed) for seed in lineup.seeds] for label in lineup.labels])  # [M, R, 3]
    names, best = [proxy.name for proxy in proxies], best_response(lineup, kitchen, proxies)
    by_seat = np.moveaxis(each[..., :2], -1, 0)
    return WithProxy(kitchen, lineup.labels, lineup.seeds, names, by_seat, each[..., 2], best)


def rows(result: WithProxy) -> list[ProxyRow]:
    """A row for each method; seeds that are missing are named in its numbers."""
    both = result.by_seat.mean(axis=0)
    divisor, lacks = np.array([best_return(result)]), best_lacks(result)

    def row(m: int, label: str) -> ProxyRow:
        each = (result.by_seat[0, m], result.by_seat[1, m], both[m], result.itself[m])
        seat0, seat1, mean, itself = (over_seeds(values, result.seeds, label) for values in each)
        near = float(stats.br_prox(np.array([mean.mean]), divisor)[0])
        all_lacks = tuple(dict.fromkeys((*mean.lacks, *lacks))) if result.best else ()
        return ProxyRow(label, seat0, seat1, mean, itself, near, all_lacks)

    return [row(m, label) for m, label in enumerate(result.labels)]


def scores(results: Sequence[WithProxy], label: str) -> np.ndarray:
    """[R, K]: what a method earns in each kitchen, mean of both seats, by seed."""
    return np.stack([one.by_seat.mean(axis=0)[one.labels.index(label)] for one in results], axis=-1)


def best_return(result: WithProxy) -> float:
    """What the best response earns, in both seats, over the seeds it has; NaN without one."""
    return _mean_of(result.by_seat[:, result.labels.index(result.best)]) if result.best else np.nan


def best_lacks(result: WithProxy) -> tuple[str, ...]:
    """Seeds that the best response lacks; nothing without one."""
    if result.best is None:
        return ()
    both = result.by_seat.mean(axis=0)[result.labels.index(result.best)]
    return over_seeds(both, result.seeds, result.best).lacks


def divisors(results: Sequence[WithProxy]) -> Divisors:
    """What the best response earns, if every kitchen has one; else what self-play earns with itself.

    Each over the seeds it has: whatever is divided by it lacks what it lacks.
    """
    if all(result.best for result in results):
        by = np.array([best_return(result) for result in results])
        return Divisors(by, "what the best response earns", [result.best for result in results])
    label = next((label for label in results[0].labels if is_called(label, "SP")), None)
    own = [_mean_of(one.itself[one.labels.index(label)]) if label else np.nan for one in results]
    return Divisors(np.array(own), f"what {label} earns with itself", [label] * len(results))


def divisors_lack(lineup: Lineup, results: Sequence[WithProxy], found: Divisors) -> tuple[str, ...]:
    """What the divisors of these kitchens are not a mean of, and should be."""
    each = zip(results, found.labels, strict=True)
    every = [name for one, label in each if label for name in all_lacking(lineup, [label], [one.kitchen])]
    return tuple(dict.fromkeys(every))


def overall(lineup: Lineup, results: Sequence[WithProxy]) -> Overall | None:
    """All kitchens together; None for a single one, or if there is nothing to divide by."""
    if len(results) < 2 or np.isnan((divided := divisors(results)).by).any():
        return None
    kitchens, less = [one.kitchen for one in results], divisors_lack(lineup, results, divided)
    earned = {x: stats.summary(stats.normalised(scores(results, x), divided.by)) for x in lineup.labels}
    lacks = {x: tuple(dict.fromkeys((*all_lacking(lineup, [x], kitchens), *less))) for x in lineup.labels}
    return Overall(divided, less, earned, lacks)


def best_response(lineup: Lineup, kitchen: str, proxies: Sequence[Player]) -> str | None:
    """The label of a team that was trained to respond to exactly these proxies."""
    theirs = {proxy.identity for proxy in proxies}

    def responds(one: Player) -> bool:
        partners = one.agent.card.training.get("partners", []) if one.agent else []
        return {str(partner).split(" ")[-1] for partner in partners} == theirs

    for label in lineup.labels:
        team = lineup.teams.get((kitchen, label))
        if team and team.players and is_called(label, BEST_RESPONSE) and all(map(responds, team.players.values())):
            return label
    return None


def still_learning(team: Team) -> list[int]:
    """Seeds whose learning curve had not reached its plateau (`stats.plateau`), or of which no log says so."""
    logs = [of_run(Path(source), sys.maxsize) for source in team.source.splitlines()]
    reached = {seed for log in logs for seed, (_, returns) in log.items() if stats.plateau(returns)}
    return [seed for seed in team.players if seed not in reached]


def _mean_of(values: np.ndarray) -> float:
    """Of what is there."""
    return stats.mean_and_error(values[~np.isnan(values)])[0]
