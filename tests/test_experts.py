"""Protocol 2 from games made by hand: Table 1 in both readings, and what is missing."""

import numpy as np
import pytest

from cole.errors import UserError
from cole.evaluate import experts
from cole.evaluate.cache import Played
from cole.evaluate.lineup import Lineup, Team
from cole.evaluate.players import Player

# What a pair earns is 10 x the skill in seat 0 + 2 x the other's: on average over both orders 6 x the sum of both.
SKILLS = {"SP": [1, 2], "MEP": [3, 5], "COLE 1:3": [4, 8]}
BASELINES = ["SP", "MEP"]
LABELS = [*BASELINES, "COLE 1:3"]


def parted(labels: list[str]) -> tuple[list[str], list[str]]:
    """The baselines, and COLE with every ratio."""
    return [x for x in labels if not x.startswith("COLE")], [x for x in labels if x.startswith("COLE")]


def lineup_of(skills: dict[str, list[int | None]], labels: list[str] = LABELS) -> Lineup:
    teams = {}
    for label, each in skills.items():
        players = {seed: Player(f"{label} {seed}", "grid", str(x)) for seed, x in enumerate(each) if x is not None}
        teams["k", label] = Team(label, "k", players, "", "")
    return Lineup(["k"], labels, [0, 1], teams)


def played(lineup: Lineup, labels: list[str] = LABELS) -> dict:
    """Two games of each pair, one above and one below: their standard error is 1."""
    pairs = experts.wanted_pairs(lineup, "k", *parted(labels))
    means = {(a.identity, b.identity): 10 * int(a.identity) + 2 * int(b.identity) for a, b in pairs}
    return {ids: Played(np.array([x - 1, x + 1], np.float32), np.zeros((2, 1), np.int64)) for ids, x in means.items()}


def judged(skills: dict[str, list[int | None]], labels: list[str] = LABELS) -> experts.Experts:
    lineup = lineup_of(skills)
    return experts.with_experts(lineup, "k", *parted(labels), played(lineup, labels))


def test_everybody_plays_everybody_else_in_both_orders_and_nobody_itself():
    pairs = [(a.identity, b.identity) for a, b in experts.wanted_pairs(lineup_of(SKILLS), "k", *parted(LABELS))]
    every = ["1", "2", "3", "5", "4", "8"]
    assert sorted(pairs) == sorted((a, b) for a in every for b in every if a != b)


def test_all_seeds_with_all_seeds_is_worked_by_hand():
    (row,) = experts.table_b(judged(SKILLS), BASELINES)
    assert (row.kitchen, row.ours, list(row.cells)) == ("k", "COLE 1:3", LABELS)
    # SP's seed 0 with MEP: 24 and 36; with COLE: 30 and 54; so 36, and its seed 1 6 more.
    assert row.cells["SP"] == (39, pytest.approx(3), ())
    # MEP's seed 0 with SP: 24 and 30; with COLE: 42 and 66; so 40.5, and its seed 1 12 more.
    assert row.cells["MEP"] == (46.5, pytest.approx(6), ())
    # COLE's seed 0 with SP: 30 and 36; with MEP: 42 and 54; so 40.5, and its seed 1 24 more.
    assert row.cells["COLE 1:3"] == (52.5, pytest.approx(12), ())


def test_the_best_seeds_alone_are_worked_by_hand():
    result = judged(SKILLS)
    assert result.best == [0, 0, 0]  # two seeds earn the same with each other: the first
    (row,) = experts.table_a(result, BASELINES)
    assert row.cells["SP"] == (27, pytest.approx(0.5), ())  # 24 with MEP, 30 with COLE; four pairs with an error of 1
    assert row.cells["MEP"].mean == 33  # 24 and 42
    assert row.cells["COLE 1:3"].mean == 36  # 30 and 42


def test_the_best_is_the_seed_that_earns_most_with_the_other_seeds_of_its_own_method():
    returns = np.zeros((2, 3, 2, 3))
    for (i, j), earned in {(0, 1): 10, (0, 2): 20, (1, 2): 60}.items():
        returns[0, i, 0, j], returns[0, j, 0, i] = earned - 5, earned + 5
    returns[1, 2, 1, 0] = 1  # of the other method seed 2 and seed 0 get on a little
    returns[:, range(3), :, range(3)] = np.nan
    there = np.ones((2, 3), bool)
    assert experts.best_places(returns, there) == [2, 0]  # 15, 35 and 40
    returns[0, 0, 1, :], returns[1, :, 0, 0] = 999, 999  # what seed 0 earns with the test partners is not looked at
    assert experts.best_places(returns, there) == [2, 0]


def test_a_single_seed_is_the_best_and_a_missing_method_has_none():
    result = judged({"SP": [None, 2], "COLE 1:3": [4, 8]})
    assert result.best == [1, None, 0]


def test_a_missing_method_is_a_hole_and_marks_every_mean_it_should_be_in():
    result = judged({"SP": [1, 2], "COLE 1:3": [4, 8]})
    for table in (experts.table_a, experts.table_b):
        (row,) = table(result, BASELINES)
        assert np.isnan(row.cells["MEP"].mean) and row.cells["MEP"].lacks == ("MEP",)
        assert row.cells["SP"].lacks == row.cells["COLE 1:3"].lacks == ("MEP",)
    assert row.cells["SP"].mean == 45  # 42 and 48 with COLE


def test_a_missing_seed_marks_the_means_of_its_method_and_of_those_who_would_have_met_it():
    result = judged(SKILLS | {"MEP": [3, None]})
    (row,) = experts.table_b(result, BASELINES)
    assert all(cell.lacks == ("MEP seed 1",) for cell in row.cells.values())
    assert row.cells["SP"].mean == 36  # seed 0: 24 with MEP's seed 0, 42 with COLE
    assert (row.cells["MEP"].mean, np.isnan(row.cells["MEP"].error)) == (40.5, True)
    (best,) = experts.table_a(result, BASELINES)
    assert best.cells["SP"] == (27, pytest.approx(0.5), ("MEP seed 1",))


def test_somebody_without_any_partner_has_a_hole():
    result = judged({"SP": [1, 2]})
    for table in (experts.table_a, experts.table_b):
        (row,) = table(result, BASELINES)
        assert np.isnan(row.cells["SP"].mean) and row.cells["SP"].lacks == ("MEP", "COLE 1:3")


def test_each_ratio_of_cole_has_a_row_with_the_baselines_and_never_meets_the_other_ratio():
    labels = ["SP", "COLE 0:4", "COLE 1:3"]
    lineup = lineup_of({"SP": [1, 2], "COLE 0:4": [3, 5], "COLE 1:3": [4, 8]}, labels)
    games = played(lineup, labels)
    result = experts.with_experts(lineup, "k", *parted(labels), games)
    assert ("3", "5") in games and ("3", "4") not in games and ("8", "3") not in games
    assert np.isnan(result.returns[1, :, 2]).all() and np.isnan(result.returns[2, :, 1]).all()
    first, second = experts.table_b(result, ["SP"])
    assert (first.ours, second.ours) == ("COLE 0:4", "COLE 1:3")
    assert first.cells["COLE 0:4"].mean == 33  # with SP: 24 and 30, 36 and 42
    assert (first.cells["SP"].mean, second.cells["SP"].mean) == (33, 45)


def test_without_cole_the_baselines_meet_each_other():
    labels = ["SP", "MEP"]
    lineup = lineup_of({"SP": [1, 2], "MEP": [3, 5]}, labels)
    (row,) = experts.table_b(experts.with_experts(lineup, "k", labels, [], played(lineup, labels)), labels)
    assert (row.ours, row.cells["SP"].mean) == (None, 33)


def test_the_experts_are_the_papers_four_and_cole_unless_others_are_named():
    labels = ["SP, paper", "MEP", "HSP", "SP, random starts", "COLE 0:4", "COLE 1:3"]
    lineup = Lineup(["k"], labels, [0], {})
    four = experts.baselines_of(lineup)
    assert four == ["SP, paper", "PBT", "FCP", "MEP"]
    assert experts.baselines_of(lineup, ["SP, random starts", "SP"]) == ["SP, random starts", "SP, paper"]
    assert experts.ours_of(lineup, four) == ["COLE 0:4", "COLE 1:3"]
    assert experts.baselines_of(lineup, ["MEP", "HSP"]) == ["MEP", "HSP"]


def test_any_method_can_be_held_against_the_baselines():
    labels = ["SP", "MEP", "HSP", "E3T, paper", "COLE 0:4", "COLE 1:3"]
    lineup = Lineup(["k"], labels, [0], {})
    assert experts.ours_of(lineup, ["SP", "MEP"], ["E3T", "HSP"]) == ["HSP", "E3T, paper"]
    assert experts.ours_of(lineup, ["SP", "COLE 1:3"], ["HSP", "COLE"]) == ["HSP", "COLE 0:4"]
    assert experts.ours_of(Lineup(["k"], ["SP"], [0], {}), ["SP"]) == []  # there is no COLE: a hole in the table


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        (["HSP", "PBT"], "--ours PBT: there are agents of SP; MEP; HSP"),
        (["HSP", "MEP"], "--ours MEP: it is among the baselines; name the others, as in --baselines SP"),
        (["HSP", "COLE"], "--ours COLE: there are agents of SP; MEP; HSP"),
        ([], "--ours needs a method"),
    ],
)
def test_who_cannot_be_ours_is_refused(wanted, says):
    lineup = Lineup(["k"], ["SP", "MEP", "HSP"], [0], {})
    with pytest.raises(UserError) as error:
        experts.ours_of(lineup, ["SP", "MEP"], wanted)
    assert str(error.value) == says


def test_of_several_trainings_of_a_baseline_the_user_must_name_one():
    labels = ["SP, default", "SP, paper", "MEP"]
    lineup = Lineup(["k"], labels, [0], {})
    with pytest.raises(UserError) as error:
        experts.baselines_of(lineup, ["MEP", "SP"])
    several = 'there are several SP, "SP, default", "SP, paper"'
    assert str(error.value) == f"{several}: name one, as in --baselines MEP 'SP, default'"
    assert experts.baselines_of(lineup, ["MEP", "SP, paper"]) == ["MEP", "SP, paper"]
    begun = {("k", label): Team(label, "k", {}, "", "") for label in labels}
    done = begun["k", "SP, paper"]._replace(players={0: Player("x", "grid", "1")})
    only = lineup._replace(teams=begun | {("k", "SP, paper"): done})  # nobody has finished the other
    assert experts.baselines_of(only, ["SP"]) == ["SP, paper"]


def test_scores_are_by_seed_and_kitchen_and_missing_where_a_partner_is():
    whole, holed = judged(SKILLS), judged({"SP": [1, 2], "COLE 1:3": [4, 8]})
    np.testing.assert_array_equal(experts.scores([whole, holed], "SP", LABELS), [[36, np.nan], [42, np.nan]])
