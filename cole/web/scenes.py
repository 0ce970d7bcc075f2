"""Kitchens, states, games and drawings as the page gets them: plain values for JSON."""

from functools import lru_cache
from typing import Any

import numpy as np

from cole.evaluate import pairs
from cole.evaluate.pairs import Setting
from cole.evaluate.players import Player
from cole.kitchen import draw, film, layouts, sprites, trajectory
from cole.kitchen.game import READY, SOUP, State
from cole.kitchen.layouts import DIRECTIONS, FLOOR, Layout
from cole.kitchen.shapes import CELL
from cole.kitchen.trajectory import Trajectory

TILES = ("floor", "counter", "pot", "onions", "dishes", "serving")  # by terrain

Json = dict[str, Any]


def kitchen(name: str, layout: Layout, people: bool = False) -> Json:
    """A kitchen to choose or to draw; `people`: whether people were recorded in it."""
    return {"name": name, "rows": layouts.to_text(layout).split("\n"), "seats": len(layout.start), "people": people}


def state(layout: Layout, now: State, score: float, steps: int) -> Json:
    """A state on the host: where cooks are, what lies where, score and clock of a game of so many steps."""
    width = layout.terrain.shape[1]
    poses = zip(now.cell.tolist(), now.facing.tolist(), now.held.tolist(), strict=True)
    full = np.flatnonzero(now.contents).tolist()
    return {
        "t": int(now.clock),
        "cooks": [[cell % width, cell // width, facing, held] for cell, facing, held in poses],
        "contents": [[cell % width, cell // width, int(now.contents[cell])] for cell in full],
        "score": int(score),
        "left": steps - int(now.clock),
    }


def game(played: Trajectory, names: list[str], called: str | None = None) -> Json:
    """A whole game to watch."""
    states, events = trajectory.replay(played)
    scores = film.running_score(trajectory.rewards(events)).tolist()
    end = int(states.clock[-1])
    listed = film.listed(states)
    name = layouts.name_of(played.layout) or called or "kitchen"
    return {
        "kitchen": kitchen(name, played.layout),
        "players": names,
        "frames": [state(played.layout, one, score, end) for one, score in zip(listed, scores, strict=True)],
        "score": int(scores[-1]),
        "recording": trajectory.as_json(played),
    }


def played(
    layout: Layout, pair: tuple[Player, Player], names: list[str], called: str | None, seed: int, episode: int
) -> Json:
    """A game of two players, played now: the one that `cole crossplay` plays with this seed and number."""
    actions = pairs.record(layout, pair, Setting(episode + 1, seed), episode)
    return game(Trajectory(layout, actions.astype(np.int8), seed=seed), names, called)


def picture(played: Trajectory, kind: str) -> bytes:
    """A whole game as a file, gif or html."""
    states, events = trajectory.replay(played)
    scores = film.running_score(trajectory.rewards(events))
    listed, end = film.listed(states), int(states.clock[-1])
    if kind == "gif":
        return film.gif(played.layout, listed, scores, horizon=end)
    return film.html(played.layout, listed, scores, horizon=end).encode()


@lru_cache(1)
def drawings(seats: int) -> Json:
    """Every sprite by name as a piece of SVG that fills one cell: the page and the films look alike."""
    named = {
        f"floor-{odd}{'-shaded' * shaded}": sprites.tile(FLOOR, bool(odd), False, bool(shaded))
        for odd, shaded in _bits()
    }
    for kind, name in list(enumerate(TILES))[1:]:
        named |= {f"{name}{'-front' * front}": sprites.tile(kind, False, bool(front), False) for front in (0, 1)}
    named |= {f"pot-{content}": sprites.pot(content) for content in range(READY + 1)}
    named |= {f"item-{kind}": sprites.item(kind) for kind in range(1, SOUP + 1)}
    for seat, facing, held in np.ndindex(max(2, seats), len(DIRECTIONS), SOUP + 1):
        named[f"cook-{seat}-{facing}-{held}"] = sprites.cook(seat, facing, held)
    symbols = {name: draw.svg_shapes(sprite.shapes) for name, sprite in named.items()}
    return {"size": CELL, "symbols": symbols, "base": sprites.BASE, "seats": list(sprites.SEAT_COLOURS)}


def _bits() -> list[tuple[int, int]]:
    return [(odd, shaded) for odd in (0, 1) for shaded in (0, 1)]
