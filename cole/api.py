"""The five things one does with agents, each in a line: load one, watch it cook, draw that, judge a group, analyse it.

All of it is at hand as `cole.load_agent` and so on. A player is what `load_agent` gives, or anything it takes.
"""

from collections.abc import Sequence
from operator import index
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cole import graph, solver
from cole.errors import UserError
from cole.evaluate import cache, pairs, players
from cole.evaluate import crossplay as evaluate
from cole.evaluate.crossplay import CrossPlay
from cole.evaluate.pairs import Setting
from cole.evaluate.players import Kitchen, Player, Wanted
from cole.kitchen import draw as pictures
from cole.kitchen import film, trajectory
from cole.kitchen.game import HORIZON, State
from cole.kitchen.trajectory import Trajectory
from cole.report.analysis import COLUMNS, by_strategy, summary_of

ENDINGS = (".gif", ".html", ".svg", ".json")  # of files that a game can be written to


class Analysis(NamedTuple):
    """What a cross-play says of n strategies."""

    names: list[str]
    strategy: dict[str, np.ndarray]  # [n] each: self_play, preferred, eta, rank, sigma, shapley, phi, ...
    population: dict[str, Any]  # of all together: effective_partners, gamescape_dimension, ...


def load_agent(path: str | Path) -> Player:
    """An agent from its folder or by its name in the zoo; or a cook written by hand, such as "greedy_cook"."""
    found = players.as_players([path])
    if len(found) > 1:
        raise UserError(f"{path} has {len(found)} agents in it: load them one by one, or hand the folder to crossplay")
    return found[0]


def play(
    first: Wanted,
    second: Wanted,
    *,
    layout: Kitchen = None,
    seed: int = 0,
    episode: int = 0,
    greedy: bool = False,
    steps: int = HORIZON,
) -> Trajectory:
    """One game, the first player in seat 0: number `episode` of those that `crossplay` plays with this seed.

    The layout may be left out if a player has one. `greedy` networks take their best action instead of drawing one.
    """
    both = players.as_players([first, second], layout)
    if len(both) != 2:
        raise UserError("a game is played by two: hand folders of several agents to crossplay")
    kitchen, _ = players.kitchen_of(both, layout)
    setting = Setting(index(episode) + 1, index(seed), bool(greedy), index(steps))
    evaluate.check(setting, None)
    actions = pairs.record(kitchen, (both[0], both[1]), setting, episode)
    return Trajectory(kitchen, actions.astype(np.int8), seed=seed)


def draw(game: Trajectory, path: str | Path) -> None:
    """Writes a game as .gif, .html (a page with a slider), .svg (the last state) or .json (a recording)."""
    path = Path(path)
    check_ending(path)
    states, events = trajectory.replay(game)
    save(path, game, film.listed(states), film.running_score(trajectory.rewards(events)), int(states.clock[-1]))


def check_ending(path: Path) -> None:
    """Refuses a name whose ending says nothing of how to write a game."""
    if path.suffix not in ENDINGS:
        raise UserError(f"{path}: the name must end in one of {', '.join(ENDINGS)}")


def save(path: Path, game: Trajectory, states: list[State], scores: np.ndarray, end: int) -> None:
    """Writes a game that was replayed already: its states and the score at each [T + 1], and the clock at its end."""
    if path.suffix == ".json":
        return trajectory.save(path, game)
    written = {
        ".gif": lambda: film.gif(game.layout, states, scores, horizon=end),
        ".html": lambda: film.html(game.layout, states, scores, horizon=end).encode(),
        ".svg": lambda: pictures.svg(game.layout, states[-1], scores[-1], end).encode(),
    }
    try:
        path.write_bytes(written[path.suffix]())
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}") from None


def crossplay(
    wanted: Sequence[Wanted],
    *,
    layout: Kitchen = None,
    episodes: int = 100,
    seed: int = 0,
    greedy: bool = False,
    steps: int = HORIZON,
    fresh: bool = False,
) -> CrossPlay:
    """What all players earn with each other, every pair in both seats; a folder stands for all agents in it.

    Pairs that have played these games before are not played again, unless they are to be `fresh`.
    """
    found = players.as_players(wanted, layout)
    kitchen, _ = players.kitchen_of(found, layout)
    setting = Setting(index(episodes), index(seed), bool(greedy), index(steps))
    return evaluate.crossplay(found, kitchen, setting, known=cache.home(), fresh=fresh)


def analyse(result: CrossPlay) -> Analysis:
    """What `cole analyze` says with its default settings: preferences, eta, sigma, Shapley values, phi."""
    if len(result.players) < 2:
        raise UserError("a single strategy has no partner to prefer; give at least two")
    game = graph.graph_of_payoffs(result.mean)
    w = graph.payoff(game)
    found = by_strategy(w, game.alive, "in_degree", solver.SIGMA, solver.LINEAR)
    columns = {name: np.asarray(found[name]) for name in COLUMNS}
    names = [player.name for player in result.players]
    return Analysis(names, columns, summary_of(w, game.alive, result.mean, columns))
