"""Learning curves of a team, from the logs of its runs."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from cole import journal, runfolder
from cole.errors import UserError
from cole.evaluate.lineup import Lineup, Team

POINTS = 100  # of a curve: each is the mean of as many updates


class Curve(NamedTuple):
    """What a team earned while it learned. R seeds, U points."""

    kitchen: str
    label: str
    seeds: list[int]  # [R] those with a log
    steps: np.ndarray  # [U] environment steps of one learner: a pool has several at a time, and costs as much more
    returns: np.ndarray  # [R, U] mean return of the training games; NaN where a log has no number
    lacks: tuple[str, ...]  # seeds of which no log says anything


def curves(lineup: Lineup) -> list[Curve]:
    """Of every team, kitchen after kitchen, that has a log."""
    teams = [lineup.teams.get((kitchen, label)) for kitchen in lineup.kitchens for label in lineup.labels]
    found = [of_team(team) for team in teams if team]
    return [curve for curve in found if curve.seeds]


def of_team(team: Team, points: int = POINTS) -> Curve:
    """All seeds on the steps of the longest run; a shorter one has no numbers beyond its end."""
    by_seed: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    for source in team.source.splitlines():
        by_seed |= {seed: one for seed, one in of_run(Path(source), points).items() if seed in team.players}
    lacks = tuple(f"{team.label} seed {seed}" for seed in team.players if seed not in by_seed)
    steps = max((steps for steps, _ in by_seed.values()), key=lambda each: each[-1], default=np.zeros(0))
    returns = [np.interp(steps, *one, right=np.nan) for _, one in sorted(by_seed.items())]
    table = np.array(returns).reshape(len(by_seed), len(steps))
    return Curve(team.kitchen, team.label, sorted(by_seed), steps, table, lacks)


def end(curve: Curve) -> float:
    """What its seeds earned last, on average; NaN if of none a number is known."""
    last = [known[-1] for each in curve.returns if len(known := each[~np.isnan(each)])]
    return float(np.mean(last)) if last else np.nan


def of_run(run: Path, points: int = POINTS) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Of each seed steps [U], as of all, and mean returns [U], at most so many points; nothing if the log has none."""
    try:
        seeds = runfolder.read_config(run)["seeds"]
        lines = journal.every_line(run / runfolder.LOG)
        steps = np.array([line["steps"] for line in lines], np.float64)
        returns = np.array([line["return"] for line in lines], np.float64)  # [updates, P, ...]
    except (UserError, KeyError, TypeError, ValueError):
        return {}
    if returns.ndim < 2 or returns.shape[1] != len(seeds):
        return {}
    by_seed = returns.reshape(len(lines), len(seeds), -1).mean(-1)
    parts = np.array_split(np.arange(len(lines)), min(points, len(lines)))
    at = np.array([steps[part[-1]] for part in parts])  # [U]
    means = np.array([by_seed[part].mean(axis=0) for part in parts])  # [U, P]
    return {seed: (at, means[:, place]) for place, seed in enumerate(seeds)}
