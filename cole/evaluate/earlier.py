"""Agents of an earlier round of a finished run: as if it had ended there, or each seed where it earned most."""

from pathlib import Path

import numpy as np

from cole import journal, runfolder
from cole.errors import UserError
from cole.evaluate import history
from cole.evaluate.entries import REACHED
from cole.policy import store
from cole.policy.store import Agent

BEST = "best"


def taken(run: Path, wanted: str) -> list[Agent]:
    """The agents of all seeds after the round of this number, as `cole analyze` counts them; or each seed's best."""
    config = runfolder.read_config(run)
    seeds, first, last = config["seeds"], config["kept_from"], config["rounds"] - 1
    if not (run / runfolder.FINISHED).exists():
        raise UserError(f"{run} is not finished: its agents have yet to be made")
    if wanted == BEST:
        rounds = best_rounds(run)
    elif wanted.isdecimal() and first <= int(wanted) <= last:
        rounds = [int(wanted)] * len(seeds)
    else:
        raise UserError(f"--round must be {BEST} or a number from {first} to {last}, not {wanted}")
    return [as_published(run, place, round, wanted) for place, round in enumerate(rounds)]


def best_rounds(run: Path) -> list[int]:
    """The round of each seed in whose games of training it earned most, of those whose strategies are kept."""
    config = runfolder.read_config(run)
    log = run / runfolder.LOG
    lines = [line for line in journal.every_line(log) if line["round"] >= config["kept_from"]]
    try:
        number = np.array([line["round"] for line in lines])
        earned = np.array([line["return"] for line in lines], float).reshape(len(lines), len(config["seeds"]), -1)
    except (KeyError, TypeError, ValueError):
        raise UserError(f"{log} does not say in every line what each seed earned") from None
    rounds = sorted(set(number.tolist()))
    means = np.array([earned[number == round].mean(axis=(0, 2)) for round in rounds])  # [rounds, P]
    return [rounds[i] for i in np.where(np.isnan(means), -np.inf, means).argmax(axis=0)]


def as_published(run: Path, place: int, round: int, wanted: str) -> Agent:
    """The strategy of a round with the card of the agent that the run published, less what that one reached."""
    [found] = history.strategies(run, place, [round])
    training = store.load(run / runfolder.AGENTS / f"seed-{found.card.seed}").card.training
    deciding = {name: value for name, value in training.items() if name not in REACHED}
    return Agent(found.params, found.card._replace(training=deciding | {"taken": wanted, "round": round}))
