"""A policy is a record of functions; whoever plays, trains or judges needs nothing else of it.

Chance comes from outside: each act is handed NOISE numbers, uniform in [0, 1), so that a whole game's can be drawn at
once. The first six choose an action, the last two are for `perturbed`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from cole.kitchen import views
from cole.kitchen.layouts import ACTIONS, Layout
from cole.policy import network

NOISE = ACTIONS + 2


class Ways(NamedTuple):
    """How networks compute convolutions; in kitchens of fewer cells, or of three columns, by whole matrices."""

    act: network.Way
    learn: network.Way
    from_cells: int = 0


WHOLE = Ways("whole", "whole")
WAYS = {"cpu": Ways("columns", "blocks"), "gpu": Ways("columns", "whole", from_cells=24)}


class Act(NamedTuple):
    """What a cook does, and what it thought."""

    action: Array  # [] int32
    logits: Array  # [A]
    value: Array  # []
    memory: Any


def _cannot_learn(params: Any, seen: Array) -> tuple[Array, Array]:
    raise TypeError("this policy has no network to train")


class Policy(NamedTuple):
    """How one cook acts. Functions of one game, but for `evaluate`; batching is `vmap`."""

    view: Callable[..., Any]  # (layout, state, seat) -> what it sees
    act: Callable[..., Act]  # (prepared params, seen, memory, noise [NOISE]) -> Act
    memory: Callable[[], Any] = tuple  # () -> what it remembers when a game begins
    prepare: Callable[[Any], Any] = lambda params: params  # params -> what `act` wants; done once per game
    evaluate: Callable[..., tuple[Array, Array]] = _cannot_learn  # (params, seen [n, ...]) -> logits [n, A], value [n]
    recall: bool = False  # whether it learns from (seen, memory) instead of from what it saw alone


def sample(logits: Array, noise: Array) -> Array:
    """An action drawn from softmax(logits) [A]: the largest of logits plus Gumbel noise."""
    tiny = jnp.finfo(jnp.float32).tiny
    return jnp.argmax(logits - jnp.log(-jnp.log(jnp.maximum(noise[:ACTIONS], tiny)))).astype(jnp.int32)


def log_probability(logits: Array, action: Array) -> Array:
    """log softmax(logits)[action] [...]; one-hot rather than indexed, which is faster in batches."""
    chosen = jax.nn.one_hot(action, ACTIONS, dtype=logits.dtype)
    return jnp.sum(jax.nn.log_softmax(logits) * chosen, axis=-1)


def neural(layout: Layout, view: str = "grid", *, greedy: bool = False, half: bool = False) -> Policy:
    """The paper's network on a coded grid view of one kitchen; it acts by sampling, or by its best action.

    Inputs that never change in this kitchen are part of the first bias. `half` computes in bfloat16, for accelerators.
    """
    coded = views.CODED[view]
    height, width = layout.terrain.shape
    channels = coded.table.shape[1]
    varying, constant = _inputs(layout, coded.table)
    ways = WAYS.get(jax.default_backend(), WHOLE)
    if width * height < ways.from_cells or width == 3:
        ways = WHOLE
    known = ((width, height, channels), varying, constant)
    acting, learning = network.products(*known, ways.act), network.products(*known, ways.learn)
    look_up, cell, scale, offset = _as_numbers(varying, coded.table)

    def rounded(layers, in_two=lambda last: last):
        *hidden, [last] = layers
        return [*jax.tree.map(lambda matrix: matrix.astype(jnp.bfloat16), hidden), [in_two(last)]] if half else layers

    def numbers(seen):
        code = seen.reshape(*seen.shape[:-2], -1)[..., cell].astype(jnp.int16)
        inputs = code * jnp.broadcast_to(scale, code.shape) + jnp.broadcast_to(offset, code.shape)
        return views.rows(look_up, inputs).astype(jnp.bfloat16 if half else jnp.float32)

    def prepare(params):
        return rounded(acting.matrices(params), network.in_two)

    def evaluate(params, seen):
        return learning.forward(rounded(learning.matrices(params)), numbers(seen))

    def act(layers, seen, memory, noise):
        logits, value = acting.forward(layers, numbers(seen))
        action = jnp.argmax(logits).astype(jnp.int32) if greedy else sample(logits, noise)
        return Act(action, logits, value, memory)

    return Policy(coded.codes, act, prepare=prepare, evaluate=evaluate)


def _as_numbers(varying: np.ndarray, table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """How codes of cells become the network's inputs: input i is look_up[scale[i] * code of cell[i] + offset[i]].

    Behind the inputs that vary come a 1 and zeros, which look at no cell.
    """
    zeros = network.filling(len(varying))
    look_up = np.append(table.ravel(), [1, 0]).astype(np.uint8)
    cell, channel = np.divmod(varying, table.shape[1])
    scale = np.pad(np.full(len(varying), table.shape[1]), (0, 1 + zeros))
    offset = np.concatenate([channel, [table.size], np.full(zeros, table.size + 1)])
    return look_up, np.pad(cell, (0, 1 + zeros)), scale.astype(np.int16), offset.astype(np.int16)


def _inputs(layout: Layout, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which numbers of a flattened view [W*H*channels] vary in this kitchen; and the view with those set to 0."""
    height, width = layout.terrain.shape
    cells = [y * width + x for x in range(width) for y in range(height)]  # x first, as in a view
    rows = [table[views.possible(layout, cell)] for cell in cells]
    varies = np.stack([row.max(axis=0) != row.min(axis=0) for row in rows])
    constant = np.where(varies, 0, np.stack([row[0] for row in rows]))
    return np.flatnonzero(varies), constant.ravel()


def random() -> Policy:
    """Every action equally likely; it has no parameters and looks at nothing."""

    def act(params, seen, memory, noise):
        return Act(sample(jnp.zeros(ACTIONS), noise), jnp.zeros(ACTIONS), jnp.zeros(()), memory)

    return Policy(lambda layout, state, seat: jnp.zeros(()), act)


def perturbed(policy: Policy, epsilon: float, action: int | None = None) -> Policy:
    """With chance epsilon the action is replaced by `action`, or by a uniformly random one."""

    def act(params, seen, memory, noise):
        own = policy.act(params, seen, memory, noise)
        other = jnp.floor(ACTIONS * noise[-1]) if action is None else action
        return own._replace(action=jnp.where(noise[-2] < epsilon, other, own.action).astype(jnp.int32))

    return policy._replace(act=act)
