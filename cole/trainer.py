"""The one learning loop: play with partners, improve by PPO. Who sits opposite and what is maximised come from outside.

Shapes: L learners, C slots of the frozen population, B guests; N = L + C + B candidates. G groups a learner plays in an
update, E games a group, T steps, R recorded players of a game (the learner, or everybody in self-play).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax import Array
from jax.flatten_util import ravel_pytree

from cole import partners, rollout
from cole.kitchen import game
from cole.kitchen.layouts import Layout
from cole.objectives import Objective
from cole.policy.policy import Policy, log_probability
from cole.population import Population
from cole.ppo import Hyper, Samples, gae, normalised, ppo_loss
from cole.program import of_each
from cole.rollout import Rollout

ADAM = optax.scale_by_adam(eps=1e-5)
TOLD = ("return", "entropy", "kl", "clipped", "value_loss", "gradient")  # of an update, what methods log of everybody


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
