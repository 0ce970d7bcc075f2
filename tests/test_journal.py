"""The log: strict JSON, a line an update, and a hash that tells whether it is still the same log."""

import json

import jax.numpy as jnp
import numpy as np
import pytest

from cole import journal
from cole.errors import UserError


def test_a_round_becomes_a_line_an_update():
    log = {"return": np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32), "born": np.arange(12).reshape(2, 3, 2)}
    assert journal.lines_of(log, round=2, updates=6, env_steps=100) == [
        {"round": 2, "update": 6, "steps": 233, "return": [1.0, 4.0], "born": [[0, 1], [6, 7]]},
        {"round": 2, "update": 7, "steps": 266, "return": [2.0, 5.0], "born": [[2, 3], [8, 9]]},
        {"round": 2, "update": 8, "steps": 300, "return": [3.0, 6.0], "born": [[4, 5], [10, 11]]},
    ]


def test_a_round_may_have_nothing_to_say():
    assert journal.lines_of({}, 0, 0, 100) == []


@pytest.mark.parametrize("log", [{"a": np.zeros((1, 2)), "b": np.zeros((1, 3))}, {"steps": np.zeros((1, 2))}])
def test_a_log_of_unequal_lengths_or_with_a_name_of_ours_is_a_mistake_in_the_program(log):
    with pytest.raises(ValueError, match="not a log of one number of updates"):
        journal.lines_of(log, 0, 0, 100)


@pytest.mark.parametrize(
    ("values", "listed"),
    [
        (np.array([0.1, np.nan, -np.inf, 1e-8], np.float32), [0.1, None, None, 1e-8]),
        (np.array([0.1, 1 / 3]), [0.1, 1 / 3]),
        (np.asarray(jnp.array([0.5, 1.0], jnp.bfloat16)), [0.5, 1.0]),
        (np.array([[True], [False]]), [[True], [False]]),
        (np.array([7], np.int8), [7]),
        (np.zeros((2, 0), np.float32), [[], []]),
    ],
)
def test_numbers_are_strict_and_short(values, listed):
    assert journal.numbers(values) == listed
    json.dumps(journal.numbers(values), allow_nan=False)


def test_a_log_is_known_again_and_cut(tmp_path):
    path = tmp_path / "log.jsonl"
    first = journal.append(path, journal.nothing(), [{"update": 0}, {"update": 1}])
    later = journal.append(path, first, [{"update": 2}])
    assert (later.updates, later.size) == (3, path.stat().st_size)
    again = journal.check(path, first.updates, first.size, first.digest())
    journal.cut(path, again)
    assert path.read_text() == '{"update": 0}\n{"update": 1}\n'
    assert journal.append(path, again, [{"update": 2}]).digest() == later.digest()


def test_a_log_of_many_pieces_is_known_again(tmp_path, monkeypatch):
    monkeypatch.setattr(journal, "PIECE", 7)
    written = journal.append(tmp_path / "log", journal.nothing(), [{"update": u} for u in range(9)])
    assert journal.check(tmp_path / "log", 9, written.size, written.digest()).digest() == written.digest()
    with pytest.raises(UserError, match="its first 100 bytes are not those"):
        journal.check(tmp_path / "log", 9, 100, written.digest())
    with pytest.raises(UserError, match="has lost at least 5 bytes"):
        journal.check(tmp_path / "log", 9, written.size + 5, written.digest())


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", None),
        (b'{"a": 1}\n{"a": 2}\n{"a"', {"a": 2}),
        (b'{"a": 1}\n', {"a": 1}),
        (b"\xff\n", None),
        (b"[1]\n", None),
        (b'{"a"', None),
    ],
)
def test_the_last_whole_line_is_found(tmp_path, content, line):
    (tmp_path / "log").write_bytes(content)
    assert journal.last_line(tmp_path / "log") == line
    assert journal.last_line(tmp_path / "nowhere") is None
