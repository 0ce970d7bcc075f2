"""Who is compared: teams from folders of runs, their labels and seeds, and what is missing."""

import json
import shutil

import pytest
import toy_agents as toy
import toy_runs
from toy_runs import COLE_1_TO_3, run_of

from cole.errors import UserError
from cole.evaluate import lineup
from cole.evaluate.lineup import Lineup, gather, is_called, label_of, lacking, layout_of, player
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


def test_a_run_without_agents_is_left_out_and_told_about(tmp_path):
    run_of(tmp_path / "done", "sp", [0])
    begun = run_of(tmp_path / "begun", "mep", [])
    told = []
    assert gather([tmp_path], told.append).labels == ["SP"]
    assert told == [f"{begun} has no agents yet, so it is left out: a run hands them out when it is finished"]


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
    assert sorted(labels, key=lineup._place_of_label) == ["MEP", "COLE", "COLE 0:4, paper", "COLE 2:2", "COLE 10:2"]


def test_a_label_is_that_of_a_method_whatever_follows_the_comma():
    assert is_called("SP", "SP") and is_called("SP, paper", "SP") and is_called("COLE 1:3, paper", "COLE")
    assert not is_called("SPX", "SP") and not is_called("E3T", "COLE")
    assert label_of(toy.agent(0).card._replace(method="cole")) == "COLE"  # its ratio is not known
