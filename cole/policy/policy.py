"""A policy is a record of functions; whoever plays, trains or judges needs nothing else of it.

Chance comes from outside: each act is handed NOISE numbers, uniform in [0, 1), so that a whole game's can be drawn at
once. The first six choose an action, the last two are for `perturbed`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from cole.kitchen import views
from cole.policy import network

ACTIONS, NOISE = 6, 8


class Act(NamedTuple):
    """What a cook does, and what it thought."""

    action: Array  # [] int32
    logits: Array  # [A]
    value: Array  # []
    memory: Any


class Policy(NamedTuple):
    """How one cook acts. Functions of one game; batching is `vmap`."""

    view: Callable[..., Array]  # (layout, state, seat) -> what it sees
    act: Callable[..., Act]  # (prepared params, seen, memory, noise [NOISE]) -> Act
    memory: Callable[[], Any] = tuple  # () -> what it remembers when a game begins
    prepare: Callable[[Any], Any] = lambda params: params  # params -> what `act` wants; done once per game


def sample(logits: Array, noise: Array) -> Array:
    """An action drawn from softmax(logits) [A]: the largest of logits plus Gumbel noise."""
    tiny = jnp.finfo(jnp.float32).tiny
    return jnp.argmax(logits - jnp.log(-jnp.log(jnp.maximum(noise[:ACTIONS], tiny)))).astype(jnp.int32)


def log_probability(logits: Array, action: Array) -> Array:
    """log softmax(logits)[action] [...]; one-hot rather than indexed, which is faster in batches."""
    chosen = jax.nn.one_hot(action, ACTIONS, dtype=logits.dtype)
    return jnp.sum(jax.nn.log_softmax(logits) * chosen, axis=-1)


def neural(width: int, height: int, view: str = "grid", greedy: bool = False) -> Policy:
    """The paper's network on a coded grid view; it acts by sampling, or by its best action."""
    coded = views.CODED[view]
    shape = (width, height, coded.table.shape[1])

    def act(layers, seen, memory, noise):
        x = views.rows(coded.table, seen).reshape(-1).astype(jnp.float32)
        logits, value = network.forward(layers, x)
        action = jnp.argmax(logits).astype(jnp.int32) if greedy else sample(logits, noise)
        return Act(action, logits, value, memory)

    return Policy(coded.codes, act, prepare=lambda params: network.spread(params, shape))


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
