"""Protocol 1 from games made by hand: every agent with every proxy in both seats, and with itself."""

import json

import numpy as np
import pytest
import toy_agents as toy

from cole import runfolder
from cole.evaluate import proxy
from cole.evaluate.cache import Played
from cole.evaluate.lineup import Lineup, Team
from cole.evaluate.players import Player

NO_COUNTS = np.zeros((2, 1), np.int64)


def someone(name: str) -> Player:
    return Player(name, "grid", name)


def lineup_of(teams: dict[str, dict[int, Player]], seeds: list[int]) -> Lineup:
    labels = ["SP", "MEP", "COLE 1:3"]
    return Lineup(["k"], labels, seeds, {("k", x): Team(x, "k", players, "", "") for x, players in teams.items()})


S0, S1, C0 = map(someone, ("S0", "S1", "C0"))
PROXIES = [someone("h0"), someone("h1")]
LINEUP = lineup_of({"SP": {0: S0, 1: S1}, "COLE 1:3": {0: C0}}, [0, 1])
GAMES = {  # two games each
    ("S0", "h0"): [10, 30],
    ("S0", "h1"): [40, 40],  # S0 in seat 0: 30
    ("S1", "h0"): [0, 0],
    ("S1", "h1"): [20, 20],  # S1: 10
    ("h0", "S0"): [5, 5],
    ("h1", "S0"): [5, 5],
    ("h0", "S1"): [15, 15],
    ("h1", "S1"): [5, 25],  # in seat 1: 5 and 15
    ("S0", "S0"): [100, 100],
    ("S1", "S1"): [120, 160],
    ("C0", "h0"): [60, 60],
    ("C0", "h1"): [60, 60],
    ("h0", "C0"): [80, 80],
    ("h1", "C0"): [80, 80],
    ("C0", "C0"): [50, 50],
}
FOUND = {ids: Played(np.array(returns, np.float32), NO_COUNTS) for ids, returns in GAMES.items()}


def test_every_agent_meets_every_proxy_in_both_seats_and_itself():
    wanted = proxy.wanted_pairs(LINEUP, "k", PROXIES)
    assert sorted((first.name, second.name) for first, second in wanted) == sorted(GAMES)


def test_the_figures_of_each_seed_are_means_over_proxies_and_games():
    result = proxy.with_proxy(LINEUP, "k", PROXIES, FOUND)
    nan = np.nan
    np.testing.assert_array_equal(result.by_seat[0], [[30, 10], [nan, nan], [60, nan]])
    np.testing.assert_array_equal(result.by_seat[1], [[5, 15], [nan, nan], [80, nan]])
    np.testing.assert_array_equal(result.itself, [[100, 140], [nan, nan], [50, nan]])


def test_errors_are_over_seeds_and_holes_are_named():
    sp, mep, cole = proxy.rows(proxy.with_proxy(LINEUP, "k", PROXIES, FOUND))
    assert (sp.seat0.mean, sp.seat0.error, sp.seat0.lacks) == (20, pytest.approx(10), ())
    assert (sp.seat1.mean, sp.seat1.error) == (10, pytest.approx(5))
    assert (sp.both.mean, sp.both.error) == (15, pytest.approx(2.5))  # 17.5 and 12.5
    assert sp.itself.mean == 120
    assert np.isnan(mep.seat0.mean) and mep.seat0.lacks == ("MEP",)
    assert (cole.both.mean, cole.both.lacks) == (70, ("COLE 1:3 seed 1",)) and np.isnan(cole.both.error)


def test_scores_of_kitchens_stand_side_by_side():
    result = proxy.with_proxy(LINEUP, "k", PROXIES, FOUND)
    other = result._replace(by_seat=result.by_seat + 1)
    np.testing.assert_array_equal(proxy.scores([result, other], "SP"), [[17.5, 18.5], [12.5, 13.5]])


def test_without_a_best_response_there_is_no_br_prox_and_the_divisor_is_self_play():
    result = proxy.with_proxy(LINEUP, "k", PROXIES, FOUND)
    assert result.best is None
    assert all(np.isnan(row.br_prox) for row in proxy.rows(result))
    by, words, labels = proxy.divisors([result, result._replace(itself=2 * result.itself)])
    assert (by.tolist(), words, labels) == ([120, 240], "what SP earns with itself", ["SP", "SP"])


def responder(partners: list[str], label: str = "best response") -> Lineup:
    agent = toy.agent(0, training={"partners": [f"h/{name} {name}" for name in partners]})
    team = {0: Player("best", "grid", "C0", agent)}
    return Lineup(["k"], ["SP", label], [0], {("k", label): Team(label, "k", team, "", "")})


def test_a_best_response_counts_only_if_it_was_trained_with_exactly_these_proxies():
    assert proxy.best_response(responder(["h0", "h1"]), "k", PROXIES) == "best response"
    assert proxy.best_response(responder(["h0"]), "k", PROXIES) is None
    assert proxy.best_response(responder(["h0", "h1"], "PPO_BC"), "k", PROXIES) is None


def test_br_prox_is_the_part_of_what_a_best_response_earns():
    result = proxy.with_proxy(LINEUP, "k", PROXIES, FOUND)._replace(best="COLE 1:3")  # it earns 70
    assert [row.br_prox for row in proxy.rows(result)] == pytest.approx([15 / 70, np.nan, 1.0], nan_ok=True)
    by, words, labels = proxy.divisors([result])
    assert (by.tolist(), words, labels) == ([70], "what the best response earns", ["COLE 1:3"])


def test_what_the_divisor_lacks_is_lacking_in_all_that_is_divided_by_it():
    result = proxy.with_proxy(LINEUP, "k", PROXIES, FOUND)._replace(best="COLE 1:3")  # it has one seed of two
    assert [row.br_lacks for row in proxy.rows(result)] == [
        ("COLE 1:3 seed 1",),
        ("MEP", "COLE 1:3 seed 1"),
        ("COLE 1:3 seed 1",),
    ]
    assert proxy.divisors_lack(LINEUP, [result], proxy.divisors([result])) == ("COLE 1:3 seed 1",)
    alone = result._replace(best=None)
    assert all(row.br_lacks == () for row in proxy.rows(alone))
    assert proxy.divisors_lack(LINEUP, [alone], proxy.divisors([alone])) == ()  # SP has both


def test_a_best_response_that_nobody_has_finished_is_none():
    lineup = responder([])
    empty = {at: team._replace(players={}) for at, team in lineup.teams.items()}
    assert proxy.best_response(lineup._replace(teams=empty), "k", []) is None


def test_seeds_that_still_learn_are_told_from_those_at_their_plateau(tmp_path):
    asked = {"seeds": [3, 4], "rounds": 1, "env_steps": 1, "kept_from": 0, "config": {}}
    facts = {"format": runfolder.FORMAT, "cole": "", "jax": "", "sha256": runfolder.hash_of(asked), **asked}
    (tmp_path / "config.json").write_text(json.dumps(facts))
    lines = [{"round": 0, "update": n, "steps": n, "return": [10.0, float(n)]} for n in range(10)]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    team = Team("best response", "k", {3: S0, 4: S1}, str(tmp_path), "")
    assert proxy.still_learning(team) == [4]
    assert proxy.still_learning(team._replace(source=str(tmp_path / "nowhere"))) == [3, 4]


def test_the_zoo_has_five_proxies_of_a_kitchen_of_the_paper_and_none_of_another():
    assert [one.name for one in proxy.proxies_of("cramped_room")] == [f"h_proxy/seed-{seed}" for seed in range(5)]
    assert proxy.proxies_of("toy") == []
