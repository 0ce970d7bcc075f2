"""Agents on disk: options of `cole agents`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import tyro


@dataclass(frozen=True)
class ShowAgent:
    """Say what an agent is: its kitchen, view and network, and how it was trained."""

    folder: tyro.conf.Positional[Path]
    """The agent: a folder with model.safetensors, config.json, README.md and SHA256SUMS."""


@dataclass(frozen=True)
class ImportAgent:
    """Bring in an agent that was published as tf.js weight files, such as those of 2019."""

    folder: tyro.conf.Positional[Path]
    """Where model.json lies, with its weights beside it."""
    layout: str
    """The kitchen it was trained in: one of the five, or the path of a map file."""
    out: Path | None = None
    """Folder to write the agent to; by default agents/ and the name of the folder it comes from."""
    view: Literal["grid", "grid2019"] = "grid2019"
    """What it was trained to see."""


@dataclass(frozen=True)
class TakeAgents:
    """Make agents of an earlier round of a finished run: where each seed earned most, as in 2019, or any round."""

    run: tyro.conf.Positional[Path]
    """The folder of the run."""
    round: str = "best"
    """`best`: the round in whose games of training a seed earned most (of PBT: all its learners together); or a number,
    counted from 0 as by `cole analyze`."""
    out: Path | None = None
    """Folder to write seed-0, seed-1, ... to; by default beside the run, with -best or -round-N behind its name."""
    games_after: int = 100
    """Games that each agent plays with itself, to say what it earns."""


@dataclass(frozen=True)
class ListAgents:
    """List the agents in a folder, by kitchen and method; by default those that come with the project."""

    folder: tyro.conf.Positional[Path | None] = None
    """Where agents lie, at any depth."""


@dataclass(frozen=True)
class PackAgents:
    """Put the agents of finished runs into a zoo: small files, with what they earned on their cards."""

    folders: tyro.conf.Positional[tuple[Path, ...]]
    """Runs, or folders with runs below them."""
    out: Path = Path("zoo")
    """The zoo: agents are written to LAYOUT/METHOD/seed-N in it."""
    evaluation: Path | None = None
    """Folder with the results of `cole evaluate` for these agents, such as `games` in that of a report."""
    methods: tuple[str, ...] = ()
    """Only these, as tables call them: SP, "COLE 1:3"."""


@dataclass(frozen=True)
class Agents:
    """List agents, show one, pack those of runs, take those of an earlier round, or bring in one of others."""

    do: Annotated[
        Annotated[ListAgents, tyro.conf.subcommand("list", prefix_name=False)]
        | Annotated[ShowAgent, tyro.conf.subcommand("show", prefix_name=False)]
        | Annotated[PackAgents, tyro.conf.subcommand("pack", prefix_name=False)]
        | Annotated[TakeAgents, tyro.conf.subcommand("take", prefix_name=False)]
        | Annotated[ImportAgent, tyro.conf.subcommand("import", prefix_name=False)],
        tyro.conf.arg(name=""),
    ] = field(default_factory=ListAgents)
