"""Requests to a real server: what is on offer, what is shown, what is refused, and that nothing outside is reached."""

import json
import os
import re
import signal
import socket as sockets
import subprocess
import sys
import time
from pathlib import Path

import httpx
import numpy as np
import pytest
import toy_agents as toy
import toy_history
import web_server
from web_server import GAME, hear, player, say, serving, socket

from cole import cli
from cole.errors import UserError
from cole.evaluate.entries import entry_of, places_in
from cole.evaluate.players import COOKS, ZOO
from cole.kitchen import layouts, trajectory
from cole.report.matrix import Matrix
from cole.verbs import play
from cole.web import catalogue, guards, house, population

server, web, fast = web_server.server, web_server.web, web_server.fast


def raw(served, request: bytes) -> bytes:
    """The answer to a request that no library would send."""
    port = int(served.address.rsplit(":", 1)[1])
    with sockets.create_connection(("127.0.0.1", port), 10) as connection:
        connection.sendall(request)
        pieces = []
        while piece := connection.recv(65536):
            pieces.append(piece)
        return b"".join(pieces)


def asked(path: str, host: str = "localhost", method: str = "GET") -> bytes:
    return f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode("latin-1")


def test_the_page_is_served_with_strict_headers_and_a_cookie_no_script_can_read(web):
    answer = web.get("/")
    assert answer.status_code == 200
    for name, value in guards.HEADERS.items():
        assert answer.headers[name] == value
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    cookie = httpx.get(str(web.base_url)).headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie


def test_every_file_of_the_page_can_be_had(web):
    page = Path(house.__file__).with_name("page")
    names = [file.relative_to(page).as_posix() for file in page.rglob("*") if file.is_file()]
    assert "index.html" in names
    for name in names:
        assert web.get(f"/page/{name}").content == (page / name).read_bytes()


def test_errors_have_the_headers_too(web):
    for answer in (web.get("/nowhere"), web.get("/api/players?kitchen=x"), web.post("/api/watch", content=b"{")):
        assert 400 <= answer.status_code < 500
        assert set(answer.json()) == {"error"}
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_the_kitchens_and_their_players_are_listed(web):
    kitchens = web.get("/api/kitchens").json()
    assert [kitchen["name"] for kitchen in kitchens] == list(layouts.MAPS)
    assert kitchens[0]["rows"] == ["XXPXX", "O  2O", "X1  X", "XDXSX"]
    players = web.get("/api/players", params={"kitchen": "cramped_room"}).json()
    assert set(COOKS) <= {one["name"] for one in players}
    for one in players:
        assert {"id", "name", "kind", "method", "seed", "about", "return", "with_people"} <= one.keys()
        assert "/" not in one["id"]


def test_of_a_method_in_the_zoo_only_who_is_published_is_listed(web):
    for kitchen in layouts.MAPS:
        listed = web.get(f"/api/players?kitchen={kitchen}").json()
        there = {place: entry_of(place).player.agent.card.training for place in places_in(ZOO / kitchen)}
        expected = {
            f"{place.parent.name}/{place.name}" for place, training in there.items() if training.get("published")
        }
        assert len(expected) == len({name.split("/")[0] for name in expected}) > 0
        assert {one["name"] for one in listed if one["kind"] == "agent"} <= expected | {
            name.split("/")[0] for name in expected
        }
        assert len([one for one in listed if one["kind"] == "agent"]) == len(expected)


@pytest.mark.parametrize("kitchen", layouts.MAPS)
def test_who_earned_most_with_clones_of_people_is_offered_first(web, kitchen):
    earned = {
        f"{place.parent.name}/{place.name}": np.mean(entry_of(place).player.agent.card.training.get("with_proxy", 0.0))
        for place in places_in(ZOO / kitchen)
    }
    names = [one["name"] for one in web.get(f"/api/players?kitchen={kitchen}").json() if one["kind"] == "agent"]
    best = max(earned, key=lambda name: earned[name] * (names.count(name) or names.count(name.split("/")[0])))
    assert names[0] in (best, best.split("/")[0]) and len(names) > 2


@pytest.mark.parametrize("said", [None, 7, [], ["many"], [True], [10.0, 30]])
def test_a_card_may_say_anything_of_what_was_earned_with_people(said):
    assert catalogue.with_people(toy.player(1, training={"with_proxy": said})) == (20.0 if said == [10.0, 30] else 0.0)


def test_every_drawing_is_there(web):
    symbols = web.get("/api/sprites").json()["symbols"]
    names = ["floor-0", "floor-1-shaded", "counter", "serving-front", "pot-0", "pot-23", "item-3", "cook-1-3-3"]
    assert set(names) <= symbols.keys()
    assert all(drawing.startswith("<") and "script" not in drawing for drawing in symbols.values())


def test_two_cooks_can_be_watched_and_what_was_watched_can_be_shown_again(web, server):
    pair = {"first": player(server, "random"), "second": player(server, "stay")}
    game = web.post("/api/watch", json={"kitchen": "cramped_room", **pair, "seed": 3, "episode": 1}).json()
    assert game["players"] == ["random", "stay"]
    assert [frame["t"] for frame in game["frames"]] == list(range(401))
    assert web.post("/api/watch", json={"kitchen": "cramped_room", **pair, "seed": 3, "episode": 1}).json() == game
    shown = web.post("/api/replay", json=game["recording"]).json()
    assert shown["frames"] == game["frames"]
    page = web.post("/api/film", params={"as": "html"}, json=game["recording"])
    assert page.content.startswith(b"<!doctype html>")
    assert "attachment" in page.headers["content-disposition"]


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("/api/watch", b"", "not JSON"),
        ("/api/watch", b"[" * 100_000, "not JSON"),
        ("/api/watch", b"\xff\xfe", "not JSON"),
        ("/api/watch", b"{}", "is missing"),
        ("/api/watch", b'{"kitchen": "cramped_room", "first": [], "second": "x"}', "not a text"),
        ("/api/watch", b'{"kitchen": "cramped_room", "first": "x", "second": "x"}', "no such player"),
        ("/api/watch", b'{"kitchen": "cramped_room", "first": "x", "second": "x", "seed": NaN}', "not JSON"),
        ("/api/watch", b'{"kitchen": "cramped_room", "first": "x", "second": "x", "seed": -1}', "seed"),
        ("/api/watch", b" " * 200_001, "at most 200000 bytes"),
        ("/api/replay", b"[]", "not an object"),
        ("/api/replay", b'{"format": "x", "version": 1, "map": [], "actions": []}', "1 to 5000 steps"),
        ("/api/replay", json.dumps({"map": ["X" * 2000]}).encode(), "1024 cells"),
        ("/api/film?as=exe", b'{"format": 1, "version": 1, "map": [], "actions": [[0, 0]]}', "format"),
        ("/api/populations/x/replay", b"", "no such population"),
    ],
)
def test_a_bad_request_is_refused_with_a_sentence(web, path, body, says):
    answer = web.post(path, content=body)
    assert answer.status_code in (400, 404)
    assert says in answer.json()["error"]


def test_a_recording_can_be_had_in_every_form_and_deleted(server, web):
    with socket(server) as client:
        say(client, "new", **GAME | {"partner": player(server, "stay"), "consent": True})
        id = hear(client, "end")["game"]
    [row] = [one for one in web.get("/api/games").json() if one["id"] == id]
    assert (row["kitchen"], row["players"], row["seat"], row["steps"]) == ("cramped_room", ["person", "stay"], 0, 10)
    shown = web.get(f"/api/games/{id}").json()
    assert len(shown["frames"]) == 11
    kept = web.get(f"/api/games/{id}.json")
    assert kept.json() == shown["recording"] == trajectory.as_json(trajectory.load(server.rooms.games / f"{id}.json"))
    assert web.get(f"/api/games/{id}.gif").content.startswith(b"GIF89a")
    assert web.get(f"/api/games/{id}.html").content.startswith(b"<!doctype html>")
    assert web.get(f"/api/games/{id}.exe").status_code == 400
    assert web.delete(f"/api/games/{id}").status_code == 200
    assert web.get(f"/api/games/{id}").status_code == web.delete(f"/api/games/{id}").status_code == 404
    assert not list(server.rooms.games.glob(f"**/{id}*"))


TRICKS = [
    "/page/../server.py",
    "/page/..%2fserver.py",
    "/page/%2e%2e/server.py",
    "/page/%2e%2e%2fserver.py",
    "/page/..%5cserver.py",
    "/page/....//server.py",
    "/page//etc/passwd",
    "/page/%2fetc%2fpasswd",
    "/page/index.html%00.js",
    "/page/index.html/",
    "/page/.",
    "/page/",
    "/page/%c0%ae%c0%ae/server.py",
    "/page/..;/server.py",
    "//etc/passwd",
    "/page/../../../../../../etc/passwd",
    "/api/games/..%2f..%2fx",
    "/api/games/%2e%2e",
    "/api/games/../../etc/passwd",
    "/api/games/about%2f0123456789abcdef",
    "/api/games/0123456789abcdef%00.json",
    "/api/populations/..%2f..",
    "/api/populations/%2e%2e/game",
]


@pytest.mark.parametrize("path", TRICKS)
def test_no_path_leads_outside(server, path, caplog):
    answer = raw(server, asked(path))
    assert answer.startswith((b"HTTP/1.1 404", b"HTTP/1.1 400"))
    assert b"root:" not in answer and b"import" not in answer
    assert not caplog.records


def test_a_link_in_the_page_is_not_followed(server, web, monkeypatch, tmp_path):
    monkeypatch.setattr(web_server.play.server.pages, "PAGE", tmp_path)
    (tmp_path / "real.js").write_text("1")
    (tmp_path / "link.js").symlink_to("/etc/hostname")
    (tmp_path / "folder.js").mkdir()
    assert web.get("/page/real.js").status_code == 200
    assert web.get("/page/link.js").status_code == web.get("/page/folder.js").status_code == 404


@pytest.mark.parametrize(
    "request_",
    [
        asked("/", host="evil.com"),
        asked("/api/games", host="localhost.evil.com"),
        b"GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.com\r\nConnection: close\r\n\r\n",
        b"DELETE /api/games/0123456789abcdef HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\nConnection: close\r\n\r\n",
        b"GET /ws HTTP/1.1\r\nHost: evil.com\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    ],
)
def test_requests_from_elsewhere_are_refused(server, request_):
    assert raw(server, request_).startswith(b"HTTP/1.1 403")


def test_other_requests_are_refused_too(server):
    assert raw(server, b"\x00\xff\r\n\r\n").startswith(b"HTTP/1.1 400")
    assert raw(server, asked("/api/games", method="PUT")).startswith(b"HTTP/1.1 405")


def test_a_kitchen_of_ones_own_with_an_agent_that_knows_it(tmp_path):
    (tmp_path / "mine.txt").write_text(layouts.to_text(toy.KITCHEN))
    toy.saved(tmp_path / "runs" / "agents" / "ann", 1)
    toy.saved(tmp_path / "runs" / "agents" / "bob", 2)
    (tmp_path / "runs" / "agents" / "bob" / "model.safetensors").write_bytes(b"broken")
    options = {"layouts": [tmp_path / "mine.txt"], "runs": [tmp_path / "runs"]}
    with serving(tmp_path / "games", **options) as served, httpx.Client(base_url=served.address, timeout=30) as web:
        players = web.get("/api/players", params={"kitchen": "mine"}).json()
        [ann] = [one for one in players if one["kind"] == "agent"]
        assert (ann["name"], ann["method"], ann["seed"]) == ("ann", "toy", 1)
        assert ann["id"] not in [one["id"] for one in web.get("/api/players?kitchen=cramped_room").json()]
        with socket(served) as client:
            say(client, "new", **GAME | {"partner": ann["id"]})
            assert "does not know this kitchen" in hear(client, "error")["error"]
            say(client, "new", **GAME | {"kitchen": "mine", "partner": ann["id"], "thoughts": True, "consent": True})
            assert isinstance(hear(client, "state")["thoughts"]["value"], float)
            id = hear(client, "end")["game"]
        assert web.get(f"/api/games/{id}").json()["kitchen"]["name"] == "mine"


def test_kitchens_nobody_could_play_in_are_refused(tmp_path):
    (tmp_path / "alone.txt").write_text("XXPXX\nO1  O\nX   X\nXDXSX")
    with pytest.raises(UserError, match="single seat"):
        house.build(tmp_path, layouts=[tmp_path / "alone.txt"])
    (tmp_path / "cramped_room.txt").write_text("XXPXX\nO1 2O\nX   X\nXDXSX")
    with pytest.raises(UserError, match="already"):
        house.build(tmp_path, layouts=[tmp_path / "cramped_room.txt"])


# Populations


def test_the_run_that_comes_with_the_project_is_shown_and_its_pairs_play(web):
    [example] = [one for one in web.get("/api/populations").json() if one["id"] == "example"]
    assert example["kind"] == "run"
    told = web.get("/api/populations/example").json()
    assert told["names"] == ["round-000", "round-002", "round-004", "round-007", "round-009"]
    assert told["kitchen"] == "cramped_room"
    assert told["eta"][0][1:] == [None] * 4 and None not in told["eta"][4]
    assert told["preferred"][4] == [4, 4, 4, 4, 3]
    assert len(told["phi"]) == len(told["draws"]) == len(told["generations"]) == 10
    for row in told["phi"]:
        assert sum(share or 0 for share in row) == pytest.approx(1, abs=1e-3)
    assert told["partners"][:2] == ["start-000", "round-000"]
    assert len(told["curves"]["steps"]) == len(told["curves"]["return"])
    assert all(told["players"]) and told["replay"] == "done"


def test_a_run_and_a_crossplay_of_ones_own(tmp_path, monkeypatch):
    names = [f"round-{i:03d}" for i in range(4)]
    monkeypatch.setattr(population, "replay", lambda folder: Matrix(names, np.arange(16.0).reshape(4, 4)))
    toy_history.made(tmp_path / "runs" / "toy" / "toy" / "one", rounds=4, phi=True)
    matrix = tmp_path / "payoff.csv"
    matrix.write_text(",stay,x\nstay,0,1\nx,2,3\n")
    options = {"runs": [tmp_path / "runs"], "matrices": [matrix]}
    with serving(tmp_path / "games", **options) as served, httpx.Client(base_url=served.address, timeout=60) as web:
        _, mine, crossplay = web.get("/api/populations").json()
        told = web.get(f"/api/populations/{crossplay['id']}").json()
        assert (told["payoff"], told["by_seat"]) == ([[0, 1.5], [1.5, 3]], [[0, 1], [2, 3]])
        assert told["phi"] is told["curves"] is told["kitchen"] is None
        answer = web.get(f"/api/populations/{crossplay['id']}/game?first=0&second=1")
        assert (answer.status_code, answer.json()["error"]) == (404, "these strategies are not here to play")
        told = web.get(f"/api/populations/{mine['id']}").json()
        assert told["payoff"] is None and told["replay"] == "possible"
        assert web.post(f"/api/populations/{mine['id']}/replay").status_code == 202
        while (told := web.get(f"/api/populations/{mine['id']}").json())["replay"] == "running":
            time.sleep(0.05)
        assert (told["replay"], told["names"]) == ("done", names)
        assert told["payoff"][3] == [7.5, 10, 12.5, 15]
        game = web.get(f"/api/populations/{mine['id']}/game?first=1&second=3&episode=0").json()
        assert game["players"] == ["round-001", "round-003"]
        for query in ("first=9&second=0", "first=-1", "first=x", "episode=1e9"):
            assert web.get(f"/api/populations/{mine['id']}/game?{query}").status_code in (400, 404)


# The command


def test_a_taken_port_is_followed_by_the_next(capsys):
    with play.listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with play.listen("127.0.0.1", port) as second:
            assert port < second.getsockname()[1] < port + play.TRIES


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--port", "70000"], "--port must be from 0 to 65535"),
        (["--host", "no.such.host.invalid"], "--host no.such.host.invalid"),
        (["--layout", "/nowhere.txt"], "no kitchen or map file called /nowhere.txt"),
        (["--crossplay", "/nowhere.csv"], "there is no such file"),
    ],
)
def test_a_mistake_is_named_and_exits_with_2(capsys, monkeypatch, arguments, says):
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "")
    assert cli.main(["play", "--no-open", *arguments]) == 2
    assert says in capsys.readouterr().err


def test_the_command_tells_its_address_and_ends_well(tmp_path):
    command = [sys.executable, "-m", "cole.cli", "play", "--no-open", "--port", "0", "--games", str(tmp_path)]
    environment = os.environ | {"JAX_COMPILATION_CACHE_DIR": ""}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout and process.stderr
        address = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())[0]
        assert httpx.get(address, timeout=30).status_code == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        assert process.stderr.read() == ""
