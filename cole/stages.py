"""The settings that methods share: of one learner, and of a pool with an ego after it."""

from dataclasses import dataclass, replace
from typing import Any

import tyro

from cole import numbers, options, pool, solo
from cole.config.training import LearningOptions
from cole.errors import UserError
from cole.evaluate import players
from cole.evaluate.players import Player
from cole.kitchen import layouts
from cole.kitchen.layouts import Layout
from cole.solo import Kind

QUICK = (3, 96_000, 240_000)  # learners of the pool, steps of each, steps of the ego
GROUPS = {"full": 10, "matched": 10, "quick": 5}  # partners an ego meets in one update


@dataclass(frozen=True)
class StageOptions:
    """How much there is of each stage; what is left out is the recipe's."""

    learners: int | None = None
    """Learners of the pool."""
    steps: int | None = None
    """Environment steps of each learner of the pool."""
    ego_steps: int | None = None
    """Environment steps of the learner of the second stage, which becomes the agent."""


Stages = tyro.conf.OmitArgPrefixes[StageOptions]


def two(
    asked: Any, layout: Layout, pool_steps: float, ego_steps: float, learners: int = 5, beside: int = 0
) -> pool.Setting:
    """Of a pool and an ego: the recipe's numbers, and the user's instead; `beside` are learners of another kind.

    `matched` scales both stages to the budget that all methods have.
    """
    run, learning, stages = asked.run, asked.learning, asked.stages
    kitchen = numbers.kitchen_of(layout)
    recipe = numbers.rival(run.recipe, kitchen, run.size)
    fades = 0.5 if run.size != "quick" else 1.0
    options.refuse_unmatched(run, steps=stages.steps, ego_steps=stages.ego_steps)
    if run.size == "quick":
        learners, pool_steps, ego_steps = min(learners, QUICK[0]), *QUICK[1:]
    learners = beside + options.whole("learners", options.chosen(stages.learners, learners), 2, 1000)
    if run.size == "matched":
        share = numbers.MATCHED[kitchen] / (learners * pool_steps + ego_steps)
        pool_steps, ego_steps = share * pool_steps, share * ego_steps
    batch = options.changed(numbers.in_groups(recipe.batch, GROUPS[run.size]), learning, len(layout.start))
    first, last = options.hypers(recipe.hyper, recipe.hyper_end, learning)
    each = batch.groups * batch.games * batch.steps
    rounds, updates = options.rounds_of("steps", options.chosen(stages.steps, pool_steps), each)
    ego_rounds, _ = options.rounds_of("ego-steps", options.chosen(stages.ego_steps, ego_steps), each, updates)
    return pool.Setting(
        hyper=first,
        hyper_end=last,
        batch=replace(batch, both_seats=False),
        learners=learners,
        rounds=rounds,
        ego_rounds=ego_rounds,
        updates=updates,
        shaped_until=shaped_until(learning, rounds * updates * each, fades),
        ego_shaped_until=shaped_until(learning, ego_rounds * updates * each, fades),
        snapshots=min(10, rounds),
        both_seats=run.recipe == "default",
        view=options.view(options.chosen(learning.view, recipe.view), layout),
        half=options.half(learning.precision),
    )


def shaped_until(learning: LearningOptions, steps: float, share: float) -> float:
    """Steps after which shaping has faded: a share of all, unless the user says it."""
    return options.within("shaped-until", options.chosen(learning.shaped_until, share * steps), above=0)


def guests(names: tuple[str, ...], layout: Layout) -> list[Player]:
    """The partners of these names in this kitchen."""
    if not names:
        raise UserError("--partner must name at least one partner")
    kitchen = layouts.name_of(layout)
    for name in names:
        if kitchen is None and name.split("/")[0] in ("bc", "h_proxy"):
            raise UserError(
                f"--partner {name}: there are no human games of this kitchen, so no clones; "
                "the cooks greedy_cook, supplier and chef can be partners"
            )
    found = players.find(names, kitchen)
    players.kitchen_of(found, layout)
    return found


def kinds(found: list[Player], layout: Layout) -> list[Kind]:
    """The same, by how they act."""
    return [Kind(policy, params) for policy, params in players.by_kind(found, layout)]


def budget(asked: Any, layout: Layout, full: float) -> float:
    """The environment steps of a method with one learner, which has `full` of them in its recipe."""
    options.refuse_unmatched(asked.run, steps=asked.steps)
    usual = {"full": full, "matched": numbers.MATCHED[numbers.kitchen_of(layout)], "quick": 480_000}
    return options.chosen(asked.steps, usual[asked.run.size])


def from_itself(setting: solo.Setting, layout: Layout, steps: float) -> solo.Setting:
    """The setting with the change from games with itself to games with guests that 2019 had, in runs of any length."""
    kitchen = numbers.kitchen_of(layout)
    longer = steps / numbers.WITH_CLONES_STEPS[kitchen]
    alone, mixed = numbers.WITH_CLONES_ALONE[kitchen], numbers.WITH_CLONES_MIXED[kitchen]
    return setting._replace(alone_until=longer * alone, mixed_until=longer * mixed)


def one(
    asked: Any, layout: Layout, steps: float, *, own: int = 1, guests: int = 0, change: dict[str, Any] | None = None
) -> solo.Setting:
    """Of a learner that meets itself (`own` 1) or not (0) and so many kinds of guests, for these environment steps.

    `change` has what a method's recipe says instead: hyper, hyper_end, minibatches. Each kind of guest has as many
    groups of a batch as any other, and gives half of them, rounded down, to games with itself.
    """
    run, learning, change = asked.run, asked.learning, change or {}
    recipe = numbers.rival(run.recipe, numbers.kitchen_of(layout), run.size)
    each = max(GROUPS[run.size] // guests, 1 + own) if guests else 1  # groups with each kind, when only guests are met
    given = own * (each // 2) if guests else 1
    count = guests or 1
    batch = numbers.in_groups(recipe.batch, count * each)
    batch = replace(batch, minibatches=change.get("minibatches", batch.minibatches))
    first, last = change.get("hyper", recipe.hyper), change.get("hyper_end", recipe.hyper_end)
    hyper, hyper_end = options.hypers(first, last, learning)
    changed = options.changed(batch, learning, len(layout.start))
    rounds, updates = options.rounds_of("steps", steps, changed.groups * changed.games * changed.steps)
    return solo.Setting(
        hyper=hyper,
        hyper_end=hyper_end,
        batch=replace(changed, groups=count * given),
        shaped_until=shaped_until(learning, steps, 1.0 if run.size == "quick" else 0.4),
        rounds=rounds,
        updates=updates,
        guest_groups=each - given,
        view=options.view(options.chosen(learning.view, recipe.view), layout),
        half=options.half(learning.precision),
    )
