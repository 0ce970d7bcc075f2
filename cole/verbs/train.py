"""`cole train`: a run from its first step to its agents, with what it reaches shown while it learns."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from cole import rollout, runfolder, settings
from cole.config import Train, TrainCole, TrainSP
from cole.errors import UserError
from cole.kitchen import layouts
from cole.kitchen.layouts import Layout
from cole.methods import cole, sp
from cole.policy import store
from cole.policy.policy import neural
from cole.program import Program
from cole.run import Report, carry_out, stop_requests
from cole.trackers import open_trackers

TOLD = 10  # lines of a whole run where there is no terminal


def run(config: Train) -> int:
    """Trains, or goes on training; what it says last is what the agents reach with themselves."""
    asked, console = config.do, Console(highlight=False)
    settings.check_run(asked.run)
    layout, kitchen = settings.kitchen(asked.run)
    method, setting, program = prepared(asked, layout)
    seeds, folder = (
        settings.seeds(asked.run),
        asked.run.runs / kitchen / method / (asked.run.name or default_name(asked)),
    )
    deciding = {"method": method, "layout": kitchen, "map": layouts.to_text(layout), "setting": plain(setting)}
    if isinstance(asked, TrainCole) and asked.population.initial:
        deciding["initial"] = [store.identity(store.load(folder)) for folder in asked.population.initial]

    def publish(params: Any, steps: int) -> None:
        returns = measure(layout, setting, params, seeds, asked.run.games_after)
        for i, seed in enumerate(seeds):
            training = deciding["setting"] | {"recipe": asked.run.recipe, "return": round(float(returns[i].mean()), 2)}
            facts = {"seed": seed, "steps": steps, "training": training, "name": kitchen}
            mine = jax.tree.map(lambda x, i=i: np.asarray(x[i]), params)
            agent = store.Agent(mine, store.new_card(layout, setting.view, method, **facts))
            store.save(folder / runfolder.AGENTS / f"seed-{seed}", agent)
        console.print(reached(returns), soft_wrap=True)

    console.print(f"{folder}", markup=False, soft_wrap=True)
    report = None
    with stop_requests() as stop, open_trackers(asked.run.track, folder, deciding) as track, progress(console) as show:
        for report in carry_out(
            program,
            folder,
            deciding,
            seeds,
            resume=asked.run.resume,
            every=asked.run.every,
            publish=publish,
            stop=stop,
            tell=lambda sentence: console.print(sentence, markup=False, soft_wrap=True),
        ):
            show(report, len(seeds))
            for line in report.lines:
                track(line)
    if report and report.round < report.rounds:
        console.print(f"stopped after round {report.round} of {report.rounds}: the same command with --resume goes on")
        return 130
    return 0


def prepared(asked: TrainSP | TrainCole, layout: Layout) -> tuple[str, Any, Program]:
    """The method's name, its setting, and its program."""
    if isinstance(asked, TrainSP):
        setting = settings.self_play(asked)
        return "sp", setting, sp.program(layout, setting)
    setting = settings.cole_(asked)
    return "cole", setting, cole.program(layout, setting, initial(asked.population.initial, layout, setting.view))


def initial(folders: tuple[Path, ...], layout: Layout, view: str) -> Any:
    """The parameters [n, ...] of agents on disk, which must be of this kitchen and view; None if there are none."""
    agents = [store.load(folder) for folder in folders]
    for folder, agent in zip(folders, agents, strict=True):
        if layouts.to_text(store.layout_of(agent)) != layouts.to_text(layout):
            raise UserError(f"--initial {folder}: an agent of {agent.card.layout}, which is another kitchen")
        if agent.card.view != view:
            raise UserError(f"--initial {folder}: it sees {agent.card.view}, and this run sees {view}")
    return jax.tree.map(lambda *leaves: np.stack(leaves), *(agent.params for agent in agents)) if agents else None


def default_name(asked: TrainSP | TrainCole) -> str:
    """Recipe, size, ratio and seeds, so that runs that differ in these lie side by side."""
    options = asked.run
    mixed = f"-{asked.mixture.ratio.replace(':', 'to')}" if isinstance(asked, TrainCole) else ""
    last = f"-{options.seed + options.seeds - 1}" if options.seeds > 1 else ""
    return f"{options.recipe}-{options.size}{mixed}-seed{options.seed}{last}"


def plain(value: Any) -> Any:
    """A record as what JSON knows."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return {name: plain(field) for name, field in value._asdict().items()} if hasattr(value, "_asdict") else value


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
def progress(console: Console) -> Iterator[Callable[[Report, int], None]]:
    """What shows a report: a bar where there is a terminal, else a line now and then."""
    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("compiling", total=None)

        def show(report: Report, seeds: int) -> None:
            speed = seeds * report.steps / report.round / max(report.seconds, 1e-9)
            text = f"{report.steps:,} steps  {speed:,.0f} steps/s  return {np.mean(report.log['return'][:, -1]):.1f}"
            bar.update(task, total=report.rounds, completed=report.round, description=text)
            if (
                not console.is_terminal
                and report.round * TOLD // report.rounds > (report.round - 1) * TOLD // report.rounds
            ):
                console.print(text, soft_wrap=True)

        yield show
