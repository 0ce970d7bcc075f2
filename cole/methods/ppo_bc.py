"""PPO with a cloned human (Carroll et al., 2019): learn with a model of people made from other people's games.

The idea: an agent that has trained with something like a person will expect something like a person.
Pseudo-code: begin with self-play; go over, in a straight line, to games with clones of the `train` split of the human
games; improve by PPO.
Our choices: the five clones `bc` of the zoo as partners; numbers, budget and the change from self-play to clones as in
2019, where forced coordination had no self-play at all. Games with itself and with clones are both always played, half
the batch each, and count by the share the schedule gives them.
"""

from dataclasses import dataclass, field

from cole import numbers, solo, stages
from cole.config import Learning, LearningOptions, Run, RunOptions
from cole.errors import UserError
from cole.evaluate import players
from cole.kitchen import layouts
from cole.kitchen.layouts import Layout
from cole.method import Method, Ready
from cole.ppo import Hyper
from cole.solo import Kind

STEPS = numbers.by_kitchen(8e6, 10e6, 16e6, 9e6, 12e6)
RATE = numbers.by_kitchen(1e-3, 1e-3, 1e-3, 1.5e-3, 1.5e-3)
RATE_FALLS = numbers.by_kitchen(3, 3, 1.5, 2, 3)  # to the rate divided by this
VALUE = numbers.by_kitchen(0.5, 0.5, 0.5, 0.1, 0.1)
MINIBATCHES = numbers.by_kitchen(10, 12, 15, 15, 15)
SHAPED = numbers.by_kitchen(1e6, 6e6, 5e6, 4e6, 4e6)
ALONE = numbers.by_kitchen(0.5e6, 1e6, 2e6, 0, 1e6)
MIXED = numbers.by_kitchen(3e6, 7e6, 6e6, 0, 4e6)


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
    steps = stages.budget(asked, layout, STEPS[kitchen])
    found = clones(asked.partner, layout)
    kinds = [Kind(policy, params) for policy, params in players.by_kind(found, layout)]
    setting = stages.one(asked, layout, steps, guests=len(kinds), own=1, change=of_2019(asked, kitchen))
    longer = steps / STEPS[kitchen]
    setting = setting._replace(alone_until=longer * ALONE[kitchen], mixed_until=longer * MIXED[kitchen])
    if asked.learning.shaped_until is None:
        setting = setting._replace(shaped_until=longer * SHAPED[kitchen])
    return Ready(setting, solo.program(layout, setting, kinds), beside={"partners": [one.identity for one in found]})


def of_2019(asked: Options, kitchen: str) -> dict:
    """What the recipes `paper` and `authors` have of their own."""
    if asked.run.recipe == "default":
        return {}
    rate = RATE[kitchen]
    first = Hyper(rate=rate, clip=0.05, value=VALUE[kitchen], entropy=0.0, gradient=0.5, epochs=8)
    last = first._replace(rate=rate / RATE_FALLS[kitchen])
    return {"hyper": first, "hyper_end": last, "minibatches": int(MINIBATCHES[kitchen])}


def clones(names: tuple[str, ...], layout: Layout) -> list[players.Player]:
    """The cloned humans of this kitchen."""
    if layouts.name_of(layout) is None and names == ("bc",):
        raise UserError(
            "there are no cloned humans of this kitchen; greedy_cook, supplier or chef can be the --partner"
        )
    found = players.find(names, layouts.name_of(layout))
    players.kitchen_of(found, layout)
    return found


METHOD = Method(Options, prepare, every=10)
