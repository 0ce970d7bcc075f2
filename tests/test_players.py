"""Who can play: found by folder or name, called by short names that differ, and refused in a sentence that says why."""

import json
from pathlib import Path

import pytest
import toy_agents as toy

from cole import sealed
from cole.errors import UserError
from cole.evaluate import players
from cole.evaluate.players import as_players, cook, find, kitchen_of, named
from cole.kitchen import layouts
from cole.policy import store

ROOM = layouts.load("cramped_room")


def names(wanted, **options) -> list[str]:
    return [player.name for player in find(wanted, **options)]


def refusal(*arguments, what=find, **options) -> str:
    with pytest.raises(UserError) as caught:
        what(*arguments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_folder_of_an_agent_is_a_player_of_that_name(tmp_path):
    [player] = find([str(toy.saved(tmp_path / "ann", 3))])
    assert (player.name, player.kind) == ("ann", "grid")
    assert player.identity == store.identity(toy.agent(3))


def test_a_run_stands_for_all_its_agents_by_method_name_and_seed(tmp_path):
    run = toy.run_of(tmp_path / "toy" / "sp" / "first", [10, 2, 0])
    assert names([run]) == ["sp/first/seed-0", "sp/first/seed-2", "sp/first/seed-10"]
    assert names([run / "agents" / "seed-2"]) == ["sp/first/seed-2"]


def test_a_folder_of_runs_stands_for_the_agents_of_all_of_them(tmp_path):
    toy.run_of(tmp_path / "toy" / "sp" / "a", [0])
    toy.run_of(tmp_path / "toy" / "cole" / "b", [0, 1])
    assert names([tmp_path / "toy"]) == ["cole/b/seed-0", "cole/b/seed-1", "sp/a/seed-0"]


def test_names_grow_where_they_are_equal_and_only_there(tmp_path):
    folders = [tmp_path / "x" / "ann", tmp_path / "y" / "ann", tmp_path / "y" / "bob"]
    assert names([toy.saved(folder, i) for i, folder in enumerate(folders)]) == ["x/ann", "y/ann", "bob"]


def test_runs_of_one_name_differ_by_their_kitchen_or_by_what_lies_above(tmp_path):
    runs = [toy.run_of(tmp_path / place / "toy" / "sp" / "a", [0]) for place in ("here", "there")]
    assert names(runs) == ["here/toy/sp/a/seed-0", "there/toy/sp/a/seed-0"]


def test_no_name_reads_as_a_number(tmp_path):
    folders = [toy.saved(tmp_path / "x" / name, i) for i, name in enumerate(("7", "1e3", "nan"))]
    assert names(folders) == ["x/7", "x/1e3", "x/nan"]


def test_cooks_written_by_hand_have_names():
    assert names(list(players.COOKS)) == ["greedy_cook", "supplier", "chef", "random", "stay"]
    assert len({player.identity for player in find(list(players.COOKS))}) == 5


def test_a_folder_called_like_a_cook_is_found_by_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    toy.saved(tmp_path / "chef")
    assert find(["chef"])[0].agent is None
    assert find(["./chef"])[0].agent is not None
    assert len(set(names(["chef", "./chef"]))) == 2


def test_agents_of_the_zoo_are_found_by_the_end_of_their_path(tmp_path):
    zoo = tmp_path / "zoo"
    for place in ("toy/sp/one", "toy/cole/one", "toy/cole/two"):
        toy.saved(zoo / place)
    assert names(["two"], zoo=zoo) == ["two"]
    assert names(["sp/one", "toy/cole/one"], zoo=zoo) == ["sp/one", "toy/cole/one"]
    assert refusal(["one"], zoo=zoo) == "the zoo has several agents called one: toy/cole/one, toy/sp/one"


def test_a_folder_of_the_zoo_stands_for_all_agents_in_it(tmp_path):
    zoo = tmp_path / "zoo"
    for place in ("toy/sp/seed-0", "toy/sp/seed-1", "toy/h_proxy/seed-0", "other/sp/seed-0"):
        toy.saved(zoo / place)
    assert names(["h_proxy"], zoo=zoo) == ["h_proxy/seed-0"]
    assert [player.name for player in find(["sp"], "toy", zoo)] == ["sp/seed-0", "sp/seed-1"]
    assert len(find(["toy"], zoo=zoo)) == 3
    assert refusal(["sp"], zoo=zoo) == "the zoo has several agents called sp: other/sp, toy/sp"


def test_agents_at_hand_decide_which_kitchen_of_the_zoo_is_meant(tmp_path):
    zoo, mine = tmp_path / "zoo", toy.saved(tmp_path / "mine", 3, layout=ROOM)
    toy.saved(zoo / "toy" / "sp", 0)
    toy.saved(zoo / "cramped_room" / "sp", 0, layout=ROOM)
    assert [player.agent.card.layout for player in find(["sp", mine], zoo=zoo)] == ["cramped_room"] * 2


def test_the_kitchen_decides_between_agents_of_the_zoo(tmp_path):
    zoo = tmp_path / "zoo"
    toy.saved(zoo / "toy" / "sp", 0)
    toy.saved(zoo / "cramped_room" / "sp", 0, layout=ROOM)
    [player] = find(["sp"], "cramped_room", zoo)
    assert player.agent is not None
    assert player.agent.card.layout == "cramped_room"


def test_an_unknown_player_is_told_who_there_is(tmp_path):
    cooks = "the cooks written by hand are greedy_cook, supplier, chef, random, stay"
    says = refusal(["nobody"], zoo=tmp_path / "none")
    assert says == f"there is no player 'nobody': it is no folder; {cooks}; the zoo is empty"
    for i in range(14):
        toy.saved(tmp_path / "zoo" / f"agent-{i}", i)
    listed = ", ".join(f"agent-{i}" for i in range(12))
    assert refusal(["nobody"], zoo=tmp_path / "zoo").endswith(f"; the zoo has {listed} and 2 more")


def test_a_run_without_agents_and_an_empty_folder_are_told_apart(tmp_path):
    run = toy.run_of(tmp_path / "sp" / "young", [])
    assert refusal([run]) == f"{run} is a run that has no agents yet: it hands them out when it is finished"
    (tmp_path / "empty").mkdir()
    assert refusal([tmp_path / "empty"]) == f"{tmp_path / 'empty'} has no agents in it"


def test_half_written_agents_are_not_seen(tmp_path):
    run = toy.run_of(tmp_path / "sp" / "a", [0])
    (run / "agents" / "seed-0").rename(run / "agents" / ".seed-0.new")
    assert "no agents yet" in refusal([run])


def test_a_player_listed_twice_is_refused(tmp_path):
    run = toy.run_of(tmp_path / "toy" / "sp" / "a", [0])
    assert refusal([run, run / "agents" / "seed-0"]).endswith("/toy/sp/a/seed-0 is among the players twice")
    assert refusal(["chef", "random", "chef"]) == "chef is among the players twice"


def test_players_at_hand_may_come_twice_and_get_a_number():
    ann = toy.player(0)
    found = as_players([ann, toy.agent(0), ann, "random"])
    assert [player.name for player in found] == ["toy/toy/seed-0", "toy/toy/seed-0 (2)", "toy/toy/seed-0 (3)", "random"]
    assert [player.name for player in named([ann, cook("stay")])] == ["toy/seed-0", "stay"]
    plain = players.Player("x", "stay", "0")
    assert [player.name for player in named([plain, plain])] == ["x", "x (2)"]


def test_an_agent_of_unknown_seed_is_called_by_its_method():
    assert players.of_agent(toy.agent(0, seed=None)).name == "toy"


def resealed(folder: Path, **changed) -> Path:
    """The agent with other fields in its config.json, all hashes right."""
    fields = json.loads((folder / store.CONFIG).read_text()) | changed
    files = {name: (folder / name).read_bytes() for name in store.FILES}
    files[store.CONFIG] = json.dumps(fields).encode()
    sealed.write(folder, files)
    return folder


def test_an_agent_of_a_newer_format_is_refused_by_its_path(tmp_path):
    folder = resealed(toy.saved(tmp_path / "new"), version=2)
    newer = "made by a newer version of cole (format 2; this one reads up to 1)"
    assert refusal([folder]) == f"{folder / 'config.json'}: {newer}"


def test_an_agent_with_a_view_nobody_has_is_refused_by_its_path(tmp_path):
    folder = resealed(toy.saved(tmp_path / "odd"), view="infrared")
    says = "view: 'infrared' is unknown; the views are grid, grid2019, features, grid_and_past"
    assert refusal([folder]) == f"{folder / 'config.json'}: {says}"
    odd = toy.agent()
    odd = odd._replace(card=odd.card._replace(view="infrared"))
    says = "toy/toy/seed-0 looks at 'infrared'; the views are grid, grid2019, features, grid_and_past"
    assert refusal([odd], what=as_players) == says


def test_a_damaged_agent_is_refused_by_its_path(tmp_path):
    folder = toy.saved(tmp_path / "hurt")
    (folder / store.MODEL).unlink()
    assert refusal([folder]) == f"{folder / store.MODEL} cannot be read: No such file or directory"


def test_the_kitchen_is_that_of_the_agents():
    layout, called = kitchen_of([cook("chef"), toy.player()])
    assert (layouts.to_text(layout), called) == (layouts.to_text(toy.KITCHEN), "toy")


def test_a_kitchen_of_ones_own_is_called_as_its_file(tmp_path):
    (tmp_path / "mine.txt").write_text(layouts.to_text(toy.KITCHEN))
    assert kitchen_of([toy.player()], tmp_path / "mine.txt")[1] == "mine"
    assert kitchen_of([cook("chef")], toy.KITCHEN)[1] == "kitchen"
    assert kitchen_of([cook("chef")], "cramped_room")[1] == "cramped_room"


@pytest.mark.parametrize(
    ("layout", "says"),
    [
        ("cramped_room", "toy/seed-0 cannot play here: it knows only toy, and the layout is cramped_room"),
        (None, "room cannot play here: it knows only cramped_room, and toy/seed-0 knows toy"),
    ],
)
def test_an_agent_of_another_kitchen_is_refused(layout, says):
    room = players.of_agent(toy.agent(layout=ROOM), ("room",))
    assert refusal([toy.player(), room], layout, what=kitchen_of) == says


def test_an_agent_of_another_map_of_the_same_name_is_refused():
    turned = layouts.parse("\n".join(row[::-1] for row in layouts.to_text(toy.KITCHEN).split("\n")))
    both = [toy.player(0), toy.player(1, layout=turned)]
    says = "toy/seed-1 cannot play here: it knows only another map of that name, and toy/seed-0 knows toy"
    assert refusal(both, what=kitchen_of) == says


def test_somebody_must_know_the_kitchen():
    says = "nobody here has a kitchen of its own: say which layout to cook in"
    assert refusal([cook("chef")], what=kitchen_of) == says


def test_one_seat_is_not_enough():
    alone = layouts.parse("XPXX\nO1 X\nXDSX")
    assert refusal([cook("chef")], alone, what=kitchen_of) == "kitchen has a single seat: there is nobody to play with"
