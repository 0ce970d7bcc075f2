"""`cole play`: the page on this machine, to cook with agents, watch them and look into populations."""

import errno
import logging
import socket
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread

import uvicorn
from rich.console import Console

from cole.config.cooking import Play
from cole.errors import UserError
from cole.report.crossplay import PAYOFF
from cole.web import house, server, tuning
from cole.web.house import House

TAKEN = (errno.EADDRINUSE, errno.EACCES)
TRIES = 100  # ports, from the one asked for upwards
READ = 16384  # bytes the system takes in at once: what is read at once is also judged at once, and games wait
LARGEST_FRAME = 4096  # bytes, beyond which a socket is cut; from 1024 on a frame is refused


def run(config: Play) -> int:
    """Serves until Ctrl-C; games that are being played then end, and are kept if their people agreed."""
    if not 0 <= config.port <= 65535:
        raise UserError(f"--port must be from 0 to 65535, not {config.port}")
    tuning.for_ticks()
    rooms = house.build(config.games, config.runs, config.layout, matrices(config.crossplay), config.host, config.allow)
    console = Console(highlight=False)
    listening = listen(config.host, config.port)
    port = listening.getsockname()[1]
    if config.port not in (0, port):
        console.print(f"port {config.port} is taken: {port} it is")
    address = f"http://{f'[{config.host}]' if ':' in config.host else config.host}:{port}/"

    def opened() -> None:
        console.print(f"the page is at {address} (Ctrl-C ends it)", soft_wrap=True)
        if config.open:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    with suppress(KeyboardInterrupt):
        serve(rooms, listening, opened)
    console.print("closed")
    return 0


def serve(rooms: House, listening: socket.socket, opened: Callable[[], None]) -> None:
    """Answers on a socket until it is told to stop."""
    uvicorn.Server(settings(rooms, opened)).run(sockets=[listening])


def settings(rooms: House, opened: Callable[[], None] = lambda: None) -> uvicorn.Config:
    """How the server listens."""
    logging.getLogger("uvicorn.error").addFilter(worth_telling)
    return uvicorn.Config(
        server.app(rooms, opened),
        loop="asyncio",
        http="h11",
        ws="websockets-sansio",
        ws_max_size=LARGEST_FRAME,
        ws_per_message_deflate=False,
        proxy_headers=False,  # else anybody could say which address it comes from
        server_header=False,
        access_log=False,
        log_config=None,
        log_level="error",
        timeout_graceful_shutdown=3,
    )


def worth_telling(record: logging.LogRecord) -> bool:
    """Not what a broken client sent."""
    return "Invalid UTF-8" not in record.getMessage()


def listen(host: str, port: int) -> socket.socket:
    """A socket on this port, or on the next one that is free."""
    problem = OSError("no port is free")
    for candidate in range(port, min(port + TRIES, 65536)) if port else (0,):
        try:
            return bound(host, candidate)
        except OSError as error:
            problem = error
            if error.errno not in TAKEN:
                break
    raise UserError(f"--host {host}, --port {port}: {problem.strerror or problem}")


def bound(host: str, port: int) -> socket.socket:
    family, *_, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # else asyncio waits to fill packets
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, READ)
    try:
        made.bind(place)
        made.listen(128)
    except OSError:
        made.close()
        raise
    return made


def matrices(given: tuple[Path, ...]) -> list[Path]:
    """The cross-plays given, or those that `cole crossplay` has written here."""
    for path in given:
        if not path.exists():
            raise UserError(f"--crossplay {path}: there is no such file")
    found = [path / PAYOFF if path.is_dir() else path for path in given]
    return found or sorted(Path().glob(f"crossplay-*/{PAYOFF}"))
