"""To cook, to watch, and the kitchens: options of `cole play`, `watch` and `layouts`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro


@dataclass(frozen=True)
class Watch:
    """Show a game in the terminal, of players, random or recorded, and save it as a picture, a page or a recording."""

    players: tyro.conf.Positional[tuple[str, ...]] = ()
    """Two agents (folders, or of the zoo) or cooks written by hand, the first in seat 0; by default random cooks."""
    layout: str | None = None
    """One of the five kitchens, or the path of a map file; by default that of the agents, or, for random
    cooks, the cramped room."""
    game: Path | None = None
    """A recorded game (JSON) to show instead of playing one; it brings its own kitchen."""
    seed: int = 0
    """Decides what is random in the game."""
    steps: int = 400
    """How long the game lasts."""
    random_start: bool = False
    """Random cooks begin in a random mid-game state instead of the opening."""
    speed: float = 12.0
    """Steps shown per second."""
    save: Path | None = None
    """Also write the game to this file: .html (with a slider), .gif, .svg (the last state) or .json (a recording)."""


@dataclass(frozen=True)
class Play:
    """Open the page: cook with an agent or another person, watch agents, look into populations."""

    host: str = "127.0.0.1"
    """The address to listen at; 0.0.0.0 lets others in, see --allow."""
    port: int = 8000
    """The port; if it is taken, the next one that is free. 0: any."""
    runs: tuple[Path, ...] = (Path("runs"),)
    """Folders with runs, whose agents and populations are on offer."""
    layout: tuple[Path, ...] = ()
    """Maps of your own, beside the five kitchens."""
    crossplay: tuple[Path, ...] = ()
    """Cross-play matrices (CSV) to look into; by default those in folders crossplay-* here."""
    games: Path = Path("games")
    """Where games are kept whose people agree to it."""
    allow: tuple[str, ...] = ()
    """Names by which browsers may call this server, beside localhost and --host."""
    open: bool = True
    """Whether to open a browser."""


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
