"""Everybody with everybody: what each ordered pair of players earns; what has been played before is remembered."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from cole.errors import UserError
from cole.evaluate import cache, pairs
from cole.evaluate.cache import Played
from cole.evaluate.pairs import Setting
from cole.evaluate.players import Player
from cole.kitchen import game, layouts
from cole.kitchen.game import Events
from cole.kitchen.layouts import Layout
from cole.kitchen.trajectory import LARGEST_SEED

EVALUATION = 1  # raised when the rules change, or anything that decides a result: what was played before is then void
AT_ONCE, AT_ONCE_CPU = 16384, 512  # games that fill an accelerator, and a few cores
MOST = 10**6  # games of a pair, or steps of a game
DEFAULT = Setting()

Ids = tuple[str, str]  # the identities of a pair


class CrossPlay(NamedTuple):
    """What n players earned with each other: [i, j] has i in seat 0 and j in all others. E games, S seats."""

    players: list[Player]  # [n]
    layout: Layout
    setting: Setting
    mean: np.ndarray  # [n, n] mean return
    error: np.ndarray  # [n, n] its standard error; infinite for a single game
    returns: np.ndarray  # [n, n, E] float32
    events: Events  # [n, n, S] each: how often in a game, on average
    computed: int  # pairs that were played now: all others were known


def crossplay(players: Sequence[Player], layout: Layout, setting: Setting = DEFAULT, **how: Any) -> CrossPlay:
    """What all players earn with each other, every pair in both orders; the options are those of `play_all`."""
    every = [(first, second) for first in players for second in players]
    found, computed = play_all(every, layout, setting, **how)
    table = [[found[first.identity, second.identity] for second in players] for first in players]
    return gathered(list(players), layout, setting, table, computed)


def play_all(
    wanted: Sequence[pairs.Pair],
    layout: Layout,
    setting: Setting = DEFAULT,
    *,
    at_once: int | None = None,
    known: Path | None = None,
    fresh: bool = False,
    progress: Callable[[int, int], None] = lambda done, games: None,
    tell: Callable[[str], None] = lambda sentence: print(f"cole: {sentence}", file=sys.stderr),
) -> tuple[dict[Ids, Played], int]:
    """Plays what is not known yet, `at_once` so many games, and keeps it in the folder `known` (None: nowhere).

    `fresh` plays everything again. `progress` is called with the games done and those to do. The games of each pair by
    the identities of the two, and how many pairs were played now.
    """
    check(setting, at_once)
    every = {(first.identity, second.identity): (first, second) for first, second in wanted}
    questions = {ids: question(layout, *pair, setting) for ids, pair in every.items()}
    found = {} if fresh or known is None else _known(known, questions, tell)
    missing = [pair for ids, pair in every.items() if ids not in found]
    progress(0, len(missing) * setting.episodes)
    played = pairs.play_pairs(layout, missing, setting, at_once or games_at_once())
    for done, ((first, second), counts) in enumerate(played, 1):
        ids = (first.identity, second.identity)
        found[ids] = as_played(counts)
        known = known and _keep(known, questions[ids], found[ids], tell)
        progress(done * setting.episodes, len(missing) * setting.episodes)
    return found, len(missing)


def as_played(counts: np.ndarray) -> Played:
    """What is kept of counts [E, S, K] of events: the team's sparse reward of every game, and the sums."""
    returns = counts.sum(1) @ np.array(game.SPARSE, np.float32)
    return Played(returns.astype(np.float32), counts.sum(0, dtype=np.int64))


def gathered(
    players: list[Player], layout: Layout, setting: Setting, table: list[list[Played]], computed: int
) -> CrossPlay:
    """The figures of every pair."""
    returns = np.array([[played.returns for played in row] for row in table], np.float32)
    counts = np.array([[played.counts for played in row] for row in table], np.float64)  # [n, n, S, K]
    mean = returns.mean(-1, dtype=np.float64)
    if setting.episodes > 1:
        error = returns.std(-1, ddof=1, dtype=np.float64) / setting.episodes**0.5
    else:
        error = np.full_like(mean, np.inf)
    events = Events._make(np.moveaxis(counts / setting.episodes, -1, 0))
    return CrossPlay(players, layout, setting, mean, error, returns, events, computed)


def with_others(result: CrossPlay) -> np.ndarray:
    """[n] what each earns on average with all others, in both places; NaN for one who is alone."""
    n = len(result.players)
    both = (result.mean + result.mean.T) / 2
    return np.where(n > 1, (both.sum(1) - np.diagonal(both)) / max(n - 1, 1), np.nan)


def with_itself(result: CrossPlay) -> np.ndarray:
    """[n] what each earns with itself."""
    return np.diagonal(result.mean)


def check(setting: Setting, at_once: int | None) -> None:
    """Refuses what cannot be played."""
    for name, value, low, high in (
        ("episodes", setting.episodes, 1, MOST),
        ("seed", setting.seed, 0, LARGEST_SEED),
        ("steps", setting.steps, 1, MOST),
        ("batch", 1 if at_once is None else at_once, 1, MOST),
    ):
        if not low <= value <= high:
            raise UserError(f"{name} must be a whole number from {low} to {high}, not {value}")


def question(layout: Layout, first: Player, second: Player, setting: Setting) -> cache.Question:
    """All that decides the games of a pair."""
    identities = {"first": first.identity, "second": second.identity}
    return {"evaluation": EVALUATION, "map": layouts.to_text(layout), **identities, **setting._asdict()}


def games_at_once() -> int:
    """How many games fill this machine."""
    return AT_ONCE_CPU if jax.default_backend() == "cpu" else AT_ONCE


def _known(folder: Path, questions: dict[Ids, cache.Question], tell: Callable[[str], None]) -> dict[Ids, Played]:
    """Results of earlier calls; a damaged one is as good as none."""
    found = {}
    for ids, asked in questions.items():
        try:
            played = cache.read(folder, asked)
        except ValueError as error:
            tell(f"{cache.file_of(folder, asked)} is damaged, the pair plays again: {error}")
            continue
        if played:
            found[ids] = played
    return found


def _keep(folder: Path, asked: cache.Question, played: Played, tell: Callable[[str], None]) -> Path | None:
    """The folder, if it can be written to: a result that cannot be kept is still a result."""
    try:
        cache.write(folder, asked, played)
    except OSError as error:
        tell(f"results cannot be kept in {folder}: {error.strerror}")
        return None
    return folder
