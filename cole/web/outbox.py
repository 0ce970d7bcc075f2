"""What is on its way to a browser: never more than a few messages, and a game never waits for a slow one."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any


class Outbox:
    """The messages of one socket. One that lags too far behind is closed."""

    def __init__(self, room: int) -> None:
        self.messages: asyncio.Queue[str | None] = asyncio.Queue(room)
        self.overflown = asyncio.Event()


def say(outbox: Outbox | None, frame: dict[str, Any] | str) -> None:
    """Puts a message in, for a socket that is there."""
    if outbox is None or outbox.overflown.is_set():
        return
    try:
        outbox.messages.put_nowait(frame if isinstance(frame, str) else json.dumps(frame, separators=(",", ":")))
    except asyncio.QueueFull:
        outbox.overflown.set()


def refuse(outbox: Outbox | None, sentence: str, fatal: bool = False) -> None:
    """Says in a sentence what was wrong; if that is fatal, it is the last thing said."""
    say(outbox, {"type": "error", "error": sentence, "fatal": fatal})
    if fatal and outbox and not outbox.overflown.is_set():
        try:
            outbox.messages.put_nowait(None)
        except asyncio.QueueFull:
            outbox.overflown.set()


async def deliver(outbox: Outbox, send: Callable[[str], Awaitable[None]]) -> None:
    """Sends messages as fast as the browser takes them, until the last."""
    while (message := await outbox.messages.get()) is not None:
        await send(message)
