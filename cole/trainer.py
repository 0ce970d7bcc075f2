"""The one learning loop: play with partners, improve by PPO. Who sits opposite and what is maximised come from outside.

Shapes: L learners, N = L + C candidates, G groups a learner plays in one update, E games a group, T steps, R recorded
players of a game (the learner, or everybody in self-play).
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax import Array

from cole import partners, rollout
from cole.kitchen import game
from cole.kitchen.layouts import Layout
from cole.objectives import Objective
from cole.policy.policy import Policy, log_probability
from cole.population import Population
from cole.ppo import Hyper, Samples, gae, ppo_loss
from cole.rollout import Rollout

ADAM = optax.scale_by_adam(eps=1e-5)


@dataclass(frozen=True)
class Batch:
    """How much is played and how often it is learned from in one update."""

    groups: int = 4
    """Groups of games; each group has one partner."""
    games: int = 30
    """Games in a group."""
    steps: int = 400
    """Steps of a game, which ends there."""
    minibatches: int = 10
    """Parts the samples of an update are divided into."""
    epochs: int = 5
    """Times the samples are gone through."""
    both_seats: bool = False
    """Learn from all seats instead of the learner's alone; only right where everybody is the learner."""
    random_starts: float = 0.0
    """Share of the games that begin in a random mid-game state."""
    clip_value: bool = True
    """Clip the change of the value as that of the policy."""

    def samples(self, seats: int) -> int:
        """Trained samples of one update."""
        return self.groups * self.games * self.steps * (seats if self.both_seats else 1)

    def env_steps(self) -> int:
        """Steps of the game in one update."""
        return self.groups * self.games * self.steps


class Learners(NamedTuple):
    """L live learners: everything that changes while they learn."""

    params: Any  # [L, ...] each
    optimiser: Any  # [L, ...] each
    hyper: Hyper  # [L] each
    steps: Array  # [L] environment steps so far


def fresh(params: Any, hyper: Hyper) -> Learners:
    """Learners from parameters [L, ...] and hyperparameters, scalars or [L]."""
    count = jax.tree.leaves(params)[0].shape[0]
    hyper = Hyper(*(jnp.broadcast_to(jnp.asarray(x, jnp.float32), (count,)) for x in hyper))
    return Learners(params, jax.vmap(ADAM.init)(params), hyper, jnp.zeros(count))


@partial(jax.jit, static_argnames=("policy", "objective", "batch", "updates"), donate_argnames=("learners",))
def train(
    key: Array,
    layout: Layout,
    policy: Policy,
    learners: Learners,
    frozen: Population,
    phi: Array,
    weights: Array,
    objective: Objective,
    batch: Batch,
    updates: int,
) -> tuple[Learners, dict[str, Array]]:
    """`updates` updates with partners drawn from Phi [L, N]; the learners, and a log [updates, L] of each."""

    def one(learners: Learners, key: Array) -> tuple[Learners, dict[str, Array]]:
        return update(key, layout, policy, learners, frozen, phi, weights, objective, batch)

    return jax.lax.scan(one, learners, jax.random.split(key, updates))


def update(
    key: Array,
    layout: Layout,
    policy: Policy,
    learners: Learners,
    frozen: Population,
    phi: Array,
    weights: Array,
    objective: Objective,
    batch: Batch,
) -> tuple[Learners, dict[str, Array]]:
    """Every learner plays its groups and learns from them once; `weights` [L, N] weigh a candidate's groups."""
    count = phi.shape[0]
    candidates = jax.tree.map(lambda live, old: jnp.concatenate([live, old]), learners.params, frozen.params)
    play_keys, learn_keys = jax.random.split(key, (2, count))

    def learn(play_key, learn_key, learner: Learners, row: Array, weight: Array):
        drawn, games = play_groups(play_key, layout, policy, learner.params, candidates, row, batch)
        rewards = jax.vmap(jax.vmap(lambda one: objective.reward(one, learners.params, learner.steps)))(games)
        samples = as_samples(games, rewards, weight[drawn], learner.hyper)
        learner, log = improve(learn_key, policy, learner, samples, batch)
        paid = jnp.sum(game.reward(game.SPARSE, games.events), axis=(2, 3))  # [G, E]
        log |= {"return": jnp.mean(paid), "return_by_group": jnp.mean(paid, axis=1), "partner": drawn}
        return learner._replace(steps=learner.steps + batch.env_steps()), log

    return jax.vmap(learn)(play_keys, learn_keys, learners, phi, weights)


def play_groups(
    key: Array, layout: Layout, policy: Policy, params: Any, candidates: Any, row: Array, batch: Batch
) -> tuple[Array, Rollout]:
    """The partners drawn [G], and one learner's games with them [G, E]; it takes the seats in turn."""
    draw_key, start_key, chance_key = jax.random.split(key, 3)
    drawn = partners.draw_groups(draw_key, row, batch.groups)
    theirs = jax.tree.map(lambda x: x[drawn], candidates)
    shape = (batch.groups, batch.games)
    starts = jax.vmap(jax.vmap(lambda k: start(k, layout, batch.random_starts)))(jax.random.split(start_key, shape))
    seats = jnp.arange(batch.groups * batch.games).reshape(shape) % len(layout.start)
    chance = rollout.draw_chance(chance_key, layout, batch.steps * batch.groups * batch.games)
    chance = chance.reshape(*shape, batch.steps, *chance.shape[1:])

    def group(theirs, seats, starts, chance):
        def one(seat, start, chance):
            return rollout.play(
                layout, policy, params, policy, theirs, seat, start, chance, record_all=batch.both_seats
            )

        return jax.vmap(one)(seats, starts, chance)

    return drawn, jax.vmap(group)(theirs, seats, starts, chance)


def start(key: Array, layout: Layout, random_starts: float) -> game.State:
    """The opening, or with chance `random_starts` a random mid-game state."""
    opening = game.reset(layout)
    if random_starts == 0.0:
        return opening
    whether, which = jax.random.split(key)
    shuffled = game.random_state(which, layout)
    chosen = jax.random.bernoulli(whether, random_starts)
    return jax.tree.map(lambda a, b: jnp.where(chosen, a, b), shuffled, opening)


def as_samples(games: Rollout, rewards: Array, weight: Array, hyper: Hyper) -> Samples:
    """The steps of all games [G, E, T, R] in one row [G*E*T*R]; weight [G]."""

    def advantages(rewards, values):
        return gae(rewards, values, jnp.zeros_like(values[0]), hyper.discount, hyper.trace)

    advantage = jax.vmap(jax.vmap(advantages))(rewards, games.value)
    each = Samples(
        seen=games.seen,
        action=games.action,
        log_probability=log_probability(games.logits, games.action),
        value=games.value,
        advantage=advantage,
        target=advantage + games.value,
        weight=jnp.broadcast_to(weight[:, None, None, None], advantage.shape),
    )
    return jax.tree.map(lambda x: x.reshape(-1, *x.shape[4:]), each)


def improve(
    key: Array, policy: Policy, learner: Learners, samples: Samples, batch: Batch
) -> tuple[Learners, dict[str, Array]]:
    """One learner goes through its samples `epochs` times, in minibatches shuffled anew each time."""
    count = samples.action.shape[0]
    size = count // batch.minibatches
    shuffled = jax.vmap(lambda k: jax.random.permutation(k, count))(jax.random.split(key, batch.epochs))
    parts = shuffled[:, : size * batch.minibatches].reshape(batch.epochs * batch.minibatches, size)

    def loss(params, part: Samples):
        logits, values = policy.evaluate(policy.prepare(params), part.seen)
        return ppo_loss(jax.nn.log_softmax(logits), values, part, learner.hyper, batch.clip_value)

    def step(carry, chosen):
        params, optimiser = carry
        part = jax.tree.map(lambda x: x[chosen], samples)
        gradient, log = jax.grad(loss, has_aux=True)(params, part)
        norm = optax.tree.norm(gradient)
        shrink = jnp.minimum(1.0, learner.hyper.gradient / jnp.maximum(norm, 1e-12))
        direction, optimiser = ADAM.update(jax.tree.map(lambda g: shrink * g, gradient), optimiser)
        params = jax.tree.map(lambda p, d: p - learner.hyper.rate * d, params, direction)
        return (params, optimiser), log | {"gradient": norm}

    (params, optimiser), log = jax.lax.scan(step, (learner.params, learner.optimiser), parts)
    return learner._replace(params=params, optimiser=optimiser), jax.tree.map(jnp.mean, log)
