"""Every verb of the command line as a record: its fields are the options, the sentence below each is its help.

Nothing heavy is imported here, so that `cole --help` answers at once.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import tyro


@dataclass(frozen=True)
class Watch:
    """Show a game in the terminal, random or recorded, and save it as a picture, a page or a recording."""

    layout: str = "cramped_room"
    """One of the five kitchens, or the path of a map file."""
    game: Path | None = None
    """A recorded game (JSON) to show instead of a random one; it brings its own kitchen."""
    seed: int = 0
    """Decides what the random cooks do."""
    steps: int = 400
    """How long a random game lasts."""
    random_start: bool = False
    """Begin in a random mid-game state instead of the opening."""
    speed: float = 12.0
    """Steps shown per second."""
    save: Path | None = None
    """Also write the game to this file: .html (with a slider), .gif, .svg (the last state) or .json (a recording)."""


@dataclass(frozen=True)
class ListLayouts:
    """List and draw the five kitchens."""


@dataclass(frozen=True)
class CheckLayout:
    """Check a map file and draw the kitchen."""

    file: tyro.conf.Positional[Path]
    """The map: space floor, X counter, P pot, O onions, D dishes, S serving hatch, 1 2 ... where each cook starts."""


@dataclass(frozen=True)
class Layouts:
    """List and draw the kitchens, or check a map of your own."""

    do: Annotated[
        Annotated[ListLayouts, tyro.conf.subcommand("list", prefix_name=False)]
        | Annotated[CheckLayout, tyro.conf.subcommand("check", prefix_name=False)],
        tyro.conf.arg(name=""),
    ] = field(default_factory=ListLayouts)


@dataclass(frozen=True)
class Doctor:
    """Say what this installation has, and what is missing."""


@dataclass(frozen=True)
class Analyze:
    """Analyse a cross-play matrix: preference graph, centralities, Shapley values, phi, figures."""

    file: tyro.conf.Positional[Path]
    """CSV file with the payoff of each row strategy (first seat) with each column partner (second seat)."""
    out: Path | None = None
    """Folder for the results; by default the file's name with -analysis, in the current folder."""
    seats: Literal["mean", "ordered"] = "mean"
    """Whether w(i, j) is the mean of both seats, or the row strategy in the first seat."""
    centrality: Literal["in_degree", "pagerank", "closeness"] = "in_degree"
    """Which centrality of the preference graph eta is made of."""
    sigma: Literal["reciprocal", "softmax", "one"] = "reciprocal"
    """How the weighted PageRank becomes sigma, the unpopularity of a strategy."""
    inversion: Literal["linear", "softmax"] = "linear"
    """How a low Shapley value becomes a high phi."""
    temperature: float = 0.1
    """Temperature of the softmax of --inversion and of --sigma."""
    figures: bool = True
    """Whether to draw figures (PDF and SVG)."""


Verb = (
    Annotated[Watch, tyro.conf.subcommand("watch")]
    | Annotated[Layouts, tyro.conf.subcommand("layouts")]
    | Annotated[Analyze, tyro.conf.subcommand("analyze")]
    | Annotated[Doctor, tyro.conf.subcommand("doctor")]
)
