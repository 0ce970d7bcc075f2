"""A policy that guesses what its partner will do next, and takes the guess into account (E3T's network).

Beside the paper's network it has a small one, which looks at where both cooks are now and were in the last five states,
what they faced and held, and gives six logits for the partner's action. The probabilities it makes of them are six more
inputs of the last layer. Parameters: those of `network`, and `guess1`, `guess2`, `mixed`, each {"w", "b"}. For two
cooks.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from cole.errors import UserError
from cole.kitchen.game import State
from cole.kitchen.layouts import ACTIONS, Layout
from cole.policy import network
from cole.policy.policy import Act, Policy, neural, sample

VIEW, GRID = "grid_and_past", "grid"
LOOK_BACK = 5  # states before the present one
COOKS = 20  # numbers that tell where two cooks are and what they face and hold
HIDDEN = 64
SIZES = {
    "guess1": ((1 + LOOK_BACK) * COOKS, HIDDEN),
    "guess2": (HIDDEN, ACTIONS),
    "mixed": (ACTIONS, ACTIONS + 1),
}


class Seen(NamedTuple):
    """What it looks at."""

    grid: Array  # [W, H] int8, as `neural` wants it
    cooks: Array  # [COOKS] int8: of oneself, then of the other: x, y, facing one of four, held one of four


def view(layout: Layout, state: State, seat: int | Array, of_grid: Any) -> Seen:
    """The grid, and both cooks in numbers."""
    if len(layout.start) != 2:
        raise UserError(f"the view {VIEW} exists for two seats only, this kitchen has {len(layout.start)}: use grid")
    order = (seat + jnp.arange(2)) % 2
    width = layout.terrain.shape[1]
    cell = state.cell[order]
    place = jnp.stack([cell % width, cell // width], axis=1)
    facing, held = (jax.nn.one_hot(x[order], 4, dtype=jnp.int8) for x in (state.facing, state.held))
    cooks = jnp.concatenate([place.astype(jnp.int8), facing, held], axis=1)
    return Seen(of_grid(layout, state, seat), cooks.ravel())


def init(key: Array, layout: Layout) -> network.Params:
    """Fresh parameters; at first the guess changes nothing."""
    own_key, *keys = jax.random.split(key, 1 + len(SIZES))
    params = network.init(own_key, network.shape_of(layout, GRID))
    glorot = jax.nn.initializers.glorot_uniform()
    for layer_key, (layer, size) in zip(keys, SIZES.items(), strict=True):
        scale = 0.0 if layer == "mixed" else 1.0
        params[layer] = {"w": scale * glorot(layer_key, size), "b": jnp.zeros(size[1])}
    return params


def guess(params: network.Params, cooks: Array, past: Array) -> Array:
    """[A]: logits of what the partner does next; cooks [COOKS], past [LOOK_BACK, COOKS]."""
    x = jnp.concatenate([cooks, past.ravel()]).astype(jnp.float32)
    x = jnp.tanh(x @ params["guess1"]["w"] + params["guess1"]["b"])
    return x @ params["guess2"]["w"] + params["guess2"]["b"]


def foreseeing(layout: Layout, *, greedy: bool = False, half: bool = False) -> Policy:
    """How it acts. What it learns from is what it saw and what it remembered then."""
    inner = neural(layout, GRID, half=half)

    def prepare(params: network.Params) -> tuple[Any, network.Params]:
        return inner.prepare(params), {layer: params[layer] for layer in SIZES}

    def added(small: network.Params, cooks: Array, past: Array) -> Array:
        """[A + 1]: what the guess adds to logits and value."""
        expected = jax.lax.stop_gradient(jax.nn.softmax(guess(small, cooks, past)))
        return expected @ small["mixed"]["w"] + small["mixed"]["b"]

    def evaluate(params: network.Params, looked: tuple[Seen, Array]) -> tuple[Array, Array]:
        seen, past = looked
        logits, value = inner.evaluate(params, seen.grid)
        more = jax.vmap(lambda cooks, past: added(params, cooks, past))(seen.cooks, past)
        return logits + more[:, :ACTIONS], value + more[:, ACTIONS]

    def act(prepared: tuple[Any, network.Params], seen: Seen, past: Array, noise: Array) -> Act:
        layers, small = prepared
        plain, more = inner.act(layers, seen.grid, (), noise), added(small, seen.cooks, past)
        logits, value = plain.logits + more[:ACTIONS], plain.value + more[ACTIONS]
        action = jnp.argmax(logits).astype(jnp.int32) if greedy else sample(logits, noise)
        return Act(action, logits, value, jnp.roll(past, 1, axis=0).at[0].set(seen.cooks))

    return Policy(
        view=lambda layout, state, seat: view(layout, state, seat, inner.view),
        act=act,
        memory=lambda: jnp.zeros((LOOK_BACK, COOKS), jnp.int8),
        prepare=prepare,
        evaluate=evaluate,
        recall=True,
    )
