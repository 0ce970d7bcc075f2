"""A browser's socket: what comes in is checked and handed to the lobby, what goes out never keeps a game waiting."""

import asyncio
from contextlib import suppress

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from cole.errors import UserError
from cole.web import frames, guards, lobby
from cole.web.lobby import Lobby, Visitor
from cole.web.outbox import Outbox, deliver, refuse

REFUSED = 1008  # the code by which WebSockets say so


async def serve(socket: WebSocket, house: Lobby) -> None:
    """A socket from its first to its last message."""
    address = socket.client.host if socket.client else ""
    if house.sockets[address] >= house.limits.sockets_per_address:
        await socket.close(REFUSED)
        return
    house.sockets[address] += 1
    visitor = Visitor(Outbox(house.limits.outbox), address, guards.browser(socket.cookies))
    try:
        await socket.accept()
        await first_of(
            listen(socket, house, visitor),
            deliver(visitor.outbox, socket.send_text),
            visitor.outbox.overflown.wait(),
        )
    finally:
        lobby.lost(visitor)
        house.sockets[address] -= 1
        if not house.sockets[address]:
            del house.sockets[address]
    if socket.client_state == socket.application_state == WebSocketState.CONNECTED:
        with suppress(RuntimeError, OSError, WebSocketDisconnect, TimeoutError):
            await asyncio.wait_for(socket.close(REFUSED), 1.0)


async def first_of(*jobs) -> None:
    """Runs all at once until the first ends; a socket that breaks is an end like any other."""
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
    for result in results:
        if isinstance(result, Exception) and not isinstance(result, WebSocketDisconnect | RuntimeError | OSError):
            raise result


async def listen(socket: WebSocket, house: Lobby, visitor: Visitor) -> None:
    """Every message, until the browser is gone or has been refused too often."""
    rate, dropped = guards.rate(house.limits.frames_per_second), 0
    while (message := await socket.receive())["type"] == "websocket.receive":
        await asyncio.sleep(0)  # messages that are here already would else be heard before anything else happens
        if guards.too_often(rate):
            dropped += 1
            if dropped == 1:
                refuse(visitor.outbox, f"at most {rate.most} frames a second: the others are dropped")
            if dropped > house.limits.dropped:
                refuse(visitor.outbox, "too many frames", fatal=True)
                await asyncio.sleep(1.0)  # for the outbox to be delivered
                return
            continue
        try:
            lobby.hear(house, visitor, frames.read(checked(message.get("text"), house.limits.frame)))
        except UserError as error:
            refuse(visitor.outbox, str(error))


def checked(text: str | None, most: int) -> str:
    """The text of a message of a size that is allowed."""
    if text is None:
        raise UserError("frames are text, not bytes")
    if len(text.encode(errors="replace")) > most:
        raise UserError(f"a frame has at most {most} bytes")
    return text
