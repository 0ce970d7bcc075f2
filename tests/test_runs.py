"""`cole runs`: what it says of runs at work, stopped, finished and damaged."""

import errno
import itertools
import os
import shutil
import time
from pathlib import Path

import pytest
import toy_program as toy

from cole import cli, run


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "")
    monkeypatch.setenv("COLUMNS", "120")


def carry(folder, rounds=4, seeds=(3, 1), stop_after=None, every=1):
    asked = itertools.count(1)
    stop = lambda: next(asked) == stop_after  # noqa: E731
    yield from run.carry_out(toy.program(rounds), folder, toy.CONFIG, list(seeds), every=every, stop=stop)


def table(capsys, folder) -> list[list[str]]:
    """The cells of every row below the headings."""
    assert cli.main(["runs", str(folder)]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if "steps" not in line and "──" not in line]
    return [[cell.strip() for cell in row.split("  ") if cell.strip()] for row in rows if row.strip()]


def test_every_run_is_listed_with_its_state(capsys, tmp_path):
    runs = tmp_path / "runs"
    done = list(carry(runs / "ring" / "sp" / "done", seeds=(0, 1, 2, 3)))
    list(carry(runs / "ring" / "sp" / "half", stop_after=2))
    shutil.copytree(runs / "ring" / "sp" / "half", runs / "ring" / "sp" / "one bad")
    (runs / "ring" / "sp" / "one bad" / "checkpoints" / "000002" / "state.json").write_text("{}")
    shutil.copytree(runs / "ring" / "sp" / "half", runs / "room" / "cole" / "both bad")
    for path in (runs / "room" / "cole" / "both bad" / "checkpoints").iterdir():
        (path / "state.json").write_text("{}")
    shutil.copytree(runs / "ring" / "sp" / "half", runs / "room" / "cole" / "log bad")
    (runs / "room" / "cole" / "log bad" / "log.jsonl").write_text("{}\n")
    at_work = carry(runs / "room" / "cole" / "work")
    next(at_work)
    rows = {row[2]: row for row in table(capsys, runs)}
    mean = f"{done[-1].log['return'][:, -1].mean():.1f}"
    assert rows["done"][:7] == ["ring", "sp", "done", "0-3", "finished", "1,200", mean]
    assert rows["half"][:6] == ["ring", "sp", "half", "3 1", "stopped", "600"]
    assert rows["one bad"][4] == "stopped"
    assert rows["both bad"][4] == "damaged"
    assert rows["log bad"][4:7] == ["damaged", "0", "-"]
    assert rows["work"][:6] == ["room", "cole", "work", "3 1", "running", "300"]
    at_work.close()
    assert len(rows) == 6


def test_a_damaged_config_is_listed_as_damaged(capsys, tmp_path):
    folder = tmp_path / "ring" / "sp" / "a"
    list(carry(folder))
    (folder / "config.json").write_text("{")
    assert table(capsys, tmp_path)[0][2:5] == ["a", "?", "damaged"]


def test_a_log_that_ends_in_something_else_is_listed_as_damaged(capsys, tmp_path):
    folder = tmp_path / "ring" / "sp" / "a"
    list(carry(folder, stop_after=2))
    (folder / "log.jsonl").write_text("[1]\n")
    assert table(capsys, tmp_path)[0][4:7] == ["damaged", "0", "-"]


@pytest.mark.parametrize("reading", ["iterdir", "exists"])
def test_a_folder_that_cannot_be_read_is_named(capsys, tmp_path, monkeypatch, reading):
    def refuse(path):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, reading, refuse)  # whoever tests may be allowed everything
    assert cli.main(["runs", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"cole: {tmp_path} cannot be read: Permission denied\n"


def test_a_run_may_be_named_itself_and_its_agents_are_not_runs(capsys, tmp_path):
    folder = tmp_path / "ring" / "sp" / "a"
    list(carry(folder))
    (folder / "agents" / "0").mkdir(parents=True)
    (folder / "agents" / "0" / "config.json").write_text("{}")
    for above in (folder, folder.parent, folder.parents[2]):
        assert [row[:3] for row in table(capsys, above)] == [["ring", "sp", "a"]]


@pytest.mark.parametrize(
    ("seconds", "said"), [(5, "5 s ago"), (130, "2 min ago"), (7300, "2 h ago"), (2e6, "23 days ago")]
)
def test_the_age_is_told_in_one_unit(capsys, tmp_path, monkeypatch, seconds, said):
    folder = tmp_path / "ring" / "sp" / "a"
    list(carry(folder, rounds=1))
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    for name in ("config.json", "log.jsonl", "finished"):
        os.utime(folder / name, (now - seconds, now - seconds))
    assert table(capsys, tmp_path)[0][-1] == said


def test_a_folder_without_runs_says_so(capsys, tmp_path):
    assert cli.main(["runs", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"no runs in {tmp_path}\n"


def test_a_missing_folder_is_named(capsys, tmp_path):
    assert cli.main(["runs", str(tmp_path / "nowhere")]) == 2
    assert capsys.readouterr().err == f"cole: there is no folder {tmp_path / 'nowhere'}\n"
