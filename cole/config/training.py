"""Runs, and what methods share: options of `cole train` and `runs`. Other methods have theirs in their own file."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import tyro


@dataclass(frozen=True)
class RunOptions:
    """Where a run happens and how it is kept."""

    layout: str = "cramped_room"
    """One of the five kitchens, or the path of a map file."""
    recipe: Literal["default", "paper", "authors"] = "default"
    """Whose settings: ours; those of the paper's text; those of its authors' code."""
    size: Literal["full", "quick", "matched"] = "full"
    """How much of it: the recipe's own budget, minutes on a laptop, or as many environment steps as all others."""
    seed: int = 0
    """The first seed."""
    seeds: int = 1
    """How many seeds, counted up from the first; they learn in one program, on a GPU side by side."""
    name: str | None = None
    """What the run is called; by default recipe, size, the ratio of COLE or the partners of a best response,
    and seeds."""
    runs: Path = Path("runs")
    """The run's folder is made in here: layout/method/name."""
    resume: bool = False
    """Go on with the run of this name."""
    every: int | None = None
    """Rounds between two checkpoints; by default as many as take ten seconds, or twenty times as long as it takes to
    write one."""
    breakdown: bool = False
    """Afterwards measure what each part of a round takes, and keep it as breakdown.json; COLE only."""
    games_after: int = 100
    """Games that each finished agent plays with itself, to say what it reached."""
    track: tuple[Literal["wandb", "tensorboard"], ...] = ()
    """Also send the log there; the run's own log.jsonl is always written."""


@dataclass(frozen=True)
class LearningOptions:
    """Numbers of the learner; those left out are the recipe's."""

    games: int | None = None
    """Games of each group in one update."""
    minibatches: int | None = None
    """Parts the samples of an update are divided into."""
    epochs: int | None = None
    """Times the samples of an update are gone through."""
    rate: float | None = None
    """Adam's step at the beginning."""
    rate_end: float | None = None
    """Adam's step at the end; in between it changes in a straight line."""
    clip: float | None = None
    """How far the probability ratio may be from 1, and the value from its old one."""
    clip_value: bool | None = None
    """Whether the value's change is clipped too."""
    discount: float | None = None
    """Gamma, from 0 to 1."""
    trace: float | None = None
    """Lambda of the advantages, from 0 to 1."""
    value: float | None = None
    """Weight of the value loss."""
    entropy: float | None = None
    """Weight of the entropy bonus at the beginning."""
    entropy_end: float | None = None
    """Weight of the entropy bonus at the end."""
    gradient: float | None = None
    """Largest norm of a gradient."""
    random_starts: float | None = None
    """Share of the games that begin in a random mid-game state, from 0 to 1."""
    shaped_until: float | None = None
    """Environment steps after which the shaping of rewards has faded."""
    shaping: Literal["own", "team"] | None = None
    """Whether a cook is paid shaping for what it does itself, or for what either cook does, as in 2019."""
    view: Literal["grid", "grid2019"] | None = None
    """What cooks see: everything, or what those of 2019 saw."""
    precision: Literal["auto", "single", "half"] = "auto"
    """Matrix products in float32 or bfloat16; auto: bfloat16 on a GPU."""


Run = tyro.conf.OmitArgPrefixes[RunOptions]
Learning = tyro.conf.OmitArgPrefixes[LearningOptions]


@dataclass(frozen=True)
class TrainSP:
    """Self-play: one learner meets itself. Fast to train, and the rival that every method has to beat."""

    run: Run = field(default_factory=RunOptions)
    learning: Learning = field(default_factory=LearningOptions)
    steps: int | None = None
    """Environment steps of each seed."""
    both_seats: bool | None = None
    """Learn from both seats instead of one."""


@dataclass(frozen=True)
class MixtureOptions:
    """Whom the learner meets, and how much that counts; what is left out is the recipe's."""

    ratio: str = "1:3"
    """a:b, the groups of a batch with the learner itself and with members of the population; several such as 0:4,1:3
    learn in one program, which suits a GPU, and become a run each."""
    weighted: bool | None = None
    """Whether groups count by phi and alpha, as J is printed, or all alike."""
    alpha: float | None = None
    """Weight of the payoff with itself in J, where groups are --weighted."""
    explore: float | None = None
    """c of SUCG: how much strategies seldom met are preferred."""
    bonus: Literal["printed", "normalised"] | None = None
    """SUCG's bonus as printed, or divided by its norm."""
    reset_visits: bool | None = None
    """Whether SUCG counts visits anew in every generation."""
    per_draw: bool | None = None
    """Whether SUCG counts a visit at once, or after the update."""
    pause: float | None = None
    """Share of the partners' actions that are STAY instead, from 0 to 1."""
    err: float | None = None
    """Share of the partners' actions that are random instead, from 0 to 1."""
    distraction_by_game: bool | None = None
    """Whether each game draws its partner's share of pauses and errors anew, up to these."""


@dataclass(frozen=True)
class PopulationOptions:
    """How the population is judged and grows; what is left out is the recipe's."""

    solver: Literal["shapley", "shapley_sampled", "authors", "returns", "uniform", "worst"] | None = None
    """What makes phi, the chance of meeting each strategy, from the payoff matrix."""
    sigma: Literal["reciprocal", "softmax", "one"] | None = None
    """How the weighted PageRank becomes sigma, the unpopularity of a strategy."""
    inversion: Literal["linear", "softmax"] | None = None
    """How a low Shapley value becomes a high phi."""
    temperature: float | None = None
    """Temperature of the softmax of --inversion and of --sigma."""
    permutations: int | None = None
    """Of the solvers that sample."""
    capacity: int | None = None
    """Strategies there is room for; then one of the earliest leaves."""
    earliest: int | None = None
    """Among how many of the earliest."""
    episodes: int | None = None
    """Games of each ordered pair in the payoff matrix."""
    refresh: int | None = None
    """Every so many generations one member's payoffs are played once more; 0: never."""
    k: int | None = None
    """The rank test is passed by the k most preferred."""
    newest: float | None = None
    """If above 0, the authors' test instead: the most preferred is among this share of the newest."""
    tries: int | None = None
    """How many generations in a row may fail the test, which keeps their strategies out; the last of them joins all the
    same. With 1 the outcome is only written down, unless --discard."""
    discard: bool | None = None
    """Whether a strategy that fails stays out for ever."""
    warmup: int | None = None
    """Generations of pure self-play at the beginning."""
    founders: int | None = None
    """Learners of independent self-play whose strategies are there from the start."""
    founder_snapshots: int | None = None
    """Strategies that each of these leaves."""
    founder_updates: int | None = None
    """Updates that each of these learns."""
    initial: tuple[Path, ...] = ()
    """Agents (folders) that are there from the start; the learner goes on from the last."""
    fresh_ego: bool | None = None
    """Whether each generation starts from a new network, at the first rate and with all of the shaping."""
    publish: Literal["last", "preferred", "payoff"] | None = None
    """Which strategy becomes the agent: the last, the most preferred, or that of the best mean payoff."""


@dataclass(frozen=True)
class TrainCole:
    """COLE: a population grows by strategies that its members prefer to cook with."""

    run: Run = field(default_factory=RunOptions)
    learning: Learning = field(default_factory=LearningOptions)
    mixture: tyro.conf.OmitArgPrefixes[MixtureOptions] = field(default_factory=MixtureOptions)
    population: tyro.conf.OmitArgPrefixes[PopulationOptions] = field(default_factory=PopulationOptions)
    generations: int | None = None
    """How many strategies join, one after the other."""
    updates: int | None = None
    """Updates of each generation."""


@dataclass(frozen=True)
class Train:
    """Train agents, by one of many methods: `cole train --help` lists them."""


@dataclass(frozen=True)
class Runs:
    """List runs: how far they are, what they reached, and which are at work, stopped, finished or damaged."""

    folder: tyro.conf.Positional[Path] = Path("runs")
    """Where the runs are."""
