"""The recorded human games out of the overcooked_ai package's pickled tables, read without running anything in them.

This is the one file of the project that may import `pickle`. A pickle is a program that may call whatever it names.
Here it may name the eight things a table of that age is made of, each replaced by an inert stand-in that notes what it
was given; any other name is refused. No class or function of pandas or numpy is reached by the file, and pandas need
not be installed. The texts inside are read as JSON, never evaluated.
"""

import importlib.util
import json
import pickle
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from cole.errors import UserError
from cole.human import data
from cole.human.data import SPLITS, Games
from cole.kitchen import layouts
from cole.kitchen.layouts import FLOOR, SYMBOLS, Layout
from cole.kitchen.overcooked_ai import OUR_NAMES, read_action
from cole.kitchen.overcooked_states import read_state
from cole.kitchen.trajectory import PlainState, items, show

FILES = tuple(f"clean_{split}_trials.pickle" for split in SPLITS)
BROWSER_REWARD, REWARD = 5, 20  # per soup: in the browser game, in ours
WIDEST = max(layouts.load(name).terrain.size for name in layouts.MAPS)


# The columns that are used: of a row's game, then of the step.
TEXTS = ("layout_name", "run", "layout", "state", "joint_action", "next_state")
NUMBERS = ("workerid_num", "round_num", "cur_gameloop", "reward")


class Inert:
    """Stands for something a pickle names; it keeps what it is given and does nothing."""

    args: tuple
    state: Any

    def __new__(cls, *args: Any) -> "Inert":
        self = object.__new__(cls)
        self.args, self.state = args, None
        return self

    def __setstate__(self, state: Any) -> None:
        self.state = state


ALLOWED = {
    (module, name): type(name, (Inert,), {})
    for module, name in (
        ("pandas.core.frame", "DataFrame"),
        ("pandas.core.internals.managers", "BlockManager"),
        ("pandas.core.indexes.base", "_new_Index"),
        ("pandas.core.indexes.base", "Index"),
        ("pandas.core.indexes.numeric", "Int64Index"),
        ("numpy.core.multiarray", "_reconstruct"),
        ("numpy", "ndarray"),
        ("numpy", "dtype"),
    )
}


class Unpickler(pickle.Unpickler):
    """Reads plain values and the inert stand-ins; refuses every other name before anything is looked up."""

    def find_class(self, module: str, name: str) -> type:
        if (module, name) not in ALLOWED:
            raise UserError(f"it asks for {show(f'{module}.{name}')}, which a table of recorded games has no use for")
        return ALLOWED[module, name]


class Step(NamedTuple):
    """One row of a table."""

    game: tuple  # kitchen, (run, pair), round
    clock: int
    layout: str
    before: str
    joint: str
    after: str
    reward: int


def run(source: str | Path | None, target: str | Path) -> str:
    """Convert the games of a folder (by default of the installed package) into a file; says what was found."""
    games = convert(source)
    data.save(target, games)
    return data.summary(games)


def convert(source: str | Path | Iterable[str | Path] | None = None) -> Games:
    """All games of a folder, of given files, or of the installed overcooked_ai package."""
    found: list[tuple] = []
    for file in _files(source):
        split = next((i for i, name in enumerate(SPLITS) if name in file.name), None)
        if split is None:
            raise UserError(f"{file}: the name says neither train nor test")
        for key, steps in _games(_steps(read_table(file), str(file)), str(file)).items():
            found.append((list(layouts.MAPS).index(key[0]), split, *key[1:], steps, str(file)))
    if not found:
        raise UserError("there is not a single game in what was given")
    return _arrays(sorted(found, key=lambda game: game[:4]))


def _files(source: str | Path | Iterable[str | Path] | None) -> list[Path]:
    if source is None:
        package = importlib.util.find_spec("overcooked_ai_py")
        if package is None or not package.submodule_search_locations:
            raise UserError("the package overcooked-ai 1.1.0, which carries the human games, is not installed")
        source = Path(package.submodule_search_locations[0]) / "data" / "human_data"
    if isinstance(source, str | Path):
        if not Path(source).exists():
            raise UserError(f"there is no file or folder {source}")
        source = [Path(source) / name for name in FILES] if Path(source).is_dir() else [source]
    return [Path(file) for file in source]


def read_table(file: Path) -> dict[str, np.ndarray]:
    """The columns of a pickled table, by name."""
    try:
        with open(file, "rb") as opened:
            return _columns(_unpickle(opened))
    except OSError as error:
        raise UserError(f"{file} cannot be read: {error}") from None
    except UserError as error:
        raise UserError(f"{file}: {error}") from None
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise UserError(f"{file} is not a table of recorded games: {error}") from None


def _unpickle(file: BinaryIO) -> Any:
    try:
        return Unpickler(file).load()
    except (pickle.UnpicklingError, EOFError, ArithmeticError, LookupError, MemoryError, RecursionError) as error:
        raise UserError(f"not a readable pickle: {error}") from None
    except (AttributeError, ImportError, TypeError, ValueError) as error:
        raise UserError(f"not a readable pickle: {error}") from None


def _columns(table: Inert) -> dict[str, np.ndarray]:
    """A table is a few blocks of columns of one type, [columns, rows] each, with their names."""
    _, blocks, names, _ = table.state["_data"].state
    pairs = zip(names, blocks, strict=True)
    return {name: row for index, block in pairs for name, row in zip(_index(index), _array(block), strict=True)}


def _index(index: Inert) -> list[str]:
    _, fields = index.args
    return _array(fields["data"]).tolist()


def _array(record: Inert) -> np.ndarray:
    _, shape, dtype, by_column, content = record.state
    kinds = {"b1": np.bool_, "i8": np.dtype("<i8"), "f8": np.dtype("<f8")}
    if dtype.args[0] == "O8":
        flat = np.empty(len(content), object)
        flat[:] = content
    else:
        flat = np.frombuffer(content, kinds[dtype.args[0]])
    return flat.reshape(shape, order="F" if by_column else "C")


def _steps(table: dict[str, np.ndarray], where: str) -> list[Step]:
    for name in (*TEXTS, *NUMBERS):
        if name not in table:
            raise UserError(f"{where}: the column {name!r} is missing")
    for name in TEXTS:
        if not all(isinstance(value, str) for value in table[name]):
            raise UserError(f"{where}: the column {name!r} is not text")
    for name in NUMBERS:
        if table[name].dtype.kind not in "if" or not (table[name] % 1 == 0).all():
            raise UserError(f"{where}: the column {name!r} does not hold whole numbers")
    kitchen, run, layout, before, joint, after = (table[name].tolist() for name in TEXTS)
    pair, round_, clock, reward = (table[name].astype(np.int64).tolist() for name in NUMBERS)
    games = zip(kitchen, zip(run, pair, strict=True), round_, strict=True)
    return [Step(*row) for row in zip(games, clock, layout, before, joint, after, reward, strict=True)]


def _games(steps: list[Step], where: str) -> dict[tuple, list[Step]]:
    """The steps of each game in order, with our name of the kitchen; a game with a hole is refused."""
    games: dict[tuple, list[Step]] = {}
    for step in steps:
        kitchen, pair, round_ = step.game
        if kitchen not in OUR_NAMES:
            raise UserError(f"{where}: the kitchen {show(kitchen)} is not known")
        games.setdefault((OUR_NAMES[kitchen], pair, round_), []).append(step)
    for key, game in games.items():
        for t, step in enumerate(game):
            if step.clock != t or (t and step.before != game[t - 1].after):
                raise UserError(f"{where}: {key}: the step {t} does not continue the one before")
    return games


def _arrays(found: list[tuple]) -> Games:
    """`found`: kitchen, split, pair, round, steps and file of each game, in the order they shall have."""
    pairs = sorted({pair for _, _, pair, *_ in found})
    states, actions, rewards = [], [], []
    for kitchen, _, _, _, steps, file in found:
        layout = layouts.load(list(layouts.MAPS)[kitchen])
        _check_map(layout, steps[0].layout, file)
        seen = [steps[0].before, *(step.after for step in steps)]
        states += _each(seen, partial(_state, layout, where=file))
        actions += _each((step.joint for step in steps), partial(_joint, where=file))
        rewards += [_reward(step.reward, file) for step in steps]
    contents = np.zeros((len(states), WIDEST), np.uint8)
    for row, state in zip(contents, states, strict=True):
        row[: len(state.contents)] = state.contents
    columns = {name: np.array([getattr(state, name) for state in states], np.uint8) for name in PlainState._fields[:3]}
    return Games(
        kitchens=np.array(list(layouts.MAPS)),
        kitchen=np.array([game[0] for game in found], np.uint8),
        split=np.array([game[1] for game in found], np.uint8),
        pair=np.array([pairs.index(game[2]) for game in found], np.uint8),
        round=np.array([game[3] for game in found], np.uint8),
        steps=np.array([len(game[4]) for game in found], np.int32),
        contents=contents,
        action=np.array(actions, np.uint8),
        reward=np.array(rewards, np.uint8),
        notice=np.array(data.NOTICE.splitlines()),
        people=np.ones((len(found), 2), bool),
        **columns,
    )


def _each(texts: Iterable[str], read: Callable[[str], Any]) -> list:
    """What each text says; one that comes again is read once, and people stand still half the time."""
    texts = list(texts)
    known = {text: read(text) for text in dict.fromkeys(texts)}
    return [known[text] for text in texts]


def _value(text: str, where: str) -> Any:
    """A Python literal of dicts, lists, names and numbers is JSON but for its quotes and its False."""
    try:
        return json.loads(text.replace("'", '"').replace("False", "false").replace("True", "true"))
    except (AttributeError, ValueError, RecursionError):
        raise UserError(f"{where}: {show(text)} cannot be read") from None


def _state(layout: Layout, text: str, where: str) -> PlainState:
    return read_state(layout, _value(text, where), where)


def _joint(text: str, where: str) -> list[int]:
    return [read_action(action, where) for action in items(_value(text, where), where, 2)]


def _reward(value: int, where: str) -> int:
    if value not in (0, BROWSER_REWARD, 2 * BROWSER_REWARD):
        raise UserError(f"{where}: two cooks cannot earn {value} in one step, a soup is {BROWSER_REWARD}")
    return value // BROWSER_REWARD * REWARD


def _check_map(layout: Layout, text: str, where: str) -> None:
    """The map played on is ours, wherever the cooks started."""
    rows = items(_value(text, where), where)
    played = [[SYMBOLS[FLOOR] if symbol.isdigit() else symbol for symbol in str(row)] for row in rows]
    if played != [[SYMBOLS[kind] for kind in row] for row in layout.terrain]:
        raise UserError(f"{where}: the map {show(text)} is not ours of that name")
