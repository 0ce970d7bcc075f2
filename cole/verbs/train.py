"""`cole train`: a run from its first step to its agents, with what it reaches shown while it learns."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from typing import Any

import jax
import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from cole import rollout, runfolder, settings
from cole.config import Train
from cole.kitchen import layouts
from cole.kitchen.layouts import Layout
from cole.methods import sp
from cole.policy import store
from cole.policy.policy import neural
from cole.run import Report, carry_out, stop_requests
from cole.trackers import open_trackers

TOLD = 10  # lines of a whole run where there is no terminal


def run(config: Train) -> int:
    """Trains, or goes on training; what it says last is what the agents reach with themselves."""
    options, console = config.run, Console(highlight=False)
    settings.check_run(options)
    layout, kitchen = settings.kitchen(options)
    setting, seeds = settings.self_play(config), settings.seeds(options)
    folder = options.runs / kitchen / config.method / (options.name or default_name(config))
    asked = {"method": config.method, "layout": kitchen, "map": layouts.to_text(layout), "setting": plain(setting)}

    def publish(params: Any, steps: int) -> None:
        returns = measure(layout, setting, params, seeds, options.games_after)
        for i, seed in enumerate(seeds):
            training = asked["setting"] | {"recipe": options.recipe, "return": round(float(returns[i].mean()), 2)}
            card = store.new_card(
                layout, setting.view, config.method, seed=seed, steps=steps, training=training, name=kitchen
            )
            mine = jax.tree.map(lambda x, i=i: np.asarray(x[i]), params)
            store.save(folder / runfolder.AGENTS / f"seed-{seed}", store.Agent(mine, card))
        console.print(reached(returns), soft_wrap=True)

    console.print(f"{folder}", markup=False, soft_wrap=True)
    report = None
    with stop_requests() as stop, open_trackers(options.track, folder, asked) as track, progress(console) as show:
        for report in carry_out(
            sp.program(layout, setting),
            folder,
            asked,
            seeds,
            resume=options.resume,
            every=options.every,
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


def default_name(config: Train) -> str:
    """Recipe, size and seeds, so that runs that differ in these lie side by side."""
    options = config.run
    last = options.seed + options.seeds - 1
    return f"{options.recipe}-{options.size}-seed{options.seed}" + (f"-{last}" if options.seeds > 1 else "")


def plain(value: Any) -> Any:
    """A record as what JSON knows."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(field) for name, field in value._asdict().items()}
    return value


def measure(layout: Layout, setting: sp.Setting, params: Any, seeds: list[int], games: int) -> np.ndarray:
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
