"""What people do in the recorded games: what they earn, how they move, who does which part of the work."""

from typing import NamedTuple

import numpy as np

from cole.errors import UserError
from cole.human import data
from cole.human.data import Games
from cole.kitchen import trajectory
from cole.kitchen.game import HORIZON, Events
from cole.kitchen.layouts import ACTIONS


class Habits(NamedTuple):
    """Of all games in one kitchen. Two seats."""

    games: int
    steps: int
    returns: np.ndarray  # [games] per 400 steps
    opening: np.ndarray  # [games] in the first 400 steps: people learn while they play
    actions: np.ndarray  # [2, A] how often each seat chose each action, as a share
    events: Events  # [2] each: per 400 steps


def of_kitchen(games: Games, kitchen: str) -> Habits:
    """The habits of everybody who played there, both splits together."""
    chosen = [index for split in data.SPLITS for index in data.select(games, kitchen, split)]
    if not chosen:
        raise UserError(f"there are no recorded human games of {kitchen}")
    recordings = [data.recording(games, index) for index in chosen]
    actions = np.concatenate([one.actions for one in recordings])
    happened = [trajectory.replay(data.trajectory(games, index))[1] for index in chosen]
    counts = [np.sum([np.sum(event, axis=0) for event in events], axis=0) for events in zip(*happened, strict=True)]
    per_game = HORIZON / len(actions)
    return Habits(
        games=len(chosen),
        steps=len(actions),
        returns=np.array([HORIZON * one.rewards.mean() for one in recordings]),
        opening=np.array([one.rewards[:HORIZON].sum() for one in recordings]),
        actions=np.stack([np.bincount(actions[:, seat], minlength=ACTIONS) / len(actions) for seat in range(2)]),
        events=Events._make(per_game * count for count in counts),
    )
