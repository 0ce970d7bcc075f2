"""Which network an agent has: it follows from the view it looks at."""

from typing import Any

import jax
from jax import Array

from cole.kitchen import views
from cole.kitchen.layouts import Layout
from cole.policy import cloned, foreseeing, network
from cole.policy.policy import Policy, neural

VIEWS = (*views.CODED, cloned.VIEW, foreseeing.VIEW)

Shapes = dict[str, dict[str, tuple[int, ...]]]


def policy_for(layout: Layout, view: str, greedy: bool = False, half: bool = False) -> Policy:
    """How all agents act who look at this view of a kitchen; `half`: in bfloat16, where there are large products."""
    if view == cloned.VIEW:
        return cloned.cloned(greedy)
    if view == foreseeing.VIEW:
        return foreseeing.foreseeing(layout, greedy=greedy, half=half)
    return neural(layout, view, greedy=greedy, half=half)


def init(key: Array, layout: Layout, view: str) -> Any:
    """Fresh parameters for this view of a kitchen."""
    if view == cloned.VIEW:
        return cloned.init(key)
    if view == foreseeing.VIEW:
        return foreseeing.init(key, layout)
    return network.init(key, network.shape_of(layout, view))


def shapes(layout: Layout, view: str) -> Shapes:
    """The shapes of these parameters, in the order they are used."""
    params = jax.eval_shape(lambda: init(jax.random.key(0), layout, view))
    return {layer: {part: x.shape for part, x in parts.items()} for layer, parts in params.items()}
