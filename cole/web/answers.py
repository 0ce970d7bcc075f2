"""What each request is answered with; refusals are raised, and `server` turns them into answers."""

import asyncio
import json
import re
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from cole import __version__
from cole.errors import UserError
from cole.kitchen import trajectory
from cole.kitchen.trajectory import LARGEST_SEED, Trajectory, record, whole
from cole.policy import store
from cole.web import catalogue, frames, house, jobs, population, recordings, scenes
from cole.web.house import House
from cole.web.limits import CONSENT, COUNTDOWN, STEPS, TICK

FILMS = {"gif": "image/gif", "html": "text/html; charset=utf-8", "json": "application/json"}
EPISODES = 1000  # games of a pair that can be asked for
STEPS_SHOWN = 5000  # of a recording from elsewhere
PATIENCE = 60.0  # seconds for a whole request to arrive


async def about(request: Request) -> Response:
    ranges = {"tick": TICK, "steps": STEPS, "countdown": COUNTDOWN}
    return _json({"version": __version__, "limits": {**_rooms(request).limits._asdict(), **ranges}, "consent": CONSENT})


# What can be chosen


async def kitchens(request: Request) -> Response:
    return _json(catalogue.kitchens_json(_rooms(request).catalogue))  # at once, whoever is still being looked for


async def sprites(request: Request) -> Response:
    seats = max(len(layout.start) for layout in _rooms(request).catalogue.kitchens.values())
    return _json(scenes.drawings(seats))


async def players(request: Request) -> Response:
    rooms = _rooms(request)
    layout = catalogue.kitchen(rooms.catalogue, request.query_params.get("kitchen", ""))
    await house.look(rooms)
    return _json(catalogue.players_json(rooms.catalogue, layout))


# Games to watch


async def watch(request: Request) -> Response:
    rooms = _rooms(request)
    asked = record(await _body(request), "watch", {"kitchen", "first", "second"}, {"seed", "episode"})
    name, one, two = (frames.text(asked[field], f"watch: {field}") for field in ("kitchen", "first", "second"))
    seed = whole(asked.get("seed", 0), 0, LARGEST_SEED, "watch: seed")
    episode = whole(asked.get("episode", 0), 0, EPISODES, "watch: episode")
    layout = catalogue.kitchen(rooms.catalogue, name)
    first, second = (catalogue.player(rooms.catalogue, id, layout) for id in (one, two))
    names = [first.name, second.name]
    return _json(await jobs.done(rooms.work, scenes.played, layout, (first, second), names, name, seed, episode))


async def replay(request: Request) -> Response:
    played = _recording(await _body(request))
    names = [f"cook {seat + 1}" for seat in range(len(played.layout.start))]
    return _json(await jobs.done(_rooms(request).work, scenes.game, played, names))


async def film(request: Request) -> Response:
    kind = request.query_params.get("as", "")
    played = _recording(await _body(request))
    return await _download(request, played, kind, "game")


def _recording(value: Any) -> Trajectory:
    """A game from elsewhere, of a size that can be shown."""
    rows, actions = (value.get("map"), value.get("actions")) if isinstance(value, dict) else (None, None)
    if isinstance(rows, list) and sum(len(row) for row in rows if isinstance(row, str)) > store.MOST_CELLS:
        raise UserError(f"the recording: its kitchen has more than {store.MOST_CELLS} cells")
    if isinstance(actions, list) and not 0 < len(actions) <= STEPS_SHOWN:
        raise UserError(f"the recording: it must have 1 to {STEPS_SHOWN} steps")
    return trajectory.from_json(value, "the recording")


async def _download(request: Request, played: Trajectory, kind: str, name: str) -> Response:
    if kind not in ("gif", "html"):
        raise UserError("a game can be had as gif or html")
    content = await jobs.done(_rooms(request).work, scenes.picture, played, kind)
    return _attached(content, kind, name)


def _attached(content: bytes, kind: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="cole-{name}.{kind}"', "Cache-Control": "no-store"}
    return Response(content, media_type=FILMS[kind], headers=headers)


# Recorded games


async def games(request: Request) -> Response:
    rooms = _rooms(request)
    return _json(await jobs.done(rooms.files, recordings.every, rooms.games))


async def one_game(request: Request) -> Response:
    rooms = _rooms(request)
    id, _, kind = request.path_params["name"].partition(".")
    note, played = recordings.read_note(rooms.games, id), recordings.read(rooms.games, id)
    if kind == "json":
        return _attached(json.dumps(trajectory.as_json(played)).encode(), kind, id)
    if kind:
        return await _download(request, played, kind, id)
    return _json(await jobs.done(rooms.work, scenes.game, played, note.players, note.kitchen))


async def delete_game(request: Request) -> Response:
    recordings.delete(_rooms(request).games, request.path_params["name"])
    return _json({})


# Populations


async def populations(request: Request) -> Response:
    rooms = _rooms(request)
    found = await jobs.done(rooms.files, population.sources, rooms.runs, rooms.matrices)
    return _json([{"id": one.id, "name": one.name, "kind": one.kind} for one in found])


async def one_population(request: Request) -> Response:
    _, told, players = await house.read(_rooms(request), request.path_params["id"])
    return _json({**told, "players": players})


async def pair_game(request: Request) -> Response:
    asked = request.query_params
    first, second, episode = (_number(asked.get(name, "0"), name) for name in ("first", "second", "episode"))
    return _json(await house.pair_game(_rooms(request), request.path_params["id"], first, second, episode))


async def start_replay(request: Request) -> Response:
    rooms = _rooms(request)
    house.start_replay(rooms, await house.source(rooms, request.path_params["id"]))
    return _json({}, 202)


# Small things


def _rooms(request: Request) -> House:
    return request.app.state.rooms


def _json(value: Any, status: int = 200) -> Response:
    return JSONResponse(value, status, {"Cache-Control": "no-store"})


def _number(text: str, name: str) -> int:
    if not re.fullmatch(r"\d{1,4}", text, re.ASCII) or int(text) > EPISODES:
        raise UserError(f"{name} must be a whole number from 0 to {EPISODES}")
    return int(text)


async def _body(request: Request) -> Any:
    """The JSON value of a request of a size that is allowed."""
    content, most = b"", _rooms(request).limits.body
    try:
        async with asyncio.timeout(PATIENCE):
            async for piece in request.stream():
                content += piece
                if len(content) > most:
                    raise UserError(f"a request has at most {most} bytes")
    except (TimeoutError, ClientDisconnect):
        raise UserError("the request was never finished") from None
    return frames.strict_json(content)
