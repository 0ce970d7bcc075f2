"""Numbers of the paper and of what it compares with, by kitchen; and the learners of the recipes."""

from dataclasses import replace
from typing import NamedTuple

from cole.errors import UserError
from cole.kitchen.layouts import MAPS, Layout, name_of
from cole.learning import Batch
from cole.ppo import Hyper

RECIPES = ("default", "paper", "authors")
SIZES = ("full", "quick", "matched")
OTHER = "counter_circuit"  # whose numbers kitchens take that are not the paper's: its largest


def by_kitchen(*numbers: float) -> dict[str, float]:
    """One number for each of the five kitchens, in the paper's order."""
    return dict(zip(MAPS, numbers, strict=True))


# App. F, and the released code.
RATE = {
    "paper": by_kitchen(2e-3, 1e-3, 6e-4, 8e-4, 8e-4),
    "authors": by_kitchen(2e-3, 8e-4, 8e-4, 3e-3, 1e-3),
}
GENERATIONS = {"paper": by_kitchen(80, 60, 75, 70, 70), "authors": by_kitchen(80, 100, 60, 60, 100)}
# What `--size matched` gives every method, all its learners together: COLE's environment steps in the paper's text.
MATCHED = by_kitchen(38.4e6, 28.8e6, 36e6, 33.6e6, 33.6e6)
# Self-play of 2019, the paper's baseline: its repository's numbers.
SELF_PLAY_STEPS = by_kitchen(6e6, 7e6, 10e6, 7.5e6, 8e6)
SELF_PLAY_RATE = by_kitchen(1e-3, 1e-3, 6e-4, 8e-4, 8e-4)
SELF_PLAY_SHAPED = by_kitchen(2.5e6, 2.5e6, 3.5e6, 2.5e6, 2.5e6)
SELF_PLAY_VALUE = by_kitchen(1.0, 0.5, 0.5, 0.5, 0.5)
EXECUTED_VALUE = 0.5  # the weight of the value loss that the code of 2019 and of COLE seems to execute
# PPO with a cloned human of 2019.
WITH_CLONES_STEPS = by_kitchen(8e6, 10e6, 16e6, 9e6, 12e6)
WITH_CLONES_ALONE = by_kitchen(0.5e6, 1e6, 2e6, 0, 1e6)  # steps until which it meets itself only
WITH_CLONES_MIXED = by_kitchen(3e6, 7e6, 6e6, 0, 4e6)  # and from which it meets clones only


class Learner(NamedTuple):
    """How a recipe learns."""

    hyper: Hyper
    hyper_end: Hyper
    batch: Batch  # one group, of a single partner
    view: str


def kitchen_of(layout: Layout) -> str:
    """The kitchen of the paper whose numbers hold here."""
    return name_of(layout) or OTHER


def check(recipe: str, size: str) -> None:
    """Refuses what no recipe or size is called."""
    if recipe not in RECIPES:
        raise UserError(f"--recipe must be one of {', '.join(RECIPES)}, not {recipe}")
    if size not in SIZES:
        raise UserError(f"--size must be one of {', '.join(SIZES)}, not {size}")


def rival(recipe: str, kitchen: str, size: str = "full") -> Learner:
    """How the rivals of COLE learn: by self-play's numbers, but for how long shaping lasts.

    `paper` and `authors`: those of 2019, without entropy. The value's weight and the gradient's norm are those that are
    printed, the norm in App. F, or those that the code of 2019 seems to execute. `default`: ours, as in self-play.
    """
    check(recipe, size)
    if recipe == "default":
        first = Hyper(rate=1e-3, clip=0.1, value=0.5, entropy=0.02, gradient=0.5)
        last = first._replace(rate=1e-5, entropy=0.0)
    else:
        value, norm = (SELF_PLAY_VALUE[kitchen], 0.1) if recipe == "paper" else (EXECUTED_VALUE, 0.5)
        first = last = Hyper(SELF_PLAY_RATE[kitchen], clip=0.05, value=value, entropy=0.0, gradient=norm)
    batch = Batch(groups=1, games=30, minibatches=6, epochs=8)
    if size == "quick":
        first, last = first._replace(value=0.1), last._replace(value=0.1)
        batch = Batch(groups=1, games=15, minibatches=12, epochs=4)
    return Learner(first, last, batch, "grid2019" if recipe == "authors" else "grid")


def in_groups(batch: Batch, groups: int) -> Batch:
    """The same games in so many groups, each with a partner of its own; what does not divide is left out.

    There are as many minibatches as before, or the next lower number that divides the samples.
    """
    games = max(1, batch.groups * batch.games // groups)
    parts = [n for n in range(1, batch.minibatches + 1) if groups * games * batch.steps % n == 0]
    return replace(batch, groups=groups, games=games, minibatches=parts[-1])
