"""From what a user asks for to a method's setting: the recipe's numbers, the user's instead, and each one checked."""

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax

from cole import paper
from cole.config import LearningOptions, MixtureOptions, PopulationOptions, RunOptions, TrainCole, TrainSP
from cole.errors import UserError
from cole.kitchen import layouts
from cole.kitchen.layouts import Layout
from cole.methods import cole, sp
from cole.oracle import Mixture, RankTest
from cole.ppo import Hyper
from cole.runfolder import LARGEST_SEED
from cole.solver import Exploration, Inversion, Sigma
from cole.trainer import Batch

MOST_UPDATES, LEAST_ROUNDS = 10, 20  # of a round; of a run, if it is long enough


def self_play(config: TrainSP, layout: Layout) -> sp.Setting:
    """The setting of a run of self-play."""
    setting, usual = paper.self_play(config.run.recipe, layouts.name_of(layout) or "", config.run.size)
    options, steps = config.learning, chosen(config.steps, usual)
    batch = changed(setting.batch, options, len(layout.start), both_seats=config.both_seats)
    first, last = hypers(setting.hyper, setting.hyper_end, options)
    setting = setting._replace(
        hyper=first,
        hyper_end=last,
        batch=batch,
        shaped_until=within(
            "shaped-until", chosen(options.shaped_until, setting.shaped_until * steps / usual), above=0
        ),
        view=view(chosen(options.view, setting.view), layout),
        half=half(options.precision),
    )
    each = batch.groups * batch.games * batch.steps
    if steps < each:
        raise UserError(f"--steps must be at least {each:,}, which is one update of this setting, not {steps:,}")
    updates = max(1, min(MOST_UPDATES, int(steps // (LEAST_ROUNDS * each))))
    return setting._replace(rounds=int(steps // (updates * each)), updates=updates)


def cole_(config: TrainCole, layout: Layout) -> cole.Setting:
    """The setting of a run of COLE."""
    if len(layout.start) != 2:
        raise UserError(f"--layout {config.run.layout}: COLE pairs two cooks, and this kitchen has {len(layout.start)}")
    setting = paper.cole_(config.run.recipe, layouts.name_of(layout) or "", config.run.size)
    options, growth = config.learning, config.population
    own, others = ratio(config.mixture.ratio)
    batch = replace(setting.batch, groups=own + others)
    total = setting.batch.groups * setting.batch.games
    if options.games is None and total % batch.groups:
        raise UserError(f"--ratio must divide the {total} games of a batch, which {config.mixture.ratio} does not")
    batch = replace(batch, games=total // batch.groups)
    batch = changed(batch, options, 2, distraction_by_game=config.mixture.distraction_by_game)
    first, last = hypers(setting.hyper, setting.hyper_end, options)
    generations = whole("generations", chosen(config.generations, setting.generations), 1, 10**6)
    updates = whole("updates", chosen(config.updates, setting.updates), 1, 10**4)
    longer = generations * updates * batch.groups * batch.games / (setting.generations * setting.updates * total)
    shaped = setting.shaped_until * longer
    capacity = whole("capacity", chosen(growth.capacity, setting.capacity), 2, 1000)
    return setting._replace(
        hyper=first,
        hyper_end=last,
        batch=batch,
        mixture=mixture(setting.mixture, config.mixture, own),
        shaped_until=within("shaped-until", chosen(options.shaped_until, shaped), above=0),
        generations=generations,
        updates=updates,
        capacity=capacity,
        earliest=whole("earliest", chosen(growth.earliest, min(setting.earliest, capacity)), 1, capacity),
        episodes=whole("episodes", chosen(growth.episodes, setting.episodes), 1, 1000),
        refresh=whole("refresh", chosen(growth.refresh, setting.refresh), 0, 10**6),
        solving=solving(setting.solving, growth),
        test=RankTest(
            k=whole("k", chosen(growth.k, setting.test.k), 1, 10**6),
            newest=within("newest", chosen(growth.newest, setting.test.newest), least=0, most=1),
            tries=whole("tries", chosen(growth.tries, setting.test.tries), 1, 100),
            discard=chosen(growth.discard, setting.test.discard),
        ),
        founders=founders(setting.founders, growth, capacity),
        fresh_ego=chosen(growth.fresh_ego, setting.fresh_ego),
        publish=chosen(growth.publish, setting.publish),
        view=view(chosen(options.view, setting.view), layout),
        half=half(options.precision),
    )


def view(name: str, layout: Layout) -> str:
    """A view that exists in this kitchen."""
    if name != "grid" and len(layout.start) != 2:
        raise UserError(f"--view {name} exists for two cooks only, and this kitchen has {len(layout.start)}: use grid")
    return name


def ratio(text: str) -> tuple[int, int]:
    """a and b of a:b."""
    found = re.fullmatch(r"(\d{1,3}):(\d{1,3})", text)
    if not found:
        raise UserError(f"--ratio must be two whole numbers a:b such as 1:3, not {text!r}")
    own, others = int(found[1]), int(found[2])
    if others == 0:
        raise UserError(f"--ratio {text} never meets the population, which is self-play: use cole train sp")
    return own, others


def mixture(base: Mixture, options: MixtureOptions, own: int) -> Mixture:
    """Whom the learner meets, with the user's numbers."""
    pause = within("pause", chosen(options.pause, base.pause), least=0, most=1)
    err = within("err", chosen(options.err, base.err), least=0, most=1)
    if pause + err > 1:
        raise UserError(f"--pause and --err are shares of the same actions, so {pause} + {err} must be at most 1")
    return Mixture(
        own=own,
        exploration=Exploration(
            c=within("explore", chosen(options.explore, base.exploration.c), least=0),
            bonus=chosen(options.bonus, base.exploration.bonus),
            reset=chosen(options.reset_visits, base.exploration.reset),
        ),
        per_draw=chosen(options.per_draw, base.per_draw),
        weighted=chosen(options.weighted, base.weighted),
        alpha=within("alpha", chosen(options.alpha, base.alpha), least=0),
        pause=pause,
        err=err,
    )


def solving(base: cole.Solving, options: PopulationOptions) -> cole.Solving:
    """How phi is made, with the user's numbers."""
    temperature = within("temperature", chosen(options.temperature, base.inversion.temperature), above=0)
    return cole.Solving(
        name=chosen(options.solver, base.name),
        sigma=Sigma(chosen(options.sigma, base.sigma.invert), temperature),
        inversion=Inversion(chosen(options.inversion, base.inversion.rule), temperature),
        permutations=whole("permutations", chosen(options.permutations, base.permutations), 1, 10**6),
    )


def founders(base: cole.Founders, options: PopulationOptions, capacity: int) -> cole.Founders:
    """Who is there from the start, with the user's numbers."""
    found = cole.Founders(
        warmup=whole("warmup", chosen(options.warmup, base.warmup), 0, 10**6),
        self_play=whole("founders", chosen(options.founders, base.self_play), 0, 1000),
        snapshots=whole("founder-snapshots", chosen(options.founder_snapshots, base.snapshots), 1, 1000),
        updates=whole("founder-updates", chosen(options.founder_updates, base.updates), 1, 10**6),
    )
    if found.updates < found.snapshots:
        raise UserError(f"--founder-updates must be at least --founder-snapshots, {found.snapshots}")
    if found.self_play and options.initial:
        raise UserError("--initial and --founders both say who is there from the start: choose one")
    there = max(found.self_play * found.snapshots, len(options.initial))
    if there >= capacity:
        raise UserError(
            f"--capacity must be above the {there} strategies that are there from the start, not {capacity}"
        )
    return found


def seeds(options: RunOptions) -> list[int]:
    """All seeds of a run."""
    whole("seeds", options.seeds, 1, 1024)
    whole("seed", options.seed, 0, LARGEST_SEED - options.seeds + 1)
    return list(range(options.seed, options.seed + options.seeds))


def check_run(options: RunOptions) -> None:
    """Refuses what no run can be; the kitchen is checked where it is loaded."""
    seeds(options)
    whole("every", chosen(options.every, 1), 1, 10**6)
    whole("games-after", options.games_after, 1, 10**6)
    if options.name is not None and (not options.name or set(options.name) & set("/\\\0") or options.name[0] == "."):
        raise UserError(f"--name must be a plain folder name, not {options.name!r}")


def changed(
    batch: Batch,
    options: LearningOptions,
    seats: int,
    both_seats: bool | None = None,
    distraction_by_game: bool | None = None,
) -> Batch:
    """The batch with the user's numbers."""
    batch = Batch(
        groups=batch.groups,
        games=whole("games", chosen(options.games, batch.games), 1, 10**5),
        steps=batch.steps,
        minibatches=whole("minibatches", chosen(options.minibatches, batch.minibatches), 1, 10**5),
        epochs=whole("epochs", chosen(options.epochs, batch.epochs), 1, 1000),
        both_seats=chosen(both_seats, batch.both_seats),
        random_starts=within("random-starts", chosen(options.random_starts, batch.random_starts), least=0, most=1),
        clip_value=chosen(options.clip_value, batch.clip_value),
        distraction_by_game=chosen(distraction_by_game, batch.distraction_by_game),
    )
    samples = batch.groups * batch.games * batch.steps * (seats if batch.both_seats else 1)
    if samples % batch.minibatches:
        raise UserError(f"--minibatches must divide the {samples:,} samples of an update; {batch.minibatches} does not")
    return batch


def hypers(first: Hyper, last: Hyper, options: LearningOptions) -> tuple[Hyper, Hyper]:
    """The learner's numbers at the beginning and at the end; what does not change in the recipe stays constant."""
    begin = Hyper(
        rate=within("rate", chosen(options.rate, first.rate), least=0, most=1),
        clip=within("clip", chosen(options.clip, first.clip), above=0, most=10),
        discount=within("discount", chosen(options.discount, first.discount), least=0, most=1),
        trace=within("trace", chosen(options.trace, first.trace), least=0, most=1),
        value=within("value", chosen(options.value, first.value), least=0),
        entropy=within("entropy", chosen(options.entropy, first.entropy), least=0),
        gradient=within("gradient", chosen(options.gradient, first.gradient), above=0),
    )
    rate = chosen(options.rate_end, begin.rate if last.rate == first.rate else last.rate)
    entropy = chosen(options.entropy_end, begin.entropy if last.entropy == first.entropy else last.entropy)
    return begin, begin._replace(
        rate=within("rate-end", rate, least=0, most=1), entropy=within("entropy-end", entropy, least=0)
    )


def half(precision: str) -> bool:
    """Whether to compute in bfloat16."""
    return precision == "half" or (precision == "auto" and jax.default_backend() == "gpu")


def chosen(asked: Any, recipe: Any) -> Any:
    """The user's number if there is one."""
    return recipe if asked is None else asked


def whole(name: str, number: int, least: int, most: int) -> int:
    """A whole number in its range, or a sentence."""
    if not least <= number <= most:
        raise UserError(f"--{name} must be a whole number from {least} to {most}, not {number}")
    return number


def within(
    name: str, number: float, *, least: float = -math.inf, above: float = -math.inf, most: float = math.inf
) -> float:
    """A finite number in its range, or a sentence."""
    if math.isfinite(number) and least <= number <= most and number > above:
        return number
    low = f"above {above:g}" if above > -math.inf else f"at least {least:g}"
    high = f" and at most {most:g}" if most < math.inf else ""
    raise UserError(f"--{name} must be a number {low}{high}, not {number}")


def kitchen(options: RunOptions) -> tuple[Layout, str]:
    """The kitchen and what its folder is called."""
    layout = layouts.load(options.layout)
    return layout, layouts.name_of(layout) or Path(options.layout).stem
