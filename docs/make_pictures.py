"""Makes docs/pictures: every kitchen as SVG in the middle of a game, and an agent that cooks with the human proxy.

Run it from the repository root: python docs/make_pictures.py
"""

from pathlib import Path

import jax.numpy as jnp
import numpy as np

import cole
from cole.kitchen import draw, film, layouts, trajectory
from cole.kitchen.game import DISH, NOTHING, ONION, READY, SOUP, State
from cole.kitchen.layouts import EAST, NORTH, SOUTH, WEST, Layout

PICTURES = Path(__file__).with_name("pictures")
AGENT, PROXY, STEPS = "cole-1to3-default/seed-0", "h_proxy/seed-0", 160


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


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    for name in layouts.MAPS:
        layout = layouts.load(name)
        picture = draw.svg(layout, arranged(layout, *SCENES[name]), score=40)
        (PICTURES / f"{name}.svg").write_text(picture, encoding="utf-8")
    played = cole.play(AGENT, PROXY, layout="cramped_room", steps=STEPS)
    states, events = trajectory.replay(played)
    scores = film.running_score(trajectory.rewards(events))
    picture = film.gif(played.layout, film.listed(states), scores, horizon=STEPS, cell=64)
    (PICTURES / "game.gif").write_bytes(picture)
    print(f"{len(layouts.MAPS)} kitchens and a game that scores {scores[-1]:g} are in {PICTURES}")


if __name__ == "__main__":
    main()
