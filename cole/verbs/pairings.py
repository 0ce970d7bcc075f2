"""Everybody with everybody of one kitchen, and the best and the worst pair of it: watched, and filmed."""

from pathlib import Path

import numpy as np

from cole import runfolder
from cole.evaluate import behaviour, crossplay
from cole.evaluate.lineup import Lineup, layout_of
from cole.evaluate.pairs import Setting
from cole.kitchen import film, trajectory
from cole.kitchen.trajectory import Trajectory
from cole.report.comparison import Matrix, Pairing, extremes, typical
from cole.report.evaluation import Games


def matrix(lineup: Lineup, games: Games, setting: Setting) -> Matrix:
    """Everybody with everybody in one kitchen."""
    teams = [(label, lineup.teams.get((games.kitchen, label))) for label in lineup.labels]
    every = [(label, seed, one) for label, team in teams if team for seed, one in team.players.items()]
    players = [one for _, _, one in every]
    table = [[games.found[first.identity, second.identity] for second in players] for first in players]
    played = crossplay.gathered(players, layout_of(lineup, games.kitchen), setting, table, 0)
    return Matrix(games.kitchen, [label for label, _, _ in every], [seed for _, seed, _ in every], played)


def pairings(lineup: Lineup, one: Matrix, setting: Setting) -> list[Pairing]:
    """The best and the worst pair."""
    return [pairing(lineup, one, setting, which, at) for which, at in extremes(one.played.mean, one.labels).items()]


def pairing(lineup: Lineup, one: Matrix, setting: Setting, which: str, at: tuple[int, int]) -> Pairing:
    """Two of a matrix: their games once more, watched, and one of them filmed."""
    i, j = at
    layout = one.played.layout
    actions = behaviour.play(layout, (one.played.players[i], one.played.players[j]), setting)
    done = behaviour.observe(layout, actions)
    number = typical(np.asarray(done.returns))
    states, events = trajectory.replay(Trajectory(layout, actions[number]))
    names = (f"{one.labels[i]} seed {one.seeds[i]}", f"{one.labels[j]} seed {one.seeds[j]}")
    title = f"{names[0]} (cook 1) with {names[1]} (cook 2)"
    height, width = layout.terrain.shape
    return Pairing(
        kitchen=one.kitchen,
        which=which,
        names=names,
        folders=(folder_of(lineup, one, i), folder_of(lineup, one, j)),
        done=behaviour.summary(done),
        game=number,
        earned=float(done.returns[number]),
        film=film.html(layout, states, film.running_score(trajectory.rewards(events)), title=title),
        ratio=width / height,
    )


def folder_of(lineup: Lineup, one: Matrix, place: int) -> str:
    """Where an agent lies."""
    team, seed = lineup.teams[one.kitchen, one.labels[place]], one.seeds[place]
    own = one.played.players[place].path[-1]
    candidates = [
        Path(source) / inside / name
        for source in team.source.splitlines()
        for inside in (runfolder.AGENTS, "")
        for name in (f"seed-{seed}", own)
    ]
    return str(next((path for path in candidates if path.is_dir()), candidates[0]))
