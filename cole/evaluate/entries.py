"""Agents in folders, and those that unfinished runs will have, with what decides which team each is in."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cole import runfolder
from cole.errors import UserError
from cole.evaluate.labels import RECIPES, label_for, label_of
from cole.evaluate.players import Player, find
from cole.policy import store
from cole.policy.card import Card

# What a card says of what came of a training, which decides nothing.
REACHED = {"return", "return_error", "steps_of_all", "accuracy_held_out", "accuracy_other_split"}
REACHED |= {"with_proxy", "with_experts", "published", "round"}
DEPTH = 6  # levels below a folder at which agents are looked for: runs, layout, method, name, and some more


class Entry(NamedTuple):
    """An agent, or one that a run will have, and what decides which team it is in."""

    player: Player | None  # None of a run that is not finished
    kitchen: str
    seed: int
    called: str  # the method's name in tables
    recipe: str  # "" if nobody knows
    settings: str  # of its training, as JSON
    source: Path


def places_in(folder: Path, depth: int = DEPTH) -> list[Path]:
    """Folders of agents in a folder, and of runs that have none yet; hidden ones are half written."""
    if is_agent(folder):
        return [folder]
    of_run = (folder / runfolder.CONFIG).exists()
    inside = folder / runfolder.AGENTS if of_run else folder
    try:
        below = sorted(inside.iterdir()) if depth and (inside.exists() or not of_run) else []
    except OSError as error:
        raise UserError(f"{inside} cannot be read: {error.strerror}") from None
    folders = [path for path in below if path.is_dir() and not path.name.startswith(".")]
    found = [place for path in folders for place in places_in(path, depth - 1)]
    return found or ([folder] if of_run else [])


def is_agent(folder: Path) -> bool:
    return (folder / store.MODEL).exists()


def entry_of(place: Path) -> Entry:
    (found,) = find([place])
    assert found.agent
    card = found.agent.card
    run = place.parent.parent  # runs/layout/method/name/agents/seed-0
    in_run = place.parent.name == runfolder.AGENTS and (run / runfolder.CONFIG).exists()
    return Entry(
        player=found,
        kitchen=card.layout,
        seed=card.seed or 0,
        called=place.name if card.seed is None else label_of(card),  # one that others trained goes by its own name
        recipe=str(card.training.get("recipe", "")),
        settings=settings_of(card),
        source=run if in_run else place.parent,
    )


def settings_of(card: Card) -> str:
    """What decided an agent's training beside kitchen and seed, as JSON."""
    return _settings(card.method, card.view, card.training)


def _settings(method: str, view: str, training: dict[str, Any]) -> str:
    """What decides a training, as JSON."""
    deciding = {name: value for name, value in training.items() if name not in REACHED}
    return json.dumps(deciding | {"method": method, "view": view}, sort_keys=True)


def unfinished(run: Path, finished: Sequence[Entry], tell: Callable[[str], None]) -> list[Entry]:
    """The agents that a run will have, as its config says; they are of the team that has the same settings."""
    try:
        found = runfolder.read_config(run)
        asked = dict(found["config"])
        kitchen, method, setting = str(asked.pop("layout")), str(asked.pop("method")), dict(asked.pop("setting"))
        view = str(setting["view"])
    except (UserError, KeyError, TypeError, ValueError):
        tell(f"{run} has no agents, and its {runfolder.CONFIG} does not say whose they would be: it is left out")
        return []
    tell(f"{run} has no agents yet: its seeds are holes until it is finished")
    asked.pop("map", None)
    training, called, typed = setting | asked, label_for(method, setting), _recipe(run, found["command"])

    def settings(recipe: str) -> str:
        return _settings(method, view, training | ({"recipe": recipe} if recipe else {}))

    theirs = [one for one in finished if (one.kitchen, one.called) == (kitchen, called)]
    same = [one.recipe for one in theirs if one.settings == settings(one.recipe)]
    recipe = same[0] if same and typed not in same else typed
    return [Entry(None, kitchen, seed, called, recipe, settings(recipe), run) for seed in found["seeds"]]


def _recipe(run: Path, command: str) -> str:
    """Of a run whose agents are not there to say it: from what was typed, or from its name; "" if neither says it."""
    found = re.search(r"--recipe[ =](\w+)", command) or re.match(rf"({'|'.join(RECIPES)})(?=-|$)", run.name)
    return found[1] if found else RECIPES[0] if command else ""
