"""The five lines: load an agent, play a game, draw it, cross-play, analyse; and an import that costs nothing."""

import csv
import subprocess
import sys

import numpy as np
import pytest
import toy_agents as toy

import cole
from cole import cli
from cole.errors import UserError
from cole.evaluate.cache import Played
from cole.evaluate.crossplay import CrossPlay, Setting, gathered
from cole.evaluate.players import find
from cole.kitchen import layouts, trajectory
from cole.report.crossplay import save

STEPS = 120


@pytest.fixture(autouse=True)
def _own_caches(monkeypatch, tmp_path):
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))


def score(game: trajectory.Trajectory) -> float:
    return trajectory.rewards(trajectory.replay(game)[1]).sum()


def test_importing_cole_loads_nothing_heavy():
    code = "import sys, cole; print(cole.__version__, sorted({'jax', 'numpy', 'tyro', 'rich'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{cole.__version__} []\n"


def test_all_of_it_is_listed_and_documented_and_nothing_else_is_there():
    for name in cole.API:
        assert name in dir(cole)
        assert getattr(cole, name).__doc__.endswith((".", ".\n    "))
    with pytest.raises(AttributeError, match="module 'cole' has no attribute 'bake'"):
        cole.bake  # noqa: B018


def test_five_lines(tmp_path):
    toy.saved(tmp_path / "ann")
    ann, bob = cole.load_agent(tmp_path / "ann"), cole.load_agent("greedy_cook")
    game = cole.play(ann, bob, seed=np.int64(3), steps=STEPS)
    cole.draw(game, tmp_path / "game.gif")
    result = cole.crossplay([ann, bob], episodes=2, seed=3, steps=STEPS)
    found = cole.analyse(result)
    assert (game.actions.shape, game.actions.dtype, game.seed) == ((STEPS, 2), np.int8, 3)
    assert (tmp_path / "game.gif").read_bytes()[:4] == b"GIF8"
    assert found.names == ["ann", "greedy_cook"]
    assert found.strategy["phi"].sum() == pytest.approx(1.0)
    assert cole.crossplay([ann, bob], episodes=2, seed=np.int64(3), steps=STEPS).computed == 0


def test_a_game_is_one_of_those_that_the_cross_play_counts():
    pair = [toy.agent(0), "greedy_cook"]
    result = cole.crossplay(pair, episodes=2, seed=1, steps=STEPS)
    for i, j, episode in ((0, 1, 0), (0, 1, 1), (1, 0, 1)):
        game = cole.play(pair[i], pair[j], seed=1, episode=episode, steps=STEPS)
        assert score(game) == result.returns[i, j, episode]
        assert score(game) > 0


@pytest.mark.parametrize("partner", ["greedy_cook", "h_proxy/seed-0"])
def test_a_game_of_an_agent_that_remembers_is_one_of_those_too(partner):
    mine, other = (find([name], "cramped_room")[0] for name in ("e3t", partner))
    result = cole.crossplay([mine, other], episodes=1, steps=STEPS)
    for i, j in ((0, 1), (1, 0)):
        game = cole.play((mine, other)[i], (mine, other)[j], steps=STEPS)
        assert score(game) == result.returns[i, j, 0] > 0


def test_another_seed_or_episode_is_another_game():
    games = [cole.play(toy.agent(0), toy.agent(1), seed=s, episode=e, steps=STEPS) for s, e in ((0, 0), (0, 1), (1, 0))]
    assert len({game.actions.tobytes() for game in games}) == 3
    again = cole.play(toy.agent(0), toy.agent(1), steps=STEPS)
    np.testing.assert_array_equal(again.actions, games[0].actions)


@pytest.mark.parametrize("ending", ["gif", "html", "svg", "json"])
def test_a_game_is_drawn_in_many_ways(tmp_path, ending):
    game = trajectory.Trajectory(toy.KITCHEN, np.zeros((3, 2), np.int8))
    cole.draw(game, tmp_path / f"game.{ending}")
    assert (tmp_path / f"game.{ending}").stat().st_size > 50
    if ending == "json":
        np.testing.assert_array_equal(trajectory.load(tmp_path / "game.json").actions, game.actions)


def made(mean: list[list[float]]) -> CrossPlay:
    """A cross-play in which every game of a pair earned the same."""
    table = [[Played(np.full(2, value, np.float32), np.zeros((2, 16), int)) for value in row] for row in mean]
    return gathered([toy.player(i) for i in range(len(mean))], toy.KITCHEN, Setting(2), table, 0)


def test_the_analysis_is_that_of_the_verb(tmp_path, capsys):
    result = made([[100, 20, 60], [40, 80, 30], [60, 50, 10]])
    found = cole.analyse(result)
    save(tmp_path / "out", result, "toy")
    assert cli.main(["analyze", str(tmp_path / "out" / "payoff.csv"), "--out", str(tmp_path), "--no-figures"]) == 0
    capsys.readouterr()
    with (tmp_path / "strategies.csv").open() as file:
        rows = list(csv.DictReader(file))
    for column in ("eta", "rank", "sigma", "shapley", "phi", "mean_payoff"):
        np.testing.assert_allclose(found.strategy[column], [float(row[column]) for row in rows], rtol=1e-6)
    assert found.strategy["preferred"].tolist() == [2, 2, 0]  # w is 30 for 1 with 0 and 40 with 2
    assert found.population["strategies"] == 3


def test_mistakes_are_named(tmp_path):
    run = toy.run_of(tmp_path / "toy" / "sp" / "a", [0, 1])
    mistakes = {
        "has 2 agents in it": lambda: cole.load_agent(run),
        "a game is played by two": lambda: cole.play(run, "stay"),
        "say which layout": lambda: cole.play("stay", "stay"),
        "it knows only toy": lambda: cole.play(toy.agent(), "stay", layout="cramped_room"),
        "episodes must be": lambda: cole.crossplay(["stay"], layout="cramped_room", episodes=0),
        "seed must be": lambda: cole.play("stay", "stay", layout="cramped_room", seed=-1),
        "the name must end in one of .gif, .html, .svg, .json": lambda: cole.draw(still, tmp_path / "game.mp4"),
        "cannot be written": lambda: cole.draw(still, tmp_path / "none" / "game.svg"),
        "a single strategy has no partner": lambda: cole.analyse(made([[1.0]])),
    }
    still = trajectory.Trajectory(toy.KITCHEN, np.full((2, 2), layouts.STAY, np.int8))
    for says, mistake in mistakes.items():
        with pytest.raises(UserError, match=says):
            mistake()
