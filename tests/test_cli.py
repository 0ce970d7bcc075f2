"""The command line as a user meets it: what it prints, what it writes, and how it refuses."""

import io
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from cole import __version__, cli
from cole.kitchen import game, layouts, trajectory


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    try:
        code = cli.main(arguments)
    except SystemExit as stop:  # tyro's own refusals
        code = stop.code
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch):
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "")


def test_what_the_user_says_to_jax_goes_before_what_we_say(monkeypatch):
    said = {"XLA_FLAGS": "--xla_gpu_enable_triton_gemm=true", "XLA_PYTHON_CLIENT_PREALLOCATE": "true"}
    for name in cli.SETTINGS:
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    cli.prepare_jax()
    flags = os.environ["XLA_FLAGS"].split()
    assert [flag for flag in flags if "triton_gemm" in flag] == [said["XLA_FLAGS"]] and len(flags) == len(cli.FLAGS)
    assert {name: os.environ[name] for name in cli.SETTINGS} == cli.SETTINGS | {"XLA_PYTHON_CLIENT_PREALLOCATE": "true"}


@pytest.mark.parametrize(("arguments", "woken"), [(["cole", "--help"], 0), (["sp", "--size", "tiny"], 1)])
def test_the_device_is_woken_by_whoever_wants_to_train_and_what_goes_wrong_there_is_not_told_twice(
    monkeypatch, capsys, arguments, woken
):
    touched: list[float] = []

    def fail(number: float) -> None:
        touched.append(number)
        raise RuntimeError("no such device")

    monkeypatch.setattr("jax.device_put", fail)
    code, _, err = run(capsys, "train", *arguments)
    for thread in [one for one in threading.enumerate() if one.name.endswith("(touch)")]:
        thread.join()
    assert (code == 0) == (woken == 0) and len(touched) == woken and "no such device" not in err


def test_the_version_is_told(capsys):
    assert run(capsys, "--version") == (0, f"cole {__version__}\n", "")


@pytest.mark.parametrize("verb", ["train", "runs"])
def test_letters_beyond_the_terminals_alphabet_are_question_marks_and_no_error(monkeypatch, tmp_path, verb):
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr("cole.verbs.train.main", lambda _: print("return with itself: 40 \u00b1 2"))
    (tmp_path / "\u00b1").mkdir()
    assert not cli.main([verb, str(tmp_path / "\u00b1")])
    terminal.flush()
    assert b"?" in terminal.buffer.getvalue()


def test_players_can_be_watched(capsys, tmp_path):
    file = tmp_path / "game.json"
    options = ["--layout", "coordination_ring", "--steps", "120", "--seed", "3", "--save", str(file)]
    code, said, _ = run(capsys, "watch", "greedy_cook", "stay", *options)
    actions = trajectory.load(file).actions
    assert code == 0 and "step 120/120" in said and actions.shape == (120, 2)
    assert np.all(actions[:, 1] == layouts.STAY) and len(set(actions[:, 0].tolist())) > 3


@pytest.mark.parametrize("verb", ["", "watch", "layouts", "analyze", "report", "runs", "doctor"])
def test_every_verb_has_help(capsys, verb):
    code, out, _ = run(capsys, *verb.split(), "--help")
    assert code == 0
    assert "usage: cole" in out


def test_layouts_lists_and_draws_the_five_kitchens(capsys):
    code, out, _ = run(capsys, "layouts")
    assert code == 0
    for line in (
        "cramped_room, 5 x 4, 2 seats, 1 pot, 1 room",
        "asymmetric_advantages, 9 x 5, 2 seats, 2 pots, 2 rooms",
        "coordination_ring, 5 x 5, 2 seats, 2 pots, 1 room",
        "forced_coordination, 5 x 5, 2 seats, 2 pots, 2 rooms",
        "counter_circuit, 8 x 5, 2 seats, 2 pots, 1 room",
    ):
        assert line in out


def test_a_good_map_is_drawn(capsys, tmp_path):
    (tmp_path / "mine.txt").write_text("XXPXX\nO1 2O\nX 3 X\nXDXSX\n")
    code, out, _ = run(capsys, "layouts", "check", str(tmp_path / "mine.txt"))
    assert code == 0
    assert "a good kitchen, 5 x 4, 3 seats, 1 pot, 1 room" in out
    assert "3^" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["watch", "--layout", "nowhere"], "no kitchen or map file called nowhere; the kitchens are cramped_room,"),
        (["watch", "--steps", "0"], "--steps must be at least 1, not 0"),
        (["watch", "--speed", "-1"], "--speed must be a number above 0, not -1"),
        (["watch", "--speed", "nan"], "--speed must be a number above 0, not nan"),
        (["watch", "--seed", "-1"], "--seed must be a whole number from 0"),
        (["watch", "--seed", str(2**63)], "--seed must be a whole number from 0"),
        (["watch", "--save", "game.mp4"], "game.mp4: the name must end in one of .gif, .html, .svg, .json"),
        (["watch", "--steps", "2", "--save", "/nowhere/game.json"], "cannot be written"),
        (["watch", "--game", "/nowhere/game.json"], "there is no file /nowhere/game.json"),
        (["watch", "greedy_cook"], "a game is played by two, the first in seat 0; these are 1"),
        (["watch", "greedy_cook", "stay"], "nobody here has a kitchen of its own: say which layout to cook in"),
        (["watch", "nobody", "stay"], "there is no player 'nobody'"),
        (["watch", "stay", "stay", "--random-start"], "--random-start is for games without players"),
        (["watch", "stay", "stay", "--game", "game.json"], "--game is for games without players"),
        (["layouts", "check", "/nowhere.txt"], "no kitchen or map file called /nowhere.txt"),
        (["analyze", "/nowhere.csv"], "/nowhere.csv"),
        (["watch", "--steps", "many"], "many"),
        (["cook"], "cook"),
    ],
)
def test_a_mistake_is_named_and_exits_with_2(capsys, arguments, says):
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert says in err
    assert "Traceback" not in err


def test_a_bad_map_is_refused_with_line_and_column(capsys, tmp_path):
    (tmp_path / "open.txt").write_text("\nXXPXX\nO1 2O\nX    \nXDXSX\n")
    code, _, err = run(capsys, "layouts", "check", str(tmp_path / "open.txt"))
    assert code == 2
    assert "open.txt: line 4, column 5: the border must be closed" in err


@pytest.mark.parametrize("ending", ["html", "gif", "svg", "json"])
def test_a_watched_game_can_be_saved(capsys, tmp_path, ending):
    file = tmp_path / f"game.{ending}"
    code, out, err = run(capsys, "watch", "--steps", "3", "--save", str(file))
    assert (code, err) == (0, "")
    assert "3 steps, 0 soups served, score 0" in out
    assert file.stat().st_size > 100


def test_a_recording_shows_the_same_game_again(capsys, tmp_path):
    file = tmp_path / "game.json"
    options = ("--layout", "coordination_ring", "--seed", "7", "--steps", "50", "--random-start")
    _, first, _ = run(capsys, "watch", *options, "--save", str(file))
    _, again, _ = run(capsys, "watch", "--game", str(file))
    assert again in first
    assert run(capsys, "watch", *options)[1] == again
    assert run(capsys, "watch", *options[:2], "--seed", "8", *options[4:])[1] != again


def test_the_clock_runs_to_the_length_of_the_game(capsys, tmp_path):
    code, out, _ = run(capsys, "watch", "--steps", "3", "--save", str(tmp_path / "game.html"))
    assert code == 0
    assert "step 3/3" in out
    assert '"horizon":3' in (tmp_path / "game.html").read_text()


def test_a_recording_that_starts_late_ends_late(capsys, tmp_path):
    layout = layouts.load("cramped_room")
    start = game.reset(layout)._replace(clock=np.int32(350))
    trajectory.save(tmp_path / "late.json", trajectory.Trajectory(layout, np.full((2, 2), layouts.STAY), start))
    _, out, _ = run(capsys, "watch", "--game", str(tmp_path / "late.json"))
    assert "step 352/352" in out


def test_a_wide_map_keeps_its_lines_together(capsys, tmp_path):
    (tmp_path / "wide.txt").write_text(f"{'X' * 60}\nO1{' ' * 56}2S\n{'X' * 29}PD{'X' * 29}\n")
    for command in (["layouts", "check"], ["watch", "--steps", "1", "--layout"]):
        code, out, _ = run(capsys, *command, str(tmp_path / "wide.txt"))
        assert code == 0
        assert len([line for line in out.splitlines() if line.count("X") == 60]) == 1


def test_a_kitchen_of_the_paper_can_be_checked_by_its_name(capsys):
    assert "a good kitchen" in run(capsys, "layouts", "check", "cramped_room")[1]


def test_the_doctor_knows_the_versions(capsys):
    code, out, _ = run(capsys, "doctor")
    assert code == 0
    for word in ("Python 3.1", "jax 0.1", "device 0", "compilation cache", "extra human", "extra adapters"):
        assert word in out


def test_a_reader_who_leaves_early_causes_no_complaint():
    command = f"{sys.executable} -m cole.cli layouts | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=os.environ, check=True)
    assert done.stdout.startswith("cramped_room")
    assert done.stderr == ""
