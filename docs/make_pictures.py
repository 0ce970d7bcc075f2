"""Makes docs/pictures: every kitchen as SVG in the middle of a game, and a short game of two cooks as a GIF.

Run it from the repository root: python docs/make_pictures.py
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import jax
import jax.numpy as jnp
import numpy as np

from cole.kitchen import draw, film, game, layouts
from cole.kitchen.game import DISH, NOTHING, ONION, READY, SOUP, SOUP_ONIONS, State
from cole.kitchen.layouts import (
    DISHES,
    EAST,
    INTERACT,
    NORTH,
    ONIONS,
    POT,
    SERVING,
    SOUTH,
    STAY,
    WEST,
    Layout,
)

PICTURES = Path(__file__).with_name("pictures")
STEPS = 100


# The middle of a game, by hand: (x, y, facing, held) of each cook, and what lies at (x, y).
SCENES = {
    "cramped_room": ([(2, 1, NORTH, DISH), (3, 2, SOUTH, SOUP)], {(2, 0): READY, (0, 2): ONION, (4, 2): DISH}),
    "asymmetric_advantages": (
        [(5, 2, WEST, ONION), (3, 3, EAST, DISH)],
        {(4, 2): 2, (4, 3): READY, (2, 4): DISH, (8, 2): ONION},
    ),
    "coordination_ring": ([(3, 2, NORTH, DISH), (1, 3, WEST, NOTHING)], {(3, 0): 15, (4, 1): 1, (2, 2): ONION}),
    "forced_coordination": (
        [(3, 1, NORTH, ONION), (1, 2, EAST, DISH)],
        {(3, 0): 2, (4, 1): READY, (2, 1): DISH, (2, 3): ONION},
    ),
    "counter_circuit": (
        [(4, 3, NORTH, ONION), (6, 2, EAST, SOUP)],
        {(3, 0): 9, (4, 0): 1, (3, 2): ONION, (2, 2): DISH},
    ),
}


def arranged(layout: Layout, cooks: list, things: dict) -> State:
    """The state of a scene."""
    width = layout.terrain.shape[1]
    contents = np.zeros(layout.terrain.size, np.int8)
    for (x, y), content in things.items():
        contents[y * width + x] = content
    x, y, facing, held = np.array(cooks).T
    return State(*map(jnp.asarray, (y * width + x, facing, held, contents, 137)))


def errand(layout: Layout, state: State, seat: int) -> int:
    """The kind of station this cook should go to next, in a kitchen with one pot."""
    pot = int(state.contents[np.ravel(layout.terrain) == POT][0])
    held, others = int(state.held[seat]), np.delete(state.held, seat)
    if held == SOUP:
        return SERVING
    if held == DISH:
        return POT
    if held == ONION:
        return POT if pot < SOUP_ONIONS else ONIONS  # wait at the crate, out of the way
    return DISHES if pot >= SOUP_ONIONS and DISH not in others and SOUP not in others else ONIONS


def action(layout: Layout, state: State, seat: int, chance: Random) -> int:
    """One step along the shortest way to the errand's station; now and then aside, so that nobody stays stuck."""
    kind = errand(layout, state, seat)
    cell, facing, held = (int(field[seat]) for field in state[:3])
    ways = layout.distance[:, :, np.ravel(layout.terrain)[layout.stations] == kind].min(axis=-1)
    if ways[cell, facing] == 0:
        content = int(state.contents[layout.faced[cell, facing]])
        return STAY if game.interact(kind, held, content)[2] == "" else INTERACT
    if chance.random() < 0.1:
        return chance.randrange(4)
    return min(range(4), key=lambda move: ways[layout.next_cell[cell, move], move])


def cooked_game(layout: Layout, step: Callable, seed: int) -> tuple[list[State], np.ndarray]:
    """A game of the errands above: its states [T+1] and the score at each."""
    chance, states, rewards = Random(seed), [draw.as_numpy(game.reset(layout))], []
    for _ in range(STEPS):
        actions = np.array([action(layout, states[-1], seat, chance) for seat in range(len(layout.start))])
        state, events = step(states[-1], actions)
        states.append(draw.as_numpy(state))
        rewards.append(np.asarray(game.reward(game.SPARSE, events)))
    return states, film.running_score(np.stack(rewards))


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    for name in layouts.MAPS:
        layout = layouts.load(name)
        picture = draw.svg(layout, arranged(layout, *SCENES[name]), score=40)
        (PICTURES / f"{name}.svg").write_text(picture, encoding="utf-8")
    layout = layouts.load("cramped_room")
    step = jax.jit(partial(game.step, layout))
    # The best of some seeds: they differ in who steps aside when.
    states, scores = max((cooked_game(layout, step, seed) for seed in range(20)), key=lambda played: played[1].sum())
    (PICTURES / "game.gif").write_bytes(film.gif(layout, states, scores, horizon=STEPS, cell=64))
    print(f"{len(layouts.MAPS)} kitchens and a game that scores {scores[-1]:g} are in {PICTURES}")


if __name__ == "__main__":
    main()
