"""What the page's server withstands: hostile frames, path tricks, eight games at once. One JSON line per figure.

The server runs in a process of its own, as `cole play` runs it; browsers are played by this one.

    python bench/web.py                                # all, some 90 seconds
    python bench/web.py --only games --seconds 60      # or frames, flood, paths

`frames`: so many generated frames, most of them hostile, each answered, on a server that drops none of them for coming
too fast; meanwhile somebody else plays, and somebody reads nothing. `flood`: the same frames at once on a server with
its usual limits. `paths`: so many requests for files that are none of a browser's business. `games`: the period between
states as they arrive, how far single ones are off (jitter), by how much the server missed its deadlines (late), and the
time from sending a key to seeing what it did.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import numpy as np
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

MARK = "the secret outside of the page"
TICK = 150  # milliseconds


class Server(NamedTuple):
    """One at work."""

    address: str
    log: Path
    late: dict[str, float]  # by which its ticks came after their deadlines; known when it has ended


class Seen(NamedTuple):
    """What a player saw: seconds."""

    intervals: list[float]  # between states
    latencies: list[float]  # from a key to the state that shows it


@asynccontextmanager
async def served(lifted: bool) -> AsyncIterator[Server]:
    """A server in another process; `lifted`: without a limit on frames a second."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "secret.json").write_text(MARK)
        (folder / "secret.js").write_text(MARK)
        command = [sys.executable, sys.argv[0], "--serve", str(folder / "games"), *["--lifted"] * lifted]
        with (folder / "log").open("w") as log:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert process.stdout
        address = (await asyncio.to_thread(process.stdout.readline)).strip()
        if not address:
            sys.exit((folder / "log").read_text())
        try:
            yield (server := Server(address, folder / "log", {}))
        finally:
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=20)
            server.late.update(json.loads(out))


def serve(games: Path, lifted: bool) -> None:
    """What the other process does."""
    from cole import cli

    cli.prepare_jax()  # before jax is there
    from cole.verbs import play
    from cole.web import house, tuning
    from cole.web.limits import LIMITS

    limits = LIMITS._replace(frames_per_second=10**9, outbox=10**4) if lifted else LIMITS
    listening = play.listen("127.0.0.1", 0)
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    tuning.for_ticks()
    rooms = house.build(games, limits=limits)
    with suppress(KeyboardInterrupt):
        play.serve(rooms, listening, lambda: print(address, flush=True))
    late = 1000 * np.array([0.0, *rooms.lobby.late])
    print(json.dumps({"late_p99_ms": round(float(np.percentile(late, 99)), 2), "late_most_ms": round(late.max(), 2)}))


# Players


def agent(server: Server) -> str:
    """The last strategy of the run that comes with the project."""
    return httpx.get(f"{server.address}/api/populations/example", timeout=60).json()["players"][-1]


def dial(server: Server) -> connect:
    return connect(server.address.replace("http", "ws") + "/ws", max_queue=None)


async def play(server: Server, partner: str, seconds: float, seed: int) -> Seen:
    """A person who presses keys now and then, in a game of so many seconds."""
    steps = max(10, round(seconds * 1000 / TICK))
    asked = {"kitchen": "cramped_room", "partner": partner, "tick": TICK, "steps": steps, "countdown": 1}
    async with dial(server) as client:
        await client.send(json.dumps({"type": "new", **asked}))
        return await watch(client, random.Random(seed))


async def watch(client: ClientConnection, chance: random.Random) -> Seen:
    """Everything until the end; a key is pressed at a random moment, and the next only when its effect was seen."""
    intervals, latencies, last, waiting = [], [], None, None
    pressing: asyncio.Task | None = None

    async def press(facing: int) -> tuple[float, int]:
        await asyncio.sleep(chance.random() * TICK / 1000)
        key = chance.choice([d for d in range(4) if d != facing])
        await client.send(json.dumps({"type": "act", "action": key}))
        return time.perf_counter(), key

    async for text in client:
        now, frame = time.perf_counter(), json.loads(text)
        if frame["type"] == "end":
            break
        if frame["type"] != "state" or frame["t"] < 1:
            continue
        if last is not None:
            intervals.append(now - last)
        last = now
        facing = frame["cooks"][0][2]
        if pressing and pressing.done():
            waiting = pressing.result()
        if waiting and facing == waiting[1]:
            latencies.append(now - waiting[0])
            pressing = waiting = None
        if pressing is None:
            pressing = asyncio.create_task(press(facing))
    if pressing:
        pressing.cancel()
    return Seen(intervals, latencies)


# Attacks


def hostile(chance: random.Random) -> str | bytes:
    """A frame that a browser of ours would not send."""
    kinds = ["new", "join", "return", "act", "pause", "thoughts", "again", "leave", "type", "", "__proto__", "x" * 200]
    values: list[Any] = [
        None,
        True,
        -1,
        6,
        10**30,
        1.5,
        "",
        "../../etc/passwd",
        "\x00",
        [],
        {},
        [[[]]],
        "'; DROP",
        "😀" * 40,
    ]
    names = ["kitchen", "partner", "seat", "tick", "steps", "token", "invite", "action", "on", "consent", "type", "x"]
    fields = {chance.choice(names): chance.choice(values) for _ in range(chance.randrange(5))}
    made = json.dumps({"type": chance.choice(kinds), **fields})
    return chance.choice(
        [
            lambda: made,
            lambda: made[: chance.randrange(len(made))],
            lambda: made.replace(":", ": NaN,", 1),
            lambda: "[" * chance.randrange(1, 1000),
            lambda: '{"a":' * 200 + "1" + "}" * 200,
            lambda: chance.randbytes(chance.randrange(100)),
            lambda: "".join(chr(chance.randrange(1, 0xD800)) for _ in range(chance.randrange(200))),
            lambda: "9" * chance.randrange(1, 1000),
            lambda: "x" * chance.randrange(1000, 1200),
            lambda: json.dumps(chance.choice(values)),
            lambda: (
                '{"type": "act", "action": ' + chance.choice(["NaN", "Infinity", "1e999", "-0", "0x1", "1.0"]) + "}"
            ),
            lambda: json.dumps({"type": "return", "token": f"{chance.getrandbits(128):022x}"[:22]}),
        ]
    )()


def never_reads(server: Server, partner: str) -> socket.socket:
    """A browser that starts a game and then reads nothing."""
    host, port = server.address.removeprefix("http://").split(":")
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    client.connect((host, int(port)))
    upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    client.sendall(f"GET /ws HTTP/1.1\r\nHost: {host}\r\n{upgrade}Sec-WebSocket-Key: {'A' * 22}==\r\n\r\n".encode())
    frame = json.dumps({"type": "new", "kitchen": "cramped_room", "partner": partner, "tick": 100}).encode()
    client.sendall(bytes([0x81, 0x80 | 126, *len(frame).to_bytes(2, "big"), 0, 0, 0, 0]) + frame)
    return client


def attack_now(server: Server, count: int) -> dict[str, int]:
    """The same in a process of its own, so that other players here do not notice how busy it is."""
    return asyncio.run(attack(server, count, random.Random(0)))


async def attack(server: Server, count: int, chance: random.Random) -> dict[str, int]:
    """Sends frames over sockets, a new one whenever the old one is closed; what they were answered."""
    told, left = {"frames": 0, "refused": 0, "welcomed": 0, "closed": 0}, count
    while left:
        async with dial(server) as client:
            try:
                for _ in range(left):
                    await client.send(hostile(chance))
                    left, told["frames"] = left - 1, told["frames"] + 1
            except ConnectionClosed:
                pass
            await count_answers(client, told)
    return told


async def count_answers(client: ClientConnection, told: dict[str, int]) -> None:
    try:
        while True:
            kind = json.loads(await asyncio.wait_for(client.recv(), 0.5))["type"]
            told["refused"] += kind == "error"
            told["welcomed"] += kind == "welcome"
    except ConnectionClosed:
        told["closed"] += 1
    except TimeoutError:
        pass


def tricks(count: int, chance: random.Random) -> list[str]:
    """Paths that try to lead out of the page's folders."""
    up = [
        "../",
        "..%2f",
        "%2e%2e/",
        "%2e%2e%2f",
        "..%5c",
        "....//",
        "..;/",
        "%252e%252e%252f",
        "%c0%ae%c0%ae/",
        "./.././",
        "..//",
    ]
    goals = ["secret.js", "secret.json", "etc/passwd", "server.py", "verbs/play.py", "secret.js%00.js", "SECRET.js"]
    doors = [
        "/page/",
        "/api/games/",
        "/api/populations/",
        "/",
        "/page//",
        "/api/games/about/",
        "/page/%2f",
        "/page/file:///",
    ]
    return [
        chance.choice(doors) + chance.choice(up) * chance.randrange(0, 8) + chance.choice(goals) for _ in range(count)
    ]


def request(server: Server, path: str) -> bytes:
    host, port = server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), 10) as client:
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode("latin-1"))
        return b"".join(iter(lambda: client.recv(65536), b""))


# Figures


def spread(seen: list[Seen]) -> dict[str, float]:
    """Milliseconds."""
    intervals = 1000 * np.concatenate([np.array(one.intervals) for one in seen])
    off = np.abs(intervals - TICK)
    return {
        "ticks": len(intervals),
        "period_ms": round(float(intervals.mean()), 2),
        "period_p99_ms": round(float(np.percentile(intervals, 99)), 2),
        "jitter_p99_ms": round(float(np.percentile(off, 99)), 2),
        "jitter_most_ms": round(float(off.max()), 2),
    }


def tracebacks(server: Server) -> int:
    return server.log.read_text().count("Traceback")


def tell(what: str, figures: dict[str, Any]) -> None:
    print(json.dumps({"bench": "web", "what": what, **figures, "cores": os.cpu_count()}), flush=True)


async def frames(count: int, lifted: bool, seconds: float) -> None:
    elsewhere = ProcessPoolExecutor(1, get_context("spawn"))
    async with served(lifted) as server:
        partner = agent(server)
        lazy = never_reads(server, partner)
        quiet = asyncio.create_task(play(server, partner, seconds, 0))
        await asyncio.sleep(seconds / 4)
        began = time.perf_counter()
        told = await asyncio.get_running_loop().run_in_executor(elsewhere, attack_now, server, count)
        took = time.perf_counter() - began
        seen = await quiet
        alive = httpx.get(f"{server.address}/api/about").status_code == 200
        lazy.close()
        figures = {**told, "seconds": round(took, 1), "alive": alive, "tracebacks": tracebacks(server)}
    figures |= {f"other_{name}": value for name, value in {**spread([seen]), **server.late}.items()}
    tell("hostile_frames" if lifted else "flood", figures)


async def paths(count: int) -> None:
    async with served(False) as server:
        answers = [await asyncio.to_thread(request, server, path) for path in tricks(count, random.Random(0))]
        outside = sum(MARK.encode() in answer or b"root:" in answer or b"import " in answer for answer in answers)
        figures = {"paths": count, "escapes": outside, "answered_200": sum(b" 200 " in a[:20] for a in answers)}
        tell("path_tricks", {**figures, "tracebacks": tracebacks(server)})


async def games(count: int, seconds: float) -> None:
    async with served(False) as server:
        partner = agent(server)
        began = time.perf_counter()
        seen = await asyncio.gather(*(play(server, partner, seconds, seed) for seed in range(count)))
        took = round(time.perf_counter() - began, 1)
    tell("games_at_once", {"games": count, "seconds": took, **spread(seen), **server.late})
    keys = 1000 * np.concatenate([np.array(one.latencies) for one in seen])
    shares = {f"p{p}_ms": round(float(np.percentile(keys, p)), 1) for p in (50, 95, 99)}
    tell("key_to_state", {"keys": len(keys), **shares})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=["frames", "flood", "paths", "games"])
    parser.add_argument("--frames", type=int, default=10_000)
    parser.add_argument("--paths", type=int, default=100)
    parser.add_argument("--games", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--lifted", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        return serve(args.serve, args.lifted)
    wanted = {
        "frames": lambda: frames(args.frames, True, 20.0),
        "flood": lambda: frames(args.frames, False, 10.0),
        "paths": lambda: paths(args.paths),
        "games": lambda: games(args.games, args.seconds),
    }
    for name, job in wanted.items():
        if args.only in (None, name):
            asyncio.run(job())


if __name__ == "__main__":
    main()
