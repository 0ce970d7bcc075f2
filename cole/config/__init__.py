"""Every verb of the command line as a record: its fields are the options, the sentence below each is its help.

Nothing heavy is imported here, so that `cole --help` answers at once.
"""

from dataclasses import dataclass
from typing import Annotated

import tyro

from cole.config.agents import Agents
from cole.config.cooking import Layouts, Play, Watch
from cole.config.judging import Analyze, Crossplay, Evaluate, Report, Reproduce
from cole.config.people import Human
from cole.config.training import Runs, Train


@dataclass(frozen=True)
class Doctor:
    """Say what this installation has, and what is missing."""


Verb = (
    Annotated[Train, tyro.conf.subcommand("train")]
    | Annotated[Watch, tyro.conf.subcommand("watch")]
    | Annotated[Play, tyro.conf.subcommand("play")]
    | Annotated[Layouts, tyro.conf.subcommand("layouts")]
    | Annotated[Agents, tyro.conf.subcommand("agents")]
    | Annotated[Human, tyro.conf.subcommand("human")]
    | Annotated[Crossplay, tyro.conf.subcommand("crossplay")]
    | Annotated[Evaluate, tyro.conf.subcommand("evaluate")]
    | Annotated[Report, tyro.conf.subcommand("report")]
    | Annotated[Reproduce, tyro.conf.subcommand("reproduce")]
    | Annotated[Analyze, tyro.conf.subcommand("analyze")]
    | Annotated[Runs, tyro.conf.subcommand("runs")]
    | Annotated[Doctor, tyro.conf.subcommand("doctor")]
)
