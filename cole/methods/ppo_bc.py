"""PPO with a cloned human (Carroll et al., 2019): learn with a model of people made from other people's games.

The idea: an agent that has trained with something like a person will expect something like a person.
Pseudo-code: begin with self-play; go over, in a straight line, to games with clones of the `train` split of the human
games; improve by PPO.
Our choices: the five clones `bc` of the zoo as partners; numbers, budget and the change from self-play to clones as in
2019, where forced coordination had no self-play at all; the largest norm of a gradient is .5 in all recipes, which 2019
seems to have executed. Until only clones count, half the games, or two fifths in a quick run, are with itself and the
others with clones, weighted by the share the schedule gives them, which at first is nothing; from then on all are with
clones.
"""

from dataclasses import dataclass, field

from cole import numbers, solo, stages
from cole.config.training import Learning, LearningOptions, Run, RunOptions
from cole.kitchen.layouts import Layout
from cole.method import Method, Ready
from cole.ppo import Hyper

RATE = numbers.by_kitchen(1e-3, 1e-3, 1e-3, 1.5e-3, 1.5e-3)
RATE_FALLS = numbers.by_kitchen(3, 3, 1.5, 2, 3)  # to the rate divided by this
VALUE = numbers.by_kitchen(0.5, 0.5, 0.5, 0.1, 0.1)
MINIBATCHES = numbers.by_kitchen(10, 12, 15, 15, 15)
SHAPED = numbers.by_kitchen(1e6, 6e6, 5e6, 4e6, 4e6)


@dataclass(frozen=True)
class Options:
    """PPO_BC: from self-play to games with cloned humans."""

    run: Run = field(default_factory=RunOptions)
    learning: Learning = field(default_factory=LearningOptions)
    partner: tuple[str, ...] = ("bc",)
    """The cloned humans: agents of the zoo, or folders of agents."""
    steps: int | None = None
    """Environment steps of each seed."""


def prepare(asked: Options, layout: Layout) -> Ready:
    """A run of PPO_BC."""
    kitchen = numbers.kitchen_of(layout)
    steps = stages.budget(asked, layout, numbers.WITH_CLONES_STEPS[kitchen])
    found = stages.guests(asked.partner, layout)
    kinds = stages.kinds(found, layout)
    setting = stages.one(asked, layout, steps, guests=len(kinds), own=1, change=of_2019(asked, kitchen))
    setting = stages.from_itself(setting, layout, steps)
    if asked.learning.shaped_until is None:
        setting = setting._replace(shaped_until=SHAPED[kitchen] * steps / numbers.WITH_CLONES_STEPS[kitchen])
    beside = {"partners": [f"{one.name} {one.identity}" for one in found]}
    return Ready(setting, solo.program(layout, setting, kinds), beside=beside)


def of_2019(asked: Options, kitchen: str) -> dict:
    """What the recipes `paper` and `authors` have of their own."""
    if asked.run.recipe == "default":
        return {}
    rate, value = RATE[kitchen], VALUE[kitchen] if asked.run.recipe == "paper" else numbers.EXECUTED_VALUE
    first = Hyper(rate=rate, clip=0.05, value=value, entropy=0.0, gradient=0.5)
    last = first._replace(rate=rate / RATE_FALLS[kitchen])
    return {"hyper": first, "hyper_end": last, "minibatches": int(MINIBATCHES[kitchen])}


METHOD = Method(Options, prepare)
