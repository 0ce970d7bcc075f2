"""From what a user asks of self-play or COLE to its setting: the recipe's numbers, and the user's instead."""

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from cole import paper, phases, together
from cole.config.training import MixtureOptions, PopulationOptions, TrainCole, TrainSP
from cole.errors import UserError
from cole.kitchen import layouts
from cole.kitchen.layouts import Layout
from cole.method import Ready
from cole.methods import cole, sp
from cole.options import changed, chosen, half, hypers, refuse_unmatched, rounds_of, view, whole, within
from cole.oracle import Mixture, RankTest
from cole.policy import store
from cole.solver import Exploration, Inversion, Sigma


def ready_self_play(asked: TrainSP, layout: Layout) -> Ready:
    """A run of self-play."""
    setting = self_play(asked, layout)
    return Ready(setting, sp.program(layout, setting))


def ready_cole(asked: TrainCole, layout: Layout) -> Ready:
    """A run of COLE, or several of different ratios in one program."""
    if "," in asked.mixture.ratio:
        return ready_ratios(asked, layout)
    setting = cole_(asked, layout)
    agents = initial(asked.population.initial, layout, setting.view)
    program = cole.program(layout, setting, stacked(agents))
    program = program._replace(breakdown=partial(phases.breakdown, layout, setting, program))
    return Ready(setting, program, together.called(asked.mixture.ratio), begins_with(agents))


def ready_ratios(asked: TrainCole, layout: Layout) -> Ready:
    """Runs that differ in nothing but their ratio, in one program: a is data then."""
    ratios = asked.mixture.ratio.split(",")
    each = [replace(asked, mixture=replace(asked.mixture, ratio=text)) for text in ratios]
    setting, *others = (cole_(one, layout) for one in each)
    if len(set(ratios)) < len(ratios) or any(other.batch != setting.batch for other in others):
        raise UserError(f"--ratio {asked.mixture.ratio}: ratios of one program must differ, and a + b be the same")
    if setting.mixture.per_draw:
        raise UserError("--ratio takes one ratio where --per-draw counts visits at once, as in the recipe authors")
    if asked.run.breakdown or asked.run.track:
        raise UserError("--breakdown and --track are for runs with one --ratio")
    own = jnp.repeat(jnp.array([ratio(text)[0] for text in ratios]), asked.run.seeds)
    agents = initial(asked.population.initial, layout, setting.view)
    program = cole.program(layout, setting, stacked(agents), own)
    if asked.run.name is not None:
        names = [f"{asked.run.name}-{together.called(text)}" for text in ratios]
        each = [replace(one, run=replace(one.run, name=name)) for one, name in zip(each, names, strict=True)]
    beside = {together.RATIOS: ratios} | begins_with(agents)
    return Ready(setting, together.program(program), beside=beside, parts=tuple(each))


def begins_with(agents: list[store.Agent]) -> dict[str, Any]:
    """What a run's config says of those who are there from the start."""
    return {"initial": [store.identity(agent) for agent in agents]} if agents else {}


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


def self_play(config: TrainSP, layout: Layout) -> sp.Setting:
    """The setting of a run of self-play."""
    setting, usual = paper.self_play(config.run.recipe, layouts.name_of(layout) or "", config.run.size)
    refuse_unmatched(config.run, steps=config.steps)
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
    rounds, updates = rounds_of("steps", steps, batch.groups * batch.games * batch.steps)
    return setting._replace(rounds=rounds, updates=updates)


def cole_(config: TrainCole, layout: Layout) -> cole.Setting:
    """The setting of a run of COLE."""
    if len(layout.start) != 2:
        raise UserError(f"--layout {config.run.layout}: COLE pairs two cooks, and this kitchen has {len(layout.start)}")
    setting = paper.cole_(config.run.recipe, layouts.name_of(layout) or "", config.run.size)
    options, growth = config.learning, config.population
    refuse_unmatched(config.run, generations=config.generations, updates=config.updates)
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
    fresh_ego = chosen(growth.fresh_ego, setting.fresh_ego)
    if fresh_ego and (options.rate_end is not None or options.entropy_end is not None):
        raise UserError("--rate-end and --entropy-end: with --fresh-ego nothing falls, leave them out")
    shaped = setting.shaped_until * longer / (generations if fresh_ego else 1)
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
        test=rank_test(setting.test, growth),
        founders=founders(setting.founders, growth, capacity),
        fresh_ego=fresh_ego,
        publish=chosen(growth.publish, setting.publish),
        view=view(chosen(options.view, setting.view), layout),
        half=half(options.precision),
    )


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
    weighted = chosen(options.weighted, base.weighted)
    if options.alpha is not None and not weighted:
        raise UserError("--alpha weighs games only with --weighted True")
    return Mixture(
        own=own,
        exploration=Exploration(
            c=within("explore", chosen(options.explore, base.exploration.c), least=0),
            bonus=chosen(options.bonus, base.exploration.bonus),
            reset=chosen(options.reset_visits, base.exploration.reset),
        ),
        per_draw=chosen(options.per_draw, base.per_draw),
        weighted=weighted,
        alpha=within("alpha", chosen(options.alpha, base.alpha), least=0),
        pause=pause,
        err=err,
    )


def rank_test(base: RankTest, options: PopulationOptions) -> RankTest:
    """Who may join, with the user's numbers."""
    found = RankTest(
        k=whole("k", chosen(options.k, base.k), 1, 10**6),
        newest=within("newest", chosen(options.newest, base.newest), least=0, most=1),
        tries=whole("tries", chosen(options.tries, base.tries), 1, 100),
        discard=chosen(options.discard, base.discard),
    )
    if options.k is not None and found.newest > 0:
        raise UserError("--k: the test of --newest has no use for it")
    if options.tries is not None and found.discard:
        raise UserError("--tries: with --discard a strategy that fails never joins")
    return found


def solving(base: cole.Solving, options: PopulationOptions) -> cole.Solving:
    """How phi is made, with the user's numbers."""
    temperature = within("temperature", chosen(options.temperature, base.inversion.temperature), above=0)
    found = cole.Solving(
        name=chosen(options.solver, base.name),
        sigma=Sigma(chosen(options.sigma, base.sigma.invert), temperature),
        inversion=Inversion(chosen(options.inversion, base.inversion.rule), temperature),
        permutations=whole("permutations", chosen(options.permutations, base.permutations), 1, 10**6),
    )
    takes = cole.TAKES[found.name]
    for name in ("sigma", "inversion", "permutations"):
        if getattr(options, name) is not None and name not in takes:
            raise UserError(f"--{name}: the solver {found.name} has no use for it")
    rules = {"sigma": found.sigma.invert, "inversion": found.inversion.rule}
    if options.temperature is not None and "softmax" not in [rules.get(name) for name in takes]:
        raise UserError(f"--temperature: nothing in the solver {found.name} is a softmax, see --sigma and --inversion")
    return found


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
