"""A user's numbers instead of a recipe's, each one checked; what all methods share."""

import math
from pathlib import Path
from typing import Any

import jax

from cole.config.training import LearningOptions, RunOptions
from cole.errors import UserError
from cole.kitchen import layouts
from cole.kitchen.layouts import Layout
from cole.learning import Batch
from cole.ppo import Hyper
from cole.runfolder import LARGEST_SEED

MOST_UPDATES, LEAST_ROUNDS = 10, 20  # of a round; of a run, if it is long enough


def view(name: str, layout: Layout) -> str:
    """A view that exists in this kitchen."""
    if name != "grid" and len(layout.start) != 2:
        raise UserError(f"--view {name} exists for two cooks only, and this kitchen has {len(layout.start)}: use grid")
    return name


def seeds(options: RunOptions) -> list[int]:
    """All seeds of a run."""
    whole("seeds", options.seeds, 1, 1024)
    whole("seed", options.seed, 0, LARGEST_SEED - options.seeds + 1)
    return list(range(options.seed, options.seed + options.seeds))


def check_run(options: RunOptions) -> None:
    """Refuses what no run can be; the kitchen is checked where it is loaded."""
    seeds(options)
    whole("every", chosen(options.every, 1), 1, 10**6)
    games_after(options.games_after)
    if options.name is not None and (not options.name or set(options.name) & set("/\\\0") or options.name[0] == "."):
        raise UserError(f"--name must be a plain folder name, not {options.name!r}")


def games_after(number: int) -> int:
    """Games that an agent plays with itself: all at once, and 10,000 of five agents take 1.3 GB of chance alone."""
    return whole("games-after", number, 1, 10**4)


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
        shaping=chosen(options.shaping, batch.shaping),
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


def refuse_unmatched(run: RunOptions, **given: Any) -> None:
    """`--size matched` says itself how long a run is."""
    if run.size == "matched" and (names := [name for name, number in given.items() if number is not None]):
        options = " and ".join(f"--{name.replace('_', '-')}" for name in names)
        raise UserError(f"--size matched says how many steps there are: leave {options} out")


def kitchen(options: RunOptions) -> tuple[Layout, str]:
    """The kitchen and what its folder is called."""
    layout = layouts.load(options.layout)
    return layout, layouts.name_of(layout) or Path(options.layout).stem


def rounds_of(name: str, steps: float, each: int, updates: int | None = None) -> tuple[int, int]:
    """How many rounds of how many updates make so many steps, if an update has `each`; at least one."""
    if steps < each:
        raise UserError(f"--{name} must be at least {each:,}, which is one update of this setting, not {steps:,}")
    updates = updates or max(1, min(MOST_UPDATES, int(steps // (LEAST_ROUNDS * each))))
    return max(1, int(steps // (updates * each))), updates
