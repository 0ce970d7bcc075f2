"""Plays what the judges want, kitchen after kitchen: how many games there are, a bar, and how long it will take."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.console import Console

from cole.evaluate import cache, crossplay, pairs
from cole.evaluate.pairs import Pair, Setting
from cole.kitchen.layouts import Layout
from cole.report.evaluation import Games
from cole.verbs.crossplay import progress


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
    say(notes, f"{total:,} games to play in {where}" + f"; {every - total:,} are known from before" * (total < every))
    played = []
    with progress(notes) as show:
        done = 0
        for job, missing in zip(jobs, left, strict=True):
            tell = timed(second_batches(job, missing, setting), notes)

            def told(here: int, _: int, before: int = done, tell: Callable[[int, int], None] = tell) -> None:
                show(before + here, total)
                tell(here, total - before - here)

            found, _ = crossplay.play_all(job.pairs, job.layout, setting, known=cache.home(), progress=told)
            played.append(Games(job.kitchen, job.pairs, found))
            done += len(missing) * setting.episodes
    return played


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


def timed(batches: dict[int, int], notes: Console) -> Callable[[int, int], None]:
    """(games done, games left) -> nothing; after each of these batches it says how long the rest will take."""
    last = time.monotonic()

    def tell(done: int, left: int) -> None:
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
