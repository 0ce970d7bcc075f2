"""`cole train`: a run from its first step to its agents, with what it reaches shown while it learns."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from cole import rollout, runfolder, settings
from cole.config import RunOptions, Train, TrainCole, TrainSP
from cole.errors import UserError
from cole.kitchen import layouts
from cole.kitchen.layouts import Layout
from cole.methods import cole, sp
from cole.policy import store
from cole.policy.policy import neural
from cole.program import Program
from cole.run import Report, carry_out, stop_requests
from cole.trackers import open_trackers

EVERY = {"sp": 10, "cole": 1}  # rounds between two checkpoints: seconds of work
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


def run(config: Train) -> int:
    """Trains, or goes on training; what it says last is what the agents reach with themselves."""
    asked, console = config.do, Console(highlight=False)
    job = prepared(asked)

    def tell(sentence: str) -> None:
        console.print(sentence, markup=False, soft_wrap=True)

    def hand_out(params: Any, steps: list[int]) -> None:
        tell(reached(publish(job, asked.run, params, steps)))

    tell(str(job.folder))
    report = None
    where = (job.program, job.folder, job.deciding, job.seeds)
    every = asked.run.every or EVERY[job.method]
    how = {"resume": asked.run.resume, "every": every, "publish": hand_out, "tell": tell}
    with (
        stop_requests() as stop,
        open_trackers(asked.run.track, job.folder, job.deciding) as track,
        progress(console, len(job.seeds)) as show,
    ):
        for report in carry_out(*where, stop=stop, **how):
            show(report)
            for line in report.lines:
                track(line)
    if report and report.round < report.rounds:
        tell(f"stopped after round {report.round} of {report.rounds}: the same command with --resume goes on")
        return 130
    return 0


def prepared(asked: TrainSP | TrainCole) -> Job:
    """The job that was asked for, everything checked and nothing compiled."""
    settings.check_run(asked.run)
    layout, kitchen = settings.kitchen(asked.run)
    deciding: dict[str, Any] = {"layout": kitchen, "map": layouts.to_text(layout)}
    if isinstance(asked, TrainSP):
        method, setting = "sp", settings.self_play(asked, layout)
        program = sp.program(layout, setting)
    else:
        method, setting = "cole", settings.cole_(asked, layout)
        agents = initial(asked.population.initial, layout, setting.view)
        program = cole.program(layout, setting, stacked(agents))
        deciding |= {"initial": [store.identity(agent) for agent in agents]} if agents else {}
    folder = asked.run.runs / kitchen / method / (asked.run.name or default_name(asked))
    deciding |= {"method": method, "setting": plain(setting)}
    return Job(method, kitchen, layout, setting, program, settings.seeds(asked.run), folder, deciding)


def publish(job: Job, options: RunOptions, params: Any, steps: list[int]) -> np.ndarray:
    """Writes the agents, and returns [P, games] what each earns with itself."""
    returns = measure(job.layout, job.setting, params, job.seeds, options.games_after)
    for i, seed in enumerate(job.seeds):
        reached_ = {"recipe": options.recipe, "return": round(float(returns[i].mean()), 2)}
        facts = {"seed": seed, "steps": steps[i], "training": job.deciding["setting"] | reached_, "name": job.kitchen}
        card = store.new_card(job.layout, job.setting.view, job.method, **facts)
        mine = jax.tree.map(lambda x, i=i: np.asarray(x[i]), params)
        store.save(job.folder / runfolder.AGENTS / f"seed-{seed}", store.Agent(mine, card))
    return returns


def initial(folders: tuple[Path, ...], layout: Layout, view: str) -> list[store.Agent]:
    """Agents on disk, which must be of this kitchen and view."""
    agents = [store.load(folder) for folder in folders]
    for folder, agent in zip(folders, agents, strict=True):
        if layouts.to_text(store.layout_of(agent)) != layouts.to_text(layout):
            raise UserError(f"--initial {folder}: an agent of {agent.card.layout}, which is another kitchen")
        if agent.card.view != view:
            raise UserError(f"--initial {folder}: it sees {agent.card.view}, and this run sees {view}")
    return agents


def stacked(agents: list[store.Agent]) -> Any:
    """Their parameters [n, ...]; None if there are none."""
    return jax.tree.map(lambda *leaves: np.stack(leaves), *(agent.params for agent in agents)) if agents else None


def default_name(asked: TrainSP | TrainCole) -> str:
    """Recipe, size, ratio and seeds, so that runs that differ in these lie side by side."""
    options = asked.run
    mixed = f"-{asked.mixture.ratio.replace(':', 'to')}" if isinstance(asked, TrainCole) else ""
    last = f"-{options.seed + options.seeds - 1}" if options.seeds > 1 else ""
    return f"{options.recipe}-{options.size}{mixed}-seed{options.seed}{last}"


def plain(value: Any) -> Any:
    """A record as what JSON knows."""
    if fields := getattr(value, "_fields", None):
        return {name: plain(getattr(value, name)) for name in fields}
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def measure(
    layout: Layout, setting: sp.Setting | cole.Setting, params: Any, seeds: list[int], games: int
) -> np.ndarray:
    """[P, games]: what each agent earns with a copy of itself; both act by sampling."""
    policy = neural(layout, setting.view, half=setting.half)
    keys = jax.vmap(lambda seed: jax.random.fold_in(jax.random.key(seed), 2**31))(np.array(seeds, np.uint32))
    play = jax.vmap(lambda key, one: rollout.returns_with_itself(key, layout, policy, one, games))
    return np.asarray(jax.jit(play)(keys, params))


def reached(returns: np.ndarray) -> str:
    """A sentence on returns [P, games]."""
    each = returns.mean(axis=1)
    error = each.std(ddof=1) / len(each) ** 0.5 if len(each) > 1 else returns.std() / returns.size**0.5
    by_seed = f" (by seed {', '.join(f'{one:.1f}' for one in each)})" if len(each) > 1 else ""
    return f"return with itself, {returns.shape[1]} games a seed: {each.mean():.1f} ± {error:.1f}{by_seed}"


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
