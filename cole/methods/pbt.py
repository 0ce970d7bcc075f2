"""Population-based training (Jaderberg et al., 2017; for Overcooked: Carroll et al., 2019): learners that meet each
other.

The idea: a population that trains together is less bound to one convention than a learner alone, and its settings are
tuned on the way.
Pseudo-code: repeat: every learner plays with every learner, itself included, and improves by PPO; all pairs then play a
few games; the worst learner becomes a copy of the best, and some of the copy's numbers change a little.
Our choices: 5 learners, the budget, rates and mutations of 2019: with chance 1/3 each, lambda, clip, rate, epochs,
entropy and value weight change by a factor of .75 or 1.25 (lambda by half of the way to 0 or 1, whichever is nearer; an
entropy of 0, as in `paper` and `authors`, stays 0). A copy has the best one's memory of Adam too. The best earns most
by soups; where all earn alike the first of them is both best and worst, and only its numbers change.
Both rounds and selection games are ours to choose: a round is some hundred thousand steps, and each ordered pair plays
6 games. The agent is the learner with the best mean return over all pairs.
"""

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from cole import numbers, objectives, options, partners, population, simulator, stages, trainer
from cole.config.training import Learning, LearningOptions, Run, RunOptions
from cole.errors import UserError
from cole.kitchen.layouts import Layout
from cole.learning import Batch, Learners, fresh
from cole.method import Method, Ready
from cole.policy import network
from cole.policy.policy import neural
from cole.ppo import Hyper
from cole.program import Program, of_each
from cole.trainer import Company, Setup

STEPS = numbers.by_kitchen(8e6, 11e6, 5e6, 8e6, 6e6)  # of each learner
SHAPED = numbers.by_kitchen(3e6, 5e6, 4e6, 7e6, 4e6)
RATE = numbers.RATE["authors"]
MUTATED = ("trace", "clip", "rate", "epochs", "entropy", "value")
CHANCE, FACTOR = 0.33, 0.25


@dataclass(frozen=True)
class Options:
    """PBT: learners that meet each other; now and then the worst becomes a changed copy of the best."""

    run: Run = field(default_factory=RunOptions)
    learning: Learning = field(default_factory=LearningOptions)
    learners: int | None = None
    """How many learners; by default 5, and 3 of a quick run."""
    steps: int | None = None
    """Environment steps of each learner."""
    selection: int = 3
    """Games of each ordered pair in each seat, before the worst is replaced."""


class Setting(NamedTuple):
    """Everything that decides a run, beside kitchen and seeds."""

    hyper: Hyper  # of every learner at the beginning
    batch: Batch  # a group for each learner
    learners: int
    shaped_until: float
    rounds: int
    updates: int
    selection: int
    view: str = "grid"
    half: bool = False


class State(NamedTuple):
    """What changes; one seed."""

    key: Array
    learners: Learners  # [N, ...]
    fitness: Array  # [N] mean return over all pairs, when last measured


def program(layout: Layout, setting: Setting) -> Program:
    """PBT in one kitchen."""
    shape, policy = network.shape_of(layout, setting.view), neural(layout, setting.view, half=setting.half)
    setup = Setup(layout, policy, objectives.team(setting.shaped_until, shaping=setting.batch.shaping), setting.batch)

    def start(seed: Array) -> State:
        key, init_key = jax.random.split(jax.random.key(seed))
        params = jax.vmap(lambda k: network.init(k, shape))(jax.random.split(init_key, setting.learners))
        return State(key, fresh(params, setting.hyper), jnp.zeros(setting.learners))

    @jax.jit
    def agents(state: State) -> Any:
        best = jnp.argmax(state.fitness, axis=1)
        return jax.tree.map(lambda x: jax.vmap(lambda each, i: each[i])(x, best), state.learners.params)

    every_seed = jax.jit(of_each(partial(round_, setting, setup), (0, None)), donate_argnums=0)
    return Program(
        rounds=setting.rounds,
        env_steps=setting.updates * setup.env_steps(),
        start=jax.jit(of_each(start)),
        advance=lambda state, done: every_seed(state, jnp.int32(done)),
        agents=agents,
        strategies=agents,
        all_steps=setting.rounds * round_steps(setting, setup),
    )


def round_steps(setting: Setting, setup: Setup) -> int:
    """Environment steps of all learners in one round, the games of the selection included."""
    selection = setting.learners**2 * 2 * setting.selection * setting.batch.steps
    return setting.learners * setting.updates * setup.env_steps() + selection


def round_(setting: Setting, setup: Setup, state: State, done: Array) -> tuple[State, dict[str, Array]]:
    """Everybody learns, everybody is measured, the worst gives way."""
    train_key, play_key, change_key = jax.random.split(jax.random.fold_in(state.key, done), 3)
    nobody = population.empty(jax.tree.map(lambda x: x[0], state.learners.params), 0)
    phi = partners.among_learners(setting.learners, nobody.alive)
    company = Company(nobody, phi, jnp.ones_like(phi))
    trained, log = trainer.train(train_key, setup, state.learners, company, setting.updates)
    fitness = measured(play_key, setting, setup, trained.params)
    changed = exploited(change_key, trained, fitness, setting.batch.epochs)
    last = done == setting.rounds - 1  # whose learners are the result: nobody changes any more
    learners = jax.tree.map(lambda new, old: jnp.where(last, old, new), changed, trained)
    told = {name: jnp.mean(log[name], axis=1) for name in trainer.TOLD}
    each = {"fitness": fitness, **{name: getattr(learners.hyper, name) for name in MUTATED}}
    told |= {name: jnp.tile(values[None], (setting.updates, 1)) for name, values in each.items()}
    return State(state.key, learners, fitness), told


def measured(key: Array, setting: Setting, setup: Setup, params: Any) -> Array:
    """[N]: what each learner earns on average with all, in both seats."""
    where, games = (setup.layout, setup.policy), (setting.selection, setting.batch.steps)

    def one(key: Array, mine: Any) -> Array:
        return jnp.mean(simulator.play_with_all(key, *where, mine, params, *games))

    return jax.vmap(one)(jax.random.split(key, setting.learners), params)


def exploited(key: Array, learners: Learners, fitness: Array, most_epochs: int) -> Learners:
    """The worst learner becomes the best one, with its memory of Adam, and with numbers that are changed a little."""
    worst, best = jnp.argmin(fitness), jnp.argmax(fitness)
    new = mutated(key, jax.tree.map(lambda x: x[best], learners.hyper), most_epochs)

    def copied(x: Array) -> Array:
        return x.at[worst].set(x[best])

    return learners._replace(
        params=jax.tree.map(copied, learners.params),
        optimiser=jax.tree.map(copied, learners.optimiser),
        hyper=jax.tree.map(lambda x, changed: x.at[worst].set(changed), learners.hyper, new),
    )


def mutated(key: Array, hyper: Hyper, most_epochs: int) -> Hyper:
    """Each number of MUTATED changes with chance CHANCE: by a factor of 1 +- FACTOR, lambda by half of its way."""
    whether, up = jax.random.uniform(key, (2, len(MUTATED)))
    changed = {}
    for i, name in enumerate(MUTATED):
        old, sign = getattr(hyper, name), jnp.where(up[i] < 0.5, -1.0, 1.0)
        step = jnp.minimum((1 - old) / 2, old / 2) if name == "trace" else FACTOR * old
        changed[name] = jnp.where(whether[i] < CHANCE, old + sign * step, old)
    changed["epochs"] = jnp.clip(changed["epochs"], 1.0, most_epochs)
    return hyper._replace(**changed)


def prepare(asked: Options, layout: Layout) -> Ready:
    """A run of PBT."""
    run, learning, kitchen = asked.run, asked.learning, numbers.kitchen_of(layout)
    if len(layout.start) != 2:
        raise UserError(f"--layout {run.layout}: PBT pairs two cooks, and this kitchen has {len(layout.start)}")
    if learning.rate_end is not None or learning.entropy_end is not None:
        raise UserError("--rate-end and --entropy-end: PBT changes its numbers by itself, leave them out")
    recipe = numbers.rival(run.recipe, kitchen, run.size)
    learners = options.whole("learners", options.chosen(asked.learners, 3 if run.size == "quick" else 5), 2, 100)
    selection = options.whole("selection", asked.selection, 1, 1000)
    first = recipe.hyper
    batch = numbers.in_groups(recipe.batch, learners)
    if run.recipe != "default":
        first = first._replace(rate=RATE[kitchen], value=0.5)
        batch = replace(batch, minibatches=10, epochs=5)
    batch = options.changed(batch, learning, len(layout.start))
    hyper, _ = options.hypers(first, first, learning)
    each = batch.groups * batch.games * batch.steps
    # Of the matched budget the games of the selection take a part: of a round of MOST_UPDATES updates, this share.
    ours = options.MOST_UPDATES * each / (options.MOST_UPDATES * each + learners * 2 * selection * batch.steps)
    matched = ours * numbers.MATCHED[kitchen] / learners
    options.refuse_unmatched(run, steps=asked.steps)
    full = {"full": STEPS[kitchen], "matched": matched, "quick": 160_000}[run.size]
    steps = options.chosen(asked.steps, full)
    rounds, updates = options.rounds_of("steps", steps, each)
    setting = Setting(
        hyper=hyper._replace(epochs=float(batch.epochs)),
        batch=replace(batch, epochs=2 * batch.epochs, own_epochs=True),
        learners=learners,
        shaped_until=stages.shaped_until(learning, steps, SHAPED[kitchen] / STEPS[kitchen]),
        rounds=rounds,
        updates=updates,
        selection=selection,
        view=options.view(options.chosen(learning.view, recipe.view), layout),
        half=options.half(learning.precision),
    )
    return Ready(setting, program(layout, setting))


METHOD = Method(Options, prepare)
