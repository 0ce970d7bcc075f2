"""A run that survives anything: whatever ends it, it can be taken up again and comes to the same end."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
from safetensors import numpy as safetensors

from cole import checkpoint, journal, sealed
from cole.checkpoint import Card
from cole.errors import UserError
from cole.journal import Written
from cole.program import Program
from cole.runfolder import AGENTS, CHECKPOINTS, FINISHED, LOG, STRATEGIES, accept, description, hash_of, locked, writing

PATIENCE = 10.0  # seconds of work that may be lost, or where a checkpoint takes long, so many times as it takes:
THRIFT = 20.0
Publish = Callable[[Any, list[int]], None]  # (parameters [P, ...] of the agents, environment steps of each seed)


class Report(NamedTuple):
    """What is known after a round."""

    round: int  # rounds done
    rounds: int  # of the whole run
    steps: int  # environment steps of each seed
    log: dict[str, np.ndarray]  # [P, U, ...] each
    lines: list[dict[str, Any]]  # the same, as written to the log
    seconds: float  # that the round took


class Place(NamedTuple):
    """Where a run is."""

    round: int  # rounds done
    written: Written  # of the log
    saved: Path | None  # the newest good checkpoint


def print_note(sentence: str) -> None:
    """Tells the user something that is not a result."""
    print(f"cole: {sentence}", file=sys.stderr)


def carry_out(
    program: Program,
    folder: Path,
    config: dict[str, Any],
    seeds: list[int],
    *,
    resume: bool = False,
    every: int | None = 1,
    publish: Publish | None = None,
    stop: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] = print_note,
    command: str = "",
) -> Iterator[Report]:
    """Starts or resumes a run and carries it to its end, or until `stop()`.

    A checkpoint is written `every` so many rounds; None: whenever PATIENCE seconds of work could be lost, or, once it
    is known how long one takes, THRIFT times as long. `command` is what the user typed, for the record.
    """
    if every is not None and every < 1:
        raise UserError(f"checkpoints can be written every 1, 2, ... rounds, not every {every}")
    asked = description(program, config, seeds)
    with locked(folder):
        if accept(folder, asked, resume, tell, command) and is_finished(folder, publish):
            tell(f"{folder} is finished: {program.rounds} rounds, {program.rounds * program.env_steps:,} steps")
            return
        state, place = begin(program, folder, asked, tell)
        saved, cost = time.perf_counter(), 0.0
        while place.round < program.rounds:
            began = time.perf_counter()
            state, log = advance(program, state, place.round)
            keep_strategies(program, folder, state, place)
            place, lines = write_log(program, folder, place, log)
            ends = stop() or place.round == program.rounds
            now = time.perf_counter()
            due = now - saved > max(PATIENCE, THRIFT * cost) if every is None else place.round % every == 0
            if ends or due:
                place, saved = save(folder, state, place, asked), time.perf_counter()
                cost = saved - now
            yield Report(place.round, program.rounds, lines[-1]["steps"], log, lines, time.perf_counter() - began)
            if ends:
                break
        if place.round == program.rounds:
            finish(program, folder, state, place, publish, len(seeds))


def begin(program: Program, folder: Path, asked: dict[str, Any], tell: Callable[[str], None]) -> tuple[Any, Place]:
    """The state to go on from, with the log cut to it: that of the newest good checkpoint, or of the very start."""
    seeds = jax.device_put(np.array(asked["seeds"], np.uint32))
    checkpoints, log = folder / CHECKPOINTS, folder / LOG
    if not checkpoint.found(checkpoints):
        if log.exists():  # the first checkpoint comes before the first line
            raise UserError(f"{checkpoints} has lost its checkpoints: {log} alone cannot be resumed")
        state = checkpoint.settled(program.start(seeds))
        return state, save(folder, state, Place(0, journal.nothing(), None), asked)

    def fits(path: Path, card: Card) -> None:
        if card.config_sha256 != hash_of(asked):
            raise UserError(f"{path} belongs to a run of other settings")

    template = jax.eval_shape(program.start, seeds)
    state, card, path = checkpoint.restore(checkpoints, template, fits, tell)
    written = journal.check(log, card.updates, card.log_bytes, card.log_sha256)
    with writing(folder, path):
        journal.cut(log, written)
    tell(f"{folder} goes on after round {card.round} of {program.rounds}")
    return state, Place(card.round, written, path)


def advance(program: Program, state: Any, round: int) -> tuple[Any, dict[str, np.ndarray]]:
    """A round; the state keeps its names, shapes and types, or no checkpoint of it could be resumed."""
    before = checkpoint.kinds(state)
    state, log = program.advance(state, round)
    state = checkpoint.settled(state)
    if (after := checkpoint.kinds(state)) != before:
        changed = {place for place in before | after if before.get(place) != after.get(place)}
        raise ValueError(f"round {round} changed the kind of {', '.join(sorted(changed))}")
    return state, jax.device_get(log)


def keep_strategies(program: Program, folder: Path, state: Any, place: Place) -> None:
    """The strategies of a round on disk, for `cole analyze`; a round that is repeated writes the same once more."""
    if program.strategies and place.round >= program.kept_from:
        named = dict(checkpoint.leaves(jax.device_get(program.strategies(state))))
        path = folder / STRATEGIES / f"{place.round:06d}.safetensors"
        with writing(folder, place.saved):
            path.parent.mkdir(exist_ok=True)
            sealed.write_file(path, safetensors.save({name: np.ascontiguousarray(x) for name, x in named.items()}))


def write_log(
    program: Program, folder: Path, place: Place, log: dict[str, np.ndarray]
) -> tuple[Place, list[dict[str, Any]]]:
    """One round further, with its lines in the log."""
    lines = journal.lines_of(log, place.round, place.written.updates, program.env_steps)
    with writing(folder, place.saved):
        written = journal.append(folder / LOG, place.written, lines)
    return Place(place.round + 1, written, place.saved), lines


def save(folder: Path, state: Any, place: Place, asked: dict[str, Any]) -> Place:
    """A checkpoint; it and the one before it are kept."""
    written = place.written
    card = Card(place.round, written.updates, asked["seeds"], hash_of(asked), written.size, written.digest())
    with writing(folder, place.saved):
        path = checkpoint.save(folder / CHECKPOINTS, state, card)
    checkpoint.keep(folder / CHECKPOINTS, (path, place.saved))
    return place._replace(saved=path)


def steps_of(program: Program, state: Any, seeds: int) -> list[int]:
    """Environment steps of each seed's learner, which a method that repeats trainings counts itself."""
    if program.steps is None:
        return [program.rounds * program.env_steps] * seeds
    return [int(steps) for steps in np.asarray(program.steps(state))]


def finish(program: Program, folder: Path, state: Any, place: Place, publish: Publish | None, seeds: int) -> None:
    """Hands out the agents, and only then says that all is done."""
    with writing(folder, place.saved):
        if publish:
            publish(program.agents(state), steps_of(program, state, seeds))
        sealed.write_file(folder / FINISHED, b"")


def is_finished(folder: Path, publish: Publish | None) -> bool:
    """Whether nothing is left to do; agents that were taken away since are made again."""
    return (folder / FINISHED).exists() and (publish is None or (folder / AGENTS).exists())


@contextmanager
def stop_requests(then: str = "will stop after this round") -> Iterator[Callable[[], bool]]:
    """A function that says whether Ctrl-C or SIGTERM came: the first only asks, a second acts as it always does.

    `then` is what the user is told that will happen.
    """
    came: list[int] = []
    heard = threading.current_thread() is threading.main_thread()  # python hands signals to that one only
    before = {int(number): signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM) if heard}

    def note(number: int, _: Any) -> None:
        came.append(number)
        signal.signal(number, before[number])
        os.write(2, f"\ncole: {then}; once more stops at once\n".encode())

    for number, handler in before.items():
        if handler is not signal.SIG_IGN:  # as nohup asks for
            signal.signal(number, note)
    try:
        yield lambda: bool(came)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
