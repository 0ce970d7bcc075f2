"""Best response: one learner that meets given partners and, once it can cook, nobody else.

The idea: how much could be earned with a partner is what an agent earns that was trained with it. This is the gold
standard beside the human proxy, and the divisor of BR-Prox.
Pseudo-code: begin with self-play; go over, in a straight line, to games with partners drawn uniformly from those given;
improve by PPO.
Our choices: any agents, clones or scripted cooks, each kind with as many groups of games; self-play as long as 2019 had
it where the partner was a cloned human (in forced coordination not at all), since beside one who seldom cooks cooking
is learned slowly; half as much again of the budget it had there.
"""

from dataclasses import dataclass, field

from cole import numbers, solo, stages
from cole.config.training import Learning, LearningOptions, Run, RunOptions
from cole.kitchen.layouts import Layout
from cole.method import Method, Ready

LONGER = 1.5  # than PPO with a cloned human


@dataclass(frozen=True)
class Options:
    """Best response to given partners: what could be earned with them."""

    run: Run = field(default_factory=RunOptions)
    learning: Learning = field(default_factory=LearningOptions)
    partner: tuple[str, ...] = ("h_proxy",)
    """Whom to respond to: folders of agents or runs, agents of the zoo, or scripted cooks."""
    self_play: bool = True
    """Begin with self-play, as long as 2019 did; without it only the partners are ever met."""
    steps: int | None = None
    """Environment steps of each seed."""


def prepare(asked: Options, layout: Layout) -> Ready:
    """A run of a best response."""
    steps = stages.budget(asked, layout, LONGER * numbers.WITH_CLONES_STEPS[numbers.kitchen_of(layout)])
    found = stages.guests(asked.partner, layout)
    kinds = stages.kinds(found, layout)
    setting = stages.one(asked, layout, steps, guests=len(kinds), own=int(asked.self_play))
    setting = stages.from_itself(setting, layout, steps) if asked.self_play else setting
    called = "-".join(name.strip("/").split("/")[-1] for name in asked.partner)[:60]
    beside = {"partners": [f"{one.name} {one.identity}" for one in found]}
    return Ready(setting, solo.program(layout, setting, kinds), called, beside)


METHOD = Method(Options, prepare)
