"""Frames and headers, without a server: what is understood, and how everything else is refused."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cole.errors import UserError
from cole.web import frames, guards, limits
from cole.web.frames import KINDS, Act, New

LOOPBACK = guards.hosts("127.0.0.1", ())


def test_a_new_game_has_defaults():
    asked = frames.read('{"type": "new", "kitchen": "cramped_room", "partner": "x"}')
    assert asked == New("cramped_room", "x", seat=0, tick=150, steps=400, consent=False, thoughts=False, countdown=3)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("NaN", "not JSON"),
        ('{"type": "act", "action": NaN}', "not JSON"),
        ('{"type": "act", "action": 1e400}', "action"),
        ("[" * 1000, "not JSON"),
        ("[" * 500 + "]" * 500, "a frame is an object"),
        ("9" * 1000, "a frame is an object"),
        ("[]", "a frame is an object"),
        ("null", "a frame is an object"),
        ('{"type": []}', "a frame is an object"),
        ('{"type": "cheat"}', "a frame is an object"),
        ('{"type": "act"}', "'action' is missing"),
        ('{"type": "act", "action": 6}', "whole number from 0 to 5"),
        ('{"type": "act", "action": -1}', "whole number from 0 to 5"),
        ('{"type": "act", "action": true}', "whole number from 0 to 5"),
        ('{"type": "act", "action": 1.0}', "whole number from 0 to 5"),
        ('{"type": "act", "action": 1, "seat": 0}', "'seat' is not a field"),
        ('{"type": "pause", "on": 1}', "neither true nor false"),
        ('{"type": "return", "token": null}', "not a text"),
        ('{"type": "new", "kitchen": "../x", "partner": 3}', "not a text"),
        ('{"type": "new", "kitchen": "x", "partner": "y", "tick": 1}', "whole number from 100 to 400"),
        ('{"type": "new", "kitchen": "x", "partner": "y", "steps": 1000000}', "whole number from 10 to 2000"),
    ],
)
def test_a_bad_frame_is_refused_with_a_sentence(text, says):
    with pytest.raises(UserError, match=says):
        frames.read(text)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
)
names = st.sampled_from([*frames.CHECKS, "type", "x"])


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.dictionaries(names, values | st.sampled_from([*KINDS])) | values | st.text())
def test_any_frame_is_understood_or_refused(value):
    text = value if isinstance(value, str) else json.dumps(value)
    try:
        assert isinstance(frames.read(text), tuple(KINDS.values()))
    except UserError as error:
        assert 0 < len(str(error)) < 300


def test_every_action_is_understood():
    assert [frames.read(json.dumps({"type": "act", "action": a})) for a in range(6)] == [Act(a) for a in range(6)]


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "LOCALHOST:1", "[::1]:8000"])
def test_this_machine_may_ask(host):
    guards.check({"host": host}, LOOPBACK)
    guards.check({"host": host, "origin": f"http://{host}", "sec-fetch-site": "same-origin"}, LOOPBACK)


@pytest.mark.parametrize(
    "host", ["", "evil.com", "127.0.0.1.evil.com", "localhost:80:80", "localhost@evil.com", "127.0.0.2"]
)
def test_a_foreign_host_is_refused(host):
    with pytest.raises(UserError, match="does not answer to that name"):
        guards.check({"host": host}, LOOPBACK)


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.com",
        "null",
        "",
        "file://",
        "http://localhost:9",
        "http://[",
        "ftp://localhost:8000",
        "http://localhost",
    ],
)
def test_a_foreign_origin_is_refused(origin):
    with pytest.raises(UserError, match="other pages"):
        guards.check({"host": "localhost:8000", "origin": origin}, LOOPBACK)


def test_what_a_browser_calls_foreign_is_refused():
    with pytest.raises(UserError, match="other pages"):
        guards.check({"host": "localhost", "sec-fetch-site": "cross-site"}, LOOPBACK)


def test_names_can_be_allowed():
    guards.check({"host": "kitchen.lan:80"}, guards.hosts("0.0.0.0", ["Kitchen.lan"]))
    guards.check({"host": "[fe80::1]:80"}, guards.hosts("fe80::1", []))


def test_thirty_frames_may_come_at_once_and_no_more():
    rate = guards.rate(limits.LIMITS.frames_per_second)
    assert sum(not guards.too_often(rate) for _ in range(1000)) in (30, 31)


def test_the_limits_are_those_that_were_promised():
    assert (limits.LIMITS.games, limits.LIMITS.games_per_address) == (64, 8)
    assert (limits.LIMITS.frame, limits.LIMITS.frames_per_second) == (1024, 30)
    assert (limits.LIMITS.away, limits.LIMITS.wait, limits.LIMITS.pause) == (30, 600, 600)
