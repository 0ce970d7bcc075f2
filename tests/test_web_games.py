"""Games over a real socket: played whole, paused, left, taken up again, attacked, and kept as they were played."""

import asyncio
import json
import time

import numpy as np
import pytest
import web_server
from web_server import PATIENCE, hear, new, player, say, serving, socket
from websockets.exceptions import ConnectionClosed

from cole.kitchen import film, trajectory
from cole.web import recordings, sockets
from cole.web.limits import LIMITS

server, web, fast = web_server.server, web_server.web, web_server.fast
KEYS = [1, 5, 3, 5, 0, 5, 2, 5, 4, 1]


def whole_game(served, client, keys=(), **fields):
    """Plays a game and gives its states and its end; a key is pressed after each state."""
    new(served, client, **fields)
    states, keys = [hear(client, "state")], iter(keys)
    while True:
        if (key := next(keys, None)) is not None:
            say(client, "act", action=key)
        message = json.loads(client.recv(PATIENCE))
        if message["type"] == "end":
            return states, message
        if message["type"] == "state":
            states.append(message)


def assert_replays(folder, id, states=None):
    """A kept game gives the score that was noted; and the states that were shown."""
    note, played = recordings.read_note(folder, id), recordings.read(folder, id)
    replayed, events = trajectory.replay(played)
    assert film.running_score(trajectory.rewards(events))[-1] == note.score
    assert len(played.actions) == note.steps
    for now, shown in zip(film.listed(replayed), states or [], strict=bool(states)):
        cooks = [[*divmod(int(cell), played.layout.terrain.shape[1])][::-1] for cell in now.cell]
        assert [cook[:2] for cook in shown["cooks"]] == cooks
        assert [cook[2:] for cook in shown["cooks"]] == np.stack([now.facing, now.held], 1).tolist()
        assert len(shown["contents"]) == np.count_nonzero(now.contents)
        assert shown["t"] == now.clock


def test_a_whole_game_replays_to_the_same_states_and_score(server):
    with socket(server) as client:
        states, end = whole_game(server, client, KEYS, partner="greedy_cook", consent=True, steps=15, tick=100)
    assert [state["t"] for state in states] == list(range(16))
    assert {key: end[key] for key in ("steps", "why")} == {"steps": 15, "why": "time"}
    assert_replays(server.rooms.games, end["game"], states)
    played = recordings.read(server.rooms.games, end["game"])
    # A key that comes just after a tick counts for the next one: none is lost, and none is doubled.
    assert [a for a in played.actions[:, 0].tolist() if a != 4] == [a for a in KEYS if a != 4]


def test_nothing_is_kept_without_consent(server):
    before = recordings.every(server.rooms.games)
    with socket(server) as client:
        _, end = whole_game(server, client)
    assert end["game"] is None
    assert recordings.every(server.rooms.games) == before


def test_what_is_kept_says_nothing_of_the_person(server):
    with socket(server) as client:
        _, end = whole_game(server, client, consent=True)
    note = json.loads((server.rooms.games / "about" / f"{end['game']}.json").read_text())
    assert note.keys() == {"people", "players", "kitchen", "when", "tick", "score", "steps"}
    assert note["players"] == ["person", "stay"]
    assert note["when"].endswith(":00")
    kept = (server.rooms.games / f"{end['game']}.json").read_text() + json.dumps(note)
    assert "127.0.0.1" not in kept


def test_the_last_key_before_a_tick_counts_and_is_used_once(server):
    with socket(server) as client:
        new(server, client, consent=True, tick=100)
        hear(client, "state")
        for action in (0, 1, 2, 3):
            say(client, "act", action=action)
        end = hear(client, "end")
    assert recordings.read(server.rooms.games, end["game"]).actions[:, 0].tolist() == [3] + [4] * 9


def test_thoughts_are_shown_on_request(server):
    with socket(server) as client:
        new(server, client, "greedy_cook", thoughts=True)
        thought = hear(client, "state")["thoughts"]
        assert sum(thought["probabilities"]) == pytest.approx(1, abs=0.01)
        assert thought["value"] is None  # a cook without a network
        say(client, "thoughts", on=False)
        hear(client, "state")
        assert "thoughts" not in hear(client, "state")


def test_states_are_small(server):
    with socket(server) as client:
        new(server, client, "greedy_cook", thoughts=True)
        for _ in range(10):
            assert len(client.recv(PATIENCE)) < 1024


def test_a_rematch_is_a_new_game(server):
    with socket(server) as client:
        _, first = whole_game(server, client, consent=True)
        say(client, "again")
        assert hear(client, "welcome")["steps"] == 10
        assert hear(client, "state")["t"] == 0
        second = hear(client, "end")
        assert second["game"] not in (None, first["game"])


def test_a_pause_stops_the_clock(server):
    with socket(server) as client:
        new(server, client)
        hear(client, "state")
        say(client, "pause", on=True)
        assert hear(client, "paused") == {"type": "paused", "on": True, "why": "you"}
        with pytest.raises(TimeoutError):
            client.recv(0.1)
        say(client, "pause", on=False)
        assert hear(client, "paused")["on"] is False
        assert hear(client, "end")["why"] == "time"


def test_whoever_leaves_ends_the_game_which_is_kept(server):
    with socket(server) as client:
        new(server, client, consent=True, tick=100)
        hear(client, "state")
        hear(client, "state")
        say(client, "leave")
        end = hear(client, "end")
        assert (end["why"], end["steps"]) == ("left", 1)
        assert_replays(server.rooms.games, end["game"])
        say(client, "act", action=1)
        assert "no game" in hear(client, "error")["error"]


def test_a_dropped_socket_comes_back_to_the_same_game_and_nothing_is_lost(server):
    with socket(server) as client:
        token = new(server, client, consent=True, steps=20)["token"]
        while hear(client, "state")["t"] < 5:
            pass
    time.sleep(0.2)  # ten ticks, in which nothing may happen
    with socket(server) as client:
        say(client, "return", token=token)
        assert hear(client, "welcome")["token"] == token
        back = hear(client, "state")
        assert 5 <= back["t"] < 10  # the server notices within a moment that the socket is gone
        ticks = [hear(client, "state")["t"] for _ in range(20 - back["t"])]
        assert ticks == list(range(back["t"] + 1, 21))
        end = hear(client, "end")
    assert (end["why"], end["steps"]) == ("time", 20)
    assert_replays(server.rooms.games, end["game"])


def test_a_second_window_takes_over(server):
    with socket(server) as one, socket(server) as two:
        token = new(server, one, steps=20)["token"]
        hear(one, "state")
        say(two, "return", token=token)
        assert hear(two, "welcome")["token"] == token
        assert hear(one, "error")["fatal"]
        with pytest.raises(ConnectionClosed):
            hear(one, "state")
        assert hear(two, "end")["steps"] == 20


def test_a_token_is_worth_nothing_in_another_browser(server):
    mine, theirs = ({"Cookie": f"browser={letter * 22}"} for letter in "ab")
    with socket(server, additional_headers=mine) as one, socket(server, additional_headers=theirs) as two:
        token = new(server, one)["token"]
        say(two, "return", token=token)
        assert "not yours" in hear(two, "error")["error"]
        say(two, "return", token="x" * 22)
        assert "not yours" in hear(two, "error")["error"]
        assert hear(one, "end")["why"] == "time"


def test_two_people_cook_together_and_both_see_the_same(server):
    with socket(server) as one, socket(server) as two:
        invite = new(server, one, "person", seat=1, consent=True)["invite"]
        hear(one, "waiting")
        say(two, "join", invite=invite, consent=True)
        assert hear(two, "welcome")["seat"] == 0
        assert hear(one, "state")["cooks"] == hear(two, "state")["cooks"]
        say(one, "act", action=2)
        say(two, "act", action=3)
        ends = [hear(client, "end") for client in (one, two)]
        assert ends[0] == ends[1]
        played = recordings.read(server.rooms.games, ends[0]["game"]).actions
        assert sorted(set(played[:, 0])) == [3, 4]
        assert sorted(set(played[:, 1])) == [2, 4]
        say(two, "again")
        hear(two, "waiting")
        hear(one, "again")
        say(one, "again")
        assert hear(one, "welcome")["players"] == ["another person", "you"]
        hear(two, "state")
        say(two, "leave")
        assert hear(one, "end")["why"] == "left"


def test_two_people_are_kept_only_if_both_agree(server):
    with socket(server) as one, socket(server) as two:
        invite = new(server, one, "person", consent=True)["invite"]
        say(two, "join", invite=invite)
        assert hear(one, "end")["game"] is None


def test_an_invitation_serves_once(server):
    with socket(server) as one, socket(server) as two, socket(server) as three:
        invite = new(server, one, "person")["invite"]
        say(one, "join", invite=invite)
        assert "not good" in hear(one, "error")["error"]
        say(two, "join", invite=invite)
        hear(two, "welcome")
        say(three, "join", invite=invite)
        assert "not good" in hear(three, "error")["error"]


def test_the_other_person_is_told_of_a_lost_connection_and_of_a_pause(server):
    with socket(server) as one:
        with socket(server) as two:
            invite = new(server, one, "person", steps=50)["invite"]
            say(two, "join", invite=invite)
            token = hear(two, "welcome")["token"]
            say(two, "pause", on=True)
            assert hear(one, "paused")["why"] == "partner"
            say(two, "pause", on=False)
            assert hear(one, "paused") == {"type": "paused", "on": False, "why": "partner"}
        assert hear(one, "paused")["why"] == "connection"
        with socket(server) as two:
            say(two, "return", token=token)
            assert not hear(one, "paused")["on"]
            say(one, "leave")
            assert hear(two, "end")["why"] == "left"


def test_a_new_game_on_the_same_socket_ends_the_old_one(server):
    with socket(server) as client:
        first = new(server, client, steps=2000)["token"]
        assert new(server, client)["token"] != first
        assert hear(client, "end")["steps"] == 10


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        ({"type": "new", "kitchen": "nowhere", "partner": "x"}, "no such kitchen"),
        ({"type": "new", "kitchen": "cramped_room", "partner": "../../etc"}, "no such player"),
        ({"type": "new", "kitchen": "cramped_room", "partner": "person", "seat": 5}, "has 2 seats"),
        ({"type": "join", "invite": "x"}, "not good"),
        ({"type": "act", "action": 1}, "you are in no game"),
        ({"type": "again"}, "you are in no game"),
    ],
)
def test_what_cannot_be_done_is_refused(server, frame, says):
    with socket(server) as client:
        client.send(json.dumps(frame))
        answer = hear(client, "error")
    assert says in answer["error"]
    assert not answer["fatal"]


def test_hostile_frames_harm_nobody_else(server, caplog):
    hostile = ["{", "[" * 900, "NaN", "x" * 1025, b"\x00\xff", b"", '{"type": "act", "action": NaN}', "\x00"]
    with socket(server) as quiet, socket(server) as loud:
        new(server, quiet, steps=15)
        hear(quiet, "state")
        for frame in hostile:
            loud.send(frame)
            assert not hear(loud, "error")["fatal"]
        with socket(server) as huge:
            huge.send("x" * 100_000)
            with pytest.raises(ConnectionClosed):
                hear(huge, "state")
        assert hear(quiet, "end")["steps"] == 15
    assert not caplog.records


def test_a_flood_is_cut_off(server, caplog):
    with socket(server) as client:
        new(server, client, steps=2000)
        with pytest.raises(ConnectionClosed):
            for _ in range(3000):
                say(client, "act", action=0)
                time.sleep(0.0002)
    with socket(server) as client:  # the next one is served as ever
        whole_game(server, client)
    assert not caplog.records


def test_a_foreign_page_cannot_open_a_socket(server):
    for origin in ("http://evil.com", "null", "http://127.0.0.1:1"):
        with pytest.raises(Exception, match="403"), socket(server, origin=origin):
            pass


def test_games_are_limited_by_address_and_in_all(tmp_path):
    with (
        serving(tmp_path, LIMITS._replace(games=3, games_per_address=2, sockets_per_address=4)) as served,
        socket(served) as one,
        socket(served) as two,
        socket(served) as three,
        socket(served),
    ):
        for client in (one, two):
            new(served, client, "person")
        say(three, "new", **web_server.GAME | {"partner": "person"})
        assert "2 games from your address" in hear(three, "error")["error"]
        served.rooms.lobby.limits = served.rooms.lobby.limits._replace(games=2, games_per_address=9)
        say(three, "new", **web_server.GAME | {"partner": "person"})
        assert "all kitchens are taken" in hear(three, "error")["error"]
        say(one, "leave")
        say(one, "act", action=0)
        hear(one, "error")
        new(served, three, "person")
        with pytest.raises(Exception, match="403"), socket(served):
            pass


def test_nobody_is_waited_for_longer_than_was_said(tmp_path):
    limits = LIMITS._replace(away=0.3, wait=0.3, pause=0.3)
    with serving(tmp_path, limits) as served, socket(served) as one:
        new(served, one, "person")
        assert "nobody came" in hear(one, "error")["error"]
        with socket(served) as two:
            token = new(served, two, consent=True, steps=50)["token"]
            hear(two, "state")
            hear(two, "state")
        time.sleep(0.6)
        say(one, "return", token=token)
        assert "is over" in hear(one, "error")["error"]
        [kept] = recordings.every(tmp_path)
        assert kept["steps"] < 5
        new(served, one)
        hear(one, "state")
        say(one, "pause", on=True)
        assert hear(one, "end")["why"] == "gone"


def test_games_that_run_when_the_server_ends_are_kept(tmp_path):
    with serving(tmp_path) as served:
        client = socket(served).__enter__()
        new(served, client, consent=True, steps=500)
        while hear(client, "state")["t"] < 3:
            pass
    [kept] = recordings.every(tmp_path)
    assert kept["steps"] >= 3
    assert_replays(tmp_path, kept["id"])


def test_a_browser_that_does_not_read_is_dropped_and_its_game_stands_still(tmp_path, monkeypatch):
    async def stuck(outbox, send):
        await asyncio.Event().wait()

    with serving(tmp_path, LIMITS._replace(outbox=3)) as served, socket(served) as other:
        new(served, other, steps=100)
        monkeypatch.setattr(sockets, "deliver", stuck)
        with socket(served) as lazy:
            say(lazy, "new", **web_server.GAME | {"partner": player(served, "stay"), "steps": 2000})
            with pytest.raises(ConnectionClosed):
                hear(lazy, "end")
        lazy_one = next(one for one in served.rooms.lobby.sessions.values() if one.asked.steps == 2000)
        ticks = len(lazy_one.actions)
        assert hear(other, "end")["steps"] == 100
        assert len(lazy_one.actions) == ticks < 5


def test_all_kept_games_replay(server, tell):
    kept = recordings.every(server.rooms.games)
    for one in kept:
        assert_replays(server.rooms.games, one["id"])
    assert len(kept) > 5
    tell(f"page: {len(kept)} of {len(kept)} recorded games replay to the same score")


def test_a_tick_compiles_nothing(server, compiled):
    with socket(server) as client:
        new(server, client, "greedy_cook")
        hear(client, "state")
        compiled.clear()
        hear(client, "end")
    assert not compiled


def test_a_damaged_recording_is_refused_and_others_are_listed(server, web):
    id = recordings.every(server.rooms.games)[0]["id"]
    (server.rooms.games / "about" / ("0" * 16 + ".json")).write_text("[1, 2")
    (server.rooms.games / ("1" * 16 + ".json")).symlink_to(server.rooms.games / f"{id}.json")
    (server.rooms.games / "about" / ("1" * 16 + ".json")).symlink_to("/etc/passwd")
    listed = [one["id"] for one in web.get("/api/games").json()]
    assert id in listed and "0" * 16 not in listed and "1" * 16 not in listed
    for name in ("0" * 16, "1" * 16):
        assert web.get(f"/api/games/{name}").status_code in (400, 404)
        assert "error" in web.get(f"/api/games/{name}").json()
    assert player(server, "stay")
