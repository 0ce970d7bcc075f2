"""What `cole analyze` drew of the runs that are compared; where it has not yet, and if asked for, it does so now."""

import json
import shlex
from pathlib import Path

import numpy as np
from rich.console import Console

from cole import runfolder
from cole.config.judging import Analyze
from cole.errors import UserError
from cole.evaluate.lineup import Lineup, Team
from cole.report.comparison import Process, file_names
from cole.report.learning import in_words
from cole.report.pictured import SEEN
from cole.verbs import analyze
from cole.verbs.games import say

ANALYSIS, FACTS = "analysis", "analysis.json"


def processes(lineup: Lineup, folder: Path | None, notes: Console) -> list[Process]:
    """One run of each team that has an analysis; with a folder, also those whose strategies can be played now.

    What cannot be read, played or written is told of and left out.
    """
    found = []
    every = [(kitchen, label) for kitchen in lineup.kitchens for label in lineup.labels]
    names = file_names([f"{kitchen}-{label}" for kitchen, label in every])
    for kitchen, label in every:
        team = lineup.teams.get((kitchen, label))
        own = folder and folder / names[f"{kitchen}-{label}"]
        try:
            place = team and (_drawn(team) or (own and _analysed(team, own, notes)))
            found += [read(team, place)] if team and place else []
        except UserError as error:
            say(notes, f"{label} in {kitchen} has no Figure 2 or 6: {error}")
    return found


def _drawn(team: Team) -> Path | None:
    """The first analysis that lies in a run of the team."""
    places = [Path(source) / ANALYSIS for source in team.source.splitlines()]
    return next((place for place in places if (place / FACTS).is_file() and _figures(place)), None)


def _analysed(team: Team, place: Path, notes: Console) -> Path | None:
    """Plays and draws the first run of the team that has strategies, into a folder."""
    runs = [Path(source) for source in team.source.splitlines()]
    run = next((run for run in runs if (run / runfolder.STRATEGIES).is_dir()), None)
    if run is None:
        return None
    config = Analyze(run, out=place)
    say(notes, f"the strategies of {run} play with each other")
    source = analyze.of_run(config, place)
    analyze.save_all(place, source, analyze.found_in(source, config), config)
    return place


def read(team: Team, place: Path) -> Process:
    """The figures in a folder of an analysis, and what they say."""
    try:
        facts = json.loads((place / FACTS).read_bytes())
        usual = Analyze(place)
        more = [name for name in analyze.SETTINGS if facts.get(name, getattr(usual, name)) != getattr(usual, name)]
        words = ["cole", "analyze", str(facts["run"])]
        for name in ("seed", "episodes", "games_seed", *more):
            words += [f"--{name.replace('_', '-')}", str(facts[name])]
        preferred = in_words(np.array([np.nan if x is None else x for x in facts["newest"]["in_edges"]]))
    except (OSError, ValueError, KeyError, TypeError):
        raise UserError(f"{place / FACTS} is no analysis of a run: run `cole analyze` again") from None
    return Process(team.kitchen, team.label, shlex.join(words), preferred, _figures(place))


def _figures(place: Path) -> dict[str, bytes]:
    return {name: (place / f"{name}.svg").read_bytes() for name in SEEN if (place / f"{name}.svg").is_file()}
