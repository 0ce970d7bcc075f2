"""A recorded game on disk: a kitchen, where it began and the joint actions; replaying them gives every state again.

The file is JSON. Fields of version 1, those in brackets may be missing:

    "format"   "cole-trajectory"
    "version"  1; raised when the format changes or the rules do
    ["layout"] the name of one of the paper's kitchens
    "map"      its rows, as `layouts.parse` reads them
    ["seed"]   what the players' dice were seeded with; replaying does not need it
    ["start"]  the first state, field by field as in `game.State`; without it the opening of the map
    "actions"  one list per step with the action (0-5) of every seat
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from cole.errors import UserError
from cole.kitchen import game, layouts
from cole.kitchen.game import READY, SOUP, Events, State
from cole.kitchen.layouts import COUNTER, FLOOR, INTERACT, POT, STAY, Layout

FORMAT, VERSION = "cole-trajectory", 1
MOST_STEPS = 1_000_000  # in one game
LATEST = 1_000_000_000  # a clock that starts later would leave int32
LARGEST_SEED = 2**63 - 1


class Trajectory(NamedTuple):
    """One game. T steps, S seats."""

    layout: Layout
    actions: np.ndarray  # [T, S] int8
    start: State | None = None  # None: the opening of the layout
    seed: int | None = None


class PlainState(NamedTuple):
    """A `game.State` of lists and whole numbers, as files have it."""

    cell: list[int]
    facing: list[int]
    held: list[int]
    contents: list[int]
    clock: int


def replay(trajectory: Trajectory) -> tuple[State, Events]:
    """Every state of the game, [T + 1, ...], and what happened between them, [T, S] each, as NumPy arrays."""
    start = game.reset(trajectory.layout) if trajectory.start is None else trajectory.start
    steps, seats = trajectory.actions.shape
    # Filled up to a power of two, so that games of all lengths share a few compiled programs.
    actions = np.full((max(64, 1 << (steps - 1).bit_length()), seats), STAY, np.int32)
    actions[:steps] = trajectory.actions
    states, events = jax.device_get(_play(trajectory.layout, as_arrays(start), actions))
    return State._make(field[: steps + 1] for field in states), Events._make(field[:steps] for field in events)


@jax.jit
def _play(layout: Layout, start: State, actions: Array) -> tuple[State, Events]:
    def tick(state, joint):
        after, events = game.step(layout, state, joint)
        return after, (after, events)

    _, (later, events) = jax.lax.scan(tick, start, actions)
    return jax.tree.map(lambda first, rest: jnp.concatenate([first[None], rest]), start, later), events


def rewards(events: Events) -> np.ndarray:
    """The team's sparse reward of every replayed step [T]."""
    by_seat = [weight * np.asarray(event) for weight, event in zip(game.SPARSE, events, strict=True)]
    return np.sum(by_seat, axis=(0, 2))


def save(path: str | Path, trajectory: Trajectory) -> None:
    """Write one game; `load` gives it back."""
    content = json.dumps(as_json(trajectory, str(path))) + "\n"
    try:
        Path(path).write_text(content, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error}") from None


def as_json(trajectory: Trajectory, where: str = "a game") -> dict[str, Any]:
    """The fields of the file."""
    fields: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    name = layouts.name_of(trajectory.layout)
    fields |= {} if name is None else {"layout": name}
    fields["map"] = layouts.to_text(trajectory.layout).split("\n")
    if trajectory.seed is not None:
        fields["seed"] = whole(int(trajectory.seed), 0, LARGEST_SEED, f"{where}: seed")
    if trajectory.start is not None:
        fields["start"] = {key: np.asarray(value).tolist() for key, value in trajectory.start._asdict().items()}
    fields["actions"] = np.asarray(trajectory.actions).tolist()
    return fields


def load(path: str | Path) -> Trajectory:
    """Read one game; whatever is not as described above is refused with its place."""
    return from_json(read_json(path), str(path))


def from_json(value: Any, where: str) -> Trajectory:
    """The game in a JSON value; `where` names it in a refusal."""
    fields = record(value, where, {"format", "version", "map", "actions"}, {"layout", "seed", "start"})
    if fields["format"] != FORMAT:
        raise UserError(f"{where}: the format is {show(fields['format'])}, not {FORMAT!r}")
    version = fields["version"]
    if type(version) is not int or version != VERSION:
        raise UserError(f"{where}: version {show(version)} cannot be read, only version {VERSION}")
    layout = _layout(fields, where)
    seed = fields.get("seed")
    return Trajectory(
        layout=layout,
        actions=_actions(fields["actions"], len(layout.start), f"{where}: actions"),
        start=None if fields.get("start") is None else _start(layout, fields["start"], f"{where}: start"),
        seed=None if seed is None else whole(seed, 0, LARGEST_SEED, f"{where}: seed"),
    )


def read_json(path: str | Path) -> Any:
    """The value in a JSON file."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"there is no file {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read: {error}") from None
    except (ValueError, RecursionError) as error:  # a broken text, a number of thousands of digits, endless nesting
        raise UserError(f"{path} is not JSON: {error}") from None


def _layout(fields: dict, where: str) -> Layout:
    rows = items(fields["map"], f"{where}: map")
    for y, row in enumerate(rows):
        if not isinstance(row, str) or "\n" in row:
            raise UserError(f"{where}: map, row {y + 1}: {show(row)} is not a line of text")
    layout = layouts.parse("\n".join(rows), where=f"{where}: map: ")
    name = fields.get("layout")
    if name is not None and name != layouts.name_of(layout):
        raise UserError(f"{where}: layout: the map is not that of {show(name)}")
    return layout


def _actions(value: Any, seats: int, where: str) -> np.ndarray:
    steps = items(value, where)
    if len(steps) > MOST_STEPS:
        raise UserError(f"{where}: {len(steps)} steps are too many, at most {MOST_STEPS}")
    for t, joint in enumerate(steps):
        for seat, action in enumerate(items(joint, f"{where}, step {t}", seats)):
            whole(action, 0, INTERACT, f"{where}, step {t}, seat {seat}")
    return np.array(steps, np.int8).reshape(len(steps), seats)


def _start(layout: Layout, value: Any, where: str) -> State:
    fields = record(value, where, set(PlainState._fields), set())
    seats, cells = len(layout.start), layout.terrain.size
    for name, length in {"cell": seats, "facing": seats, "held": seats, "contents": cells}.items():
        items(fields[name], f"{where}: {name}", length)
    check_state(layout, PlainState(**fields), where)
    return as_arrays(PlainState(**fields))


def as_arrays(state: PlainState | State) -> State:
    """A state as the game holds it, in NumPy arrays."""
    dtypes = (np.int32, np.int8, np.int8, np.int8, np.int32)
    return State._make(np.array(value, dtype) for value, dtype in zip(state, dtypes, strict=True))


def check_state(layout: Layout, state: PlainState, where: str) -> None:
    """Refuse a state that the kitchen cannot be in."""
    terrain = layout.terrain.ravel().tolist()
    for seat, cell in enumerate(state.cell):
        place = f"{where}: cell, seat {seat}"
        if terrain[whole(cell, 0, len(terrain) - 1, place)] != FLOOR:
            raise UserError(f"{place}: cell {cell} is not floor")
        if cell in state.cell[:seat]:
            raise UserError(f"{place}: another cook stands in cell {cell}")
        whole(state.facing[seat], 0, 3, f"{where}: facing, seat {seat}")
        whole(state.held[seat], 0, SOUP, f"{where}: held, seat {seat}")
    most = {COUNTER: SOUP, POT: READY}
    for cell, content in enumerate(state.contents):
        if type(content) is not int or content != 0:
            whole(content, 0, most.get(terrain[cell], 0), f"{where}: contents, cell {cell}")
    whole(state.clock, 0, LATEST, f"{where}: clock")


def record(value: Any, where: str, needed: set[str], allowed: set[str]) -> dict:
    """A JSON object with all of the needed fields and none but the needed and allowed ones."""
    if not isinstance(value, dict):
        raise UserError(f"{where}: {show(value)} is not an object with fields")
    for name in sorted(needed - value.keys()):
        raise UserError(f"{where}: the field {name!r} is missing")
    for name in sorted(value.keys() - needed - allowed):
        raise UserError(f"{where}: {show(name)} is not a field")
    return value


def items(value: Any, where: str, length: int | None = None) -> list:
    """A JSON list, of a given length if that is known."""
    if not isinstance(value, list):
        raise UserError(f"{where}: {show(value)} is not a list")
    if length is not None and len(value) != length:
        raise UserError(f"{where}: {len(value)} entries instead of {length}")
    return value


def whole(value: Any, low: int, high: int, where: str) -> int:
    """A whole number within limits; neither true nor 1.0 is one."""
    if type(value) is not int or not low <= value <= high:
        raise UserError(f"{where}: {show(value)} is not a whole number from {low} to {high}")
    return value


def show(value: Any) -> str:
    """A value in a message, cut short."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
