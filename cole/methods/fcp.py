"""Fictitious Co-Play (Strouse et al., 2021): learn with what self-play was at the beginning, on its way and at its end.

The idea: partners differ in how well they play, not only in how; a partner that has learned little behaves like a
novice. So a pool of self-play agents is trained from different seeds, snapshots of each are kept, and a new agent
learns the best response to all of them.
Pseudo-code: train N learners by self-play; keep of each the first snapshot, the one with half of its final return and
the last; train one learner with partners drawn uniformly from these.
Our choices: 5 learners with self-play's own budget, a second stage of 20 million steps, as the paper's authors;
snapshots are taken at ten times of the first stage, and half-way is the one closest in return.
"""

from dataclasses import dataclass, field

from cole import numbers, pool, stages
from cole.config.training import Learning, LearningOptions, Run, RunOptions
from cole.kitchen.layouts import Layout
from cole.method import Method, Ready
from cole.pool import Plan
from cole.stages import Stages


@dataclass(frozen=True)
class Options:
    """FCP: one learner meets snapshots of a pool of self-play agents."""

    run: Run = field(default_factory=RunOptions)
    learning: Learning = field(default_factory=LearningOptions)
    stages: Stages = field(default_factory=stages.StageOptions)


PLAN = Plan(lambda team, policy: team, pool.first_half_last, pool.all_alike)


def prepare(asked: Options, layout: Layout) -> Ready:
    """A run of FCP."""
    kitchen = numbers.kitchen_of(layout)
    setting = stages.two(asked, layout, numbers.SELF_PLAY_STEPS[kitchen], 20e6)
    return Ready(setting, pool.program(layout, setting, PLAN))


METHOD = Method(Options, prepare)
