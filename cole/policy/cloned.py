"""A policy cloned from people: 62 features, two layers of 64 tanh, six logits; it draws its actions, and gets unstuck.

People stand still half of the time, so a clone that draws from what people do may wait for ever where they would not.
The rule of 2019: who has been in the same pose for four states does none of its last three actions again.
Parameters are a dict of arrays: `dense1`, `dense2`, `logits`, each {"w", "b"}.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from cole.kitchen import views
from cole.kitchen.game import State
from cole.kitchen.layouts import ACTIONS, Layout
from cole.policy.policy import Act, Policy, sample

Params = dict[str, dict[str, Array]]

VIEW = "features"
FEATURES, HIDDEN = 62, 64
SIZES = {"dense1": (FEATURES, HIDDEN), "dense2": (HIDDEN, HIDDEN), "logits": (HIDDEN, ACTIONS)}
PATIENCE = 3  # states before the present one in the same pose
NEVER = -1e9  # the logit of an action that is not taken


class Memory(NamedTuple):
    """The last states and actions, the latest first; -1 before a game begins."""

    poses: Array  # [PATIENCE] int32: own cell and facing as one number
    actions: Array  # [PATIENCE] int32


def init(key: Array) -> Params:
    """Fresh parameters: orthogonal weights, zero biases, a policy close to uniform."""
    keys = dict(zip(SIZES, jax.random.split(key, len(SIZES)), strict=True))
    scales = {"dense1": 2**0.5, "dense2": 2**0.5, "logits": 0.01}

    def weights(layer: str) -> Array:
        return jax.nn.initializers.orthogonal(scales[layer])(keys[layer], SIZES[layer])

    return {layer: {"w": weights(layer), "b": jnp.zeros(size[1])} for layer, size in SIZES.items()}


def logits(params: Params, features: Array) -> Array:
    """[A] of one's features [62]."""
    x = features.astype(jnp.float32)
    for name in ("dense1", "dense2"):
        x = jnp.tanh(x @ params[name]["w"] + params[name]["b"])
    return x @ params["logits"]["w"] + params["logits"]["b"]


def view(layout: Layout, state: State, seat: int | Array) -> Array:
    """[63] int16: the features, and one's own pose, which they do not tell."""
    pose = 4 * state.cell[seat] + state.facing[seat]
    return jnp.append(views.features(layout, state, seat), pose.astype(jnp.int16))


def unstuck(wanted: Array, pose: Array, memory: Memory) -> Array:
    """The logits [A], without the last actions if the pose was the same all the time."""
    stuck = jnp.all(memory.poses == pose)
    just_done = jnp.any(memory.actions[:, None] == jnp.arange(ACTIONS)[None, :], axis=0)
    return jnp.where(stuck & just_done, NEVER, wanted)


def cloned(greedy: bool = False) -> Policy:
    """How a clone acts, in any kitchen of two; it acts by drawing, or by its best action."""

    def memory() -> Memory:
        return Memory(jnp.full(PATIENCE, -1, jnp.int32), jnp.full(PATIENCE, -1, jnp.int32))

    def act(params: Params, seen: Array, memory: Memory, noise: Array) -> Act:
        pose = seen[FEATURES].astype(jnp.int32)
        wanted = unstuck(logits(params, seen[:FEATURES]), pose, memory)
        action = jnp.argmax(wanted).astype(jnp.int32) if greedy else sample(wanted, noise)
        newest = Memory(*(jnp.roll(old, 1).at[0].set(new) for old, new in zip(memory, (pose, action), strict=True)))
        return Act(action, wanted, jnp.zeros(()), newest)

    return Policy(view, act, memory=memory)
