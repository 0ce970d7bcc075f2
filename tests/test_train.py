"""`cole train`, as a user runs it, in the smallest kitchen."""

import json

import jax
import numpy as np
import pytest
from jax.experimental.compilation_cache import compilation_cache

from cole import cli, runfolder
from cole.policy import store
from cole.verbs.train import took

KITCHEN = "XPXX\nO12X\nXDSX\n"
TINY = "--games 1 --minibatches 2 --epochs 1 --steps 8000 --seeds 2 --every 1 --games-after 2 --precision single"


@pytest.fixture(scope="module", autouse=True)
def compiled_once(tmp_path_factory):
    """A command builds its program anew each time; what jax compiled for the last one it finds here."""
    before = jax.config.jax_compilation_cache_dir, jax.config.jax_persistent_cache_min_compile_time_secs
    jax.config.update("jax_compilation_cache_dir", str(tmp_path_factory.mktemp("compiled")))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
    compilation_cache.reset_cache()
    yield
    jax.config.update("jax_compilation_cache_dir", before[0])
    jax.config.update("jax_persistent_cache_min_compile_time_secs", before[1])
    compilation_cache.reset_cache()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("train")
    (folder / "tiny.txt").write_text(KITCHEN)
    return folder


def train(place, *more: str) -> int:
    return cli.main(
        ["train", "sp", "--layout", str(place / "tiny.txt"), "--runs", str(place / "runs"), *TINY.split(), *more]
    )


@pytest.fixture(scope="module")
def finished(place):
    assert train(place, "--name", "whole") == 0
    return place / "runs" / "tiny" / "sp" / "whole"


def test_a_run_leaves_its_config_its_log_and_an_agent_of_each_seed(finished):
    config = runfolder.read_config(finished)
    assert config["config"]["map"].strip("\n") == KITCHEN.strip("\n")
    assert config["config"]["setting"]["hyper"]["clip"] == 0.1
    lines = [json.loads(line) for line in (finished / "log.jsonl").read_text().splitlines()]
    assert [line["update"] for line in lines] == list(range(20))
    assert lines[-1]["steps"] == 8000
    assert all(len(line["return"]) == 2 for line in lines)
    agents = [store.load(finished / "agents" / f"seed-{seed}") for seed in (0, 1)]
    assert [agent.card.seed for agent in agents] == [0, 1]
    assert agents[0].card.method == "sp" and agents[0].card.steps == 8000
    assert agents[0].card.training["recipe"] == "default"
    assert "return" in agents[0].card.training
    assert store.identity(agents[0]) != store.identity(agents[1])
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(agents[0].params))


def test_a_run_keeps_what_was_typed(finished):
    assert runfolder.read_config(finished)["command"].startswith("cole train sp --layout ")


def test_the_time_of_a_run_is_told_in_two_parts():
    words = took(47.5, 20.0, 80)
    assert words.startswith("took 47.5 s: 20.0 s until the first round was compiled and done, 27.5 s for the 79 others")


def test_a_run_that_was_stopped_goes_on_to_the_same_agents(place, finished, monkeypatch, capsys):
    with monkeypatch.context() as stopping:
        stopping.setattr("cole.verbs.train.stop_requests", stop_after_first_round)
        assert train(place, "--name", "halted") == 130
    assert "--resume" in capsys.readouterr().out
    halted = finished.parent / "halted"
    assert not (halted / "agents").exists()
    assert train(place, "--name", "halted", "--resume") == 0
    for seed in (0, 1):
        both = [store.identity(store.load(run / "agents" / f"seed-{seed}")) for run in (finished, halted)]
        assert both[0] == both[1]
    assert (halted / "log.jsonl").read_bytes() == (finished / "log.jsonl").read_bytes()
    assert contents(halted / "strategies") == contents(finished / "strategies")
    assert len(contents(halted / "strategies")) == 20


def contents(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class stop_after_first_round:
    """A context in which somebody has already asked to stop."""

    def __enter__(self):
        return lambda: True

    def __exit__(self, *_):
        return None


def test_a_run_is_neither_overwritten_nor_resumed_with_other_settings(place, finished, capsys):
    assert train(place, "--name", "whole") == 2
    assert "holds a run already" in capsys.readouterr().err
    assert train(place, "--name", "whole", "--resume", "--clip", "0.3") == 2
    said = capsys.readouterr().err
    assert "setting.hyper.clip: 0.1 -> 0.3" in said
    assert train(place, "--name", "whole", "--resume", "--seeds", "3") == 2
    assert "seeds: [0, 1] -> [0, 1, 2]" in capsys.readouterr().err


def test_resuming_a_finished_run_says_so(place, finished, capsys):
    assert train(place, "--name", "whole", "--resume") == 0
    assert "is finished" in capsys.readouterr().out


COLE = "--games 1 --minibatches 2 --epochs 1 --generations 4 --updates 1 --capacity 3 --earliest 1 --episodes 1"
COLE += " --warmup 1 --every 1 --games-after 1 --precision single"


def train_cole(place, *more: str) -> int:
    layout = str(place / "tiny.txt")
    return cli.main(["train", "cole", "--layout", layout, "--runs", str(place / "runs"), *COLE.split(), *more])


@pytest.mark.slow  # tests/test_methods.py does the same in less time, without the command line
def test_a_run_of_cole_stopped_after_any_generation_goes_on_to_the_same_end(place, monkeypatch):
    """Its population is full after two generations, so that the last two each remove a strategy."""
    assert train_cole(place, "--name", "whole") == 0
    with monkeypatch.context() as stopping:
        stopping.setattr("cole.verbs.train.stop_requests", stop_after_first_round)
        for _ in range(3):
            assert train_cole(place, "--name", "halted", "--resume") == 130
    assert train_cole(place, "--name", "halted", "--resume") == 0
    whole, halted = (place / "runs" / "tiny" / "cole" / name for name in ("whole", "halted"))
    for part in ("strategies", "agents/seed-0", "checkpoints/000004"):
        assert contents(whole / part) == contents(halted / part)
    lines = [json.loads(line) for line in (halted / "log.jsonl").read_text().splitlines()]
    assert [line["round"] for line in lines] == [0, 1, 2, 3]
    assert [line["alive"] for line in lines] == [[2], [3], [3], [3]]
    assert (halted / "log.jsonl").read_bytes() == (whole / "log.jsonl").read_bytes()


@pytest.mark.slow
def test_a_run_can_start_from_agents_on_disk_of_its_own_kitchen_only(place, finished, capsys):
    agent = str(finished / "agents" / "seed-1")
    assert train_cole(place, "--name", "based", "--initial", agent, "--layout", "cramped_room") == 2
    assert "is another kitchen" in capsys.readouterr().err
    assert train_cole(place, "--name", "based", "--initial", agent, "--view", "grid2019") == 2
    assert "it sees grid, and this run sees grid2019" in capsys.readouterr().err
    assert train_cole(place, "--name", "based", "--initial", agent, "--generations", "1") == 0
    based = place / "runs" / "tiny" / "cole" / "based"
    assert runfolder.read_config(based)["config"]["initial"] == [store.identity(store.load(agent))]
