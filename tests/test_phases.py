"""The parts of a generation, measured: they are there, and COLE alone has them."""

import json

import pytest
from test_cole import SETTING, SMALL

from cole import phases
from cole.cli import main
from cole.methods import cole


@pytest.mark.slow
def test_every_part_of_a_generation_is_timed():
    found = phases.breakdown(SMALL, SETTING, cole.program(SMALL, SETTING), 2)
    assert list(found) == ["generation", "rollout", "update", "payoff", "solver"]
    assert all(taken > 0 for taken in found.values())


def test_a_part_counts_as_often_as_a_generation_does_it(monkeypatch):
    clock = iter(range(0, 100, 3))  # every call takes 3 seconds
    monkeypatch.setattr(phases.time, "perf_counter", lambda: next(clock))
    assert phases.seconds((lambda key: key, 10)) == 30


def test_other_methods_have_no_parts(capsys):
    assert main(["train", "sp", "--breakdown"]) == 2
    assert "only cole has" in capsys.readouterr().err


@pytest.mark.slow
def test_a_run_keeps_its_breakdown(tmp_path, capsys):
    small = tmp_path / "small.layout"
    small.write_text("XPXX\nO12X\nXDSX\n")
    command = f"train cole --layout {small} --size quick --generations 2 --updates 1 --games 2 --games-after 1"
    assert main([*command.split(), "--runs", str(tmp_path / "runs"), "--name", "it", "--breakdown"]) == 0
    assert "milliseconds: generation" in capsys.readouterr().out
    kept = json.loads((tmp_path / "runs/small/cole/it/breakdown.json").read_text())
    assert set(kept) == {"device", "seeds", "milliseconds"} and kept["seeds"] == 1
