"""A learner, and how it learns from its games by PPO; what these games are is the trainer's business.

Shapes: L learners, G groups of games, E games a group, T steps, R recorded players of a game.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax import Array
from jax.flatten_util import ravel_pytree

from cole.policy.policy import Policy, log_probability
from cole.ppo import Hyper, Samples, gae, normalised, ppo_loss
from cole.rollout import Rollout

ADAM = optax.scale_by_adam(eps=1e-5)


@dataclass(frozen=True)
class Batch:
    """How much is played in one update, what is paid for, and how often it is learned from."""

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
    random_starts: float | Array = 0.0
    """Share of the games that begin in a random mid-game state."""
    shaping: Literal["own", "team"] = "own"
    """Whose useful deeds shaping pays for: one's own, or those of the whole team."""
    clip_value: bool = True
    """Clip the change of the value as that of the policy."""
    distraction_by_game: bool = False
    """Each game draws its partner's distraction anew, from none up to what the company says."""
    own_epochs: bool = False
    """Each learner goes through its samples only as often as its hyperparameters say, at most `epochs` times."""


class Learners(NamedTuple):
    """L live learners: everything that changes while they learn."""

    params: Any  # [L, ...] each
    optimiser: Any  # of the parameters in one row: [L, n] each
    hyper: Hyper  # [L] each
    steps: Array  # [L] environment steps so far
    taste: Any = ()  # [L, ...] each: what an objective wants to know of a learner


def fresh(params: Any, hyper: Hyper, taste: Any = ()) -> Learners:
    """Learners from parameters [L, ...] and hyperparameters, scalars or [L]."""
    count = jax.tree.leaves(params)[0].shape[0]
    optimiser = jax.vmap(lambda one: ADAM.init(ravel_pytree(one)[0]))(params)
    return tuned(Learners(params, optimiser, hyper, jnp.zeros(count), taste), hyper)


def tuned(learners: Learners, hyper: Hyper) -> Learners:
    """The learners with these hyperparameters, scalars or [L]."""
    each = (jnp.broadcast_to(jnp.asarray(x, jnp.float32), learners.steps.shape) for x in hyper)
    return learners._replace(hyper=Hyper(*each))


def as_samples(policy: Policy, learner: Learners, games: Rollout, rewards: Array, weight: Array) -> Samples:
    """The steps of all games [G, E, T, R] in one row [G*E*T*R]; weight [G].

    What the learner thought of each step is computed here, as it will be while learning, and not recorded in play.
    """
    in_a_row = jax.tree.map(lambda x: x.reshape(-1, *x.shape[4:]), (games.seen, games.action, games.partner))
    logits, values = policy.evaluate(learner.params, in_a_row[0])

    def advantages(rewards: Array, values: Array) -> Array:
        return gae(rewards, values, jnp.zeros_like(values[0]), learner.hyper.discount, learner.hyper.trace)

    advantage = jax.vmap(jax.vmap(advantages))(rewards, values.reshape(rewards.shape))
    weights = jnp.broadcast_to(weight[:, None, None, None], advantage.shape)
    return Samples(
        seen=in_a_row[0],
        action=in_a_row[1],
        log_probability=log_probability(logits, in_a_row[1]),
        value=values,
        advantage=advantage.ravel(),
        target=advantage.ravel() + values,
        weight=weights.ravel(),
        partner=in_a_row[2],
    )


def improve(
    key: Array,
    policy: Policy,
    learner: Learners,
    samples: Samples,
    batch: Batch,
    aside: Callable[[Any, Samples], Array] | None = None,
) -> tuple[Learners, dict[str, Array]]:
    """One learner goes through its samples `epochs` times, in minibatches shuffled anew each time.

    `aside` is another loss.
    """
    flat, restore = ravel_pytree(learner.params)  # in one row: a step of Adam is then a single operation

    def loss(params: Any, part: Samples) -> tuple[Array, dict[str, Array]]:
        logits, values = policy.evaluate(params, part.seen)
        total, log = ppo_loss(jax.nn.log_softmax(logits), values, part, learner.hyper, batch.clip_value)
        if aside is None:
            return total, log
        other = aside(params, part)
        return total + other, log | {"aside": other}

    def step(carry: tuple[Array, Any], part: Samples) -> tuple[tuple[Array, Any], dict[str, Array]]:
        flat, optimiser = carry
        gradient, log = jax.grad(loss, has_aux=True)(restore(flat), part)
        gradient = ravel_pytree(gradient)[0]
        norm = jnp.sqrt(jnp.sum(gradient**2))
        shrink = jnp.minimum(1.0, learner.hyper.gradient / jnp.maximum(norm, 1e-12))
        direction, optimiser = ADAM.update(shrink * gradient, optimiser)
        flat = jax.tree.map(lambda x, d: x - learner.hyper.rate * d, flat, direction)
        return (flat, optimiser), log | {"gradient": norm}

    turns = batch.epochs * batch.minibatches
    if batch.own_epochs:
        own = jnp.ceil(jnp.minimum(learner.hyper.epochs, batch.epochs) * batch.minibatches)
        turns = jnp.maximum(own.astype(jnp.int32), 1)
    parts = shuffled(key, samples, batch)
    (flat, optimiser), log = first_turns(step, (flat, learner.optimiser), parts, turns)
    return learner._replace(params=restore(flat), optimiser=optimiser), log


def first_turns(step: Callable, begin: Any, parts: Any, turns: Array | int) -> tuple[Any, Any]:
    """A scan that ends after so many of the parts, of which there are 1 or more; and what `step` logs, on average."""

    def turn(i: Array, carry: tuple[Any, Any]) -> tuple[Any, Any]:
        after, log = step(carry[0], jax.tree.map(lambda x: x[i], parts))
        return after, jax.tree.map(jnp.add, carry[1], log)

    shapes = jax.eval_shape(step, begin, jax.tree.map(lambda x: x[0], parts))[1]
    nothing = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), shapes)
    after, sums = jax.lax.fori_loop(0, turns, turn, (begin, nothing))
    return after, jax.tree.map(lambda x: x / turns, sums)


def shuffled(key: Array, samples: Samples, batch: Batch) -> Samples:
    """All minibatches of an update [epochs * minibatches, size], in a new order for each epoch.

    Dice are sorted once, and of two equal ones either may come first. `jax.random.permutation` sorts twice and keeps
    the order of equals: a fifth of all that a GPU's compiler would have to do for a generation of COLE.
    """
    count = samples.action.shape[0]
    size = count // batch.minibatches
    dice = jax.random.bits(key, (batch.epochs, count))
    places = jax.lax.broadcasted_iota(jnp.int32, dice.shape, 1)
    _, orders = jax.lax.sort((dice, places), num_keys=1, is_stable=False)
    parts = orders[:, : size * batch.minibatches].reshape(batch.epochs * batch.minibatches, size)
    return jax.vmap(normalised)(jax.tree.map(lambda x: x[parts], samples))
