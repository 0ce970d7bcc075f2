"""Agents of random numbers for a kitchen of four cells, and folders of them: cheap to save, to load and to play."""

import math
from pathlib import Path

import numpy as np

from cole.evaluate.players import Player, of_agent
from cole.kitchen import layouts
from cole.kitchen.layouts import Layout
from cole.policy import store

KITCHEN = layouts.parse("XPXX\nO12X\nX  X\nXDSX")


def agent(number: int = 0, layout: Layout = KITCHEN, view: str = "grid", name: str = "toy", **facts) -> store.Agent:
    """An agent of its own for every number."""
    draw = np.random.default_rng(number).standard_normal
    params = {  # of a size that leaves some doubt about the best action
        layer: {part: draw(shape, np.float32) / math.prod(shape[:-1] or (9,)) ** 0.5 for part, shape in parts.items()}
        for layer, parts in store.shapes(layout, view).items()
    }
    return store.Agent(params, store.new_card(layout, view, "toy", **{"seed": number, "name": name} | facts))


def player(number: int = 0, **facts) -> Player:
    return of_agent(agent(number, **facts))


def saved(folder: Path, number: int = 0, **facts) -> Path:
    """An agent on disk."""
    store.save(folder, agent(number, **facts))
    return folder


def run_of(folder: Path, numbers: list[int]) -> Path:
    """The folder of a finished run with an agent for each number."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    for number in numbers:
        saved(folder / "agents" / f"seed-{number}", number)
    return folder
