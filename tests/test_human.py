"""The recorded human games: every step follows from our rules, and nothing in a pickled file can run."""

import importlib.util
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cole.errors import UserError
from cole.human import convert, data
from cole.kitchen import game, layouts
from cole.kitchen.game import State

COUNTS = {  # games and steps in train, games and steps in test
    "cramped_room": (8, 9564, 8, 9626),
    "asymmetric_advantages": (9, 10768, 8, 9617),
    "coordination_ring": (8, 9619, 8, 9562),
    "forced_coordination": (6, 7151, 6, 7224),
    "counter_circuit": (8, 9627, 7, 8344),
}


@pytest.fixture(scope="module")
def games():
    return data.load()


@pytest.mark.parametrize("name", layouts.MAPS)
def test_every_human_step_follows_from_our_rules(games, name, tell):
    layout = layouts.load(name)
    chosen = [data.recording(games, i) for split in data.SPLITS for i in data.select(games, name, split)]
    longest = max(len(one.actions) for one in chosen)
    padded = [np.pad(one.actions, [(0, longest - len(one.actions)), (0, 0)]) for one in chosen]
    first = jax.tree.map(lambda *rows: jnp.stack([row[0] for row in rows]), *(one.states for one in chosen))

    def play(state, actions):
        def tick(state, joint):
            state, events = game.step(layout, state, joint)
            return state, (state, game.reward(game.SPARSE, events).sum())

        return jax.lax.scan(tick, state, actions)[1]

    states, paid = jax.jit(jax.vmap(play))(first, jnp.asarray(np.stack(padded), jnp.int32))
    compared = wrong = 0
    for i, one in enumerate(chosen):
        length = len(one.actions)
        differs = np.asarray(paid)[i, :length] != one.rewards
        for ours, theirs in zip(states, one.states, strict=True):
            differs |= (np.asarray(ours)[i, :length] != theirs[1:]).reshape(length, -1).any(axis=1)
        compared, wrong = compared + length, wrong + int(differs.sum())
    tell(f"human steps, {name}: {len(chosen)} games, {compared:,} steps replayed, {wrong} mismatches")
    assert wrong == 0
    assert compared == COUNTS[name][1] + COUNTS[name][3]


def test_the_games_are_all_there(games):
    for name, counts in COUNTS.items():
        train, test = (data.select(games, name, split) for split in data.SPLITS)
        assert (len(train), games.steps[train].sum(), len(test), games.steps[test].sum()) == counts
    assert len(games.steps) == 76 and games.steps.sum() == len(games.action) == 91_102
    assert round(float((games.action == layouts.STAY).mean()), 3) == 0.573
    assert all(f"{count:,}" in data.summary(games) for counts in COUNTS.values() for count in counts)


def test_no_pair_plays_a_kitchen_twice(games):
    keys = set(zip(games.kitchen.tolist(), games.pair.tolist(), strict=True))
    assert len(keys) == len(games.steps)
    assert sorted(set(games.pair.tolist())) == list(range(len(set(games.pair.tolist()))))


@pytest.mark.parametrize("name", layouts.MAPS)
def test_people_start_as_the_map_says_except_in_counter_circuit(games, name):
    layout = layouts.load(name)
    starts = layout.start.tolist() if name != "counter_circuit" else [3 * 8 + 6, 3 * 8 + 1]
    for split in data.SPLITS:
        for i in data.select(games, name, split):
            first = State(*(field[0] for field in data.recording(games, i).states))
            assert first.cell.tolist() == starts
            for ours, theirs in zip(game.reset(layout)[1:], first[1:], strict=True):
                assert np.array_equal(ours, theirs)


def test_the_licence_of_the_games_goes_with_them(games):
    text = "\n".join(games.notice.tolist()) + "\n"
    assert "MIT License" in text and "overcooked_ai" in text
    assert (data.BUNDLED.parent / "GAMES_LICENSE.txt").read_text() == text == data.NOTICE


@pytest.mark.skipif(importlib.util.find_spec("overcooked_ai_py") is None, reason="overcooked-ai is not installed")
@pytest.mark.slow
def test_converting_the_package_again_gives_the_same_file(games, tmp_path):
    said = convert.run(None, tmp_path / "human.npz")
    again = data.load(tmp_path / "human.npz")
    assert "76 games, 91,102 joint steps" in said
    for name, ours in games._asdict().items():
        assert ours.dtype == getattr(again, name).dtype and np.array_equal(ours, getattr(again, name)), name


# What a hostile file may try. `{}` is where a file appears if any of it runs.
TOUCH = b"__import__('pathlib').Path('{}').touch()"
RUNNING = {
    "a shell command": b"cos\nsystem\n(S'touch {}'\ntR.",
    "the shell by its other name": b"cposix\nsystem\n(S'touch {}'\ntR.",
    "eval": b'cbuiltins\neval\n(S"' + TOUCH + b'"\ntR.',
    "exec in a list in a tuple": b'((lcbuiltins\nexec\n(S"' + TOUCH + b'"\ntRat.',
    "a call whose argument is a call": b"cbuiltins\nlist\n(cbuiltins\nstr\n(cos\nsystem\n(S'touch {}'\ntRtRtR.",
    "an instance": b"(S'touch {}'\nios\nsystem\n.",
    "an object": b"(cos\nsystem\nS'touch {}'\no.",
    "a subprocess": b"csubprocess\ncall\n((lS'touch'\naS'{}'\natR.",
    "a function of numpy": b"cnumpy\nsave\n(S'{}'\nI1\ntR.",
    "an attribute of something allowed": b"\x80\x04\x8c\x05numpy\x8c\x0cndarray.dumpq\x00\x93.",
}


def bomb(name, path):
    return RUNNING[name].replace(b"{}", str(path).encode())


@pytest.mark.parametrize("name", [name for name in RUNNING if "numpy" not in name and "allowed" not in name])
def test_the_bombs_would_go_off_in_a_bare_unpickler(name, tmp_path):
    pickle.loads(bomb(name, tmp_path / "ran"))
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", RUNNING)
def test_nothing_in_a_pickle_runs(name, tmp_path):
    file = tmp_path / "clean_train_trials.pickle"
    file.write_bytes(bomb(name, tmp_path / "ran"))
    with pytest.raises(UserError, match="clean_train_trials"):
        convert.convert([file])
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_a_bomb_inside_an_allowed_table_does_not_go_off(tmp_path):
    inner = bomb("a shell command", tmp_path / "ran")[:-1]
    file = tmp_path / "clean_train_trials.pickle"
    file.write_bytes(b"cpandas.core.frame\nDataFrame\n)R(dS'_data'\n" + inner + b"sb.")
    with pytest.raises(UserError, match=r"it asks for 'os\.system'"):
        convert.convert([file])
    assert not (tmp_path / "ran").exists()


def named(module, name):
    """A pickle that asks for one name."""
    texts = [text.encode() for text in (module, name)]
    return b"\x80\x04" + b"".join(b"\x8c" + bytes([len(text)]) + text for text in texts) + b"\x93."


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("numpy", "ndarray.tofile"),
        ("numpy", "f2py"),
        ("numpy", "dtype.__class__"),
        ("numpy", "dtypes"),
        ("numpy", "ndarra"),
        ("numpy.f2py.diagnose", "run"),
        ("numpy.core", "multiarray._reconstruct"),
        ("numpy.core.multiarray", "_reconstruct.__globals__"),
        ("pandas", "core.frame.DataFrame"),
        ("pandas.core.frame", "DataFrame.eval"),
        ("pandas.core.frame", "DataFrame.to_pickle"),
        ("pandas.core.frame.DataFrame", "eval"),
        ("pandas.core.frame ", "DataFrame"),
        ("", "numpy"),
        ("builtins", "getattr"),
        ("copyreg", "_reconstructor"),
        ("cole.human.convert", "run"),
    ],
)
def test_only_the_exact_names_are_allowed(module, name, tmp_path):
    file = tmp_path / "clean_train_trials.pickle"
    file.write_bytes(named(module, name))
    with pytest.raises(UserError, match="it asks for"):
        convert.read_table(file)


@pytest.mark.parametrize(("module", "name"), convert.ALLOWED)
def test_allowed_names_stand_for_something_inert(module, name, tmp_path):
    file = tmp_path / "clean_train_trials.pickle"
    file.write_bytes(named(module, name))
    with open(file, "rb") as opened:
        assert issubclass(convert.Unpickler(opened).load(), convert.Inert)
    calls = [b")R.", b"(I1\ntR.", b")\x81.", b")R(dS'args'\nS'x'\nsb."]
    misuses = [b"(dS'args'\nS'x'\nsb.", b")RI1\na.", b")RI1\nI1\ns."]
    for rest in calls + misuses:
        file.write_bytes(named(module, name)[:-1] + rest)
        with pytest.raises(UserError):
            convert.read_table(file)


@pytest.mark.parametrize(
    "content",
    [
        *(
            b"",
            b".",
            b"no pickle",
            b"\x80\x04",
            b"\x80\x63.",
            b"\x80\x02\x82\x01.",
            b"Pname\n.",
            b"N.",
            b"I1\n.",
            b"].",
        ),
        *(b"\x8e\xff\xff\xff\xff\xff\xff\xff\x7f.", b"\x80\x05\x97.", b"(" * 1000 + b"t" * 1000 + b"."),
    ],
)
def test_a_broken_pickle_is_refused_in_one_sentence(content, tmp_path):
    (tmp_path / "clean_test_trials.pickle").write_bytes(content)
    with pytest.raises(UserError, match="clean_test_trials"):
        convert.convert([tmp_path / "clean_test_trials.pickle"])


def test_a_missing_or_nameless_file_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"clean_train_trials\.pickle cannot be read"):
        convert.convert(tmp_path)
    with pytest.raises(UserError, match="neither train nor test"):
        convert.convert([tmp_path / "games.pickle"])
    with pytest.raises(UserError, match="not a single game"):
        convert.convert([])


def one_game():
    """The columns of a table with one game of two steps, in the words of the browser game."""
    onion = "{'name': 'onion', 'position': [3, 1]}"
    state = "{'players': [{'position': [1, 2], 'orientation': [0, -1]}, {'position': [3, 1], 'orientation': %s%s}], "
    state += "'objects': {}, 'order_list': ['onion'], 'pot_explosion': False}"
    seen = [state % ("[0, -1]", ""), state % ("[1, 0]", ""), state % ("[1, 0]", f", 'held_object': {onion}")]
    texts = {
        "layout_name": ["cramped_room"] * 2,
        "run": ["run-1"] * 2,
        "layout": ["['XXPXX', 'O  2O', 'X1  X', 'XDXSX']"] * 2,
        "state": seen[:2],
        "joint_action": ["[[0, 0], [1, 0]]", "[[0, 0], 'INTERACT']"],
        "next_state": seen[1:],
    }
    numbers = {"workerid_num": [7, 7], "round_num": [3.0, 3.0], "cur_gameloop": [0.0, 1.0], "reward": [0.0, 5.0]}
    return {key: np.array(column, object) for key, column in texts.items()} | {
        key: np.array(column) for key, column in numbers.items()
    }


def test_a_small_table_becomes_arrays(monkeypatch, tmp_path):
    monkeypatch.setattr(convert, "read_table", lambda file: one_game())
    games = convert.convert([tmp_path / "clean_test_trials.pickle"])
    one = data.recording(games, 0)
    assert data.select(games, "cramped_room", "test") == [0] and data.select(games, "cramped_room", "train") == []
    assert (games.pair.tolist(), games.round.tolist(), games.steps.tolist()) == ([0], [3], [2])
    assert one.actions.tolist() == [[layouts.STAY, layouts.EAST], [layouts.STAY, layouts.INTERACT]]
    assert one.states.cell.tolist() == [[11, 8]] * 3
    assert one.states.held.tolist() == [[0, 0], [0, 0], [0, game.ONION]]
    assert one.rewards.tolist() == [0, 20]


SOUP = "{'name': 'soup', 'position': [2, 0], 'state': ['%s', %s, %s]}"


@pytest.mark.parametrize(
    ("column", "row", "value", "message"),
    [
        ("layout_name", 0, "attic", "'attic' is not known"),
        ("cur_gameloop", 1, 2.0, "the step 1 does not continue"),
        ("state", 1, "{}", "the step 1 does not continue"),
        ("layout", 0, "['XXPXX', 'O  2O', 'X1  X', 'XDXXX']", "is not ours of that name"),
        ("layout", 0, "[1, 2]", "is not ours of that name"),
        ("reward", 1, 7.0, "cannot earn 7"),
        ("reward", 1, np.nan, "'reward' does not hold whole numbers"),
        ("run", 1, 3, "'run' is not text"),
        ("joint_action", 1, "__import__('os').getcwd()", "cannot be read"),
        ("joint_action", 1, "[[0, 0]]", "1 entries instead of 2"),
        ("joint_action", 1, "[[0, 0], [1, 1]]", r"\[1, 1\] is not an action"),
        ("next_state", 1, "{'players': []}", "0 entries instead of 2"),
        ("next_state", 1, SOUP % ("onion", 1, 0), "'players' is missing"),
        ("objects", 1, SOUP % ("tomato", 1, 0), "are not only onions"),
        ("objects", 1, SOUP % ("onion", 4, 0), "4 is not a whole number from 1 to 3"),
        ("objects", 1, SOUP % ("onion", 2, 5), "2 of 3 onions cannot cook"),
        ("objects", 1, "{'name': 'onion', 'position': [1, 1]}", "contents, cell 6"),
        ("objects", 1, "{'name': 'onion', 'position': [9, 1]}", "9 is not a whole number from 0 to 4"),
    ],
)
def test_a_table_that_is_not_such_a_game_is_refused(monkeypatch, tmp_path, column, row, value, message):
    table = one_game()
    if column == "objects":
        column, value = "next_state", table["next_state"][row].replace("{}", "{'2,0': " + value + "}")
    table[column][row] = value
    monkeypatch.setattr(convert, "read_table", lambda file: table)
    with pytest.raises(UserError, match=message):
        convert.convert([tmp_path / "clean_train_trials.pickle"])


def test_a_table_without_a_column_is_refused(monkeypatch, tmp_path):
    table = one_game()
    del table["reward"]
    monkeypatch.setattr(convert, "read_table", lambda file: table)
    with pytest.raises(UserError, match="the column 'reward' is missing"):
        convert.convert([tmp_path / "clean_train_trials.pickle"])


def test_a_file_that_does_not_hold_the_games_is_refused(games, tmp_path):
    file = tmp_path / "human.npz"
    with pytest.raises(UserError, match="there is no file"):
        data.load(file)
    file.write_bytes(b"no archive")
    with pytest.raises(UserError, match="does not hold the human games"):
        data.load(file)
    for change in ({"notice": np.array([{}], object)}, {"steps": games.steps[1:]}):
        data.save(file, games._replace(**change))
        with pytest.raises(UserError, match="does not hold the human games"):
            data.load(file)
    np.savez(file, cell=games.cell)
    with pytest.raises(UserError, match="does not hold the human games"):
        data.load(file)
