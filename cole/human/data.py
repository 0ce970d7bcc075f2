"""The recorded games of pairs of people, as arrays: what was seen, what was done and what was paid at every step.

The games that come with the project are those of Carroll et al. (2019), which release 1.1.0 of the overcooked_ai
package carries; `convert` makes this form of them, and `recorded` makes it of games played on our page. One `.npz`
file, to be loaded without pickle, holds the fields of `Games`:

    kitchens  [5]      names, `kitchen` counts into them
    people    [G, 2]   which seats people had; a file without this field is of people only
    split     [G]      0 train (clones a partner), 1 test (clones the partner of evaluations)
    kitchen   [G]
    pair      [G]      which two people, anonymous; the same pair plays several kitchens
    round     [G]      which of that pair's games, 0-4
    steps     [G]      length of each game; their sum is N
    cell, facing, held [M, 2], contents [M, 45]
                       the states as in `game.State`; game after game, each with its last state, so M = N + G.
                       `contents` has a kitchen's H * W numbers first, then zeros
    action    [N, 2]
    reward    [N]      20 per soup, for the team
    notice    [...]    the licence of the source, line by line

The browser kept counting the ticks of a ready soup; here they stop at 20, as the rules have it.
"""

import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cole.errors import UserError
from cole.kitchen import layouts
from cole.kitchen.game import State
from cole.kitchen.layouts import Layout
from cole.kitchen.trajectory import Trajectory, as_arrays, replay, rewards

SPLITS = ("train", "test")

BUNDLED = Path(__file__).with_name("games.npz")

NOTICE = """\
The recorded human games come from the overcooked_ai project, https://github.com/HumanCompatibleAI/overcooked_ai,
as packaged in its release 1.1.0. They were collected for M. Carroll, R. Shah, M. K. Ho, T. L. Griffiths, S. A. Seshia,
P. Abbeel and A. Dragan, On the Utility of Learning about Humans for Human-AI Coordination, NeurIPS 2019. Here they are
converted to arrays. The overcooked_ai repository is licensed as follows; the release itself contains no licence file.

MIT License

Copyright (c) 2019 Center for Human-Compatible AI

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
"""


class Games(NamedTuple):
    """All games. G games, N steps, M = N + G states, two seats."""

    kitchens: np.ndarray  # [5] text
    split: np.ndarray  # [G] uint8
    kitchen: np.ndarray  # [G] uint8
    pair: np.ndarray  # [G] uint8
    round: np.ndarray  # [G] uint8
    steps: np.ndarray  # [G] int32
    cell: np.ndarray  # [M, 2] uint8
    facing: np.ndarray  # [M, 2] uint8
    held: np.ndarray  # [M, 2] uint8
    contents: np.ndarray  # [M, 45] uint8
    action: np.ndarray  # [N, 2] uint8
    reward: np.ndarray  # [N] uint8
    notice: np.ndarray  # [lines] text
    people: np.ndarray  # [G, 2] bool


class Recording(NamedTuple):
    """One game. T steps."""

    layout: Layout  # of the paper; counter_circuit was played from other cells, see the first state
    states: State  # [T + 1, ...]
    actions: np.ndarray  # [T, 2] int8
    rewards: np.ndarray  # [T] int32


def save(path: str | Path, games: Games) -> None:
    """Write all games into one file."""
    try:
        with open(path, "wb") as file:
            np.savez_compressed(file, **games._asdict())
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error}") from None


def load(path: str | Path | None = None) -> Games:
    """All games from a file that `save` wrote, by default the one that comes with the project."""
    path = BUNDLED if path is None else Path(path)
    try:
        with np.load(path, allow_pickle=False) as file:
            fields = {name: file[name] for name in Games._fields if name != "people"}
            people = file["people"] if "people" in file else np.ones((len(fields["steps"]), 2), bool)
            games = Games(**fields, people=people)
    except FileNotFoundError:
        raise UserError(f"there is no file {path}; `cole human import` makes one") from None
    except (OSError, ValueError, KeyError, EOFError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        raise UserError(f"{path} does not hold the human games: {error}") from None
    states = int(games.steps.sum()) + len(games.steps)
    if {len(games.cell), len(games.facing), len(games.held), len(games.contents)} != {states}:
        raise UserError(f"{path} does not hold the human games: there should be {states} states")
    if games.people.shape != (len(games.steps), 2):
        raise UserError(f"{path} does not hold the human games: who played is not said of each")
    return games


def verify(games: Games) -> int:
    """Replays every game by our rules; the number of steps, all of which follow, or else a sentence on the first."""
    for index in range(len(games.steps)):
        one = recording(games, index)
        states, events = replay(trajectory(games, index))
        wrong = rewards(events) != one.rewards
        for ours, theirs in zip(states, one.states, strict=True):
            wrong |= (ours[1:] != theirs[1:]).reshape(len(wrong), -1).any(axis=1)
        if wrong.any():
            kitchen = games.kitchens[games.kitchen[index]]
            raise UserError(f"game {index} ({kitchen}): step {np.argmax(wrong)} does not follow from the rules")
    return int(games.steps.sum())


def recording(games: Games, index: int) -> Recording:
    """One of the games."""
    layout = layouts.load(str(games.kitchens[games.kitchen[index]]))
    first, length = int(games.steps[:index].sum()), int(games.steps[index])
    seen = slice(first + index, first + index + length + 1)
    done = slice(first, first + length)
    contents = games.contents[seen, : layout.terrain.size]
    columns = (games.cell[seen], games.facing[seen], games.held[seen], contents, np.arange(length + 1))
    states = as_arrays(State._make(columns))
    return Recording(layout, states, games.action[done].astype(np.int8), games.reward[done].astype(np.int32))


def trajectory(games: Games, index: int) -> Trajectory:
    """One of the games, as something to replay, draw or save."""
    one = recording(games, index)
    return Trajectory(one.layout, one.actions, start=State._make(field[0] for field in one.states))


def select(games: Games, kitchen: str, split: str) -> list[int]:
    """The indices of the games in one kitchen and split."""
    where = (games.kitchens[games.kitchen] == kitchen) & (games.split == SPLITS.index(split))
    return np.flatnonzero(where).tolist()


def summary(games: Games) -> str:
    """Games and steps per kitchen and split, and how often people stay, as a small table."""
    lines = [f"{'kitchen':<22}{'train':>7}{'steps':>9}{'test':>7}{'steps':>9}"]
    for kitchen in games.kitchens.tolist():
        chosen = [select(games, kitchen, split) for split in SPLITS]
        lines.append(f"{kitchen:<22}" + "".join(f"{len(c):>7}{games.steps[c].sum():>9,}" for c in chosen))
    stays = float((games.action == layouts.STAY).mean())
    lines.append(f"{len(games.steps)} games, {games.steps.sum():,} joint steps, {stays:.1%} of all actions are STAY")
    return "\n".join(lines)
