"""The golden transitions, views and human games as states of ours."""

from pathlib import Path

import numpy as np

from cole.kitchen import layouts
from cole.kitchen.game import SOUP_ONIONS, State

FOLDER = Path(__file__).parent / "golden"


def load(name: str) -> dict[str, np.ndarray]:
    """The arrays of one kitchen."""
    with np.load(FOLDER / f"{name}.npz", allow_pickle=False) as file:
        return {key: file[key] for key in file.files}


def states(layout: layouts.Layout, data: dict[str, np.ndarray], prefix: str = "") -> State:
    """A batch of states from pos, orientation, held, pot_onions, pot_cook and counter."""
    width = layout.terrain.shape[1]
    x, y = data[f"{prefix}pos"][..., 0].astype(np.int32), data[f"{prefix}pos"][..., 1].astype(np.int32)
    contents = data[f"{prefix}counter"].reshape(len(x), -1).astype(np.int8)
    onions, ticks = data[f"{prefix}pot_onions"], data[f"{prefix}pot_cook"]
    pots = np.flatnonzero(layout.terrain == layouts.POT)
    contents[:, pots] = np.where(onions == SOUP_ONIONS, SOUP_ONIONS + ticks, onions)
    clock = data.get(f"{prefix}timestep", np.zeros(len(x)))
    return State(
        cell=y * width + x,
        facing=data[f"{prefix}orientation"].astype(np.int8),
        held=data[f"{prefix}held"].astype(np.int8),
        contents=contents,
        clock=clock.astype(np.int32),
    )
