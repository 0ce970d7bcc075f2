"""What a run was on its way: the strategies of its rounds as agents, played with each other afresh; its partners."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cole import journal, runfolder
from cole.errors import UserError
from cole.evaluate.crossplay import CrossPlay, crossplay
from cole.evaluate.pairs import Setting
from cole.evaluate.players import Player, kitchen_of, of_agent
from cole.kitchen import layouts
from cole.kitchen.trajectory import show
from cole.policy import store
from cole.policy.card import by
from cole.policy.store import Agent

OURS = re.compile(r"(\d{6,})\.safetensors")  # the others are half written
SETTING = Setting(episodes=5)


class History(NamedTuple):
    """One seed of a run: n of its strategies, the earliest first."""

    run: Path
    method: str
    seed: int
    rounds: list[int]  # [n] from 0, as the files and the log count them
    agents: list[Agent]  # [n] what the learner was after that round


class Partners(NamedTuple):
    """Whom the learner of one seed was to meet, and whom it met. T generations, C slots of the population."""

    rounds: np.ndarray  # [T]
    phi: np.ndarray  # [T, C] the cooperative incompatible distribution
    draws: np.ndarray  # [T, C] how often each was drawn; nobody is in pure self-play
    effective: np.ndarray  # [T] effective number of those drawn
    there: np.ndarray  # [T, C] whether the slot was taken when the generation began


def read(folder: Path, count: int = 50, seed: int | None = None) -> History:
    """At most `count` strategies of one seed (by default the run's first), uniformly over the rounds there are."""
    config = _config(folder)
    seeds, first = config["seeds"], config["kept_from"]
    place = _place(folder, seeds, seed)
    rounds = picked(last_round(folder, config["rounds"], first), count, first)
    agents = strategies(folder, place, rounds)
    return History(folder, config["config"]["method"], seeds[place], rounds, agents)


def strategies(folder: Path, place: int, rounds: Sequence[int]) -> list[Agent]:
    """What the learner of the seed in this place was after these rounds."""
    config = _config(folder)
    seeds, facts, first = config["seeds"], config["config"], config["kept_from"]
    layout = layouts.parse(facts["map"], where=f"{folder / runfolder.CONFIG}: map: ")
    view = facts["setting"]["view"]
    shapes = store.shapes(layout, view)
    card = store.new_card(layout, view, facts["method"], seed=seeds[place], name=facts["layout"])

    def agent(round: int) -> Agent:
        file = folder / runfolder.STRATEGIES / f"{round:06d}.safetensors"
        made = {
            "steps": (round + 1 - first) * config["env_steps"],
            "training": {"run": folder.resolve().name, "round": round},
        }
        return Agent(_params(file, shapes, len(seeds), place), card._replace(**made))

    return [agent(round) for round in rounds]


def picked(last: int, count: int, first: int = 0) -> list[int]:
    """At most `count` of the rounds `first` to `last`, evenly spread, both of these among them."""
    if count < 2:
        raise UserError(f"count must be at least 2, not {count}: a single strategy has no partner to prefer")
    n = min(count, last - first + 1)
    return [first + round(i * (last - first) / (n - 1)) for i in range(n)]


def last_round(folder: Path, rounds: int, first: int = 0) -> int:
    """The last round whose strategies should be there: of a finished run its last, else the newest on disk."""
    names = [path.name for path in (folder / runfolder.STRATEGIES).glob("*")]
    found = [int(match[1]) for match in map(OURS.fullmatch, names) if match]
    last = rounds - 1 if found and (folder / runfolder.FINISHED).exists() else max(found, default=-1)
    if last < first + 1:
        kept = "only the strategy of its first round" if found else "no strategies"
        raise UserError(f"{folder} has kept {kept}, and to analyse a run takes those of two rounds")
    return last


def players(history: History) -> list[Player]:
    """The strategies as players called round-000, round-012, ..., with as many digits as the last one needs."""
    digits = max(3, len(str(history.rounds[-1])))
    where = history.run.resolve().parts[-3:]
    names = [f"round-{round:0{digits}d}" for round in history.rounds]
    return [of_agent(agent, (*where, name), 1) for name, agent in zip(names, history.agents, strict=True)]


def replay(
    history: History,
    setting: Setting = SETTING,
    *,
    known: Path | None = None,
    progress: Callable[[int, int], None] = lambda done, games: None,
) -> CrossPlay:
    """Everybody with everybody in both seats; see `crossplay` for the folder `known` and for `progress`."""
    cooks = players(history)
    return crossplay(cooks, kitchen_of(cooks)[0], setting, known=known, progress=progress)


def partners(folder: Path, seed: int | None = None) -> Partners | None:
    """What the log says of one seed's partners; None if the method has no phi."""
    place = _place(folder, runfolder.read_config(folder)["seeds"], seed)
    log = folder / runfolder.LOG
    lines = [line for line in journal.every_line(log) if "phi" in line]
    if not lines:
        return None
    try:
        phi, draws, effective, alive, joined = (
            np.array([line[name][place] for line in lines], float)
            for name in ("phi", "draws", "effective_partners", "alive", "joined")
        )
        # Slots are filled in order, and a full population stays full.
        before = np.concatenate([alive[:1] - joined[:1], alive[:-1]])
        there = (np.arange(phi.shape[1])[None] < before[:, None]) | (phi > 0) | (draws > 0)
        return Partners(np.array([line["round"] for line in lines]), phi, draws, effective, there)
    except (KeyError, IndexError, TypeError, ValueError):
        raise UserError(f"{log} is damaged: phi, draws and what belongs to them are not in every line alike") from None


def _config(folder: Path) -> dict[str, Any]:
    """What was asked of the run, if that says of whom its strategies are."""
    if not (folder / runfolder.CONFIG).exists():
        raise UserError(f"{folder} is not the folder of a run: it has no {runfolder.CONFIG}")
    config = runfolder.read_config(folder)
    try:
        texts = [config["config"][name] for name in ("method", "layout", "map")]
        view = config["config"]["setting"]["view"]
        if view in store.VIEWS and all(isinstance(text, str) for text in texts):
            return config
    except (KeyError, TypeError):
        pass
    raise UserError(f"{folder / runfolder.CONFIG} names no method, kitchen and view whose strategies could be played")


def _place(folder: Path, seeds: list[int], seed: int | None) -> int:
    """Where in its files a seed of the run stands."""
    if seed is not None and seed not in seeds:
        raise UserError(f"{folder} has no seed {seed}: it has {', '.join(map(str, seeds))}")
    return 0 if seed is None else seeds.index(seed)


def _params(file: Path, shapes: store.Shapes, seeds: int, place: int) -> store.Arrays:
    """The network of one seed, checked as that of an agent is."""
    try:
        tensors = store.tensors(file.read_bytes(), str(file))
    except OSError as error:
        raise UserError(f"{file} cannot be read: {error.strerror}") from None
    for name, tensor in sorted(tensors.items()):
        if tensor.shape[:1] != (seeds,):
            raise UserError(f"{file}: the tensor {show(name)} is {by(tensor.shape)}, and the run has {seeds} seeds")
    mine = {name: tensor[place].copy() for name, tensor in tensors.items()}
    store.check_params(mine, shapes, str(file))
    return store.nested(mine, shapes)
