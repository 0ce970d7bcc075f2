"""All that one server holds: what can be chosen, the games being played, those kept, and the threads that help."""

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cole.errors import UserError
from cole.evaluate.players import Player
from cole.kitchen.layouts import Layout, parse, to_text
from cole.kitchen.trajectory import Trajectory
from cole.report.matrix import Matrix
from cole.web import catalogue, cooking, guards, jobs, lobby, population, recordings, scenes, tuning
from cole.web.catalogue import Catalogue
from cole.web.jobs import Queue
from cole.web.limits import LIMITS, Limits
from cole.web.lobby import Lobby
from cole.web.population import Source, Strategies
from cole.web.recordings import Note
from cole.web.refusals import Missing

STRATEGIES = 400  # of populations, kept at hand
NICE = 10  # games come first
LOG = logging.getLogger("cole.web")


@dataclass
class House:
    """One server."""

    catalogue: Catalogue
    lobby: Lobby
    games: Path  # where recordings are kept
    runs: tuple[Path, ...]
    matrices: tuple[Path, ...]
    hosts: frozenset[str]
    limits: Limits
    stove: Queue | None  # compiles for games that are to begin
    files: Queue  # looks at the disk
    work: Queue  # plays and draws games on request
    slow: Queue  # replays runs, for a minute each
    replays: dict[str, Matrix | str | None] = field(default_factory=dict)  # by population; None: at work; text: failed
    tasks: set[asyncio.Task] = field(default_factory=set)


def build(
    games: Path,
    runs: Iterable[Path] = (),
    layouts: Iterable[Path] = (),
    matrices: Iterable[Path] = (),
    host: str = "127.0.0.1",
    allow: Iterable[str] = (),
    limits: Limits = LIMITS,
    apart: bool = True,
) -> House:
    """A server that is not yet open; `apart`: long work is done in processes of its own, not in threads."""
    runs, chosen = tuple(runs), Catalogue(catalogue.kitchens_of(tuple(layouts)), tuple(runs))
    compiling, files = jobs.thread(limits.games), jobs.thread(limits.games)
    stove, warmed = jobs.process(limits.games, 0) if apart and tuning.shares_programs() else None, set()

    async def warm(layout: Layout, player: Player | None, seat: int) -> cooking.Kitchen:
        kind = (to_text(layout), player and player.kind)
        if stove and kind not in warmed:  # compiled by another process, it is only read here
            await jobs.done(stove, cooking.heat, layout, player, seat)
            warmed.add(kind)
        return await jobs.done(compiling, cooking.ready, layout, player, seat)

    async def keep(played: Trajectory, note: Note) -> str | None:
        try:
            return await jobs.done(files, recordings.save, games, played, note)
        except UserError as error:
            LOG.error("%s", error)
            return None

    work, slow = (jobs.process(limits.jobs, NICE) if apart else jobs.thread(limits.jobs) for _ in range(2))
    return House(
        catalogue=chosen,
        lobby=Lobby(chosen, limits, warm, keep),
        games=games,
        runs=runs,
        matrices=tuple(matrices),
        hosts=guards.hosts(host, allow),
        limits=limits,
        stove=stove,
        files=files,
        work=work,
        slow=slow,
    )


async def look(house: House) -> None:
    """Finds players who have come since."""
    await jobs.done(house.files, catalogue.look, house.catalogue)


async def source(house: House, id: str) -> Source:
    """A population by id."""
    for one in await jobs.done(house.files, population.sources, house.runs, house.matrices):
        if one.id == id:
            return one
    raise Missing("there is no such population")


async def read(house: House, id: str) -> tuple[Source, dict[str, Any], list[str | None]]:
    """A population, all that is shown of it, and the ids of its strategies; they can be played with from then on."""
    one, replayed = await source(house, id), house.replays.get(id, "possible")
    matrix = replayed if isinstance(replayed, Matrix) else None
    told, strategies = await jobs.done(house.work, population.read, one, matrix)
    await look(house)
    state = "done" if strategies.matrix else "running" if replayed is None else replayed
    return one, {"name": one.name, **told, "replay": state}, ids(house, strategies)


def ids(house: House, strategies: Strategies) -> list[str | None]:
    """By which each strategy can be chosen; None for those who are not here."""
    known = {one.player.identity: one.id for one in house.catalogue.players.values()}
    here = [player and catalogue.listed(player) for player in strategies.players]
    both = house.catalogue.strategies | {one.id: one for one in here if one}
    house.catalogue.strategies = dict(list(both.items())[-STRATEGIES:])
    each = zip(here, strategies.identities, strict=True)
    return [one.id if one else known.get(identity or "") for one, identity in each]


async def pair_game(house: House, id: str, first: int, second: int, episode: int) -> dict[str, Any]:
    """A game of two strategies of a population."""
    _, told, chosen = await read(house, id)
    if not (first < len(chosen) and second < len(chosen)):
        raise Missing("there is no such strategy")
    everybody = house.catalogue.players | house.catalogue.strategies
    both = [everybody[number] for number in (chosen[first], chosen[second]) if number in everybody]
    if len(both) < 2:
        raise Missing("these strategies are not here to play")
    text = next((listed.map for listed in both if listed.map), None)
    layout = parse(text) if text else catalogue.kitchen(house.catalogue, told["kitchen"] or "")
    names = [told["names"][first], told["names"][second]]
    players = (both[0].player, both[1].player)
    return await jobs.done(house.work, scenes.played, layout, players, names, told["kitchen"], 0, episode)


async def begin(house: House) -> None:
    """What is better done before anybody asks."""
    processes = [queue for queue in (house.stove, house.work) if queue]
    await asyncio.gather(look(house), *map(jobs.begin, processes))


async def close(house: House) -> None:
    """Ends all games and all work."""
    await lobby.close(house.lobby)
    jobs.close([queue for queue in (house.stove, house.files, house.work, house.slow) if queue])


def start_replay(house: House, one: Source) -> None:
    """Has a run's strategies play with each other, once; whoever asks for the population later finds the result."""
    if one.kind != "run":
        raise UserError("only a run can be replayed")
    if one.id not in house.replays:
        house.replays[one.id] = None
        house.tasks.add(asyncio.get_running_loop().create_task(_replay(house, one)))


async def _replay(house: House, one: Source) -> None:
    try:
        house.replays[one.id] = await jobs.done(house.slow, population.replay, one.path)
    except UserError as error:
        house.replays[one.id] = str(error)
