"""What can be chosen: kitchens, and who cooks in each of them."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from cole import sealed
from cole.errors import UserError
from cole.evaluate import players
from cole.evaluate.players import COOKS, ZOO, Player
from cole.human import data
from cole.kitchen import layouts
from cole.kitchen.layouts import Layout
from cole.policy import cloned, store
from cole.web import scenes
from cole.web.refusals import Missing

ABOUT_COOKS = {
    "greedy_cook": "Written by hand: does whatever its side of the kitchen allows, and passes on the rest.",
    "supplier": "Written by hand: only lays out onions and dishes on counters.",
    "chef": "Written by hand: cooks, plates and serves what others bring.",
    "random": "Presses keys at random.",
    "stay": "Stands still.",
}
FRESH = 5.0  # seconds for which a look at the folders is good enough


class Listed(NamedTuple):
    """Somebody who can be chosen."""

    id: str  # says nothing to anybody but this server
    player: Player
    map: str | None  # of the only kitchen it knows; None: any


@dataclass
class Catalogue:
    """Kitchens by name and players by id; agents on disk are looked for again when somebody asks."""

    kitchens: dict[str, Layout]
    folders: tuple[Path, ...]  # of agents, beside the zoo
    players: dict[str, Listed] = field(default_factory=dict)
    strategies: dict[str, Listed] = field(default_factory=dict)  # those of populations, which no list shows
    read: dict[Path, tuple[int, Player | None]] = field(default_factory=dict)  # agents by folder, with its time
    looked: float = -FRESH


def kitchens_of(files: tuple[Path, ...]) -> dict[str, Layout]:
    """The five, and those of map files by their names."""
    found = {name: layouts.load(name) for name in layouts.MAPS}
    for file in files:
        layout = layouts.load(file)
        if len(layout.start) < 2:
            raise UserError(f"{file} has a single seat: there is nobody to play with")
        if layout.terrain.size > store.MOST_CELLS:
            raise UserError(f"{file} has {layout.terrain.size} cells, and the page shows at most {store.MOST_CELLS}")
        if file.stem in found:
            raise UserError(f"{file}: there is a kitchen called {file.stem} already")
        found[file.stem] = layout
    return found


def look(catalogue: Catalogue) -> None:
    """Finds all players; an agent that cannot be read is left out, and in the zoo one for which another seed stands."""
    if time.monotonic() - catalogue.looked < FRESH:
        return
    folders = [(folder, _read(catalogue, folder)) for folder in _agent_folders(catalogue.folders)]
    found = [player for folder, player in folders if player and not _stands_behind(folder, player)]
    cooks = [listed(players.cook(name)) for name in COOKS]
    catalogue.players = {one.id: one for one in [*cooks, *_named(map(listed, _once(found)))]}
    catalogue.looked = time.monotonic()


def listed(player: Player) -> Listed:
    """A player with an id, the same whenever the server runs."""
    number = sealed.sha256(f"{player.identity} {'/'.join(player.path)}".encode())[:16]
    return Listed(number, player, layouts.to_text(store.layout_of(player.agent)) if player.agent else None)


def kitchen(catalogue: Catalogue, name: str) -> Layout:
    """A kitchen by name."""
    if name not in catalogue.kitchens:
        raise Missing("there is no such kitchen")
    return catalogue.kitchens[name]


def player(catalogue: Catalogue, id: str, layout: Layout) -> Player:
    """A player by id, who must know the kitchen."""
    one = catalogue.players.get(id) or catalogue.strategies.get(id)
    if one is None:
        raise Missing("there is no such player")
    if one.map not in (None, layouts.to_text(layout)):
        raise UserError(f"{one.player.name} does not know this kitchen")
    return one.player


def kitchens_json(catalogue: Catalogue) -> list[dict[str, Any]]:
    """All kitchens."""
    recorded = set(layouts.MAPS) if data.BUNDLED.exists() else set()
    maps = {one.map for one in catalogue.players.values() if kind(one.player) == "human"}
    return [
        scenes.kitchen(name, layout, name in recorded or layouts.to_text(layout) in maps)
        for name, layout in catalogue.kitchens.items()
    ]


def players_json(catalogue: Catalogue, layout: Layout) -> list[dict[str, Any]]:
    """All who can cook in a kitchen, those first who earned most with clones of people."""
    known = (None, layouts.to_text(layout))
    here = [one for one in catalogue.players.values() if one.map in known]
    return [about(one) for one in sorted(here, key=lambda one: -with_people(one.player))]


def with_people(player: Player) -> float:
    """What an agent earned with human proxies, as its card says; 0 where it says nothing that is a list of numbers."""
    earned = player.agent.card.training.get("with_proxy") if player.agent else None
    numbers = earned if isinstance(earned, list) else []
    return sum(numbers) / len(numbers) if numbers and all(map(_is_number, numbers)) else 0.0


def _is_number(said: Any) -> bool:
    """Whether what a card says is a number; true and false are none."""
    return isinstance(said, int | float) and not isinstance(said, bool)


def about(one: Listed) -> dict[str, Any]:
    """What the page says of a player."""
    player = one.player
    told = {"id": one.id, "name": player.name, "kind": kind(player)}
    told |= dict.fromkeys(("method", "seed", "return", "with_people"))
    if not player.agent:
        return told | {"about": ABOUT_COOKS[player.kind]}
    card = player.agent.card
    reached = card.training.get("return")
    number = reached if _is_number(reached) else None
    told |= {"method": card.method, "seed": card.seed, "return": number, "with_people": with_people(player) or None}
    return told | {"about": _sentence(player, number)}


def kind(player: Player) -> str:
    """cook, human or agent."""
    if not player.agent:
        return "cook"
    return "human" if player.kind == cloned.VIEW else "agent"


def _sentence(player: Player, reached: float | None) -> str:
    assert player.agent
    card = player.agent.card
    if kind(player) == "human":
        return "Imitates people whose games were recorded."
    steps = "" if card.steps is None else f" for {card.steps:,} steps"
    score = "" if reached is None else f"; with itself it earns {reached:g} on average"
    return f"Trained by {card.method}{steps}{score}."


def _agent_folders(folders: tuple[Path, ...]) -> list[Path]:
    """Folders of agents below these and in the zoo; hidden ones are half written."""
    found = []
    for folder in (ZOO, *folders):
        below = sorted(path.parent for path in folder.rglob(store.MODEL)) if folder.is_dir() else []
        found += [p for p in below if not any(part.startswith(".") for part in p.relative_to(folder).parts)]
    return found


def _read(catalogue: Catalogue, folder: Path) -> Player | None:
    """An agent on disk, read once."""
    try:
        changed = (folder / sealed.MANIFEST).stat().st_mtime_ns
        if folder in catalogue.read and catalogue.read[folder][0] == changed:
            return catalogue.read[folder][1]
        [player] = players.find([folder])
    except (OSError, UserError, ValueError):
        changed, player = 0, None
    catalogue.read[folder] = (changed, player)
    return player


def _stands_behind(folder: Path, player: Player) -> bool:
    """Whether another seed of its method stands for it in the zoo: the list would be too long."""
    assert player.agent
    return folder.is_relative_to(ZOO) and player.agent.card.training.get("published") is False


def _named(agents: Iterable[Listed]) -> list[Listed]:
    """With names that differ among those who know the same kitchen."""
    groups: dict[str | None, list[Listed]] = {}
    for one in agents:
        groups.setdefault(one.map, []).append(one)
    return [
        one._replace(player=player)
        for group in groups.values()
        for one, player in zip(group, players.named([one.player for one in group]), strict=True)
    ]


def _once(found: list[Player]) -> list[Player]:
    """Without those found a second time."""
    return list({player.path: player for player in found}.values())
