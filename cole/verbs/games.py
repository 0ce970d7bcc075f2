"""Plays what the judges want, kitchen after kitchen: how many games there are, a bar, and how long it will take."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import jax
from rich.console import Console

from cole.evaluate import cache, crossplay, pairs
from cole.evaluate.pairs import Pair, Setting
from cole.kitchen.layouts import Layout
from cole.report.evaluation import Games
from cole.verbs.crossplay import progress

GAMES_A_SECOND = 20_000  # of an accelerator
GAMES_A_SECOND_CPU, CELLS, POWER = 90, 20, 1.4  # of two cores in a kitchen of 20 cells; a larger one is slower

Tell = Callable[[int, float], None]  # (games done here, games left in all)


class Job(NamedTuple):
    """What is to be played in one kitchen."""

    kitchen: str
    layout: Layout
    pairs: list[Pair]


def play(jobs: Sequence[Job], setting: Setting, notes: Console) -> list[Games]:
    """All games, of which only those are played that are not known yet; says before how many these are."""
    left = [unknown(job, setting) for job in jobs]
    total, every = (sum(map(len, each)) * setting.episodes for each in (left, [distinct(job) for job in jobs]))
    where = jobs[0].kitchen if len(jobs) == 1 else f"{len(jobs)} kitchens"
    expected = [len(pairs) * setting.episodes * game_seconds(job.layout) for job, pairs in zip(jobs, left, strict=True)]
    known = f"; {every - total:,} are known from before" * (total < every)
    say(notes, f"{total:,} games to play in {where}{known}{expectation(total, sum(expected))}")
    played = []
    with progress(notes) as show:
        done = 0
        for number, (job, missing) in enumerate(zip(jobs, left, strict=True)):
            tell = timed(second_batches(job, missing, setting), notes)
            here = len(missing) * setting.episodes
            later = sum(expected[number + 1 :]) / game_seconds(job.layout)  # in games of this kitchen

            def told(now: int, _: int, before: int = done, left: float = here + later, tell: Tell = tell) -> None:
                show(before + now, total)
                tell(now, left - now)

            found, _ = crossplay.play_all(job.pairs, job.layout, setting, known=cache.home(), progress=told)
            played.append(Games(job.kitchen, job.pairs, found))
            done += here
    return played


def game_seconds(layout: Layout) -> float:
    """What a game takes, as was measured once: a rough expectation for a machine that nobody has measured yet."""
    if jax.default_backend() != "cpu":
        return 1 / GAMES_A_SECOND
    return (layout.terrain.size / CELLS) ** POWER / GAMES_A_SECOND_CPU


def expectation(games: int, seconds: float) -> str:
    """`; about 2 min at about 90 games/s, beside compiling`."""
    if not games:
        return ""
    return f"; about {duration(seconds)} at about {games / seconds:,.0f} games/s, beside compiling"


def distinct(job: Job) -> dict[crossplay.Ids, Pair]:
    """Pairs that differ; agents of equal numbers are one."""
    return {(first.identity, second.identity): (first, second) for first, second in job.pairs}


def unknown(job: Job, setting: Setting) -> list[Pair]:
    """Pairs of which no result lies in the cache."""
    known = cache.home()
    asked = [(pair, crossplay.question(job.layout, *pair, setting)) for pair in distinct(job).values()]
    return [pair for pair, question in asked if not cache.file_of(known, question).exists()]


def second_batches(job: Job, missing: Sequence[Pair], setting: Setting) -> dict[int, int]:
    """Games that are done when the second batch of a kind has its first result -> games that it took.

    The first batch of each kind is compiled for, so it says nothing of the speed.
    """
    found, before = {}, 0
    for group in pairs.by_kinds(job.layout, missing).values():
        batch = pairs.batch_of(len(group), setting.episodes, crossplay.games_at_once())
        if len(group) > batch.pairs:
            found[(before + batch.pairs + 1) * setting.episodes] = batch.pairs * setting.episodes
        before += len(group)
    return found


def timed(batches: dict[int, int], notes: Console) -> Tell:
    """(games done, games left) -> nothing; after each of these batches it says how long the rest will take."""
    last = time.monotonic()

    def tell(done: int, left: float) -> None:
        nonlocal last
        now = time.monotonic()
        if done in batches:
            say(notes, f"about {duration(left * (now - last) / batches[done])} left")
        last = now

    return tell


def duration(seconds: float) -> str:
    """`40 s`, `12 min`, `2.5 h`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def say(console: Console, sentence: str) -> None:
    """A line as it is."""
    console.print(sentence, markup=False, soft_wrap=True)
