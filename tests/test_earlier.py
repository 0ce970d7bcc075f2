"""Agents of an earlier round: which round is the best, what stands on their cards, what they are called, the verb."""

import json

import numpy as np
import pytest
import toy_agents as toy
import toy_history as past

from cole import cli
from cole.errors import UserError
from cole.evaluate import earlier
from cole.evaluate.lineup import gather
from cole.policy import store
from cole.verbs import agents

TRAINING = {"recipe": "paper", "view": "grid", "return": 12.0, "published": True}
EARNED = [[1.0, 9.0], [5.0, 7.0], [4.0, 8.0], [2.0, None]]  # by round, of the seeds 5 and 9


@pytest.fixture(autouse=True)
def _own_caches(monkeypatch, tmp_path):
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))


@pytest.fixture
def folder(tmp_path):
    """A finished run of four rounds with its agents, and a log that says what was earned."""
    run = past.made(tmp_path / "runs" / "toy" / "toy" / "four", rounds=4)
    lines = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
    lines = [line | {"return": earned} for line, earned in zip(lines, EARNED, strict=True)]
    (run / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for seed in past.SEEDS:
        made = toy.agent(past.number(seed, 3))
        facts = {"seed": seed, "method": "toy", "layout": "toy", "training": TRAINING}
        store.save(run / "agents" / f"seed-{seed}", made._replace(card=made.card._replace(**facts)))
    return run


def identities(found):
    return [store.identity(agent) for agent in found]


def of_rounds(*rounds):
    return [store.identity(toy.agent(past.number(seed, at))) for seed, at in zip(past.SEEDS, rounds, strict=True)]


def test_the_best_round_of_each_seed_is_the_one_in_which_it_earned_most(folder):
    """Seed 5 earned most after round 1, seed 9 after round 0; where a return is not a number nothing was earned."""
    assert earlier.best_rounds(folder) == [1, 0]
    found = earlier.taken(folder, "best")
    assert identities(found) == of_rounds(1, 0)
    assert [agent.card.steps for agent in found] == [200, 100]


def test_several_updates_of_a_round_count_together(folder):
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    more = [line | {"return": [20.0 * (line["round"] == 3), 0.0]} for line in lines]
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines + more))
    assert earlier.best_rounds(folder) == [3, 0]  # 2 and 20, where 5 and 0 were


def test_any_round_can_be_taken(folder):
    assert identities(earlier.taken(folder, "2")) == of_rounds(2, 2)
    for wanted in ("4", "-1", "first", "1.0", ""):
        with pytest.raises(UserError, match=r"--round must be best or a number from 0 to 3, not"):
            earlier.taken(folder, wanted)


def test_a_card_has_the_settings_of_the_run_and_nothing_that_its_last_agent_reached(folder):
    card = earlier.taken(folder, "best")[0].card
    assert card.training == {"recipe": "paper", "view": "grid", "taken": "best", "round": 1}
    assert (card.seed, card.method, card.layout) == (5, "toy", "toy")


def test_a_run_that_is_not_finished_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"half is not finished"):
        earlier.taken(past.made(tmp_path / "half", rounds=4, stop_after=2), "best")


def test_agents_act_in_the_precision_they_were_trained_in(folder, monkeypatch):
    asked = []

    def measurer(layout, view, half, seeds, games):
        asked.append((half, seeds, games))
        return lambda params: np.zeros((len(seeds), games))

    monkeypatch.setattr(agents, "measurer", measurer)
    for half in (True, False):
        monkeypatch.setattr(
            earlier, "taken", lambda *_, half=half: [in_precision(folder, seed, half) for seed in (5, 9)]
        )
        assert cli.main(["agents", "take", str(folder), "--out", str(folder.parent / f"{half}")]) == 0
    assert asked == [(True, [5, 9], 100), (False, [5, 9], 100)]


def in_precision(folder, seed, half):
    agent = store.load(folder / "agents" / f"seed-{seed}")
    return agent._replace(card=agent.card._replace(training=agent.card.training | {"half": half, "round": 0}))


def test_the_verb_puts_them_beside_the_run_where_they_are_a_team_of_their_own(folder, capsys):
    assert cli.main(["agents", "take", str(folder), "--games-after", "2"]) == 0
    assert "four-best: after rounds 1, 0; return with itself, 2 games a seed" in capsys.readouterr().out
    found = store.load(folder.parent / "four-best" / "seed-9")
    assert store.identity(found) == of_rounds(0, 0)[1] and "return" in found.card.training
    lineup = gather([folder.parent])
    assert lineup.labels == ["toy, four", "toy, four-best"] and lineup.seeds == past.SEEDS
    assert not list(folder.parent.glob(".*"))
    assert cli.main(["agents", "take", str(folder), "--games-after", "2"]) == 2
    assert "four-best exists already" in capsys.readouterr().err
