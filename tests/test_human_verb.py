"""`cole human`: what a user gets and is told."""

import json

import jax
import numpy as np
import pytest

from cole.cli import main
from cole.evaluate import players
from cole.human import bc, data
from cole.kitchen import layouts, trajectory
from cole.kitchen.trajectory import Trajectory
from cole.policy import cloned
from cole.verbs import human


def said(capsys, *arguments):
    code = main(["human", *map(str, arguments)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def kept(folder, id, kitchen, people, steps=30, seed=0):
    """A game as the page keeps it."""
    layout = layouts.load(kitchen) if kitchen in layouts.MAPS else layouts.parse(kitchen)
    actions = np.random.default_rng(seed).integers(0, 6, (steps, 2)).astype(np.int8)
    (folder / "about").mkdir(parents=True, exist_ok=True)
    trajectory.save(folder / f"{id}.json", Trajectory(layout, actions))
    (folder / "about" / f"{id}.json").write_text(json.dumps({"people": people, "players": ["a", "b"]}))
    return actions


def test_habits_of_every_kitchen_are_listed(capsys):
    code, out, _ = said(capsys, "habits")
    assert code == 0 and "76 games, 91,102 joint steps" in out
    assert all(name[:12] in out.split("return")[1] for name in layouts.MAPS)


def test_a_recorded_game_is_shown_and_saved(capsys, tmp_path):
    code, out, _ = said(capsys, "replay", "--split", "test", "--number", 2, "--save", tmp_path / "game.json")
    assert code == 0 and "soups served" in out
    games = data.load()
    mine = data.trajectory(games, data.select(games, "cramped_room", "test")[2])
    np.testing.assert_array_equal(trajectory.load(tmp_path / "game.json").actions, mine.actions)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["replay", "--number", "8"], "--number must be a whole number from 0 to 7, not 8"),
        (["replay", "--layout", "moon"], "there are no recorded human games of moon in the split train"),
        (["train", "moon"], "so nobody to clone; as partners there are the cooks greedy_cook, supplier and chef"),
        (["train", "--seeds", "0"], "--seeds must be a whole number from 1 to 1000, not 0"),
        (["train", "--games-after", "10001"], "--games-after must be a whole number from 1 to 10000, not 10001"),
        (["train", "--epochs", "0"], "--epochs must be a whole number from 1 to 100000, not 0"),
        (["train", "--games", "none.npz"], "there is no file none.npz"),
        (["import", "none"], "there is no file or folder none"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(capsys, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    code, _, err = said(capsys, *arguments)
    assert code == 2 and sentence in err and err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_games_of_the_page_are_imported_and_cloned(capsys, tmp_path):
    page, file = tmp_path / "games", tmp_path / "mine.npz"
    first = kept(page, "a" * 16, "cramped_room", [0, 1], steps=700)
    kept(page, "b" * 16, "cramped_room", [1], steps=200, seed=1)
    kept(page, "c" * 16, "XPXX\nO12X\nX  X\nXDSX", [0])
    code, out, _ = said(capsys, "import", page, "--out", file, "--split", "train")
    assert code == 0 and "all 900 steps replayed without a difference" in out and "1 games left out" in out
    games = data.load(file)
    assert games.people.tolist() == [[True, True], [False, True]] and games.split.tolist() == [0, 0]
    np.testing.assert_array_equal(data.recording(games, 0).actions, first)
    options = ["--games", file, "--splits", "train", "--seeds", 1, "--epochs", 1, "--games-after", 1]
    code, out, _ = said(capsys, "train", "cramped_room", *options, "--out", tmp_path / "clones")
    assert code == 0 and "saved 1 agents" in out
    [clone] = players.find([tmp_path / "clones"])
    training = clone.agent.card.training
    assert training["learned_from"] == int(0.85 * (2 * 700 + 200)) and training["accuracy_other_split"] is None
    assert training["games"] == "human, train split of mine.npz"


def test_a_kitchen_or_split_that_is_named_twice_is_cloned_once(capsys, tmp_path, monkeypatch):
    def trained(games, clones, *_):
        nothing = np.zeros(len(clones))
        params = jax.vmap(cloned.init)(jax.random.split(jax.random.key(0), len(clones)))
        return bc.Trained(params, [1] * len(clones), nothing, nothing)

    def with_itself(kitchen, clones, *_):
        return np.full((sum(clone.kitchen == kitchen for clone in clones), 2), len(kitchen))

    monkeypatch.setattr(bc, "train", trained)
    monkeypatch.setattr(human, "with_itself", with_itself)
    options = ["--splits", "train", "train", "--seeds", 1, "--out", tmp_path / "clones"]
    code, out, _ = said(capsys, "train", "cramped_room", "forced_coordination", "cramped_room", *options)
    assert code == 0 and "saved 2 agents" in out
    for kitchen in ("cramped_room", "forced_coordination"):
        [clone] = players.find([tmp_path / "clones" / kitchen])
        assert clone.agent.card.training["return"] == len(kitchen)


@pytest.mark.parametrize("note", ["[]", "{}", '{"people": [2]}', '{"people": "both"}', "{"])
def test_a_damaged_note_of_the_page_is_refused(capsys, tmp_path, note):
    kept(tmp_path / "games", "a" * 16, "cramped_room", [0])
    (tmp_path / "games" / "about" / f"{'a' * 16}.json").write_text(note)
    code, _, err = said(capsys, "import", tmp_path / "games", "--out", tmp_path / "x.npz")
    assert code == 2 and "about" in err and not (tmp_path / "x.npz").exists()


def test_a_game_that_does_not_follow_from_the_rules_is_refused(tmp_path):
    games = data.load()
    facing = games.facing.copy()
    facing[5] = (facing[5] + 1) % 4
    with pytest.raises(Exception, match=r"game 0 \(cramped_room\): step 4 does not follow from the rules"):
        data.verify(games._replace(facing=facing))
