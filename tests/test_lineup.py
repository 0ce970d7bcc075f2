"""Who is compared: teams from folders of runs, their labels and seeds, and what is missing."""

import json
import shutil

import pytest
import toy_agents as toy
import toy_runs
from toy_runs import COLE_1_TO_3, run_of

from cole.errors import UserError
from cole.evaluate import lineup
from cole.evaluate.labels import RANDOM_STARTS, is_called, label_of, longer, place_of_label, plain_method
from cole.evaluate.lineup import Lineup, gather, lacking, layout_of, player
from cole.kitchen import layouts
from cole.policy import store


def refused(*folders) -> str:
    with pytest.raises(UserError) as error:
        gather(folders)
    return str(error.value)


def names(found: Lineup) -> dict[tuple[str, str], list[int]]:
    return {key: list(team.players) for key, team in found.teams.items()}


def test_runs_below_a_folder_are_gathered_into_teams_in_a_stated_order(tmp_path):
    run_of(tmp_path / "toy" / "cole" / "one", "cole", [10, 11], **COLE_1_TO_3)
    run_of(tmp_path / "toy" / "cole" / "two", "cole", [20], mixture={"own": 0}, batch={"groups": 4})
    for number, method in ((30, "trajedi"), (40, "mep"), (50, "hsp"), (60, "sp"), (70, "best_response")):
        run_of(tmp_path / "toy" / method / "one", method, [number])
    found = gather([tmp_path])
    assert found.labels == ["SP", "MEP", "best response", "HSP", "TrajeDi", "COLE 0:4", "COLE 1:3"]
    assert (found.kitchens, found.seeds) == (["toy"], [0, 1])
    assert names(found)["toy", "COLE 1:3"] == [0, 1]
    assert found.teams["toy", "SP"].source == str(tmp_path / "toy" / "sp" / "one")
    assert lacking(found, "toy", "SP") == ("SP seed 1",)
    assert lacking(found, "toy", "PBT") == ("PBT",)
    assert lacking(found, "toy", "COLE 1:3") == ()
    assert player(found, "toy", "COLE 1:3", 1).identity == toy.player(11).identity
    assert player(found, "toy", "SP", 1) is None
    assert layouts.to_text(layout_of(found, "toy")) == layouts.to_text(toy.KITCHEN)


def test_one_run_its_agents_and_a_single_agent_are_folders_too(tmp_path):
    run = run_of(tmp_path / "toy" / "sp" / "one", "sp", [0, 1])
    whole = gather([run])
    assert names(whole) == {("toy", "SP"): [0, 1]}
    for same in ([run / "agents"], [tmp_path], [run, run / "agents" / "seed-1", tmp_path]):  # everybody once
        assert names(gather(same)) == names(whole)
        assert gather(same).teams["toy", "SP"].source == str(run)
    assert names(gather([run / "agents" / "seed-1"])) == {("toy", "SP"): [1]}


def test_a_seed_that_a_run_was_asked_for_and_has_not_is_a_hole(tmp_path):
    found = gather([run_of(tmp_path / "one", "sp", [0, 1], asked=[0, 1, 2])])
    assert found.seeds == [0, 1, 2]
    assert lacking(found, "toy", "SP") == ("SP seed 2",)


def test_runs_of_the_same_settings_with_other_seeds_are_one_team(tmp_path):
    run_of(tmp_path / "sp" / "default-quick-seed0-1", "sp", [0, 1], rate=0.1, **{"return": 5.0})
    run_of(tmp_path / "sp" / "default-quick-seed2", "sp", [2], rate=0.1, **{"return": 9.0})
    team = gather([tmp_path]).teams["toy", "SP"]
    assert list(team.players) == [0, 1, 2]
    assert team.source.splitlines() == [
        str(tmp_path / "sp" / f"default-quick-{seeds}") for seeds in ("seed0-1", "seed2")
    ]
    first, second = team.command.splitlines()
    assert first.startswith("cole train sp --layout MAP --recipe default --size quick --seed 0 --seeds 2  # the map")
    assert first.endswith(str(tmp_path / "sp" / "default-quick-seed0-1" / "config.json"))
    assert "--seed 2 --seeds 1 " in second


def test_the_command_has_the_ratio_and_leaves_out_what_nobody_knows(tmp_path):
    team = gather([run_of(tmp_path / "mine", "cole", [3], **COLE_1_TO_3)]).teams["toy", "COLE 1:3"]
    assert team.command.startswith("cole train cole --layout MAP --recipe default --ratio 1:3 --seed 3 --seeds 1  #")
    loose = toy_runs.saved(tmp_path / "loose" / "ann", 1, "sp")
    assert gather([loose]).teams["toy", "SP"].command.startswith("# not trained by a run")


def test_a_run_that_kept_what_was_typed_says_just_that(tmp_path):
    run = run_of(tmp_path / "mine", "sp", [3])
    config = json.loads((run / "config.json").read_text())
    (run / "config.json").write_text(json.dumps(config | {"command": "cole train sp --rate 0.1"}))
    assert gather([run]).teams["toy", "SP"].command == "cole train sp --rate 0.1"


def test_the_same_seed_twice_is_refused(tmp_path):
    run_of(tmp_path / "one", "sp", [0])
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    says = refused(tmp_path)
    assert says == f"SP has the seed 0 twice in toy ({tmp_path / 'one'} and {tmp_path / 'two'}): name one of them"


def test_labels_say_more_only_where_two_would_be_the_same(tmp_path):
    run_of(tmp_path / "toy" / "sp" / "a", "sp", [0], recipe="default")
    run_of(tmp_path / "toy" / "sp" / "b", "sp", [10], recipe="paper")
    run_of(tmp_path / "toy" / "mep" / "small", "mep", [20], rate=0.1)
    run_of(tmp_path / "toy" / "mep" / "large", "mep", [30], rate=0.2)
    run_of(tmp_path / "toy" / "fcp" / "a", "fcp", [40])
    assert gather([tmp_path]).labels == ["SP, default", "SP, paper", "FCP", "MEP, large", "MEP, small"]


def test_a_method_is_called_the_same_in_all_kitchens():
    parties = {
        ("here", "SP", "1"): [entry("here", "default", "x")],
        ("here", "SP", "2"): [entry("here", "paper", "y")],
        ("there", "SP", "3"): [entry("there", "default", "z")],
    }
    assert list(lineup._labels(parties).values()) == ["SP, default", "SP, paper", "SP, default"]


def entry(kitchen: str, recipe: str, settings: str) -> lineup.Entry:
    return lineup.Entry(toy.player(0), kitchen, 0, "SP", recipe, settings, lineup.Path(settings))


def test_two_that_cannot_be_told_apart_are_refused(tmp_path):
    run_of(tmp_path / "a" / "one", "sp", [0], rate=0.1)
    run_of(tmp_path / "b" / "one", "sp", [10], rate=0.2)
    assert "is not the only one that is called SP, one in toy, and their settings differ" in refused(tmp_path)


def test_the_seeds_of_an_unfinished_run_are_holes_of_the_team_with_its_settings(tmp_path):
    run_of(tmp_path / "done", "sp", [0, 1], recipe="paper", rate=0.1)
    begun = run_of(tmp_path / "begun", "sp", [], asked=[2, 3], rate=0.1)
    told = []
    found = gather([tmp_path], told.append)
    assert names(found) == {("toy", "SP"): [0, 1]} and found.seeds == [0, 1, 2, 3]
    assert lacking(found, "toy", "SP") == ("SP seed 2", "SP seed 3")
    assert found.begun == (lineup.Begun("SP", "toy", [2, 3], str(begun), ""),)
    assert found.teams["toy", "SP"].source == str(tmp_path / "done")  # its numbers are made of this one alone
    assert told == [f"{begun} has no agents yet: its seeds are holes until it is finished"]


def test_an_unfinished_run_that_began_a_finished_ones_seeds_again_makes_no_hole(tmp_path):
    run_of(tmp_path / "done", "sp", [0, 1])
    run_of(tmp_path / "begun", "sp", [], asked=[1])
    assert lacking(gather([tmp_path], str), "toy", "SP") == ()


def test_a_method_that_nobody_has_finished_is_a_team_without_players(tmp_path):
    run_of(tmp_path / "done", "sp", [0])
    run_of(tmp_path / "begun", "cole", [], asked=[0], **COLE_1_TO_3)
    run_of(tmp_path / "paper-full-seed0", "sp", [], asked=[0], rate=0.2)
    found = gather([tmp_path], str)
    assert names(found) == {("toy", "SP, default"): [0], ("toy", "COLE 1:3"): [], ("toy", "SP, paper"): []}
    assert lacking(found, "toy", "COLE 1:3") == ("COLE 1:3",)


def test_a_kitchen_in_which_nothing_is_finished_is_none_but_its_runs_are_named(tmp_path):
    run_of(tmp_path / "done", "sp", [0])
    begun = run_of(tmp_path / "attic", "mep", [], asked=[5], kitchen="attic")
    found = gather([tmp_path], str)
    assert (found.kitchens, found.labels, found.seeds) == (["toy"], ["SP"], [0])
    assert found.begun == (lineup.Begun("MEP", "attic", [5], str(begun), ""),)


def test_an_unfinished_run_that_does_not_say_what_it_is_is_left_out_and_told_about(tmp_path):
    run_of(tmp_path / "done", "sp", [0])
    begun = tmp_path / "begun"
    begun.mkdir()
    (begun / "config.json").write_text("{}")
    told = []
    assert gather([tmp_path], told.append).begun == ()
    assert told == [f"{begun} has no agents, and its config.json does not say whose they would be: it is left out"]
    assert refused(begun) == f"there are no agents in {begun}"


def test_self_play_from_random_starts_is_a_method_of_its_own(tmp_path):
    run_of(tmp_path / "sp" / "paper", "sp", [0], recipe="paper", batch={"random_starts": 0.0})
    run_of(tmp_path / "sp" / "random-starts", "sp", [10], recipe="paper", batch={"random_starts": 1.0})
    assert gather([tmp_path]).labels == ["SP", "SP, random starts"]
    assert not is_called(RANDOM_STARTS, "SP") and is_called("SP, random starts, paper", RANDOM_STARTS)
    assert longer("SP", "random starts") == "SP, run random starts"  # a run of that name is no such run


def test_recipes_that_differ_between_kitchens_under_one_label_are_named(tmp_path):
    run_of(tmp_path / "a", "sp", [0], recipe="paper")
    run_of(tmp_path / "b", "sp", [10], kitchen="attic")
    run_of(tmp_path / "c", "sp", [20], kitchen="barn", recipe="paper")
    for number, kitchen in ((30, "toy"), (40, "attic")):
        run_of(tmp_path / f"mep-{kitchen}", "mep", [number], kitchen=kitchen)
    found = gather([tmp_path])
    assert found.kitchens == ["attic", "barn", "toy"]
    assert lineup.differing(found, found.labels, found.kitchens) == ["SP: default in attic, paper in barn and toy"]
    assert lineup.differing(found, ["SP"], ["barn", "toy"]) == []


def test_what_holds_no_agents_is_refused(tmp_path):
    assert refused() == "name some folders: of runs, with runs below them, or of agents"
    assert refused(tmp_path / "nowhere") == f"{tmp_path / 'nowhere'} cannot be read: No such file or directory"
    assert refused(tmp_path) == f"there are no agents in {tmp_path}"


def test_agents_that_others_trained_go_by_the_name_of_their_folder(tmp_path):
    for number, name in enumerate(("ann", "bob")):
        toy.saved(tmp_path / "agents" / name, number, seed=None)
    assert names(gather([tmp_path])) == {("toy", "ann"): [0], ("toy", "bob"): [0]}


def test_two_maps_of_one_name_are_refused(tmp_path):
    run_of(tmp_path / "one", "sp", [0])
    other = layouts.parse("XPXX\nO21X\nX  X\nXDSX")
    store.save(tmp_path / "two", toy.agent(1, layout=other))
    assert "it knows only another map of that name" in refused(tmp_path)


def test_kitchens_stand_in_the_papers_order_and_others_after_them():
    kitchens = ["zoo", "counter_circuit", "attic", "cramped_room"]
    assert sorted(kitchens, key=lineup._place_of_kitchen) == ["cramped_room", "counter_circuit", "attic", "zoo"]


def test_ratios_are_ordered_as_numbers():
    labels = ["COLE 10:2", "COLE 2:2", "COLE 0:4, paper", "COLE", "MEP"]
    assert sorted(labels, key=place_of_label) == ["MEP", "COLE", "COLE 0:4, paper", "COLE 2:2", "COLE 10:2"]


def test_a_label_is_that_of_a_method_whatever_follows_the_comma():
    assert is_called("SP", "SP") and is_called("SP, paper", "SP") and is_called("COLE 1:3, paper", "COLE")
    assert not is_called("SPX", "SP") and not is_called("E3T", "COLE")
    assert label_of(toy.agent(0).card._replace(method="cole")) == "COLE"  # its ratio is not known
    assert [plain_method(label) for label in ("SP", "COLE 1:3, paper")] == ["SP", "COLE 1:3"]
    assert plain_method("MEP, small") is None
