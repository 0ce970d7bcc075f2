"""Who can play: agents on disk, all those of a run, those of the zoo, and cooks written by hand, each by name."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from cole import runfolder, sealed
from cole.errors import UserError
from cole.kitchen import layouts
from cole.kitchen.layouts import STAY, Layout
from cole.kitchen.trajectory import show
from cole.policy import scripted, store
from cole.policy.policy import Policy, perturbed, random
from cole.policy.store import Agent

PACKED = Path(__file__).parents[1] / "_zoo"  # where a wheel has it; in a clone it lies beside the package
ZOO = PACKED if PACKED.is_dir() else PACKED.parents[1] / "zoo"
COOKS: dict[str, Callable[[Layout], Policy]] = {
    "greedy_cook": scripted.greedy_cook,
    "supplier": scripted.supplier,
    "chef": scripted.chef,
    "random": lambda layout: random(),
    "stay": lambda layout: perturbed(random(), 1.0, STAY),
}
COOKS_VERSION = 1  # raised when one of them acts otherwise: what is known of it is then void
MOST_LISTED = 12  # names in one sentence


class Player(NamedTuple):
    """Someone who can take any seat of a kitchen; with a network, of that agent's kitchen only."""

    name: str
    kind: str  # the view a network looks at, or one of COOKS: those of one kind share a compiled program
    identity: str  # SHA-256 of all that decides what it does
    agent: Agent | None = None
    path: tuple[str, ...] = ()  # its longest name, in parts

    def __repr__(self) -> str:
        return f"Player({self.name!r}, {self.kind!r}, identity={self.identity[:12]}...)"

    @property
    def params(self) -> store.Arrays | tuple[()]:
        """What its policy wants to be prepared with."""
        return self.agent.params if self.agent else ()


Wanted = str | Path | Agent | Player
Kitchen = str | Path | Layout | None  # one of the five by name, a map file, tables; or whatever the agents know


def find(wanted: Sequence[str | Path], kitchen: Kitchen = None, zoo: Path = ZOO) -> list[Player]:
    """The players of these names or folders, in this order; a folder, also of the zoo, stands for all agents in it.

    The kitchen, or that of the agents in folders, decides between agents of the zoo that have the same name.
    """
    players = _gathered(wanted, kitchen, zoo)
    twice = [path for path, times in Counter(player.path for player in players).items() if times > 1]
    if twice:
        raise UserError(f"{'/'.join(twice[0])} is among the players twice")
    return named(players)


def as_players(wanted: Sequence[Wanted], kitchen: Kitchen = None) -> list[Player]:
    """The same for agents and players at hand, too; those may come twice and then get a number."""
    return named(_gathered(wanted, kitchen, ZOO))


def _gathered(wanted: Sequence[Wanted], kitchen: Kitchen, zoo: Path) -> list[Player]:
    """Everybody who is wanted; the zoo is asked last, when it is clear which kitchen this is about."""
    found = [_at_hand(one) for one in wanted]
    agents = [player.agent for players in found for player in players or () if player.agent]
    if kitchen is None and agents:
        kitchen = agents[0].card.layout
    each = zip(wanted, found, strict=True)
    return [player for one, players in each for player in players or _in_zoo(str(one), kitchen, zoo)]


def of_agent(agent: Agent, path: tuple[str, ...] = (), parts: int = 0) -> Player:
    """An agent as a player, named by the last parts of a path, or by method and seed."""
    seed = () if agent.card.seed is None else (f"seed-{agent.card.seed}",)
    path = path or (agent.card.layout, agent.card.method, *seed)
    if agent.card.view not in store.VIEWS:
        raise UserError(f"{'/'.join(path)} looks at {show(agent.card.view)}; the views are {', '.join(store.VIEWS)}")
    return Player("/".join(path[-(parts or 1 + len(seed)) :]), agent.card.view, store.identity(agent), agent, path)


def cook(name: str) -> Player:
    """One of COOKS."""
    identity = sealed.sha256(f"cole's cook {name}, version {COOKS_VERSION}".encode())
    return Player(name, name, identity, path=(name,))


def policy_of(kind: str, layout: Layout, greedy: bool = False) -> Policy:
    """How players of one kind act; `greedy` concerns networks only."""
    return COOKS[kind](layout) if kind in COOKS else store.policy_for(layout, kind, greedy)


def by_kind(players: Sequence[Player], layout: Layout) -> list[tuple[Policy, Any]]:
    """For each kind of player how it acts, and the parameters [n, ...] of all who do so."""
    kinds = dict.fromkeys(player.kind for player in players)
    params = {kind: [player.params for player in players if player.kind == kind] for kind in kinds}
    return [(policy_of(kind, layout), jax.tree.map(lambda *each: np.stack(each), *params[kind])) for kind in kinds]


def kitchen_of(players: Sequence[Player], wanted: Kitchen = None) -> tuple[Layout, str]:
    """The kitchen they all can cook in, which is the one wanted or that of the agents; and what it is called."""
    agents = [(player.name, player.agent) for player in players if player.agent]
    if wanted is None and not agents:
        raise UserError("nobody here has a kitchen of its own: say which layout to cook in")
    if wanted is None:
        layout, called = store.layout_of(agents[0][1]), agents[0][1].card.layout
        whose = f"{agents[0][0]} knows {called}"
    else:
        layout = wanted if isinstance(wanted, Layout) else layouts.load(wanted)
        called = layouts.name_of(layout) or ("kitchen" if isinstance(wanted, Layout) else Path(wanted).stem)
        whose = f"the layout is {called}"
    for name, agent in agents:
        if layouts.to_text(store.layout_of(agent)) != layouts.to_text(layout):
            other = "another map of that name" if agent.card.layout == called else agent.card.layout
            raise UserError(f"{name} cannot play here: it knows only {other}, and {whose}")
    if len(layout.start) < 2:
        raise UserError(f"{called} has a single seat: there is nobody to play with")
    return layout, called


def named(players: Sequence[Player]) -> list[Player]:
    """The players with names that differ: longer ones where they do not, and numbers where even those are equal.

    No name reads as a number, which would make a table without names of it.
    """
    names = [player.name for player in players]
    while True:
        often = Counter(names)
        unclear = [i for i, name in enumerate(names) if often[name] > 1 or _is_number(name)]
        longer = {i: "/".join(players[i].path[-2 - names[i].count("/") :]) or names[i] for i in unclear}
        if all(names[i] == name for i, name in longer.items()):
            break
        names = [longer.get(i, name) for i, name in enumerate(names)]
    before = [names[:i].count(name) for i, name in enumerate(names)]
    numbered = [f"{name} ({n + 1})" if n else name for name, n in zip(names, before, strict=True)]
    return [player._replace(name=name) for player, name in zip(players, numbered, strict=True)]


def _at_hand(wanted: Wanted) -> list[Player] | None:
    """Players that need no looking up; None for what may be a name in the zoo."""
    if isinstance(wanted, Player):
        return [wanted]
    if isinstance(wanted, Agent):
        return [of_agent(wanted)]
    if isinstance(wanted, str) and wanted in COOKS:
        return [cook(wanted)]
    folder = Path(wanted)
    if (folder / store.MODEL).exists() or (folder / sealed.MANIFEST).exists():
        return [_load(folder)]
    if folder.is_dir():
        return [_load(found) for found in _agents_below(folder)] or _refuse_folder(folder)
    return None


def _in_zoo(wanted: str, kitchen: Kitchen, zoo: Path) -> list[Player]:
    """The agent of this name, or all agents in the folder of this name: `h_proxy/seed-0`, `h_proxy`."""
    every = [found.relative_to(zoo).as_posix() for found in _agents_below(zoo)]
    places = {f"/{name}/".partition(f"/{wanted}/")[0][1:] for name in every if f"/{wanted}/" in f"/{name}/"}
    places = {place for place in places if place.split("/")[0] == kitchen} or places
    if len(places) > 1:
        several = [f"{place}/{wanted}" for place in sorted(places)]
        raise UserError(f"the zoo has several agents called {wanted}: {_listed(several)}")
    if places:
        place = places.pop()
        inside = [name for name in every if f"/{name}/".startswith(f"/{place}/{wanted}/".replace("//", "/"))]
        before = len(place.split("/")) if place else 0
        loaded = [(store.load(zoo / name), tuple(name.split("/"))) for name in inside]
        return [of_agent(agent, path, len(path) - before) for agent, path in loaded]
    zoos = f"the zoo has {_listed(every)}" if every else "the zoo is empty"
    cooks = f"the cooks written by hand are {', '.join(COOKS)}"
    raise UserError(f"there is no player {show(wanted)}: it is no folder; {cooks}; {zoos}")


def _refuse_folder(folder: Path) -> list[Player]:
    if (folder / runfolder.CONFIG).exists():
        raise UserError(f"{folder} is a run that has no agents yet: it hands them out when it is finished")
    raise UserError(f"{folder} has no agents in it")


def _load(folder: Path) -> Player:
    """An agent on disk; one of a run is called method/name/..., all others as their folder."""
    parts = folder.resolve().parts[1:]
    runs = [at for at in range(2, len(parts)) if parts[at] == runfolder.AGENTS]
    runs = [at for at in runs if Path("/", *parts[:at], runfolder.CONFIG).exists()]
    path = parts[: runs[-1]] + parts[runs[-1] + 1 :] if runs else parts
    agent = store.load(folder)
    return of_agent(agent, tuple(_printable(part) for part in path), 2 + len(path) - runs[-1] if runs else 1)


def _agents_below(folder: Path) -> list[Path]:
    """Folders of agents, seed-2 before seed-10; hidden ones are half written."""
    found = [path.parent for path in folder.rglob(store.MODEL)]
    seen = [path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
    return sorted(seen, key=lambda path: [int(x) if x.isdigit() else x for x in re.split(r"(\d+)", str(path))])


def _printable(part: str) -> str:
    """A name that can stand in a table, on one line."""
    return "".join(c if c.isprintable() else "?" for c in part).strip() or "?"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return ", ".join(names[:MOST_LISTED]) + more


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
