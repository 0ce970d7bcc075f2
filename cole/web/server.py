"""The server: which request is answered by what, all of them behind the guards."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from cole.errors import UserError
from cole.web import answers, guards, house, pages, sockets
from cole.web.house import House
from cole.web.refusals import Busy, Missing

ROUTES = [
    Route("/", pages.index),
    Route("/page/{file:path}", pages.page_file),
    Route("/api/about", answers.about),
    Route("/api/kitchens", answers.kitchens),
    Route("/api/sprites", answers.sprites),
    Route("/api/players", answers.players),
    Route("/api/watch", answers.watch, methods=["POST"]),
    Route("/api/replay", answers.replay, methods=["POST"]),
    Route("/api/film", answers.film, methods=["POST"]),
    Route("/api/games", answers.games),
    Route("/api/games/{name}", answers.one_game, methods=["GET"]),
    Route("/api/games/{name}", answers.delete_game, methods=["DELETE"]),
    Route("/api/populations", answers.populations),
    Route("/api/populations/{id}", answers.one_population),
    Route("/api/populations/{id}/game", answers.pair_game),
    Route("/api/populations/{id}/replay", answers.start_replay, methods=["POST"]),
]


def app(rooms: House, opened: Callable[[], None] = lambda: None) -> Starlette:
    """The application; `opened` is called when it is ready."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        beginning = asyncio.create_task(house.begin(rooms))
        opened()
        yield
        await house.close(rooms)
        await asyncio.gather(beginning, return_exceptions=True)

    async def socket(websocket: WebSocket) -> None:
        await sockets.serve(websocket, rooms.lobby)

    handlers: Any = {UserError: refused, HTTPException: not_found, Exception: failed}
    made = Starlette(routes=[*ROUTES, WebSocketRoute("/ws", socket)], exception_handlers=handlers, lifespan=lifespan)
    made.add_middleware(Guarded, rooms=rooms)
    made.state.rooms = rooms
    return made


class Guarded:
    """Lets nobody in who comes from elsewhere, and gives every answer its headers."""

    def __init__(self, app: ASGIApp, rooms: House) -> None:
        self.app, self.rooms = app, rooms

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        try:
            guards.check(Headers(scope=scope), self.rooms.hosts)
        except UserError as error:
            return await turn_away(scope, receive, send, error)

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                extra = [(name.lower().encode(), value.encode()) for name, value in guards.HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", []), *extra]}
            await send(message)

        await self.app(scope, receive, with_headers)


async def turn_away(scope: Scope, receive: Receive, send: Send, error: UserError) -> None:
    """Answers one who may not come in."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": sockets.REFUSED})
    else:
        await JSONResponse({"error": str(error)}, 403, guards.HEADERS)(scope, receive, send)


async def refused(request: Request, error: Exception) -> Response:
    """A mistake of the browser's."""
    status = 404 if isinstance(error, Missing) else 503 if isinstance(error, Busy) else 400
    return JSONResponse({"error": str(error)}, status)


async def not_found(request: Request, error: Exception) -> Response:
    """A request for something that nobody answers."""
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail.lower()}, error.status_code)


async def failed(request: Request, error: Exception) -> Response:
    """A mistake of ours, which is also in the log."""
    return JSONResponse({"error": "something went wrong on the server"}, 500, guards.HEADERS)
