"""Maximum Entropy Population-based training (Zhao et al., 2023): a pool that is paid for being unlike its own average.

The idea: partners that all do the same teach little. Each learner of a pool gets, beside the game's reward, the
surprise of the pool's mean policy at its action; a new agent then learns with snapshots of the pool, the hardest first.
Pseudo-code: train N learners by self-play on r - alpha log mean_i pi_i(a | s); keep snapshots of each; train one
learner with partners drawn by the rank of 1 / return to the power of 3.
Our choices: 5 learners of 11 million steps and alpha .01, as the paper's authors; a second stage of 11 million, where
theirs has twice as much; of each learner the first snapshot, the one half-way in return and the last. Returns are those
of the ego's own training games. docs/paper.md has the other differences.
"""

from dataclasses import dataclass, field

from cole import objectives, options, partners, pool, stages
from cole.config.training import Learning, LearningOptions, Run, RunOptions
from cole.kitchen.layouts import Layout
from cole.method import Method, Ready
from cole.pool import Plan
from cole.stages import Stages


@dataclass(frozen=True)
class Options:
    """MEP: a pool paid for its entropy, then one learner that meets the hardest of its snapshots most often."""

    run: Run = field(default_factory=RunOptions)
    learning: Learning = field(default_factory=LearningOptions)
    stages: Stages = field(default_factory=stages.StageOptions)
    population_entropy: float = 0.01
    """Alpha: the weight of the pool's entropy in the reward."""
    priority: float = 3.0
    """Power of the rank by which partners are drawn; 0: all alike."""


def plan(asked: Options) -> Plan:
    """Both stages."""
    alpha = options.within("population-entropy", asked.population_entropy, least=0)
    power = options.within("priority", asked.priority, least=0)
    return Plan(
        lambda team, policy: objectives.with_population_entropy(team, policy, alpha),
        pool.first_half_last,
        lambda scores: partners.hardest_first(scores, power),
    )


def prepare(asked: Options, layout: Layout) -> Ready:
    """A run of MEP."""
    setting = stages.two(asked, layout, 11e6, 11e6)
    beside = {"population_entropy": asked.population_entropy, "priority": asked.priority}
    return Ready(setting, pool.program(layout, setting, plan(asked)), beside=beside)


METHOD = Method(Options, prepare)
