"""Games recorded on our own page, in the same arrays as those of 2019, so that the people in them can be cloned too.

The page keeps a game as ID.json, a trajectory, and about/ID.json, which says the seats people had in "people".
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from cole.errors import UserError
from cole.human.data import SPLITS, Games
from cole.kitchen import layouts, trajectory
from cole.kitchen.game import State
from cole.kitchen.layouts import KITCHENS
from cole.kitchen.trajectory import Trajectory, items, read_json, show, whole

NOTES = "about"
WIDEST = max(layouts.load(name).terrain.size for name in KITCHENS)


class Found(NamedTuple):
    """One recorded game."""

    kitchen: str
    played: Trajectory
    people: list[int]  # seats


def is_folder_of_games(source: Path) -> bool:
    """Whether the page has recorded here."""
    return (source / NOTES).is_dir()


def convert(folder: Path, split: str) -> tuple[Games, int]:
    """The games of a folder, and how many were left out since their kitchen is none of the paper's.

    `split`: train, test, or "both", where the games of each kitchen alternate.
    """
    files = sorted(file for file in folder.glob("*.json") if (folder / NOTES / file.name).exists())
    found = [_read(file, folder / NOTES / file.name) for file in files]
    usable = [game for game in found if game is not None]
    if not usable:
        raise UserError(f"{folder} holds no recorded game of {', '.join(KITCHENS)}")
    before = [[one.kitchen for one in usable[:i]].count(game.kitchen) for i, game in enumerate(usable)]
    splits = [count % 2 if split == "both" else SPLITS.index(split) for count in before]
    return as_games(usable, splits), len(found) - len(usable)


def as_games(found: list[Found], split: list[int]) -> Games:
    """All in one record; every game is that of another pair."""
    replayed = [trajectory.replay(game.played) for game in found]
    states = [state for state, _ in replayed]
    contents = [np.pad(state.contents, ((0, 0), (0, WIDEST - state.contents.shape[1]))) for state in states]
    whose = [[seat in game.people for seat in range(2)] for game in found]

    def joined(field: str) -> np.ndarray:
        return np.concatenate([getattr(state, field) for state in states]).astype(np.uint8)

    return Games(
        kitchens=np.array(KITCHENS),
        split=np.array(split, np.uint8),
        kitchen=np.array([KITCHENS.index(game.kitchen) for game in found], np.uint8),
        pair=np.arange(len(found), dtype=np.uint16),
        round=np.zeros(len(found), np.uint8),
        steps=np.array([len(game.played.actions) for game in found], np.int32),
        cell=joined("cell"),
        facing=joined("facing"),
        held=joined("held"),
        contents=np.concatenate(contents).astype(np.uint8),
        action=np.concatenate([game.played.actions for game in found]).astype(np.uint8),
        reward=np.concatenate([trajectory.rewards(events) for _, events in replayed]).astype(np.uint8),
        notice=np.array(["Recorded on the page of cole, with the consent of those who played."]),
        people=np.array(whose, bool),
    )


def _read(file: Path, note: Path) -> Found | None:
    """A game; None if its kitchen is not one of the paper's or it does not begin with the clock at 0."""
    played = trajectory.load(file)
    about = read_json(note)
    if not isinstance(about, dict) or "people" not in about:
        raise UserError(f"{note}: {show(about)} does not say which seats people had")
    people = [
        whole(seat, 0, len(played.layout.start) - 1, f"{note}: people") for seat in items(about["people"], str(note))
    ]
    name = layouts.name_of(played.layout)
    start: State | None = played.start
    if name is None or not people or not len(played.actions) or (start is not None and int(start.clock)):
        return None
    return Found(name, played, people)
