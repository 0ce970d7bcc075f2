"""Everything a report is made of, and where each of its numbers comes from."""

import re
import shlex
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

import numpy as np

from cole.evaluate.behaviour import Summary
from cole.evaluate.crossplay import CrossPlay
from cole.evaluate.curves import Curve
from cole.evaluate.experts import Experts
from cole.evaluate.lineup import Lineup
from cole.evaluate.pairs import Setting
from cole.evaluate.proxy import WithProxy
from cole.evaluate.stats import Improvement

LONGEST = 50  # letters of a name that become part of a file's

Chances = dict[tuple[str, str], list[Improvement]]  # (one, other) -> in each kitchen, then over all


class Matrix(NamedTuple):
    """Everybody with everybody in one kitchen; n agents."""

    kitchen: str
    labels: list[str]  # [n] the method of each; those of one stand together
    seeds: list[int]  # [n]
    played: CrossPlay


class Pairing(NamedTuple):
    """Two agents whose games are looked at."""

    kitchen: str
    which: str  # "best" or "worst"
    names: tuple[str, str]  # who sits in seat 0, and who in all others: "SP seed 3"
    folders: tuple[str, str]  # where their agents lie
    done: Summary
    game: int  # the one that is shown
    earned: float  # in that game
    film: str  # it as a page
    ratio: float  # of the kitchen: width to height


class Process(NamedTuple):
    """How a run went: what `cole analyze` drew of it."""

    kitchen: str
    label: str
    command: str
    words: str  # how often the newest was preferred
    figures: dict[str, bytes]  # SVG by name


class Comparison(NamedTuple):
    """All that was measured. K kitchens."""

    title: str
    folders: list[str]  # as the user named them
    options: dict[str, list[str]]  # by protocol: what else has to be said to `cole evaluate`
    lineup: Lineup
    with_proxy: list[WithProxy]  # of the kitchens that have proxies
    proxy_setting: Setting
    proxy_chances: Chances
    experts: list[Experts]  # [K]
    baselines: list[str]
    ours: list[str]  # who is held against them
    setting: Setting  # of the experts, and of everybody with everybody
    expert_chances: Chances
    matrices: list[Matrix]  # [K]
    pairings: list[Pairing]
    curves: list[Curve]
    processes: list[Process]
    still_learning: dict[str, list[int]]  # kitchen -> seeds of the best response without a plateau


def command(found: Comparison, protocol: str) -> str:
    """What makes the numbers of a protocol again."""
    setting = found.proxy_setting if protocol == "proxy" else found.setting
    words = ["cole", "evaluate", protocol, *found.folders, *found.options[protocol]]
    return shlex.join([*words, "--episodes", str(setting.episodes), "--seed", str(setting.seed)])


def sources(lineup: Lineup) -> dict[str, int]:
    """Every run, or folder of agents, and its number in the list at the end: kitchen after kitchen, as in tables."""
    teams = [lineup.teams.get((kitchen, label)) for kitchen in lineup.kitchens for label in lineup.labels]
    every = [source for team in teams if team for source in team.source.splitlines()]
    return {source: number for number, source in enumerate(dict.fromkeys(every), 1)}


def runs_of(lineup: Lineup, kitchens: Sequence[str], labels: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Of each of these methods the folders of its runs in these kitchens; missing methods are left out."""
    found = []
    for label in labels:
        teams = [lineup.teams[kitchen, label] for kitchen in kitchens if (kitchen, label) in lineup.teams]
        mine = tuple(dict.fromkeys(source for team in teams for source in team.source.splitlines()))
        found += [(label, mine)] if mine else []
    return tuple(found)


def folded(label: str, width: int = 11) -> str:
    """A label in a figure: a line for each word, long ones cut short."""
    words = [word if len(word) <= width else f"{word[: width - 1]}\N{HORIZONTAL ELLIPSIS}" for word in label.split(" ")]
    return "\n".join(words)


def file_names(words: Sequence[str], taken: Sequence[str] = ()) -> dict[str, str]:
    """What each is called in names of files: letters, digits, `_`, `.` and `-` alone, and no two the same.

    Names that differ in small and capital letters alone would be the same on some machines, so they get a number.
    """
    names: dict[str, str] = {}
    used = {name.casefold() for name in taken}
    for word in dict.fromkeys(words):
        name = re.sub(r"[^\w.-]+", "_", word)[:LONGEST]
        name = name if name.strip(".") else "_"
        names[word] = next(one for n in count(1) if (one := name if n == 1 else f"{name}-{n}").casefold() not in used)
        used.add(names[word].casefold())
    return names


def kitchen_title(kitchen: str) -> str:
    """`Cramped Room`."""
    return kitchen.replace("_", " ").title()


def extremes(means: np.ndarray, labels: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Where the best and the worst pair of means [n, n] stand: of different methods, if there are two.

    Of one method alone: of different agents, if there are two. Of equal pairs the first is best, the last is worst.
    """
    n = len(labels)
    every = [(i, j) for i in range(n) for j in range(n)]
    others = [(i, j) for i, j in every if labels[i] != labels[j]] or [(i, j) for i, j in every if i != j] or every
    return {"best": max(others, key=lambda at: means[at]), "worst": min(others[::-1], key=lambda at: means[at])}


def typical(returns: np.ndarray) -> int:
    """The game whose return is nearest to the mean, the first of equals."""
    returns = np.asarray(returns, np.float64)
    return int(np.argmin(np.abs(returns - returns.mean())))
