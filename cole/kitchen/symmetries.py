"""The symmetries a kitchen really has: mirrors and turns that map its map, the starts included, onto itself.

A symmetry may swap the starts of two cooks, since any cook can take any seat.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from cole.kitchen.game import State
from cole.kitchen.layouts import DIRECTIONS, INTERACT, STAY, Layout


class Symmetry(NamedTuple):
    """One of them, as tables."""

    to: np.ndarray  # [H*W] where each cell comes to lie
    action: np.ndarray  # [A] what each action becomes; facing, which is a direction, changes in the same way


def symmetries(layout: Layout) -> list[Symmetry]:
    """All but the identity."""
    height, width = layout.terrain.shape
    found = []
    for turned in (False, True):
        for x_sign in (1, -1):
            for y_sign in (1, -1):
                if (turned and height != width) or (not turned and x_sign == y_sign == 1):
                    continue
                one = _moving(height, width, turned, x_sign, y_sign)
                if _keeps(layout, one):
                    found.append(one)
    return found


def _moving(height: int, width: int, turned: bool, x_sign: int, y_sign: int) -> Symmetry:
    """Coordinates (x, y) become (x, y) or (y, x), each mirrored or not."""

    def spot(x: int, y: int) -> int:
        across, down = (y, x) if turned else (x, y)
        return (down if y_sign > 0 else height - 1 - down) * width + (across if x_sign > 0 else width - 1 - across)

    def way(dx: int, dy: int) -> tuple[int, int]:
        across, down = (dy, dx) if turned else (dx, dy)
        return x_sign * across, y_sign * down

    actions = [DIRECTIONS.index(way(*move)) for move in DIRECTIONS]
    cells = [spot(x, y) for y in range(height) for x in range(width)]
    return Symmetry(np.array(cells), np.array([*actions, STAY, INTERACT]))


def _keeps(layout: Layout, symmetry: Symmetry) -> bool:
    """Whether every piece of the kitchen comes to lie on its like, and starts on starts."""
    terrain = layout.terrain.ravel()
    same_map = bool((terrain[symmetry.to] == terrain).all())
    return same_map and sorted(symmetry.to[layout.start].tolist()) == sorted(np.asarray(layout.start).tolist())


def moved(symmetry: Symmetry, state: State) -> State:
    """The state as it looks through the symmetry."""
    to, action = jnp.asarray(symmetry.to), jnp.asarray(symmetry.action)
    return State(
        cell=to[state.cell].astype(state.cell.dtype),
        facing=action[state.facing].astype(state.facing.dtype),
        held=state.held,
        contents=jnp.zeros_like(state.contents).at[to].set(state.contents),
        clock=state.clock,
    )


def back(symmetry: Symmetry) -> np.ndarray:
    """[A] what an action chosen in the moved world is in ours."""
    return np.argsort(symmetry.action)
