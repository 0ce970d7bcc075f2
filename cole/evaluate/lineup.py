"""Who is compared: the agents of every method in every kitchen, found in folders of runs; what is missing is a hole."""

import json
import re
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from cole import runfolder
from cole.errors import UserError
from cole.evaluate.players import Player, find, kitchen_of
from cole.kitchen.layouts import MAPS, Layout
from cole.policy import store
from cole.policy.card import Card

COLE = "COLE"
BASELINES = ("SP", "PBT", "FCP", "MEP")  # of the paper, in its order
CALLED = {"trajedi": "TrajeDi", "ppo_bc": "PPO_BC", "best_response": "best response", "h_proxy": "H_proxy"}
CALLED |= {method: method.upper() for method in ("sp", "pbt", "fcp", "mep", "hsp", "e3t", "op", "bc")}
# What a card says of what came of a training, which decides nothing.
REACHED = {"return", "return_error", "steps_of_all", "accuracy_held_out", "accuracy_other_split"}
DEPTH = 6  # levels below a folder at which agents are looked for: runs, layout, method, name, and some more
SIZES = "full|quick|matched"


class Team(NamedTuple):
    """The agents of one method in one kitchen."""

    label: str  # "SP", "COLE 1:3", "MEP, paper"
    kitchen: str
    players: dict[int, Player]  # by seed
    source: str  # the folder of the run, or of the agents; one a line
    command: str  # what trains it again; one a line


class Lineup(NamedTuple):
    """Everybody who is compared."""

    kitchens: list[str]  # [K] in the paper's order, others after
    labels: list[str]  # [M] SP, PBT, FCP, MEP, then others by name, COLE a:b last
    seeds: list[int]  # [R] all seeds that any team has or should have: a team that lacks one has a hole
    teams: dict[tuple[str, str], Team]  # (kitchen, label): a missing one is a hole


class Entry(NamedTuple):
    """An agent, and what decides which team it is in."""

    player: Player
    kitchen: str
    seed: int
    called: str  # the method's name in tables
    recipe: str  # "" if nobody knows
    settings: str  # of its training, as JSON
    source: Path


Party = tuple[str, str, str]  # kitchen, called, settings: agents that differ in their seed alone


def gather(
    folders: Sequence[str | Path],
    tell: Callable[[str], None] = lambda sentence: print(f"cole: {sentence}", file=sys.stderr),
) -> Lineup:
    """The teams in runs, in folders with runs below them, or in folders of agents; unfinished runs are told about."""
    if not folders:
        raise UserError("name some folders: of runs, with runs below them, or of agents")
    places = {place.resolve(): place for folder in folders for place in agents_in(Path(folder), tell)}
    if not places:
        raise UserError(f"there are no agents in {', '.join(map(str, folders))}")
    parties: dict[Party, list[Entry]] = {}
    for entry in map(_entry, places.values()):
        parties.setdefault((entry.kitchen, entry.called, entry.settings), []).append(entry)
    labels = _labels(parties)
    teams = [_team(labels[party], entries) for party, entries in parties.items()]
    lineup = Lineup(
        kitchens=sorted({team.kitchen for team in teams}, key=_place_of_kitchen),
        labels=sorted({team.label for team in teams}, key=_place_of_label),
        seeds=sorted({seed for entries in parties.values() for seed in _seeds(entries)}),
        teams={(team.kitchen, team.label): team for team in teams},
    )
    for kitchen in lineup.kitchens:
        layout_of(lineup, kitchen)  # refuses two maps of one name
    return lineup


def label_of(card: Card) -> str:
    """What a method is called in tables; COLE with its ratio, groups with itself : groups with the population."""
    if card.method != "cole":
        return CALLED.get(card.method, card.method)
    try:
        own = card.training["mixture"]["own"]
        return f"{COLE} {own}:{card.training['batch']['groups'] - own}"
    except (KeyError, TypeError):
        return COLE


def is_called(label: str, method: str) -> bool:
    """Whether a label is this one, with or without what tells it from others of the method."""
    return label == method or label.startswith(f"{method}, ") or (method == COLE and label.startswith(f"{COLE} "))


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
    return tuple(f"{label} seed {seed}" for seed in lineup.seeds if seed not in team.players) if team else (label,)


def agents_in(folder: Path, tell: Callable[[str], None], depth: int = DEPTH) -> list[Path]:
    """Folders of agents in a folder; hidden ones are half written, and a run without any is told about."""
    if (folder / store.MODEL).exists():
        return [folder]
    of_run = (folder / runfolder.CONFIG).exists()
    inside = folder / runfolder.AGENTS if of_run else folder
    try:
        below = sorted(inside.iterdir()) if depth and (inside.exists() or not of_run) else []
    except OSError as error:
        raise UserError(f"{inside} cannot be read: {error.strerror}") from None
    folders = [path for path in below if path.is_dir() and not path.name.startswith(".")]
    found = [agent for path in folders for agent in agents_in(path, tell, depth - 1)]
    if of_run and not found:
        tell(f"{folder} has no agents yet, so it is left out: a run hands them out when it is finished")
    return found


def _entry(place: Path) -> Entry:
    (found,) = find([place])
    assert found.agent
    card = found.agent.card
    run = place.parent.parent  # runs/layout/method/name/agents/seed-0
    in_run = place.parent.name == runfolder.AGENTS and (run / runfolder.CONFIG).exists()
    settings = {name: value for name, value in card.training.items() if name not in REACHED}
    return Entry(
        player=found,
        kitchen=card.layout,
        seed=card.seed or 0,
        called=place.name if card.seed is None else label_of(card),  # one that others trained goes by its own name
        recipe=str(card.training.get("recipe", "")),
        settings=json.dumps(settings | {"method": card.method, "view": card.view}, sort_keys=True),
        source=run if in_run else place.parent,
    )


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
            party: f"{party[1]}, {words[party]}" if label in crowded else label for party, label in labels.items()
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
        if entry.seed in players:
            both = f"{sources[entry.seed]} and {entry.source}" if sources[entry.seed] != entry.source else entry.source
            raise UserError(f"{label} has the seed {entry.seed} twice in {entry.kitchen} ({both}): name one of them")
        players[entry.seed], sources[entry.seed] = entry.player, entry.source
    by_run = {source: [entry for entry in entries if entry.source == source] for source in sources.values()}
    commands = "\n".join(_command(source, inside) for source, inside in by_run.items())
    where = "\n".join(map(str, by_run))
    return Team(label, entries[0].kitchen, dict(sorted(players.items())), where, commands)


def _seeds(entries: list[Entry]) -> set[int]:
    """Those that are there, and those that their runs were asked for."""
    there = {entry.seed for entry in entries}
    for source in {entry.source for entry in entries}:
        there |= set(_asked(source))
    return there


def _asked(source: Path) -> list[int]:
    """The seeds of a run; none where no run says it."""
    try:
        return runfolder.read_config(source)["seeds"]
    except UserError:
        return []


def _typed(source: Path) -> str:
    """What the user typed to begin a run; nothing where no run says it."""
    try:
        return runfolder.read_config(source)["command"]
    except UserError:
        return ""


def _command(source: Path, entries: list[Entry]) -> str:
    """What trained them, as the run's config says; of early runs, as far as cards and the run's name know it."""
    first = entries[0].player.agent
    if first is None or not (source / runfolder.CONFIG).exists():
        return f"# not trained by a run: see README.md of each agent in {source}"
    if typed := _typed(source):
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


def _place_of_label(label: str) -> tuple[int, list[int], str]:
    """SP, PBT, FCP, MEP; then others by name; COLE last, by its ratio."""
    known = [at for at, method in enumerate(BASELINES) if is_called(label, method)]
    if is_called(label, COLE):
        return len(BASELINES) + 1, [int(number) for number in re.findall(r"\d+", label)[:2]], label
    return (known[0] if known else len(BASELINES)), [], label.lower()
