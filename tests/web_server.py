"""A real server in a thread on a free port, and a client that speaks to it as browsers do."""

import asyncio
import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any, NamedTuple

import httpx
import pytest
import uvicorn
from websockets.sync.client import ClientConnection, connect

from cole.verbs import play
from cole.web import frames, house
from cole.web.house import House
from cole.web.limits import LIMITS, Limits

PATIENCE = 30.0  # seconds, far more than anything takes
GAME = {"kitchen": "cramped_room", "seat": 0, "tick": 20, "steps": 10, "countdown": 0}


class Served(NamedTuple):
    """A server at work."""

    address: str  # http://127.0.0.1:PORT
    rooms: House


@contextlib.contextmanager
def serving(games: Path, limits: Limits = LIMITS, **options) -> Iterator[Served]:
    """A server while it is needed; games are kept in a folder. Other options are those of `house.build`.

    Its work is done in threads, since a process takes seconds to begin.
    """
    rooms = house.build(games, limits=limits, **{"apart": False} | options)
    ready = Event()
    server = uvicorn.Server(play.settings(rooms, ready.set))
    listening = play.listen("127.0.0.1", 0)
    thread = Thread(target=lambda: asyncio.run(server.serve([listening])), daemon=True)
    thread.start()
    assert ready.wait(PATIENCE)
    try:
        yield Served(f"http://127.0.0.1:{listening.getsockname()[1]}", rooms)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)


@pytest.fixture(scope="module", autouse=True)
def fast() -> Iterator[None]:
    """Ticks may be faster than people are; import it where they are to be."""
    usual, frames.CHECKS["tick"] = frames.CHECKS["tick"], frames.within(10, 400)
    yield
    frames.CHECKS["tick"] = usual


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Served]:
    """One for all tests of a file."""
    with serving(tmp_path_factory.mktemp("games")) as served:
        yield served


@pytest.fixture(scope="module")
def web(server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.address, timeout=PATIENCE) as client:
        yield client


def socket(served: Served, **options) -> ClientConnection:
    """A socket, to be used in a `with`."""
    return connect(served.address.replace("http", "ws") + "/ws", **options)


def say(client: ClientConnection, kind: str, **fields: Any) -> None:
    client.send(json.dumps({"type": kind, **fields}))


def hear(client: ClientConnection, kind: str) -> dict[str, Any]:
    """The next message of a kind; others before it are passed over."""
    while (message := json.loads(client.recv(PATIENCE)))["type"] != kind:
        pass
    return message


def new(served: Served, client: ClientConnection, partner: str = "stay", **fields: Any) -> dict[str, Any]:
    """Starts a short game with one of the cooks, or "person"; the welcome."""
    say(client, "new", **GAME | {"partner": player(served, partner)} | fields)
    return hear(client, "welcome")


def player(served: Served, name: str) -> str:
    """The id of a player."""
    if name == "person":
        return name
    kitchen = {"kitchen": next(iter(served.rooms.catalogue.kitchens))}
    found = httpx.get(f"{served.address}/api/players", params=kitchen, timeout=PATIENCE).json()
    return next(one["id"] for one in found if one["name"] == name)
