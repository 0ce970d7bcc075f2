"""The recorded human games and clones of people: options of `cole human`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro


@dataclass(frozen=True)
class ImportGames:
    """Turn recorded human games into one small file of arrays, after replaying every step of them."""

    source: tyro.conf.Positional[Path | None] = None
    """A folder of the page's recordings, or the folder or a file of the trials of 2019; by default those that the
    installed package overcooked-ai 1.1.0 carries."""
    out: Path = Path("human-games.npz")
    """The file to write."""
    split: Literal["train", "test", "both"] = "both"
    """Of the page's recordings: to clone partners to train with, partners to be judged with, or each in turn."""


@dataclass(frozen=True)
class TrainClones:
    """Clone people: bc from the train games, h_proxy from the test games, several seeds of each."""

    layouts: tyro.conf.Positional[tuple[str, ...]] = ()
    """Kitchens; by default all five."""
    splits: tuple[Literal["train", "test"], ...] = ("train", "test")
    """Which games to clone."""
    seed: int = 0
    """The first seed."""
    seeds: int = 5
    """How many seeds, counted up from the first."""
    games: Path | None = None
    """File of recorded games, as `cole human import` writes it; by default the games that come with the project."""
    out: Path = Path("clones")
    """The agents are written in here: layout/bc/seed-0 and so on."""
    epochs: int | None = None
    """Times the steps are gone through; by default 100, 120, 120, 90, 110 in the five kitchens."""
    games_after: int = 100
    """Games that each clone plays with itself, to say what it earns."""


@dataclass(frozen=True)
class ReplayGame:
    """Show a game that people played, and save it as a picture, a page or a recording."""

    layout: str = "cramped_room"
    """The kitchen."""
    split: Literal["train", "test"] = "train"
    """Which games."""
    number: int = 0
    """Which of them, counted from 0."""
    games: Path | None = None
    """File of recorded games; by default the games that come with the project."""
    speed: float = 12.0
    """Steps shown per second; people played at 6.7."""
    save: Path | None = None
    """Also write the game to this file: .html (with a slider), .gif, .svg (the last state) or .json (a recording)."""


@dataclass(frozen=True)
class HumanHabits:
    """Say what people earn in each kitchen, what they do all the time, and who does which part of the work."""

    games: Path | None = None
    """File of recorded games; by default the games that come with the project."""


@dataclass(frozen=True)
class Human:
    """The recorded human games: look at them, clone the people in them, bring in others."""

    do: Annotated[
        Annotated[HumanHabits, tyro.conf.subcommand("habits", prefix_name=False)]
        | Annotated[ReplayGame, tyro.conf.subcommand("replay", prefix_name=False)]
        | Annotated[TrainClones, tyro.conf.subcommand("train", prefix_name=False)]
        | Annotated[ImportGames, tyro.conf.subcommand("import", prefix_name=False)],
        tyro.conf.arg(name=""),
    ]
