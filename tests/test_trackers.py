"""Weights & Biases and TensorBoard, played by impostors: what they would be told."""

import sys
from types import SimpleNamespace

import pytest

from cole.errors import UserError
from cole.trackers import open_trackers, scalars

LINE = {"round": 1, "update": 4, "steps": 500, "return": [1.5, [2.5]], "loss": [None, 0.5], "phi": [[0.5, 0.5], [1, 0]]}
SEEN = {"steps": 500, "return/0": 1.5, "return/1": 2.5, "loss/1": 0.5}


def test_only_single_numbers_are_tracked():
    assert scalars(LINE) == SEEN


def test_without_trackers_nothing_happens(tmp_path):
    with open_trackers([], tmp_path, {}) as track:
        track(LINE)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("name", "package"), [("wandb", "wandb"), ("tensorboard", "tensorboardX")])
def test_a_missing_package_is_named_with_its_remedy(tmp_path, monkeypatch, name, package):
    monkeypatch.setitem(sys.modules, package, None)
    with (
        pytest.raises(UserError, match=rf"needs the package {package}: pip install 'cole\[{name}\]'"),
        open_trackers([name], tmp_path, {}),
    ):
        pass


def test_an_unknown_tracker_is_named(tmp_path):
    with (
        pytest.raises(UserError, match="no tracker called mlflow; there are wandb, tensorboard"),
        open_trackers(["mlflow"], tmp_path, {}),
    ):
        pass


def test_wandb_is_told_every_line_under_one_identity(tmp_path, monkeypatch):
    told: list = []

    def init(**settings):
        told.append(settings)
        log = lambda values, step: told.append((step, values))  # noqa: E731
        return SimpleNamespace(log=log, finish=lambda: told.append("finished"))

    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=init))
    folder = tmp_path / "cramped_room" / "sp" / "first"
    folder.mkdir(parents=True)
    for _ in range(2):
        with open_trackers(["wandb"], folder, {"rate": 1}) as track:
            track(LINE)
            track(LINE | {"update": 5})
    assert told[0]["name"] == "cramped_room/sp/first"
    assert (told[0]["config"], told[0]["resume"]) == ({"rate": 1}, "allow")
    assert told[1:4] == [(4, SEEN), (5, SEEN), "finished"]
    assert told[0]["id"] == told[4]["id"]


def test_tensorboard_hides_what_is_written_again(tmp_path, monkeypatch):
    told: list = []

    def writer(folder, purge_step):
        told.append((folder, purge_step))
        return SimpleNamespace(add_scalar=lambda *one: told.append(one), close=lambda: told.append("closed"))

    monkeypatch.setitem(sys.modules, "tensorboardX", SimpleNamespace(SummaryWriter=writer))
    with open_trackers(["tensorboard"], tmp_path, {}) as track:
        track(LINE)
    assert told == [(str(tmp_path / "tensorboard"), 4), *((name, value, 4) for name, value in SEEN.items()), "closed"]
