"""Trajectory Diversity (Lupu et al., 2021): a pool whose trajectories should tell which policy played them.

The idea: a best response is robust if it was trained with partners that act differently over time. A pool's learners
maximise, beside their return, the Jensen-Shannon divergence of their trajectories; a new agent learns with snapshots.
Pseudo-code: train N learners by self-play on their return plus alpha times what each step adds to the divergence; keep
snapshots of each; train one learner with partners drawn uniformly.
Our choices: alpha .1 and discount .5 as the re-implementations have; the budget of MEP. The divergence is a reward of
each step: the other part of its gradient, through the probabilities of actions that were taken, is nothing in
expectation for whole trajectories, and little at a discount of .5 (docs/paper.md). The original trains the best
response together with its pool; here it comes after.
"""

from dataclasses import dataclass, field

from cole import objectives, options, pool, stages
from cole.config.training import Learning, LearningOptions, Run, RunOptions
from cole.kitchen.layouts import Layout
from cole.method import Method, Ready
from cole.pool import Plan
from cole.stages import Stages


@dataclass(frozen=True)
class Options:
    """TrajeDi: a pool whose trajectories are kept apart, then one learner that meets its snapshots."""

    run: Run = field(default_factory=RunOptions)
    learning: Learning = field(default_factory=LearningOptions)
    stages: Stages = field(default_factory=stages.StageOptions)
    diversity: float = 0.1
    """Alpha: the weight of the divergence of trajectories."""
    nearness: float = 0.5
    """How much the steps around one count when trajectories are compared there, from 0 (not) to 1 (all alike)."""


def plan(asked: Options) -> Plan:
    """Both stages."""
    alpha = options.within("diversity", asked.diversity, least=0)
    discount = options.within("nearness", asked.nearness, least=0, most=1)
    return Plan(
        lambda team, policy: objectives.with_trajectory_diversity(team, policy, alpha, discount),
        pool.first_half_last,
        pool.all_alike,
    )


def prepare(asked: Options, layout: Layout) -> Ready:
    """A run of TrajeDi."""
    setting = stages.two(asked, layout, 11e6, 11e6)
    return Ready(
        setting,
        pool.program(layout, setting, plan(asked)),
        beside={"diversity": asked.diversity, "nearness": asked.nearness},
    )


METHOD = Method(Options, prepare)
