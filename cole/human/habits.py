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
    """Of all games in one kitchen. Two seats; what is told by seat is of people only."""

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
    people = np.repeat(games.people[chosen], games.steps[chosen], axis=0)  # [T, 2]
    actions = np.concatenate([one.actions for one in recordings])
    happened = [trajectory.replay(data.trajectory(games, index))[1] for index in chosen]
    steps = np.maximum(people.sum(axis=0), 1)  # [2]

    def per_game(parts: tuple) -> np.ndarray:
        return HORIZON * np.sum(np.concatenate(parts) * people, axis=0) / steps

    return Habits(
        games=len(chosen),
        steps=len(actions),
        returns=np.array([HORIZON * one.rewards.mean() for one in recordings]),
        opening=np.array([one.rewards[:HORIZON].sum() for one in recordings]),
        actions=np.stack([((actions == action) & people).sum(axis=0) / steps for action in range(ACTIONS)], axis=1),
        events=Events._make(per_game(parts) for parts in zip(*happened, strict=True)),
    )
