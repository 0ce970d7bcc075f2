"""The strategies of a run played afresh: which are taken, whose they are, what is refused, and the verb on it all."""

import json
import re

import numpy as np
import pytest
import toy_agents as toy
import toy_history as past
from safetensors.numpy import load_file, save_file

from cole import cli
from cole.errors import UserError
from cole.evaluate import history
from cole.evaluate.crossplay import Setting, crossplay
from cole.policy import store
from cole.report.matrix import read_matrix

SHORT = Setting(episodes=2, steps=30)


@pytest.fixture(autouse=True)
def _own_caches(monkeypatch, tmp_path):
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "120")


@pytest.fixture
def folder(tmp_path):
    return past.made(tmp_path / "runs" / "toy" / "toy" / "five")


def file_of(folder, round=2):
    return folder / "strategies" / f"{round:06d}.safetensors"


def same(agent: store.Agent, seed: int, round: int) -> bool:
    return store.identity(agent) == store.identity(toy.agent(past.number(seed, round)))


# ------------------------------------------------------------------------------------------------ which are taken


@pytest.mark.parametrize(
    ("last", "count", "rounds"),
    [
        (4, 50, [0, 1, 2, 3, 4]),
        (4, 5, [0, 1, 2, 3, 4]),
        (4, 4, [0, 1, 3, 4]),
        (4, 3, [0, 2, 4]),
        (4, 2, [0, 4]),
        (1, 2, [0, 1]),
        (99, 4, [0, 33, 66, 99]),
    ],
)
def test_rounds_are_taken_evenly_from_the_first_to_the_last(last, count, rounds):
    assert history.picked(last, count) == rounds


@pytest.mark.parametrize("last", [1, 2, 48, 49, 50, 51, 199, 1000])
def test_no_round_is_taken_twice_and_the_steps_between_differ_by_one_at_most(last):
    rounds = history.picked(last, 50)
    assert len(rounds) == min(50, last + 1)
    assert (rounds[0], rounds[-1]) == (0, last)
    steps = np.diff(rounds)
    assert steps.min() >= 1
    assert steps.max() - steps.min() <= 1


@pytest.mark.parametrize("count", [1, 0, -3])
def test_a_single_strategy_is_too_few(folder, count):
    with pytest.raises(UserError, match=f"count must be at least 2, not {count}"):
        history.read(folder, count)


def test_strategies_are_the_learner_of_the_first_seed_after_these_rounds(folder):
    found = history.read(folder, 3)
    assert (found.method, found.seed, found.rounds) == ("toy", 5, [0, 2, 4])
    assert all(same(agent, 5, round) for agent, round in zip(found.agents, found.rounds, strict=True))
    card = found.agents[1].card
    assert (card.layout, card.view, card.method, card.seed, card.steps) == ("toy", "grid", "toy", 5, 300)
    assert card.training == {"run": "five", "round": 2}
    assert [player.name for player in history.players(found)] == ["round-000", "round-002", "round-004"]


def test_an_agent_of_a_round_can_be_saved_as_any_other(folder, tmp_path):
    store.save(tmp_path / "agent", history.read(folder).agents[0])
    assert same(store.load(tmp_path / "agent"), 5, 0)


def test_another_seed_is_another_learner(folder):
    found = history.read(folder, 2, seed=9)
    assert found.seed == 9
    assert same(found.agents[1], 9, 4)
    with pytest.raises(UserError, match=r"five has no seed 7: it has 5, 9$"):
        history.read(folder, 2, seed=7)


def test_a_name_has_as_many_digits_as_the_last_round_needs(folder):
    found = history.read(folder, 2)
    assert [player.name for player in history.players(found._replace(rounds=[0, 12345]))] == [
        "round-00000",
        "round-12345",
    ]


def test_of_a_run_that_is_not_finished_the_rounds_there_are_count(tmp_path):
    folder = past.made(tmp_path / "half", rounds=9, stop_after=3)
    (folder / "strategies" / ".000007.safetensors.new").write_bytes(b"half written")
    assert history.read(folder).rounds == [0, 1, 2]


# ------------------------------------------------------------------------------------------------ what is refused


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"is not the folder of a run: it has no config.json$"):
        history.read(tmp_path)


def test_a_run_that_kept_too_little_is_refused(tmp_path):
    with pytest.raises(UserError, match="has kept only the strategy of its first round"):
        history.read(past.made(tmp_path / "one", rounds=1))
    folder = past.made(tmp_path / "none")
    for file in (folder / "strategies").iterdir():
        file.unlink()
    with pytest.raises(UserError, match="has kept no strategies"):
        history.read(folder)


@pytest.mark.parametrize("config", [{"map": None}, {"setting": {}}, {"setting": {"view": "smell"}}, {"setting": None}])
def test_a_run_that_does_not_say_what_its_strategies_see_is_refused(tmp_path, config):
    folder = past.made(tmp_path / "run", rounds=2, **config)
    with pytest.raises(UserError, match=r"config.json names no method, kitchen and view"):
        history.read(folder)


@pytest.mark.parametrize("round", [0, 2, 4])
def test_a_missing_round_of_a_finished_run_is_refused_by_name(folder, round):
    file_of(folder, round).unlink()
    with pytest.raises(UserError, match=rf"{re.escape(str(file_of(folder, round)))} cannot be read: No such file"):
        history.read(folder, 5)


def test_a_round_that_is_not_looked_at_may_be_missing(folder):
    file_of(folder, 1).unlink()
    assert history.read(folder, 3).rounds == [0, 2, 4]


def damaged(file, how):
    tensors = load_file(file)
    if how == "cut short":
        return file.write_bytes(file.read_bytes()[:-8])
    if how == "empty":
        return file.write_bytes(b"")
    if how == "no tensor":
        del tensors["conv1/b"]
    if how == "odd tensor":
        tensors["conv9/b"] = tensors["conv1/b"]
    if how == "one seed":
        tensors = {name: x[:1] for name, x in tensors.items()}
    if how == "shape":
        tensors["value/w"] = tensors["value/w"][:, :3]
    if how == "type":
        tensors["value/w"] = tensors["value/w"].astype(np.float64)
    if how == "number":
        tensors["value/w"][0, 0] = np.nan
    return save_file(tensors, file)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("cut short", " is not a safetensors file: "),
        ("empty", " is not a safetensors file: "),
        ("no tensor", ": the tensor 'conv1/b' is missing"),
        ("odd tensor", ": 'conv9/b' is not a tensor of this network"),
        ("one seed", ": the tensor 'conv1/b' is 1x25, and the run has 2 seeds"),
        ("shape", ": the tensor 'value/w' is 3x1, not 64x1"),
        ("type", ": the tensor 'value/w' is of type F64, not F32"),
        ("number", ": the tensor 'value/w' has numbers that are not finite"),
    ],
)
def test_a_damaged_round_is_refused_in_one_sentence_by_name(folder, how, said):
    damaged(file_of(folder), how)
    with pytest.raises(UserError) as refused:
        history.read(folder)
    assert str(refused.value).startswith(f"{file_of(folder)}{said}")
    assert "\n" not in str(refused.value)


def test_a_seed_that_went_astray_leaves_the_others_alone(folder):
    damaged(file_of(folder), "number")  # of seed 5
    assert same(history.read(folder, seed=9).agents[2], 9, 2)


# -------------------------------------------------------------------------------------------- whom the learner met


def test_partners_come_from_the_log_slot_by_slot(tmp_path):
    met = history.partners(past.made(tmp_path / "run", phi=True), seed=9)
    assert met is not None
    assert met.rounds.tolist() == [0, 1, 2, 3, 4]
    assert met.there.sum(axis=1).tolist() == [1, 2, 3, 4, 4]
    np.testing.assert_allclose(met.phi[1], [1 / 3, 2 / 3, 0, 0])
    assert met.draws.sum(axis=1).tolist() == [0, 2, 3, 4, 4]
    assert met.effective.tolist() == [0, 2, 3, 4, 4]


def test_a_method_without_phi_has_no_partners_to_tell_of(folder):
    assert history.partners(folder) is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2 is none of a log"),
        ("[]", "line 2 is none of a log"),
        ('{"round": 1}', "line 2 is none of a log"),
        ('{"round": 1, "update": 1, "steps": 9, "phi": [[1]]}', "phi, draws and what belongs to them"),
    ],
)
def test_a_damaged_log_is_refused_by_name(tmp_path, line, said):
    log = past.made(tmp_path / "run", phi=True) / "log.jsonl"
    lines = log.read_text().splitlines()
    log.write_text("\n".join([lines[0], line, *lines[2:], ""]))
    with pytest.raises(UserError) as refused:
        history.partners(tmp_path / "run")
    assert str(refused.value).startswith(f"{log} is damaged: {said}")


def test_a_line_that_is_being_written_is_left_out(tmp_path):
    log = past.made(tmp_path / "run", phi=True) / "log.jsonl"
    log.write_bytes(log.read_bytes()[:-40])
    met = history.partners(tmp_path / "run")
    assert met is not None
    assert met.rounds.tolist() == [0, 1, 2, 3]


# ---------------------------------------------------------------------------------------------------------- playing


def test_a_replay_is_the_cross_play_of_those_agents_and_is_remembered(folder, tmp_path):
    found = history.read(folder, 2)
    played = history.replay(found, SHORT, known=tmp_path / "known")
    ours = [toy.player(past.number(5, round)) for round in (0, 4)]
    again = crossplay(ours, toy.KITCHEN, SHORT, known=tmp_path / "known")
    assert (played.computed, again.computed) == (4, 0)
    assert np.array_equal(played.returns, again.returns)


@pytest.mark.slow
def test_the_verb_plays_a_run_and_saves_all_it_finds_beside_it(tmp_path, capsys):
    folder = past.made(tmp_path / "runs" / "toy" / "cole" / "tiny", phi=True)
    arguments = ["analyze", str(folder), "--count", "2", "--episodes", "1", "--seed", "9", "--games-seed", "3"]
    assert cli.main(arguments) == 0
    out = folder / "analysis"
    printed = capsys.readouterr().out
    assert "the newest is preferred by most predecessors in 100 % of 1 round, by all of them in 100 %" in printed
    assert read_matrix(out / "payoff.csv").names == ["round-000", "round-004"]
    analysis = json.loads((out / "analysis.json").read_text())
    asked = {name: analysis[name] for name in ("run", "method", "seed", "episodes", "games_seed")}
    assert asked == {"run": str(folder), "method": "toy", "seed": 9, "episodes": 1, "games_seed": 3}
    assert analysis["newest"]["round"] == [0, 4]
    assert {"newest.pdf", "newest.svg", "partners.pdf", "payoff_matrix.pdf"} <= {path.name for path in out.iterdir()}
    assert cli.main(["crossplay", str(folder)]) == 2  # what was saved is not taken for agents
    assert "has no agents" in capsys.readouterr().err
