"""Who is compared: the agents of every method in every kitchen, found in folders of runs; what is missing is a hole."""

import re
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cole import runfolder
from cole.errors import UserError
from cole.evaluate.entries import Entry, entry_of, is_agent, places_in, unfinished
from cole.evaluate.labels import COLE, longer, place_of_label
from cole.evaluate.players import Player, kitchen_of
from cole.kitchen.layouts import MAPS, Layout

SIZES = "full|quick|matched"


class Team(NamedTuple):
    """The agents of one method in one kitchen."""

    label: str  # "SP", "COLE 1:3", "MEP, paper"
    kitchen: str
    players: dict[int, Player]  # by seed
    source: str  # the folder of the run, or of the agents; one a line
    command: str  # what trains it again; one a line
    recipe: str = ""  # whose numbers it was trained with; "" if nobody knows


class Begun(NamedTuple):
    """A run that is not finished."""

    label: str
    kitchen: str
    seeds: list[int]  # that it will have
    source: str  # its folder
    command: str  # what began it


class Lineup(NamedTuple):
    """Everybody who is compared."""

    kitchens: list[str]  # [K] in the paper's order, others after
    labels: list[str]  # [M] SP, PBT, FCP, MEP, then others by name, COLE a:b last
    seeds: list[int]  # [R] all seeds that any team has or should have: a team that lacks one has a hole
    teams: dict[tuple[str, str], Team]  # (kitchen, label): a missing one is a hole, and so is one without players
    begun: tuple[Begun, ...] = ()  # in these kitchens and in others


Party = tuple[str, str, str]  # kitchen, called, settings: agents that differ in their seed alone


def gather(
    folders: Sequence[str | Path],
    tell: Callable[[str], None] = lambda sentence: print(f"cole: {sentence}", file=sys.stderr),
) -> Lineup:
    """The teams in runs, in folders with runs below them, or in folders of agents.

    Unfinished runs are told about; the agents they will have are holes.
    """
    if not folders:
        raise UserError("name some folders: of runs, with runs below them, or of agents")
    every = {place.resolve(): place for folder in folders for place in places_in(Path(folder))}.values()
    agents = [place for place in every if is_agent(place)]
    if not agents:
        raise UserError(f"there are no agents in {', '.join(map(str, folders))}")
    entries = [entry_of(place) for place in agents]
    entries += [one for run in every if not is_agent(run) for one in unfinished(run, entries, tell)]
    return _lineup(entries)


def _lineup(entries: Sequence[Entry]) -> Lineup:
    """Everybody in teams; a kitchen that nobody has finished is none."""
    parties: dict[Party, list[Entry]] = {}
    for entry in entries:
        parties.setdefault((entry.kitchen, entry.called, entry.settings), []).append(entry)
    labels = _labels(parties)
    kitchens = {entry.kitchen for entry in entries if entry.player}
    teams = [_team(labels[party], inside) for party, inside in parties.items() if party[0] in kitchens]
    seeds = {seed for party, inside in parties.items() if party[0] in kitchens for seed in _seeds(inside)}
    begun = [one for party, inside in parties.items() for one in _begun(labels[party], inside)]
    lineup = Lineup(
        kitchens=sorted(kitchens, key=_place_of_kitchen),
        labels=sorted({team.label for team in teams}, key=place_of_label),
        seeds=sorted(seeds),
        teams={(team.kitchen, team.label): team for team in teams},
        begun=tuple(sorted(begun, key=lambda one: (_place_of_kitchen(one.kitchen), place_of_label(one.label)))),
    )
    for kitchen in lineup.kitchens:
        layout_of(lineup, kitchen)  # refuses two maps of one name
    return lineup


def players_in(lineup: Lineup, kitchen: str) -> list[Player]:
    """All agents of a kitchen."""
    teams = [lineup.teams[kitchen, label] for label in lineup.labels if (kitchen, label) in lineup.teams]
    return [player for team in teams for player in team.players.values()]


def layout_of(lineup: Lineup, kitchen: str) -> Layout:
    """The kitchen all its agents know."""
    return kitchen_of(players_in(lineup, kitchen))[0]


def player(lineup: Lineup, kitchen: str, label: str, seed: int) -> Player | None:
    """One agent, or a hole."""
    team = lineup.teams.get((kitchen, label))
    return team.players.get(seed) if team else None


def lacking(lineup: Lineup, kitchen: str, label: str) -> tuple[str, ...]:
    """What a team lacks there: itself, or some seeds."""
    team = lineup.teams.get((kitchen, label))
    if team is None or not team.players:
        return (label,)
    return tuple(f"{label} seed {seed}" for seed in lineup.seeds if seed not in team.players)


def all_lacking(lineup: Lineup, labels: Sequence[str], kitchens: Sequence[str]) -> tuple[str, ...]:
    """What these methods lack in these kitchens; if there are several kitchens at all, with the kitchen's name."""
    where = {kitchen: f" in {kitchen}" if len(lineup.kitchens) > 1 else "" for kitchen in kitchens}
    pairs = [(kitchen, label) for label in labels for kitchen in kitchens]
    every = [f"{name}{where[kitchen]}" for kitchen, label in pairs for name in lacking(lineup, kitchen, label)]
    return tuple(dict.fromkeys(every))


def differing(lineup: Lineup, labels: Sequence[str], kitchens: Sequence[str]) -> list[str]:
    """`SP: paper in cramped_room, default in attic`: methods that were not trained by one recipe in all kitchens."""
    said = []
    for label in labels:
        teams = [lineup.teams[kitchen, label] for kitchen in kitchens if (kitchen, label) in lineup.teams]
        by_recipe: dict[str, list[str]] = {}
        for team in teams:
            if team.players:
                by_recipe.setdefault(team.recipe or "unknown", []).append(team.kitchen)
        each = [f"{recipe} in {' and '.join(places)}" for recipe, places in by_recipe.items()]
        said += [f"{label}: {', '.join(each)}"] if len(each) > 1 else []
    return said


def _labels(parties: dict[Party, list[Entry]]) -> dict[Party, str]:
    """What each is called: by its method, and where a kitchen has several of one also by recipe, or else by the run."""
    labels = {party: entries[0].called for party, entries in parties.items()}
    more = [
        {party: entries[0].recipe or entries[0].source.name for party, entries in parties.items()},
        {party: entries[0].source.name for party, entries in parties.items()},
    ]
    for words in more:
        crowded = _crowded(labels)
        labels = {
            party: longer(party[1], words[party]) if label in crowded else label for party, label in labels.items()
        }
    for party, label in labels.items():
        if label in _crowded(labels):
            where = f"{parties[party][0].source} is not the only one that is called {label} in {party[0]}"
            raise UserError(f"{where}, and their settings differ: compare one of them at a time")
    return labels


def _crowded(labels: dict[Party, str]) -> set[str]:
    """Labels that two have in one kitchen; there and elsewhere they need more words."""
    often = Counter((party[0], label) for party, label in labels.items())
    return {label for (_, label), times in often.items() if times > 1}


def _team(label: str, entries: list[Entry]) -> Team:
    players: dict[int, Player] = {}
    sources = {}
    for entry in entries:
        if entry.player is None:
            continue
        if entry.seed in players:
            both = f"{sources[entry.seed]} and {entry.source}" if sources[entry.seed] != entry.source else entry.source
            raise UserError(f"{label} has the seed {entry.seed} twice in {entry.kitchen} ({both}): name one of them")
        players[entry.seed], sources[entry.seed] = entry.player, entry.source
    by_run = {source: [entry for entry in entries if entry.source == source] for source in sources.values()}
    commands = "\n".join(_command(source, inside) for source, inside in by_run.items())
    where = "\n".join(map(str, by_run))
    return Team(label, entries[0].kitchen, dict(sorted(players.items())), where, commands, entries[0].recipe)


def _begun(label: str, entries: list[Entry]) -> list[Begun]:
    """The runs among these that are not finished."""
    by_run: dict[Path, list[int]] = {}
    for entry in entries:
        if entry.player is None:
            by_run.setdefault(entry.source, []).append(entry.seed)
    kitchen = entries[0].kitchen
    return [Begun(label, kitchen, seeds, str(run), _known(run)["command"]) for run, seeds in by_run.items()]


def _seeds(entries: list[Entry]) -> set[int]:
    """Those that are there, and those that their runs were asked for."""
    there = {entry.seed for entry in entries}
    for source in {entry.source for entry in entries}:
        there |= set(_known(source)["seeds"])
    return there


def _known(source: Path) -> dict[str, Any]:
    """What a run was asked for, and what the user typed to begin it; nothing where no run says it."""
    try:
        return runfolder.read_config(source)
    except UserError:
        return {"seeds": [], "command": ""}


def _command(source: Path, entries: list[Entry]) -> str:
    """What trained them, as the run's config says; of early runs, as far as cards and the run's name know it."""
    first = entries[0].player and entries[0].player.agent
    if first is None or not (source / runfolder.CONFIG).exists():
        return f"# not trained by a run: see README.md of each agent in {source}"
    if typed := _known(source)["command"]:
        return typed
    card, seeds = first.card, sorted(_seeds(entries))
    words = ["cole", "train", card.method, "--layout", card.layout if card.layout in MAPS else "MAP"]
    words += ["--recipe", entries[0].recipe] if entries[0].recipe else []
    size = re.match(rf"{re.escape(entries[0].recipe)}-({SIZES})(-|$)", source.name)
    words += ["--size", size[1]] if size else []
    words += ["--ratio", entries[0].called.split()[1]] if entries[0].called.startswith(f"{COLE} ") else []
    words += ["--seed", str(seeds[0]), "--seeds", str(len(seeds))]
    rest = "whatever else was set" if card.layout in MAPS else "the map, and whatever else was set"
    return f"{shlex.join(words)}  # {rest}: {source / runfolder.CONFIG}"


def _place_of_kitchen(kitchen: str) -> tuple[int, str]:
    names = list(MAPS)
    return (names.index(kitchen) if kitchen in names else len(names)), kitchen
