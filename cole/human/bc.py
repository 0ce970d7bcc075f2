"""Behaviour cloning: policies that do what people did in the recorded games, many of them trained at once.

As in 2019: cross-entropy on single steps of both people, Adam, small batches, a part of the steps held out. A clone of
the `train` games is a partner to train with (`bc`), one of the `test` games a partner to be judged with (`h_proxy`).
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from cole.errors import UserError
from cole.human import data
from cole.human.data import Games
from cole.kitchen import layouts, views
from cole.kitchen.game import State
from cole.kitchen.layouts import Layout
from cole.policy import cloned

METHODS = {"train": "bc", "test": "h_proxy"}  # what a clone of each split is called
BATCH, RATE, HELD_OUT = 64, 1e-3, 0.15
ADAM = optax.adam(RATE)
# Times the steps are gone through in each kitchen, as in 2019.
EPOCHS = dict(zip(layouts.MAPS, (100, 120, 120, 90, 110), strict=True))


class Clone(NamedTuple):
    """Who is to be cloned."""

    kitchen: str
    split: str
    seed: int


class Samples(NamedTuple):
    """What people saw and did, one row a step and person."""

    features: np.ndarray  # [n, 62] int16
    action: np.ndarray  # [n] int32


class Lesson(NamedTuple):
    """What M clones learn from: a table of all steps, of which clone i learns the first `learns[i]` of `order[i]`."""

    features: Array  # [N, 62]
    action: Array  # [N]
    order: Array  # [M, longest] rows, shuffled by the clone's seed; behind its own follow any
    learns: Array  # [M]
    epochs: Array  # [M]


class Trained(NamedTuple):
    """M clones."""

    params: Any  # [M, ...] each
    learned: list[int]  # [M] steps learned from
    held_out: np.ndarray  # [M] share of the held-out steps in which the likeliest action is what people did
    other: np.ndarray  # [M] the same on all games of the other split; NaN if there are none


def check_known(games: Games, kitchen: str, split: str) -> None:
    """A kitchen nobody has played in has nobody to clone."""
    if not data.select(games, kitchen, split):
        raise UserError(
            f"there are no recorded human games of {kitchen} in the split {split}, so nobody to clone; "
            "as partners there are the cooks greedy_cook, supplier and chef"
        )


def samples(games: Games, kitchen: str, split: str) -> Samples:
    """All steps of people in one kitchen and split."""
    check_known(games, kitchen, split)
    chosen = data.select(games, kitchen, split)
    recordings = [data.recording(games, index) for index in chosen]
    before = [jax.tree.map(lambda x: x[:-1], one.states) for one in recordings]
    states = jax.tree.map(lambda *parts: np.concatenate(parts), *before)
    seen = features_of(layouts.load(kitchen), states)
    action = np.concatenate([one.actions for one in recordings])
    people = np.repeat(games.people[chosen], games.steps[chosen], axis=0)  # [T, 2]
    return Samples(seen[people], action[people].astype(np.int32))


def features_of(layout: Layout, states: State) -> np.ndarray:
    """[T, 2, 62] of states [T, ...], filled up to a power of two so that little is compiled."""
    count = len(states.clock)
    room = (1 << (count - 1).bit_length()) - count
    filled = jax.tree.map(lambda x: np.concatenate([x, np.repeat(x[-1:], room, axis=0)]), states)
    return np.asarray(_features(layout, filled))[:count]


@jax.jit
def _features(layout: Layout, states: State) -> Array:
    by_seat = jax.vmap(views.features, in_axes=(None, None, 0))
    return jax.lax.map(lambda state: by_seat(layout, state, jnp.arange(2)), states, batch_size=256)


def lesson_of(tables: dict[tuple[str, str], Samples], clones: Sequence[Clone], epochs: int | None = None) -> Lesson:
    """The clones' rows of one table of everything; which are held out is drawn by each clone's seed."""
    counts = {which: len(table.action) for which, table in tables.items()}
    first = dict(zip(counts, np.cumsum([0, *counts.values()]), strict=False))
    longest, orders, learns = max(counts.values()), [], []
    for clone in clones:
        which = (clone.kitchen, clone.split)
        own = np.random.default_rng([clone.seed, counts[which]]).permutation(counts[which])
        orders.append(first[which] + np.resize(own, longest))
        learns.append(int((1 - HELD_OUT) * counts[which]))
        if learns[-1] < BATCH:
            raise UserError(
                f"{counts[which]} steps of people in {clone.kitchen} ({clone.split}) are too few to clone them"
            )
    return Lesson(
        features=jnp.concatenate([table.features for table in tables.values()]),
        action=jnp.concatenate([table.action for table in tables.values()]),
        order=jnp.asarray(np.stack(orders), jnp.int32),
        learns=jnp.asarray(learns),
        epochs=jnp.asarray([epochs or EPOCHS[clone.kitchen] for clone in clones]),
    )


def train(
    games: Games,
    clones: Sequence[Clone],
    epochs: int | None = None,
    progress: Callable[[int, int], None] = lambda done, epochs: None,
) -> Trained:
    """All clones side by side in one program; `progress` is called with the epochs done and all of them."""
    tables = {which: samples(games, *which) for which in dict.fromkeys((one.kitchen, one.split) for one in clones)}
    lesson = lesson_of(tables, clones, epochs)
    keys = jax.vmap(jax.random.key)(np.array([clone.seed for clone in clones], np.uint32))
    params = jax.vmap(cloned.init)(keys)
    adam = jax.vmap(ADAM.init)(params)
    last = int(lesson.epochs.max())
    for done in range(last):
        progress(done, last)
        params, adam = jax.block_until_ready(epoch(lesson, keys, params, adam, jnp.int32(done)))
    progress(last, last)
    return judged(games, clones, tables, lesson, jax.device_get(params))


@partial(jax.jit, donate_argnums=(2, 3))
def epoch(lesson: Lesson, keys: Array, params: Any, adam: Any, done: Array) -> tuple[Any, Any]:
    """Every clone goes once through its steps, in a new order; one whose epochs are over stays as it is."""
    batches = -(-lesson.order.shape[1] // BATCH)

    def one(order: Array, learns: Array, epochs: Array, key: Array, params: Any, adam: Any) -> tuple[Any, Any]:
        dice = jax.random.uniform(jax.random.fold_in(key, done), order.shape)
        shuffled = order[jnp.argsort(jnp.where(jnp.arange(len(order)) < learns, dice, 2.0))]
        parts = jnp.resize(shuffled, (batches, BATCH))
        counts = (jnp.arange(batches) < learns // BATCH) & (done < epochs)

        def learn(carry: tuple[Any, Any], part: tuple[Array, Array]) -> tuple[tuple[Any, Any], None]:
            rows, counts = part
            gradient = jax.grad(loss)(carry[0], lesson.features[rows], lesson.action[rows])
            change, adam = ADAM.update(gradient, carry[1])
            after = optax.apply_updates(carry[0], change), adam
            return jax.tree.map(lambda new, old: jnp.where(counts, new, old), after, carry), None

        return jax.lax.scan(learn, (params, adam), (parts, counts))[0]

    return jax.vmap(one)(lesson.order, lesson.learns, lesson.epochs, keys, params, adam)


def loss(params: cloned.Params, features: Array, action: Array) -> Array:
    """The cross-entropy of what was done, averaged over the steps."""
    logits = jax.vmap(cloned.logits, in_axes=(None, 0))(params, features)
    return jnp.mean(optax.softmax_cross_entropy_with_integer_labels(logits, action))


def accuracy(params: cloned.Params, features: np.ndarray, action: np.ndarray) -> float:
    """The share of steps in which the likeliest action is what was done."""
    logits = jax.vmap(cloned.logits, in_axes=(None, 0))(params, jnp.asarray(features))
    return float(np.mean(np.asarray(jnp.argmax(logits, axis=-1)) == action))


def judged(
    games: Games, clones: Sequence[Clone], tables: dict[tuple[str, str], Samples], lesson: Lesson, params: Any
) -> Trained:
    """What clones [M, ...] get right where they have not looked."""
    held_out, other, known = [], [], dict(tables)
    for i, clone in enumerate(clones):
        mine = jax.tree.map(lambda x, i=i: x[i], params)
        count = len(tables[clone.kitchen, clone.split].action)
        rows = np.asarray(lesson.order[i, int(lesson.learns[i]) : count])
        held_out.append(accuracy(mine, np.asarray(lesson.features)[rows], np.asarray(lesson.action)[rows]))
        unseen = next(split for split in data.SPLITS if split != clone.split)
        if data.select(games, clone.kitchen, unseen):
            if (clone.kitchen, unseen) not in known:
                known[clone.kitchen, unseen] = samples(games, clone.kitchen, unseen)
            other.append(accuracy(mine, *known[clone.kitchen, unseen]))
        else:
            other.append(np.nan)
    return Trained(params, lesson.learns.tolist(), np.array(held_out), np.array(other))
