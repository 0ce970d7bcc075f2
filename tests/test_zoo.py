"""A zoo of the agents of runs: who is published, what a card says of what was earned, and the list of it all."""

import json
from pathlib import Path

import numpy as np
import pytest
from toy_runs import COLE_1_TO_3, run_of

from cole import zoo
from cole.cli import main
from cole.errors import UserError
from cole.evaluate.behaviour import behaviour_of
from cole.evaluate.lineup import gather
from cole.evaluate.pairs import Setting
from cole.evaluate.players import find
from cole.kitchen import layouts
from cole.policy import store


@pytest.fixture
def runs(tmp_path) -> Path:
    """Self-play and COLE, two seeds each."""
    run_of(tmp_path / "runs" / "toy" / "sp" / "paper", "sp", [10, 11], **{"return": 50.0})
    run_of(tmp_path / "runs" / "toy" / "cole" / "paper", "cole", [20, 21], **COLE_1_TO_3, **{"return": 60.0})
    return tmp_path / "runs"


def evaluation(
    runs: Path, folder: Path, protocol: str, games: list[tuple[str, str, list[float]]], baselines: tuple[str, ...] = ()
) -> Path:
    """A file as `cole evaluate` writes it; in games, agents are sp0, sp1, cole0, cole1, and others who they are."""
    lineup = gather([runs])
    short = {"SP": "sp", "COLE 1:3": "cole"}
    ids = {f"{short[t.label]}{seed}": p.identity for t in lineup.teams.values() for seed, p in t.players.items()}
    teams = [
        {"label": t.label, "kitchen": t.kitchen, "players": {str(seed): p.identity for seed, p in t.players.items()}}
        for t in lineup.teams.values()
    ]
    each = [{"identities": [ids.get(a, a), ids.get(b, b)], "returns": returns} for a, b, returns in games]
    folder.mkdir(exist_ok=True)
    best = [{"kitchen": "toy", "labels": ["SP", "COLE 1:3"], "best": [1, None]}] if protocol == "experts" else []
    facts = {
        "format": "cole-evaluation",
        "teams": teams,
        "games": each,
        "figures": {"experts": best, "baselines": baselines},
    }
    (folder / f"{protocol}.json").write_text(json.dumps(facts))
    return folder


def earned(runs: Path, folder: Path) -> dict[str, dict]:
    """By label and seed."""
    found, teams = zoo.evaluated_in(folder).earned, gather([runs]).teams.values()
    return {f"{t.label} {seed}": found.get(p.identity, {}) for t in teams for seed, p in t.players.items()}


@pytest.mark.parametrize(
    ("label", "name"),
    [("SP", "sp"), ("COLE 1:3", "cole-1to3"), ("SP, random starts", "sp-random-starts"), ("PPO_BC", "ppo_bc")],
)
def test_folders_are_called_by_the_method(label, name):
    assert zoo.folder_name(label) == name


def test_what_was_earned_with_experts_is_the_mean_of_both_seats_over_other_methods(runs, tmp_path):
    """cole1: in seat 0 (10 + 20) / 2 with sp0, 40 with sp1, so 27.5; in seat 1 50 with sp0; own kind does not count."""
    games = [
        ("cole1", "sp0", [10.0, 20.0]),
        ("cole1", "sp1", [40.0]),
        ("sp0", "cole1", [50.0]),
        ("cole1", "cole0", [1000.0]),
        ("cole1", "cole1", [1000.0]),
    ]
    found = earned(runs, evaluation(runs, tmp_path / "games", "experts", games))
    assert found["COLE 1:3 1"] == {"with_experts": pytest.approx((27.5 + 50.0) / 2, abs=0.05)}
    assert found["COLE 1:3 0"] == {}  # nobody else met it


def test_each_method_counts_once_however_many_agents_it_has(runs, tmp_path):
    """sp0 meets COLE twice with 0 and 20, and a stranger, who counts as a method of its own, with 40."""
    games = [("sp0", "cole0", [0.0]), ("sp0", "cole1", [20.0]), ("sp0", "stranger", [40.0])]
    games += [("cole0", "sp0", [25.0])]
    found = earned(runs, evaluation(runs, tmp_path / "games", "experts", games))
    assert found["SP 0"] == {"with_experts": pytest.approx((25.0 + 25.0) / 2)}


def test_with_experts_only_the_agents_of_baselines_count(runs, tmp_path):
    """Where SP is the only baseline, what sp0 earns with COLE is not what it earns with experts."""
    games = [("cole0", "sp0", [30.0]), ("sp0", "cole0", [50.0]), ("cole0", "stranger", [0.0])]
    found = earned(runs, evaluation(runs, tmp_path / "games", "experts", games, ("SP",)))
    assert found["COLE 1:3 0"] == {"with_experts": 40.0} and found["SP 0"] == {}


def test_with_proxies_both_seats_are_told(runs, tmp_path):
    games = [("sp0", "h0", [10.0]), ("sp0", "h1", [20.0]), ("h0", "sp0", [30.0]), ("h1", "sp0", [50.0])]
    found = earned(runs, evaluation(runs, tmp_path / "games", "proxy", games))
    assert found["SP 0"] == {"with_proxy": [15.0, 40.0]}


def test_who_earns_most_with_its_own_kind_is_published_and_else_who_earned_most_with_itself(runs):
    team = gather([runs]).teams["toy", "SP"]
    assert zoo.published_seed(team) == 0  # both earned 50 with themselves
    assert zoo.published_seed(team, zoo.Evaluated({}, frozenset({team.players[1].identity}))) == 1
    assert zoo.published_seed(team, zoo.Evaluated({}, frozenset({"somebody else"}))) == 0
    assert zoo.published_seed(team._replace(players={})) is None


def test_packed_agents_play_as_before_and_say_what_they_earned(runs, tmp_path, capsys):
    games = [("sp1", "cole0", [80.0]), ("cole0", "sp1", [60.0])]
    folder = evaluation(runs, tmp_path / "games", "experts", games)
    assert main(["agents", "pack", str(runs), "--out", str(tmp_path / "zoo"), "--evaluation", str(folder)]) == 0
    assert "4 agents are in" in capsys.readouterr().out
    found = {player.path[-2:]: player.agent for player in find([tmp_path / "zoo"])}
    assert set(found) == {(name, f"seed-{seed}") for name in ("sp", "cole-1to3") for seed in (0, 1)}
    training = found["sp", "seed-1"].card.training
    assert (training["with_experts"], training["published"]) == (70.0, True)
    assert found["sp", "seed-0"].card.training["published"] is False
    before = store.load(runs / "toy" / "sp" / "paper" / "agents" / "seed-1")
    for layer, parts in before.params.items():
        for part, x in parts.items():
            np.testing.assert_array_equal(x.astype(np.float16), found["sp", "seed-1"].params[layer][part])
    assert {team.label for team in gather([tmp_path / "zoo"]).teams.values()} == {"SP", "COLE 1:3"}


def test_who_is_published_does_not_depend_on_what_a_method_is_called_beside_others(runs, tmp_path):
    folder = evaluation(runs, tmp_path / "games", "experts", [])
    run_of(runs / "toy" / "sp" / "ours", "sp", [30, 31], recipe="paper", **{"return": 50.0})
    teams = {team.label: team for team in gather([runs]).teams.values()}
    assert set(teams) == {"SP, default", "SP, paper", "COLE 1:3"}
    known = zoo.evaluated_in(folder)
    assert {label: zoo.published_seed(teams[label], known) for label in ("SP, default", "SP, paper")} == {
        "SP, default": 1,
        "SP, paper": 0,
    }


def test_only_some_methods_can_be_packed(runs, tmp_path):
    assert main(["agents", "pack", str(runs), "--out", str(tmp_path / "zoo"), "--methods", "SP"]) == 0
    assert [path.name for path in (tmp_path / "zoo" / "toy").iterdir()] == ["sp"]
    with pytest.raises(UserError, match="no agents of FCP: there are those of SP, COLE 1:3"):
        zoo.packed(gather([runs]), labels=["FCP"])


def test_the_list_has_a_line_for_each_method_below_its_kitchen(runs, tmp_path, capsys):
    main(["agents", "pack", str(runs), "--out", str(tmp_path / "zoo")])
    capsys.readouterr()
    assert main(["agents", "list", str(tmp_path / "zoo")]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    first = lines.index(["toy"])
    assert lines[first + 1 : first + 3] == [["cole-1to3", "2", "60.0", "0"], ["sp", "2", "50.0", "0"]]


def test_without_a_folder_the_list_is_of_the_agents_of_the_project(capsys):
    assert main(["agents"]) == 0
    out = capsys.readouterr().out
    assert "h_proxy" in out and "cramped_room" in out


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"format": "cole-evaluation"}', b'{"format": "other"}'])
def test_what_is_no_evaluation_is_refused(tmp_path, content):
    (tmp_path / "experts.json").write_bytes(content)
    with pytest.raises(UserError, match=r"experts\.json is no result of `cole evaluate`"):
        zoo.evaluated_in(tmp_path)


def test_a_folder_without_evaluation_is_refused(tmp_path):
    with pytest.raises(UserError, match="no results of an evaluation"):
        zoo.evaluated_in(tmp_path)


def test_agents_that_were_trained_otherwise_are_not_replaced(tmp_path, capsys):
    """The paper's COLE and ours have one label unless they are packed together."""
    runs = [tmp_path / recipe for recipe in ("paper", "default")]
    for number, run in enumerate(runs):
        run_of(run, "cole", [10 * number, 10 * number + 1], recipe=run.name, **COLE_1_TO_3)
    out = ["--out", str(tmp_path / "zoo")]
    for _ in range(2):  # the same once more is no loss
        assert main(["agents", "pack", str(runs[0]), *out]) == 0
    before = store.load(tmp_path / "zoo" / "toy" / "cole-1to3" / "seed-0")
    assert main(["agents", "pack", str(runs[1]), *out]) == 2
    assert "was trained otherwise, and would be lost: pack them together" in capsys.readouterr().err
    assert store.identity(store.load(tmp_path / "zoo" / "toy" / "cole-1to3" / "seed-0")) == store.identity(before)
    assert main(["agents", "pack", *map(str, runs), *out]) == 0
    folders = {path.name for path in (tmp_path / "zoo" / "toy").iterdir()}
    assert folders == {"cole-1to3", "cole-1to3-paper", "cole-1to3-default"}


OTHERS = [pytest.param(name, marks=pytest.mark.slow) for name in layouts.MAPS if name != "cramped_room"]


@pytest.mark.parametrize("kitchen", ["cramped_room", *OTHERS])
def test_the_cole_of_the_zoo_earns_what_its_card_says(kitchen):
    every = [player for player in find(["cole-1to3-default"], kitchen) if player.agent]
    [player] = [one for one in every if one.agent and one.agent.card.training["published"]]
    assert len(every) == (5 if kitchen == "cramped_room" else 1)
    assert player.agent and player.agent.card.layout == kitchen
    returns = behaviour_of(layouts.load(kitchen), (player, player), Setting(20)).returns
    assert abs(returns.mean() - player.agent.card.training["return"]) < 10
