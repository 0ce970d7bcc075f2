"""Hidden-utility Self-Play (Yu et al., 2023): learn with partners that want something else than the team.

The idea: people do not maximise the team's reward alone; some like to carry dishes, some never touch a pot. Partners
trained on such hidden utilities, each beside a mate that makes the best of it, behave in ways that self-play never
shows.
Pseudo-code: (1) draw hidden utilities w and train pairs of a biased learner, paid w . events, and a mate, paid the
team's reward; train a pool with population entropy beside them. (2) Let each pair play, and keep those biased learners
whose counts of events lie farthest apart. (3) Train one learner with these and with snapshots of the pool, drawn
uniformly.
Our choices: weights of eight kinds of event, drawn from the stated set; 6 pairs, of which 3 stay, and 4 learners of the
pool, each with as many steps as one of MEP's, so that all together have nearly three times MEP's. The first of the
chosen is the farthest from the mean of all. A biased learner is paid for what it does itself.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from cole import objectives, options, pool, rollout, stages
from cole.config.training import Learning, LearningOptions, Run, RunOptions
from cole.kitchen import game
from cole.kitchen.game import Events
from cole.kitchen.layouts import Layout
from cole.learning import Learners
from cole.method import Method, Ready
from cole.objectives import Objective
from cole.pool import Plan
from cole.rollout import Rollout
from cole.stages import Stages
from cole.trainer import Setup

BIASED, MATE, POOL = range(3)
TASTES = {  # what a biased learner may get for each kind of event
    "onion_taken": (-3.0, 0.0, 3.0),
    "dish_taken": (-3.0, 0.0, 3.0),
    "onion_in_pot": (-3.0, 0.0, 3.0),
    "soup_taken": (-3.0, 0.0, 3.0),
    "soup_served": (0.0, 20.0),
    "onion_put": (-3.0, 0.0, 3.0),
    "dish_put": (-3.0, 0.0, 3.0),
    "soup_put": (-3.0, 0.0, 3.0),
}
SHOWN = 6  # games of each pair that decide who is kept


@dataclass(frozen=True)
class Options:
    """HSP: partners with hidden utilities, the most different of them, and one learner that meets these and a pool."""

    run: Run = field(default_factory=RunOptions)
    learning: Learning = field(default_factory=LearningOptions)
    stages: Stages = field(default_factory=stages.StageOptions)
    pairs: int | None = None
    """Pairs of a biased learner and its mate; by default 6, and 2 of a quick run. They are not in --learners."""
    kept: int | None = None
    """Biased learners that are kept as partners; by default half of them."""
    population_entropy: float = 0.01
    """Weight of the pool's entropy in its reward."""


class Taste(NamedTuple):
    """What is special about a learner."""

    weights: Array  # [K] of events
    role: Array  # BIASED, MATE or POOL


def tastes(pairs: int, key: Array, count: int) -> Taste:
    """Of `count` learners: the biased, their mates, the rest."""
    columns = []
    for i, name in enumerate(Events._fields):
        values = jnp.array(TASTES.get(name, (0.0,)))
        columns.append(values[jax.random.randint(jax.random.fold_in(key, i), (count,), 0, len(values))])
    roles = [BIASED] * pairs + [MATE] * pairs + [POOL] * (count - 2 * pairs)
    return Taste(jnp.stack(columns, axis=1), jnp.array(roles, jnp.int32))


def meeting(pairs: int, count: int) -> Array:
    """[N]: each of a pair meets the other, all others themselves."""
    return jnp.array([*range(pairs, 2 * pairs), *range(pairs), *range(2 * pairs, count)])


def by_taste(team: Objective) -> Objective:
    """Biased learners are paid by their own weights for what they do, all others as a team."""

    def reward(rollout: Rollout, learner: Any) -> Array:
        recorded = rollout.action.shape[1]
        own = game.reward(Events(*learner.taste.weights), rollout.events)[:, :recorded]
        return jnp.where(learner.taste.role == BIASED, own, team.reward(rollout, learner))

    return team._replace(reward=reward)


def diverse(counts: Array, kept: int) -> Array:
    """[kept] rows of counts [n, K], each as far as possible from all before it; the first from the mean of all."""

    def apart(a: Array, b: Array) -> Array:
        return jnp.sum((a - b) ** 2, axis=-1)

    nearest, chosen = apart(counts, jnp.mean(counts, axis=0)[None]), []
    for i in range(kept):
        chosen.append(jnp.argmax(nearest))
        distance = apart(counts, counts[chosen[-1]][None])
        nearest = distance if i == 0 else jnp.minimum(nearest, distance)
    return jnp.stack(chosen)


def events_of(key: Array, setup: Setup, mine: Any, mates: Any) -> Array:
    """[K]: how often a biased learner does each thing in a game beside its mate, over SHOWN games, seats in turn."""
    layout, policy, steps = setup.layout, setup.policy, setup.batch.steps
    chance = rollout.draw_chance(key, layout, SHOWN * steps).reshape(SHOWN, steps, len(layout.start), -1)

    def one(chance: Array, seat: Array) -> Array:
        played = rollout.play(layout, policy, mine, policy, mates, seat, game.reset(layout), chance)
        return jnp.stack([jnp.sum(jnp.asarray(event)[:, 0]) for event in played.events])

    return jnp.mean(jax.vmap(one)(chance, jnp.arange(SHOWN) % len(layout.start)), axis=0)


def choose(pairs: int, kept: int, key: Array, setup: Setup, members: Learners, returns: Array) -> Array:
    """The last snapshots of the most different biased learners, and three of each of the pool."""
    slots = returns.shape[1]
    biased = jax.tree.map(lambda x: x[:pairs], members.params)
    mates = jax.tree.map(lambda x: x[pairs : 2 * pairs], members.params)
    keys = jax.random.split(key, pairs)
    counts = jax.vmap(lambda k, mine, other: events_of(k, setup, mine, other))(keys, biased, mates)
    spread = jnp.maximum(jnp.std(counts, axis=0), 1e-6)
    odd = diverse(counts / spread[None], kept) * slots + slots - 1
    rest = pool.first_half_last(key, setup, members, returns[2 * pairs :]) + 2 * pairs * slots
    return jnp.concatenate([odd, rest])


def plan(pairs: int, kept: int, alpha: float) -> Plan:
    """So many pairs beside a pool, whose entropy counts by alpha; of the pairs so many biased learners are kept."""
    return Plan(
        lambda team, policy: objectives.with_population_entropy(by_taste(team), policy, alpha, beside=2 * pairs),
        partial(choose, pairs, kept),
        pool.all_alike,
        partial(meeting, pairs),
        partial(tastes, pairs),
    )


def prepare(asked: Options, layout: Layout) -> Ready:
    """A run of HSP."""
    quick = asked.run.size == "quick"
    pairs = options.whole("pairs", options.chosen(asked.pairs, 2 if quick else 6), 1, 100)
    kept = options.whole("kept", options.chosen(asked.kept, max(1, pairs // 2)), 1, pairs)
    alpha = options.within("population-entropy", asked.population_entropy, least=0)
    setting = stages.two(asked, layout, 11e6, 11e6, learners=2 if quick else 4, beside=2 * pairs)
    setting = setting._replace(both_seats=False)
    program = pool.program(layout, setting, plan(pairs, kept, alpha))
    return Ready(setting, program, beside={"pairs": pairs, "kept": kept, "population_entropy": alpha})


METHOD = Method(Options, prepare)
