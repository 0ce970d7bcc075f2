"""The one learning loop: play with partners, improve by PPO. Who sits opposite and what is maximised come from outside.

Shapes: L learners, C slots of the frozen population, B guests; N = L + C + B candidates. G groups a learner plays in an
update, E games a group, T steps, R recorded players of a game (the learner, or everybody in self-play).
"""

import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from cole import partners, rollout
from cole.kitchen import game
from cole.kitchen.layouts import Layout
from cole.learning import Batch, Learners, as_samples, improve
from cole.objectives import Objective
from cole.policy.policy import Policy
from cole.population import Population
from cole.program import of_each
from cole.rollout import Rollout

TOLD = ("return", "entropy", "kl", "clipped", "value_loss", "gradient")  # of an update, what methods log of everybody


class Guests(NamedTuple):
    """Partners of another kind than the learners; they get groups of their own."""

    policy: Policy
    groups: int


class Setup(NamedTuple):
    """What never changes while learners learn, and is compiled in."""

    layout: Layout
    policy: Policy  # of the learners and of the frozen population
    objective: Objective
    batch: Batch
    guests: tuple[Guests, ...] = ()
    partner: Policy | None = None  # how the learners' kind acts when it sits opposite; None: as when it learns

    def env_steps(self) -> int:
        """Steps of the game a learner plays in one update."""
        groups = self.batch.groups + sum(kind.groups for kind in self.guests)
        return groups * self.batch.games * self.batch.steps


class Company(NamedTuple):
    """Who may sit opposite: N candidates, the learners themselves first, then the frozen, then guests kind by kind."""

    frozen: Population  # C
    phi: Array  # [L, N]: a learner's chance of meeting each; chances count within a kind, which has its groups
    weights: Array  # [L, N]: how much the games with each count
    guests: tuple[Any, ...] = ()  # parameters [B, ...] of each kind
    distraction: Array | None = None  # [N, 2]: the chances that each pauses, and errs, instead of acting


def train(
    key: Array, setup: Setup, learners: Learners, company: Company, updates: int
) -> tuple[Learners, dict[str, Array]]:
    """`updates` updates of every learner; the learners, and a log [updates, L] of each figure."""

    def one(learners: Learners, key: Array) -> tuple[Learners, dict[str, Array]]:
        return update(key, setup, learners, company)

    return jax.lax.scan(one, learners, jax.random.split(key, updates))


def update(key: Array, setup: Setup, learners: Learners, company: Company) -> tuple[Learners, dict[str, Array]]:
    """Every learner plays its groups and learns from them once."""
    count = company.phi.shape[0]
    alike = jax.tree.map(lambda live, old: jnp.concatenate([live, old]), learners.params, company.frozen.params)
    play_keys, learn_keys = jax.random.split(key, (2, count))

    def play(key: Array, learner: Learners, row: Array) -> tuple[Array, Rollout]:
        return play_all(key, setup, learner.params, [alike, *company.guests], row, company.distraction)

    drawn, games = of_each(play)(play_keys, learners, company.phi)  # [L, G], [L, G, E, ...]
    among = setup.objective.among(learners.params, games) if setup.objective.among else None  # [L, G, E, T, R]

    def learn(key: Array, learner: Learners, drawn: Array, games: Rollout, weights: Array, more: Array | None):
        rewards = jax.vmap(jax.vmap(lambda one: setup.objective.reward(one, learner)))(games)
        rewards = rewards if more is None else rewards + more
        samples = as_samples(setup.policy, learner, games, rewards, weights[drawn])
        learner, log = improve(key, setup.policy, learner, samples, setup.batch, setup.objective.aside)
        paid = jnp.sum(game.reward(game.SPARSE, games.events), axis=(2, 3))  # [G, E]
        log |= {"return": jnp.mean(paid), "return_by_group": jnp.mean(paid, axis=1), "partner": drawn}
        return learner._replace(steps=learner.steps + setup.env_steps()), log

    return of_each(learn)(learn_keys, learners, drawn, games, company.weights, among)


def play_all(
    key: Array, setup: Setup, mine: Any, candidates: list[Any], row: Array, distraction: Array | None = None
) -> tuple[Array, Rollout]:
    """One learner's games [G, E] with candidates of its own kind and with guests; and whom it met [G]."""
    kinds = [Guests(setup.partner or setup.policy, setup.batch.groups), *setup.guests]
    drawn, games, first = [], [], 0
    for kind, theirs in zip(kinds, candidates, strict=True):
        key, draw_key, play_key = jax.random.split(key, 3)
        count, here = count_of(theirs), first
        first += count
        if kind.groups == 0:
            continue
        chosen = partners.draw_groups(draw_key, row[here : here + count], kind.groups)
        opposite = jax.tree.map(lambda x, chosen=chosen: x[chosen], theirs)
        absent = None if distraction is None else distraction[here + chosen]
        games.append(play_groups(play_key, setup, mine, kind, opposite, absent))
        drawn.append(here + chosen)
    return jnp.concatenate(drawn), jax.tree.map(lambda *parts: jnp.concatenate(parts), *games)


def count_of(params: Any) -> int:
    """How many strategies; one where a policy has no parameters."""
    leaves = jax.tree.leaves(params)
    return leaves[0].shape[0] if leaves else 1


def play_groups(
    key: Array, setup: Setup, mine: Any, kind: Guests, theirs: Any, distraction: Array | None = None
) -> Rollout:
    """Games [G, E] with one partner a group, whose parameters are [G, ...]; the learner takes the seats in turn.

    Which seat comes first is drawn: where games are odd in number, no seat is favoured for ever.
    """
    layout, batch, shape = setup.layout, setup.batch, (kind.groups, setup.batch.games)
    backend = jax.default_backend()
    start_key, chance_key, level_key, seat_key = jax.random.split(key, 4)
    starts = jax.vmap(jax.vmap(lambda k: start(k, layout, batch.random_starts)))(jax.random.split(start_key, shape))
    first = jax.random.randint(seat_key, (shape[0], 1), 0, len(layout.start))
    seats = (first + jnp.arange(shape[1])[None, :]) % len(layout.start)
    chance = rollout.draw_chance(chance_key, layout, shape[0] * shape[1] * batch.steps)
    chance = chance.reshape(*shape, batch.steps, *chance.shape[1:])

    if distraction is not None:
        level = jax.random.uniform(level_key, (*shape, 1)) if batch.distraction_by_game else jnp.ones((*shape, 1))
        distraction = level * distraction[:, None]  # [G, E, 2]

    def play(theirs, seat, start, chance, distraction):
        return rollout.play(
            layout,
            setup.policy,
            mine,
            kind.policy,
            theirs,
            seat,
            start,
            chance,
            record_all=batch.both_seats,
            distraction=distraction,
            apart=kind.groups >= rollout.APART.get(backend, math.inf),
            unroll=rollout.UNROLL.get(backend, 1),
        )

    each_game = jax.vmap(play, in_axes=(None, 0, 0, 0, 0))
    return jax.vmap(each_game, axis_size=kind.groups)(theirs, seats, starts, chance, distraction)


def start(key: Array, layout: Layout, random_starts: float | Array) -> game.State:
    """The opening, or with chance `random_starts` a random mid-game state."""
    opening = game.reset(layout)
    if never(random_starts):
        return opening
    whether, which = jax.random.split(key)
    shuffled = game.random_state(which, layout)
    chosen = jax.random.bernoulli(whether, random_starts)
    return jax.tree.map(lambda a, b: jnp.where(chosen, a, b), shuffled, opening)


def never(share: float | Array) -> bool:
    """Whether a share is known to be 0 before anything is compiled; shares may also be data."""
    return isinstance(share, int | float) and share == 0
