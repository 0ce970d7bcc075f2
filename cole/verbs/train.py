"""`cole train`: a run from its first step to its agents, with what it reaches shown while it learns."""

import functools
import json
import operator
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, is_dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import jax
import numpy as np
import tyro
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from cole import options, runfolder, sealed, together
from cole.config.training import RunOptions
from cole.errors import UserError
from cole.evaluate.itself import measurer, reached
from cole.kitchen import layouts
from cole.kitchen.layouts import Layout
from cole.menu import METHODS
from cole.policy import store
from cole.program import Program
from cole.rehearsal import is_worth_it, rehearsed
from cole.run import Report, carry_out, stop_requests
from cole.trackers import open_trackers

TOLD = 10  # lines of a whole run where there is no terminal


class Job(NamedTuple):
    """What is to be done."""

    method: str
    kitchen: str
    layout: Layout
    setting: Any
    program: Program
    seeds: list[int]
    folder: Path
    deciding: dict[str, Any]  # all that decides the result, as JSON
    beside: dict[str, Any]  # the part of it that is neither kitchen nor setting
    notice: str  # what the user should know before it begins
    measure: Callable[[Any], np.ndarray]  # parameters [P, ...] of agents -> what each earns with itself [P, games]
    parts: tuple["Job", ...] = ()  # the runs that this one becomes, where several learn in one program


def main(arguments: Sequence[str]) -> int:
    """`cole train METHOD ...`: the methods and their options are those of METHODS."""
    each = tuple(Annotated[method.options, tyro.conf.subcommand(name)] for name, method in METHODS.items())
    words = "Train agents, by one of these methods."
    every: Any = functools.reduce(operator.or_, each)
    asked = tyro.cli(every, prog="cole train", description=words, args=list(arguments))
    return run(asked, shlex.join(["cole", "train", *arguments]))


def run(asked: Any, command: str = "") -> int:
    """Trains, or goes on training; what it says last is what the agents reach with themselves."""
    console, began, ready, done = Console(highlight=False), time.perf_counter(), 0.0, 0
    job = prepared(asked)

    def tell(sentence: str) -> None:
        console.print(sentence, markup=False, soft_wrap=True)

    def hand_out(params: Any, steps: list[int]) -> None:
        returns, params = job.measure(params), jax.device_get(params)
        for part, mine in shares(job):
            its = (jax.tree.map(lambda x, mine=mine: x[mine], params), steps[mine], returns[mine])
            if not job.parts:
                publish(job, asked.run, *its)
            elif not together.is_there(part.folder, described(part)):
                write = partial(write_run, part, asked.run, command, *its)
                together.hand_out(job.folder, part.folder, mine, write)
            tell(f"{f'{part.folder}: ' * bool(job.parts)}{reached(returns[mine])}")

    for part, _ in shares(job):
        tell(str(part.folder))
    there = [together.is_there(part.folder, described(part)) for part in job.parts]
    if any(there) and not (asked.run.resume and (all(there) or job.folder.exists())):
        raise UserError(
            f"{job.parts[there.index(True)].folder} is finished: leave its ratio out, or choose another name"
        )
    if any(there) and all(there):
        together.remove(job.folder)
        tell("all are finished")
        return 0
    if job.notice:
        tell(job.notice)
    report = None
    rehearsal = rehearsed(job.program, job.measure) if is_worth_it() else nullcontext(job.program)
    how = {"resume": asked.run.resume, "every": asked.run.every, "publish": hand_out, "tell": tell, "command": command}
    with (
        stop_requests() as stop,
        rehearsal as program,
        open_trackers(asked.run.track, job.folder, job.deciding) as track,
        progress(console, len(job.seeds)) as show,
    ):
        for report in carry_out(program, job.folder, job.deciding, job.seeds, stop=stop, **how):
            show(report)
            ready, done = ready or time.perf_counter() - began, done + 1
            for line in report.lines:
                track(line)
    if report and report.round < report.rounds:
        tell(f"stopped after round {report.round} of {report.rounds}: the same command with --resume goes on")
        return 130
    if job.parts:
        together.remove(job.folder)
    if done > 1:
        tell(took(time.perf_counter() - began, ready, done))
    if asked.run.breakdown and job.program.breakdown:
        tell(broken_down(job, job.program.breakdown(len(job.seeds))))
    return 0


def took(seconds: float, ready: float, rounds: int) -> str:
    """A sentence on the time of so many rounds, of which the first was done at `ready`."""
    rest = f"{seconds - ready:.1f} s for the {rounds - 1} others and the agents"
    return f"took {seconds:.1f} s: {ready:.1f} s until the first round was compiled and done, {rest}"


def broken_down(job: Job, parts: dict[str, float]) -> str:
    """Keeps what the parts of a round take, in milliseconds, and says it."""
    about = {"device": jax.devices()[0].device_kind, "seeds": len(job.seeds), "milliseconds": parts}
    with runfolder.writing(job.folder, None):
        sealed.write_file(job.folder / runfolder.BREAKDOWN, (json.dumps(about, indent=1) + "\n").encode())
    return "milliseconds: " + ", ".join(f"{name} {taken:g}" for name, taken in parts.items())


def prepared(asked: Any) -> Job:
    """The job that was asked for, everything checked and nothing compiled."""
    options.check_run(asked.run)
    layout, kitchen = options.kitchen(asked.run)
    name, method = next((name, method) for name, method in METHODS.items() if method.options is type(asked))
    ready = method.prepare(asked, layout)
    if asked.run.breakdown and ready.program.breakdown is None:
        raise UserError(f"--breakdown: {name} has no parts to measure, only cole has")
    deciding = {"layout": kitchen, "map": layouts.to_text(layout), **ready.beside}
    folder = asked.run.runs / kitchen / name / (asked.run.name or default_name(asked.run, ready.called))
    deciding |= {"method": name, "setting": plain(ready.setting)}
    seeds, words = options.seeds(asked.run), (ready.beside, ready.notice)
    setting, every = ready.setting, seeds * max(len(ready.parts), 1)
    measure = measurer(layout, setting.view, setting.half, every, asked.run.games_after)
    parts = tuple(prepared(one) for one in ready.parts)
    if parts:
        seeds = together.seeds(seeds, len(parts))
        of_all = asked.run.name or default_name(asked.run, "")
        folder = together.place(parts[0].folder, of_all, ready.beside[together.RATIOS])
    return Job(name, kitchen, layout, ready.setting, ready.program, seeds, folder, deciding, *words, measure, parts)


def shares(job: Job) -> list[tuple[Job, slice]]:
    """The runs of a job, itself or its parts, each with its share of the seeds."""
    each = job.parts or (job,)
    count = len(job.seeds) // len(each)
    return [(part, slice(i * count, (i + 1) * count)) for i, part in enumerate(each)]


def described(job: Job) -> dict[str, Any]:
    """What decides a run, as its config.json has it."""
    return runfolder.description(job.program, job.deciding, job.seeds)


def write_run(
    job: Job, run: RunOptions, command: str, params: Any, steps: list[int], returns: np.ndarray, folder: Path
) -> None:
    """Config and agents of a run that learned together with others, in this folder."""
    runfolder.accept(folder, described(job), False, lambda _: None, command)
    publish(job._replace(folder=folder), run, params, steps, returns)


def publish(job: Job, run: RunOptions, params: Any, steps: list[int], returns: np.ndarray) -> None:
    """Writes the agents, who earn `returns` [P, games] with themselves."""
    for i, seed in enumerate(job.seeds):
        reached_ = {"recipe": run.recipe, "return": round(float(returns[i].mean()), 2)}
        reached_ |= {"steps_of_all": job.program.all_steps or steps[i]}
        training = job.deciding["setting"] | job.beside | reached_
        facts = {"seed": seed, "steps": steps[i], "training": training, "name": job.kitchen}
        card = store.new_card(job.layout, job.setting.view, job.method, **facts)
        mine = jax.tree.map(lambda x, i=i: x[i], params)
        store.save(job.folder / runfolder.AGENTS / f"seed-{seed}", store.Agent(mine, card))


def default_name(run: RunOptions, called: str) -> str:
    """Recipe, size, what the method adds, and seeds, so that runs that differ in these lie side by side."""
    last = f"-{run.seed + run.seeds - 1}" if run.seeds > 1 else ""
    return f"{run.recipe}-{run.size}{f'-{called}' * bool(called)}-seed{run.seed}{last}"


def plain(value: Any) -> Any:
    """A record as what JSON knows."""
    if fields := getattr(value, "_fields", None):
        return {name: plain(getattr(value, name)) for name in fields}
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


@contextmanager
def progress(console: Console, seeds: int) -> Iterator[Callable[[Report], None]]:
    """What shows a report: a bar where there is a terminal, else a line now and then."""
    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("compiling, and the first round", total=None)

        def show(report: Report) -> None:
            speed = seeds * report.steps / report.round / max(report.seconds, 1e-9)
            text = f"{report.steps:,} steps  {speed:,.0f} steps/s  return {np.mean(report.log['return'][:, -1]):.1f}"
            bar.update(task, total=report.rounds, completed=report.round, description=text)
            tenth, before = (done * TOLD // report.rounds for done in (report.round, report.round - 1))
            if not console.is_terminal and tenth > before:
                console.print(text, soft_wrap=True)

        yield show
