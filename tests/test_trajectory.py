"""Recorded games on disk: what is saved replays to the same states, here and in the overcooked_ai package."""

import copy
import json
import warnings

import numpy as np
import pytest

from cole.errors import UserError
from cole.human import data
from cole.kitchen import game, layouts, overcooked_ai, trajectory
from cole.kitchen.game import State
from cole.kitchen.trajectory import Trajectory

THREE_SEATS = "XXPXX\nO1 2O\nX 3 X\nXDXSX"


def random_game(layout, seed, steps=300, start=None):
    actions = np.random.default_rng(seed).integers(0, 6, (steps, len(layout.start))).astype(np.int8)
    return Trajectory(layout, actions, start=start, seed=seed)


def human_game(name, steps=400, first=0):
    """Some steps of a game people played, with soups in it."""
    games = data.load()
    one = data.recording(games, data.select(games, name, "test")[0])
    start = State(*(field[first] for field in one.states))
    return Trajectory(one.layout, one.actions[first : first + steps], start=start)


def some_games(name):
    """From the opening and from the middle, with and without a seed and a start; three seats where there is no name."""
    if name not in layouts.MAPS:
        return [random_game(layouts.parse(name), 1), random_game(layouts.parse(name), 2)]
    return [human_game(name), random_game(layouts.load(name), 1), human_game(name, 300, first=250)]


def equal(one, other):
    """Same values in every field."""
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def assert_same_game(one, other):
    assert equal(one.layout, other.layout) and np.array_equal(one.actions, other.actions)
    for ours, theirs in zip(trajectory.replay(one), trajectory.replay(other), strict=True):
        assert equal(ours, theirs)


@pytest.mark.parametrize("name", [*layouts.MAPS, THREE_SEATS])
def test_a_saved_game_replays_to_the_same_states(name, tmp_path):
    for one in some_games(name):
        trajectory.save(tmp_path / "game.json", one)
        again = trajectory.load(tmp_path / "game.json")
        assert_same_game(one, again)
        assert again.seed == one.seed and (again.start is None) == (one.start is None)
        states, events = trajectory.replay(again)
        assert states.clock.tolist() == list(range(states.clock[0], states.clock[0] + len(one.actions) + 1))
        assert trajectory.rewards(events).shape == (len(one.actions),)
    assert ("layout" in json.loads((tmp_path / "game.json").read_text())) == (name in layouts.MAPS)


def test_a_replayed_human_game_is_the_recorded_one():
    games = data.load()
    one = data.recording(games, data.select(games, "counter_circuit", "test")[0])
    states, events = trajectory.replay(human_game("counter_circuit"))
    assert equal(states, [field[:401] for field in one.states])
    assert np.array_equal(trajectory.rewards(events), one.rewards[:400])
    assert one.rewards[:400].sum() > 0


def test_a_game_of_no_steps_is_its_first_state(tmp_path):
    one = random_game(layouts.load("cramped_room"), 5, 0)
    trajectory.save(tmp_path / "game.json", one)
    states, events = trajectory.replay(trajectory.load(tmp_path / "game.json"))
    assert equal(states, [field[None] for field in game.reset(one.layout)])
    assert trajectory.rewards(events).shape == (0,)


VALID = {
    "format": "cole-trajectory",
    "version": 1,
    "layout": "cramped_room",
    "map": ["XXPXX", "O  2O", "X1  X", "XDXSX"],
    "seed": 7,
    "start": {"cell": [11, 8], "facing": [0, 3], "held": [0, 3], "contents": [1, 0, 23] + [0] * 17, "clock": 5},
    "actions": [[0, 5], [4, 2]],
}


def change(value, path, new):
    """A deep copy with one entry replaced, or removed if `new` is `...`."""
    value = copy.deepcopy(value)
    inner = value
    for key in path[:-1]:
        inner = inner[key]
    if new is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = new
    return value


def write(tmp_path, value):
    file = tmp_path / "game.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    return file


@pytest.mark.parametrize(
    ("path", "new", "message"),
    [
        (("format",), "other", r"the format is 'other', not 'cole-trajectory'"),
        (("version",), 2, r"version 2 cannot be read, only version 1"),
        (("version",), True, r"version True cannot be read"),
        (("version",), ..., r"the field 'version' is missing"),
        (("colour",), 1, r"'colour' is not a field"),
        (("layout",), "counter_circuit", r"layout: the map is not that of 'counter_circuit'"),
        (("layout",), 3, r"layout: the map is not that of 3"),
        (("map",), "XXPXX", r"map: 'XXPXX' is not a list"),
        (("map", 1), 3, r"map, row 2: 3 is not a line of text"),
        (("map", 1), "O  2O\nX", r"map, row 2: .* is not a line of text"),
        (("map", 1), "O  2Q", r"map: line 2, column 5: 'Q' is not a symbol"),
        (("seed",), 2**63, r"seed: 9223372036854775808 is not a whole number"),
        (("seed",), -1, r"seed: -1 is not a whole number"),
        (("seed",), 1.0, r"seed: 1\.0 is not a whole number"),
        (("start", "cell", 0), 10**30, r"start: cell, seat 0: 1000000000000000000000000000000 is not"),
        (("start", "cell", 0), 0, r"start: cell, seat 0: cell 0 is not floor"),
        (("start", "cell", 1), 11, r"start: cell, seat 1: another cook stands in cell 11"),
        (("start", "cell"), [11], r"start: cell: 1 entries instead of 2"),
        (("start", "facing", 1), 4, r"start: facing, seat 1: 4 is not a whole number from 0 to 3"),
        (("start", "held", 0), True, r"start: held, seat 0: True is not a whole number from 0 to 3"),
        (("start", "contents", 0), 4, r"start: contents, cell 0: 4 is not a whole number from 0 to 3"),
        (("start", "contents", 2), 24, r"start: contents, cell 2: 24 is not a whole number from 0 to 23"),
        (("start", "contents", 6), 1, r"start: contents, cell 6: 1 is not a whole number from 0 to 0"),
        (("start", "contents", 6), None, r"start: contents, cell 6: None is not a whole number"),
        (("start", "contents"), [0], r"start: contents: 1 entries instead of 20"),
        (("start", "clock"), 2**31, r"start: clock: 2147483648 is not a whole number"),
        (("start", "clock"), ..., r"start: the field 'clock' is missing"),
        (("start",), [], r"start: \[\] is not an object with fields"),
        (("actions",), {}, r"actions: \{\} is not a list"),
        (("actions", 1), [4], r"actions, step 1: 1 entries instead of 2"),
        (("actions", 1), [4, 2, 0], r"actions, step 1: 3 entries instead of 2"),
        (("actions", 0, 1), 6, r"actions, step 0, seat 1: 6 is not a whole number from 0 to 5"),
        (("actions", 0, 1), "interact", r"actions, step 0, seat 1: 'interact' is not a whole number"),
        (("actions", 0), "05", r"actions, step 0: '05' is not a list"),
    ],
)
def test_a_malformed_field_is_refused_with_its_place(path, new, message, tmp_path):
    trajectory.load(write(tmp_path, VALID))
    with pytest.raises(UserError, match=r"game\.json: " + message):
        trajectory.load(write(tmp_path, change(VALID, path, new)))


@pytest.mark.parametrize(
    "text", ["", "{", "[1, 2", "nul", "[" * 100_000, '{"seed": ' + "9" * 5000 + "}", '"\\ud800"', "[]", "3"]
)
@pytest.mark.parametrize("load", [trajectory.load, overcooked_ai.load])
def test_what_is_not_a_game_is_refused(load, text, tmp_path):
    with pytest.raises(UserError, match=r"game\.json"):
        load(write(tmp_path, text))


@pytest.mark.parametrize("load", [trajectory.load, overcooked_ai.load])
def test_a_file_that_is_not_there_or_not_text_is_refused(load, tmp_path):
    with pytest.raises(UserError, match="there is no file"):
        load(tmp_path / "none.json")
    with pytest.raises(UserError, match="cannot be read"):
        load(tmp_path)
    (tmp_path / "game.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(UserError, match="cannot be read"):
        load(tmp_path / "game.json")


def test_a_game_that_cannot_be_written_is_refused(tmp_path):
    one = random_game(layouts.load("cramped_room"), 0, 1)
    for write_it in (lambda file: trajectory.save(file, one), lambda file: overcooked_ai.save(file, [one])):
        with pytest.raises(UserError, match="cannot be written"):
            write_it(tmp_path / "none" / "game.json")


def places(value, path=()):
    """The path of every entry."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in entries:
        yield (*path, key)
        yield from places(inner, (*path, key))


ODD = (None, 10**30, float("nan"), "x", [], ...)


def short_export(tmp_path):
    """A file of overcooked_ai with everything in it: things held, on counters and in a pot."""
    layout = layouts.load("cramped_room")
    start = game.reset(layout)
    contents = np.zeros(20, np.int8)
    contents[[0, 1, 2, 4]] = game.DISH, game.SOUP, 9, game.ONION
    start = start._replace(contents=contents, held=np.array([game.SOUP, game.DISH], np.int8))
    overcooked_ai.save(tmp_path / "game.json", [Trajectory(layout, np.array([[4, 2], [5, 3]], np.int8), start=start)])
    return json.loads((tmp_path / "game.json").read_text())


@pytest.mark.parametrize("load", [trajectory.load, overcooked_ai.load])
def test_whatever_is_wrong_in_a_file_ends_in_one_sentence(load, tmp_path, tell):
    valid = VALID if load is trajectory.load else short_export(tmp_path)
    refused = read = 0
    for path in places(valid):
        for new in () if path[:3] == ("ep_states", 0, 0) else ODD:  # its two states are alike
            try:
                load(write(tmp_path, change(valid, path, new)))
                read += 1
            except UserError:
                refused += 1
    tell(f"{load.__module__}: {refused} changed files refused, {read} still a game")
    assert refused > 250 and read < refused


# The overcooked_ai package.


@pytest.fixture(scope="module")
def package():
    """Release 1.1.0, which needs an alias that NumPy 2 dropped and warns about its own age."""
    pytest.importorskip("overcooked_ai_py")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        had = hasattr(np, "Inf")
        np.Inf = np.inf
        try:
            import overcooked_2019
            from overcooked_ai_py.agents import agent, benchmarking
            from overcooked_ai_py.mdp import overcooked_env
        finally:
            if not had:
                del np.Inf
    return overcooked_2019, agent, benchmarking.AgentEvaluator, overcooked_env.OvercookedEnv


@pytest.mark.parametrize("name", [*layouts.MAPS, THREE_SEATS])
def test_an_exported_game_loads_and_replays_in_the_package(package, name, tmp_path):
    reference, _, evaluator, _ = package
    games = some_games(name)
    layout = games[0].layout
    overcooked_ai.save(tmp_path / "games.json", games)
    kitchen = reference.kitchen(layout)  # their loader needs to have seen a menu
    loaded = evaluator.load_traj_from_json(str(tmp_path / "games.json"))
    evaluator.check_trajectories(loaded, from_json=True, verbose=False)
    for i, ours in enumerate(games):
        states, events = trajectory.replay(ours)
        theirs = loaded["ep_states"][i]
        assert len(theirs) == len(ours.actions) == loaded["ep_lengths"][i]
        assert loaded["ep_rewards"][i] == trajectory.rewards(events).tolist()
        for t, (state, actions) in enumerate(zip(theirs, ours.actions.tolist(), strict=True)):
            assert equal(reference.to_ours(layout, state), [field[t] for field in states])
            after, sparse, _ = kitchen.play(state, actions)
            assert sum(sparse) == loaded["ep_rewards"][i][t]
            assert t + 1 == len(theirs) or after == theirs[t + 1]
    assert name not in layouts.MAPS or loaded["ep_returns"][0] > 0


@pytest.mark.parametrize("name", layouts.MAPS)
def test_the_package_builds_the_kitchen_from_an_exported_file(package, name, tmp_path):
    reference, *_ = package
    overcooked_ai.save(tmp_path / "games.json", [random_game(layouts.load(name), 8)])
    params = json.loads((tmp_path / "games.json").read_text())["mdp_params"][0]
    theirs = reference.OvercookedGridworld.from_layout_name(**params)
    bare = reference.OvercookedGridworld.from_layout_name(params["layout_name"])
    assert theirs.terrain_mtx == bare.terrain_mtx
    assert [tuple(p) for p in theirs.start_player_positions] == [tuple(p) for p in bare.start_player_positions]


@pytest.mark.parametrize("name", [*layouts.MAPS, THREE_SEATS])
def test_an_exported_game_comes_back_the_same(name, tmp_path):
    games = some_games(name)
    overcooked_ai.save(tmp_path / "games.json", games)
    again = overcooked_ai.load(tmp_path / "games.json")
    assert len(again) == len(games) and again[1].start is None
    for one, other in zip(games, again, strict=True):
        assert_same_game(one, other)


def written_by_the_package(package, mdp, actions, file, final_state=False):
    """A game played by their environment and saved by their own function."""
    reference, agent, evaluator, environment = package
    plans = [[reference.Action.INDEX_TO_ACTION[a] for a in column] for column in np.asarray(actions).T]
    pair = agent.AgentPair(*(agent.FixedPlanAgent(plan) for plan in plans))
    env = environment.from_mdp(mdp, horizon=len(actions), info_level=0)
    games = env.get_rollouts(pair, num_games=2, info=False, final_state=final_state)
    evaluator.save_traj_as_json(games, str(file))


@pytest.mark.parametrize("final_state", [False, True])
def test_a_game_the_package_wrote_is_read(package, final_state, tmp_path):
    ours = human_game("cramped_room")._replace(start=None)
    kitchen = package[0].kitchen(ours.layout)
    written_by_the_package(package, kitchen, ours.actions, tmp_path / "games.json", final_state)
    games = overcooked_ai.load(tmp_path / "games.json")
    assert len(games) == 2
    for one in games:
        assert one.start is None
        assert_same_game(one, ours)


def test_a_game_in_which_a_pot_waits_for_its_cook_is_refused(package, tmp_path):
    ours = human_game("cramped_room")
    plain = package[0].OvercookedGridworld.from_layout_name("cramped_room")
    written_by_the_package(package, plain, ours.actions, tmp_path / "games.json")
    states, _ = trajectory.replay(ours)
    first_full = int((np.asarray(states.contents) > 3).any(axis=1).argmax())
    with pytest.raises(UserError, match=rf"game 0, step {first_full}: our rules lead to another state \(contents\)"):
        overcooked_ai.load(tmp_path / "games.json")


def test_a_game_of_another_menu_is_refused(package, tmp_path):
    written_by_the_package(
        package,
        package[0].OvercookedGridworld.from_layout_name("cramped_room_tomato"),
        [[4, 4]],
        tmp_path / "games.json",
    )
    with pytest.raises(UserError, match=r"game 0: terrain: line 2, column 5: 'T' is not a symbol of a map"):
        overcooked_ai.load(tmp_path / "games.json")


def as_2019(fields, name):
    """A file of 1.1.0 in the words of 2019: soups are triples and the kitchen is only named."""

    def thing(value):
        if value is None or value["name"] != "soup":
            return value and {**value, "state": None}
        onions, ticks = len(value["_ingredients"]), max(0, value["cooking_tick"])
        return {"name": "soup", "position": value["position"], "state": ["onion", onions, ticks]}

    def state(value):
        players = [{**player, "held_object": thing(player["held_object"])} for player in value["players"]]
        return {"players": players, "objects": [thing(one) for one in value["objects"]], "order_list": None}

    fields["ep_observations"] = [[state(one) for one in states] for states in fields.pop("ep_states")]
    fields["mdp_params"] = [{"layout_name": name, "cook_time": 20, "num_items_for_soup": 3}] * len(fields["mdp_params"])
    return fields


@pytest.mark.parametrize(("old_name", "name"), overcooked_ai.OLD_NAMES.items())
def test_a_file_of_2019_is_read(old_name, name, tmp_path):
    one = human_game(name)
    overcooked_ai.save(tmp_path / "game.json", [one])
    fields = as_2019(json.loads((tmp_path / "game.json").read_text()), old_name)
    (again,) = overcooked_ai.load(write(tmp_path, fields))
    assert_same_game(one, again)


@pytest.mark.parametrize(
    ("path", "new", "message"),
    [
        (("ep_states", 0, 1, "players", 0, "position"), [2, 2], r"game 0, step 1: our rules .* \(cell\)"),
        (("ep_states", 0, 1, "players", 0, "orientation"), [1, 0], r"game 0, step 1: our rules .* \(facing\)"),
        (("ep_states", 0, 1, "players", 1, "held_object"), None, r"game 0, step 1: our rules .* \(held\)"),
        (("ep_states", 0, 1, "objects"), [], r"game 0, step 1: our rules .* \(contents\)"),
        (("ep_states", 0, 1, "timestep"), 5, r"game 0, step 1: our rules .* \(clock\)"),
        (("ep_rewards", 0, 1), 20, r"game 0, step 1: the reward is 20, by our rules 0"),
        (("ep_rewards", 0), [0], r"game 0: rewards: 1 entries instead of 2"),
        (("ep_actions", 0, 1, 0), [1, 1], r"game 0, step 1, seat 0: \[1, 1\] is not an action"),
        (("ep_actions", 0, 1, 0), "dance", r"game 0, step 1, seat 0: 'dance' is not an action"),
        (("ep_actions", 0, 1), ["interact"], r"game 0, step 1: 1 entries instead of 2"),
        (("ep_states", 0, 1, "players", 1, "held_object", "name"), "tomato", r"player 1: 'tomato' is not a thing"),
        (("ep_states", 0, 0, "objects", 2, "_ingredients", 0, "name"), "tomato", r"object at 2,0: .* not only onions"),
        (("mdp_params", 0, "terrain"), ..., r"step 0"),
        (("mdp_params", 0), {"layout_name": "attic"}, r"the kitchen 'attic' is not known"),
    ],
)
def test_a_changed_game_is_refused_with_its_step(path, new, message, tmp_path):
    fields = short_export(tmp_path)
    overcooked_ai.load(write(tmp_path, fields))
    if new is ...:
        fields["mdp_params"][0]["layout_name"] = "random3"  # a kitchen in which nobody could stand there
    with pytest.raises(UserError, match=message):
        overcooked_ai.load(write(tmp_path, change(fields, path, new)))
