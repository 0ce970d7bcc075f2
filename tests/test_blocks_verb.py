"""`cole evaluate blocks`: what it prints and writes of games worked by hand, of real ones, and of mistakes."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cole.config.judging import EvaluateBlocks
from cole.errors import UserError
from cole.kitchen import trajectory
from cole.kitchen.layouts import EAST, STAY, WEST
from cole.verbs import blocks

CORRIDOR = "XPODSX\nX1  2X\nXXXXXX\n"
STILL, PUSH = (STAY, STAY), (EAST, WEST)
QUIET = [STILL] * 60
TWELVE = [STILL] * 20 + [PUSH] * 13 + [STILL] * 27  # one step towards each other, then 12 into each other
WORSE = [PUSH] * 11 + [STILL] * 9 + [(EAST, STAY)] * 20 + [STILL] * 20  # 10, and after a pause 20, of seat 0 alone


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    Path("corridor.txt").write_text(CORRIDOR)


@pytest.fixture
def games(monkeypatch):
    """games(those of one order, those of the other): what the players are made to play."""

    def choose(*orders):
        each = iter(np.array(orders, np.int8))
        monkeypatch.setattr(blocks, "play", lambda *_: next(each))

    return choose


def asked(*players: str, **options) -> EvaluateBlocks:
    return EvaluateBlocks(**{"players": players or ("random", "stay"), "layout": "corridor.txt"} | options)


def lines_of(printed: str, start: str) -> list[list[str]]:
    return [line.split() for line in printed.splitlines() if line.split()[:1] == [start]]


def test_every_game_has_a_line_and_the_longest_block_is_shown(games, capsys):
    games([QUIET, TWELVE], [WORSE, QUIET])
    assert blocks.run(asked()) == 0
    printed = capsys.readouterr().out
    assert "A is random, B is stay" in printed
    assert lines_of(printed, "0") == [
        ["0", "A,", "B", "0", "0", "0", "0", "-", "-"],
        ["0", "B,", "A", "0", "30", "2", "20", "20", "3.0", "s"],
    ]
    assert lines_of(printed, "1")[0] == ["1", "A,", "B", "0", "12", "1", "12", "21", "1.8", "s"]
    told = re.findall(r"(\d+) steps \([\d.]+ s\): game (\d) of (.*), steps (\d+) to (\d+); (.*)", printed)
    assert told == [
        ("20", "0", "stay, random", "20", "39", "stay blocked in 20, random blocked in 0"),
        ("12", "1", "random, stay", "21", "32", "random blocked in 12, stay blocked in 12"),
        ("10", "0", "stay, random", "1", "10", "stay blocked in 10, random blocked in 10"),
    ]
    assert "the longest: cook 1 is stay, cook 2 random" in printed
    assert re.findall(r"(\w+): score 0   step (\d+)/60", printed) == [
        ("start", "20"),
        ("middle", "30"),
        ("end", "40"),
    ]
    assert "X    .    1>   2<   .    X" in printed


def test_the_clip_shows_the_block_and_a_little_around_it(games):
    games([TWELVE], [QUIET])
    blocks.run(asked(out=Path("shown")))
    clip = Path("shown/clip.html").read_text()
    assert re.search(r'"clocks":\[6,7,.*?,47,48\]', clip)  # 15 before step 21, and 15 after step 32
    assert "random, stay: 12 steps in each other" in clip
    with Image.open("shown/clip.gif") as film:
        assert film.info["duration"] == 150
    for frame, step in {"start": 21, "middle": 27, "end": 33}.items():
        assert f"step {step} of 60" in Path(f"shown/{frame}.svg").read_text()
    assert trajectory.load("shown/game.json").actions.tolist() == [list(joint) for joint in TWELVE]


def test_the_table_of_all_games_is_written_by_seat(games):
    games([TWELVE], [WORSE])
    blocks.run(asked())
    rows = list(csv.DictReader(Path("blocks-corridor/games.csv").read_text().splitlines()))
    found = [tuple(row[name] for name in ("seat", "player", "partner", "blocked", "held_up")) for row in rows]
    assert found == [
        ("0", "random", "stay", "12", "12"),
        ("1", "stay", "random", "12", "12"),
        ("0", "stay", "random", "30", "20"),
        ("1", "random", "stay", "10", "0"),
    ]
    assert [row["team_longest"] for row in rows] == ["12", "12", "20", "20"]


def test_it_says_so_when_no_block_is_that_long_and_leaves_no_clip_of_before(games, capsys):
    games([TWELVE], [QUIET])
    blocks.run(asked())
    assert Path("blocks-corridor/clip.html").exists()
    capsys.readouterr()
    games([TWELVE], [QUIET])
    assert blocks.run(asked(least=20)) == 0
    assert "no block of at least 20 steps (3.0 s)" in capsys.readouterr().out
    assert [path.name for path in Path("blocks-corridor").iterdir()] == ["games.csv"]


def test_somebody_elses_table_of_games_is_left_alone():
    Path("mine").mkdir()
    Path("mine/games.csv").write_text("chess,go\n")
    with pytest.raises(UserError, match="left alone: choose another --out"):
        blocks.run(asked(out=Path("mine")))
    assert Path("mine/games.csv").read_text() == "chess,go\n"


def test_brackets_in_the_name_of_a_kitchen_are_letters(games, capsys):
    Path("corridor.txt").rename("corridor[b].txt")
    games([TWELVE], [QUIET])
    assert blocks.run(asked(layout="corridor[b].txt")) == 0
    assert "in corridor[b], 150 ms a step" in capsys.readouterr().out
    assert Path("blocks-corridor_b_/games.csv").is_file()


def test_of_many_games_those_with_the_longest_blocks_are_printed(games, capsys):
    games([QUIET] * 30 + [TWELVE], [QUIET] * 30 + [WORSE])
    blocks.run(asked())
    printed = capsys.readouterr().out
    assert "the 40 with the longest blocks of 62 games" in printed
    assert [line[1:3] for line in lines_of(printed, "30")] == [["B,", "A"], ["A,", "B"]]
    assert len(Path("blocks-corridor/games.csv").read_text().splitlines()) == 1 + 2 * 62


def test_a_cook_can_be_looked_at_with_a_copy_of_itself(capsys):
    """Real games; the two orders of the seats are then the same games, so there is one."""
    assert blocks.run(asked("random", "random", episodes=2, least=1)) == 0
    printed = capsys.readouterr().out
    assert "A is random, B is random (2)" in printed
    assert len(lines_of(printed, "0")) == len(lines_of(printed, "1")) == 1
    assert len(json.loads(Path("blocks-corridor/game.json").read_text())["actions"]) == 400


@pytest.mark.parametrize(
    ("players", "options", "sentence"),
    [
        (("random", "stay"), {"least": 0}, "--least must be at least 1"),
        (("random", "stay"), {"episodes": 0}, "episodes must be a whole number from 1"),
        (("random", "stay"), {"layout": None}, "say which layout"),
        (("random", "stay"), {"out": Path()}, "left alone: choose another --out"),
        (("random", "h_proxy"), {"layout": "cramped_room"}, "name two players"),
        (("random", "nobody"), {}, "there is no player 'nobody'"),
    ],
)
def test_mistakes_get_a_sentence(players, options, sentence):
    with pytest.raises(UserError, match=sentence):
        blocks.run(asked(*players, **options))
