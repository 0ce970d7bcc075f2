"""Games in the JSON of the overcooked_ai project: read if they follow our rules, written so that it can load them.

Two kinds of file are read. Release 1.1.0 lists `ep_states`, whose soups carry `_ingredients` and `cooking_tick`, and
says the kitchen in `mdp_params` (`terrain`, `start_player_positions`). The code of 2019 lists `ep_observations`, whose
soups carry `state: [kind, onions, ticks]`, and names the kitchen only. Files of 1.1.0 are written.

The rules of 1.1.0 start a pot on INTERACT, ours by itself at three onions: a game in which that matters is refused.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cole.errors import UserError
from cole.kitchen import game, layouts
from cole.kitchen.game import State
from cole.kitchen.layouts import DIRECTIONS, INTERACT, STAY, Layout
from cole.kitchen.overcooked_states import ORDER, direction, field, position, read_state, write_state
from cole.kitchen.trajectory import PlainState, Trajectory, as_arrays, items, read_json, replay, rewards, show

# What that project calls the paper's kitchens. Its "counter_circuit" of 1.1.0 is another map, but a file of 1.1.0
# carries the terrain, and that is what counts.
OLD_NAMES = {
    "simple": "cramped_room",
    "unident_s": "asymmetric_advantages",
    "random1": "coordination_ring",
    "random0": "forced_coordination",
    "random3": "counter_circuit",
}
NEW_NAMES = {name: name for name in layouts.MAPS} | {"counter_circuit": "counter_circuit_o_1order"}
OUR_NAMES = OLD_NAMES | {name: name for name in layouts.MAPS} | {new: ours for ours, new in NEW_NAMES.items()}


def load(path: str | Path) -> list[Trajectory]:
    """Every game of a file. A game whose recorded states or rewards do not follow from our rules is refused."""
    fields = read_json(path)
    if not isinstance(fields, dict):
        raise UserError(f"{path}: {show(fields)} is not an object with fields")
    old = "ep_observations" in fields
    recorded = items(field(fields, "ep_observations" if old else "ep_states", str(path)), f"{path}: states")
    columns = [
        items(field(fields, name, str(path)), f"{path}: {name}", len(recorded))
        for name in ("ep_actions", "ep_rewards", "mdp_params")
    ]
    games = zip(recorded, *columns, strict=True)
    return [_game(*parts, where=f"{path}: game {i}") for i, parts in enumerate(games)]


def _game(states: Any, actions: Any, paid: Any, params: Any, where: str) -> Trajectory:
    layout = _layout(params, where)
    states = items(states, f"{where}: states")
    steps = len(states)
    if not steps:
        raise UserError(f"{where}: there is not even a first state")
    actions = items(actions, f"{where}: actions", steps)
    paid = items(paid, f"{where}: rewards", steps)
    recorded = [read_state(layout, state, f"{where}, step {t}") for t, state in enumerate(states)]
    seats = len(layout.start)
    if actions[-1] == [None] * seats:  # a last row that only shows how the game ended
        actions, paid = actions[:-1], paid[:-1]
    joint = [_joint(row, seats, f"{where}, step {t}") for t, row in enumerate(actions)]
    joint = np.array(joint, np.int8).reshape(len(joint), seats)
    start = as_arrays(recorded[0])
    timed = all(isinstance(state.get("timestep"), int) for state in states)
    _check_followed(Trajectory(layout, joint, start), recorded, paid, timed, where)
    return Trajectory(layout, joint, None if _is_opening(layout, start) else start)


def _is_opening(layout: Layout, start: State) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(game.reset(layout), start, strict=True))


def _check_followed(trajectory: Trajectory, recorded: list[PlainState], paid: list, timed: bool, where: str) -> None:
    states, events = replay(trajectory)
    theirs = PlainState._make(np.array(column) for column in zip(*recorded, strict=True))
    differs = {}
    for name in State._fields if timed else State._fields[:-1]:
        ours = getattr(states, name)[: len(recorded)]
        differs[name] = (ours != getattr(theirs, name)).reshape(len(recorded), -1).any(axis=1)
    step = int(np.any(list(differs.values()), axis=0).argmax())
    wrong = [name for name, column in differs.items() if column[step]]
    if wrong:
        raise UserError(f"{where}, step {step}: our rules lead to another state ({', '.join(wrong)})")
    for t, (reward, ours) in enumerate(zip(paid, rewards(events).tolist(), strict=True)):
        if isinstance(reward, bool) or reward != ours:
            raise UserError(f"{where}, step {t}: the reward is {show(reward)}, by our rules {ours:g}")


def _layout(params: Any, where: str) -> Layout:
    """The kitchen by its terrain if the file has it, else by its name."""
    name = field(params, "layout_name", f"{where}: mdp_params")
    if "terrain" in params:
        rows = [_row(row, f"{where}: terrain, row {y}") for y, row in enumerate(items(params["terrain"], where))]
        starts = items(field(params, "start_player_positions", f"{where}: mdp_params"), f"{where}: start positions")
        for seat, start in enumerate(starts):
            x, y = position(start, rows, f"{where}: start position {seat}")
            rows[y][x] = str(seat + 1)
        return layouts.parse("\n".join("".join(row) for row in rows), where=f"{where}: terrain: ")
    if isinstance(name, str) and "|" in name:
        return layouts.parse(name.replace("|", "\n"), where=f"{where}: layout_name: ")
    if not isinstance(name, str) or name not in OUR_NAMES:
        raise UserError(f"{where}: the kitchen {show(name)} is not known and its terrain is not in the file")
    return layouts.load(OUR_NAMES[name])


def _row(value: Any, where: str) -> list[str]:
    symbols = list(value) if isinstance(value, str) else items(value, where)
    for symbol in symbols:
        if not isinstance(symbol, str) or len(symbol) != 1 or symbol == "\n":
            raise UserError(f"{where}: {show(symbol)} is not a symbol of a map")
    return symbols


def _joint(value: Any, seats: int, where: str) -> list[int]:
    return [read_action(action, f"{where}, seat {seat}") for seat, action in enumerate(items(value, where, seats))]


def read_action(value: Any, where: str) -> int:
    """[dx, dy] for a direction, [0, 0] to stay, "interact" in whatever case."""
    if isinstance(value, str) and value.lower() == "interact":
        return INTERACT
    return STAY if value == [0, 0] else direction(value, where)


def save(path: str | Path, trajectories: Sequence[Trajectory]) -> None:
    """Write games as release 1.1.0 does: its loader reads them, and its rules of 2019 lead to the same states."""
    played = [(one.layout, np.asarray(one.actions).tolist(), *replay(one)) for one in trajectories]
    paid = [rewards(events).astype(int).tolist() for *_, events in played]
    fields = {
        "ep_states": [_states(layout, states, len(joint)) for layout, joint, states, _ in played],
        "ep_actions": [[[_their_action(a) for a in row] for row in joint] for _, joint, *_ in played],
        "ep_rewards": paid,
        "ep_dones": [[t == len(one) - 1 for t in range(len(one))] for one in paid],
        "ep_returns": [sum(one) for one in paid],
        "ep_lengths": [len(one) for one in paid],
        "mdp_params": [_params(layout) for layout, *_ in played],
        "env_params": [_env_params(int(states.clock[-1])) for *_, states, _ in played],
    }
    try:
        Path(path).write_text(json.dumps(fields), encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error}") from None


def _states(layout: Layout, states: State, steps: int) -> list[dict]:
    """The state before every step; how the game ended has no place in the format."""
    columns = [values.tolist() for values in states]
    return [write_state(layout, PlainState._make(column[t] for column in columns)) for t in range(steps)]


def _their_action(action: int) -> list[int] | str:
    return "interact" if action == INTERACT else [0, 0] if action == STAY else list(DIRECTIONS[action])


def _params(layout: Layout) -> dict:
    """Enough to build the kitchen there; a map without a name is called by its rows, as that project does."""
    width, ours = layout.terrain.shape[1], layouts.name_of(layout)
    return {
        "layout_name": NEW_NAMES[ours] if ours else layouts.to_text(layout).replace("\n", "|"),
        "terrain": [[layouts.SYMBOLS[kind] for kind in row] for row in layout.terrain],
        "start_player_positions": [[int(cell) % width, int(cell) // width] for cell in layout.start],
        "start_bonus_orders": [],
        "rew_shaping_params": None,
        "start_all_orders": [ORDER],
    }


def _env_params(horizon: int) -> dict:
    # The release marks every game of one kitchen as "variable" and then skips a check it cannot run on a loaded file.
    return {"start_state_fn": None, "horizon": horizon, "info_level": 0, "_variable_mdp": True}
