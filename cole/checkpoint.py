"""A state on disk: every array of a pytree under its path, in a sealed folder, and back bit by bit or refused by name.

Each checkpoint is a folder named after the rounds done, 000120 say; the newest that is whole counts.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from safetensors import numpy as safetensors

from cole import sealed
from cole.errors import UserError

FORMAT = 1
ARRAYS, CARD = "state.safetensors", "state.json"
OURS = re.compile(r"\d{6,}|\.\d{6,}\.(new|old)")  # the second: what a save left that was cut short


class Card(NamedTuple):
    """What a checkpoint says of itself."""

    round: int  # rounds done
    updates: int  # lines of the log
    seeds: list[int]
    config_sha256: str
    log_bytes: int  # the log may be longer by what came after; up to here it has this hash
    log_sha256: str


def save(folder: Path, state: Any, card: Card) -> Path:
    """Writes the state as folder/<round>, whole or not at all."""
    path = folder / f"{card.round:06d}"
    arrays = safetensors.save({name_of(place, leaf.dtype): bits(leaf) for place, leaf in leaves(state)})
    if len(arrays) > sealed.LARGEST:
        raise UserError(f"{path} would be larger than {sealed.LARGEST} bytes: take fewer seeds at once")
    text = json.dumps({"format": FORMAT, **card._asdict()}, indent=1) + "\n"
    sealed.write(path, {ARRAYS: arrays, CARD: text.encode()})
    return path


def load(path: Path, template: Any) -> tuple[Any, Card]:
    """The state, whose every array must have the template's name, shape and type, and the card beside it."""
    arrays, card = read(path)
    wanted = {name_of(place, leaf.dtype): leaf for place, leaf in leaves(template)}
    if odd := sorted(arrays.keys() ^ wanted.keys()):
        raise UserError(f"{path / ARRAYS} is of another program: only one of them has {', '.join(odd[:3])}")
    for name, leaf in wanted.items():
        shape, dtype = kind_of_bits(leaf)
        if (arrays[name].shape, arrays[name].dtype) != (shape, dtype):
            found = f"{arrays[name].dtype}{list(arrays[name].shape)}"
            raise UserError(f"{path / ARRAYS} is of another program: {name} is {found}, not {dtype}{list(shape)}")
    restored = [from_bits(arrays[name], leaf.dtype) for name, leaf in wanted.items()]
    return jax.tree.unflatten(jax.tree.structure(template), restored), card


def read(path: Path) -> tuple[dict[str, np.ndarray], Card]:
    """The arrays and the card, if they are as they were written."""
    files = sealed.read(path, (ARRAYS, CARD))
    card = json.loads(files[CARD])
    if card.pop("format") != FORMAT:
        raise UserError(f"{path} was written by another version of cole: its format is not {FORMAT}")
    return safetensors.load(files[ARRAYS]), Card(**card)


def restore(
    folder: Path, template: Any, fits: Callable[[Path, Card], None], tell: Callable[[str], None]
) -> tuple[Any, Card, Path]:
    """The newest good checkpoint, and where it is; tells of damaged ones. `fits` refuses those of another run."""
    reasons: list[str] = []
    for path in found(folder):
        try:
            state, card = load(path, template)
            fits(path, card)
        except UserError as error:
            reasons.append(str(error))
            continue
        if reasons:
            tell(f"warning: {'; '.join(reasons)}; the run goes on from {path} instead")
        return state, card, path
    raise UserError(f"{folder} has no good checkpoint: {'; '.join(reasons) or 'it is empty'}")


def found(folder: Path) -> list[Path]:
    """All checkpoints, good or damaged, the newest first."""
    names = [path for path in folder.glob("[0-9]*") if OURS.fullmatch(path.name)]
    return sorted(names, key=lambda path: int(path.name), reverse=True)


def keep(folder: Path, kept: Iterable[Path | None]) -> None:
    """Removes all others, and what saves that were cut short have left."""
    names = {path.name for path in kept if path}
    for path in folder.iterdir():
        if OURS.fullmatch(path.name) and path.name not in names:
            shutil.rmtree(path, ignore_errors=True)


def settled(state: Any) -> Any:
    """The same arrays without weak types, which a file does not know: a state is then just like a restored one."""

    def one(leaf: Any) -> Array:
        if isinstance(leaf, Array) and not getattr(leaf, "weak_type", False):
            return leaf
        leaf = jnp.asarray(leaf)
        return jax.lax.convert_element_type(leaf, leaf.dtype) if leaf.weak_type else leaf

    return jax.tree.map(one, state)


def kinds(state: Any) -> dict[str, tuple[tuple[int, ...], Any]]:
    """Shape and type of every array, by its place."""
    return {place: (leaf.shape, leaf.dtype) for place, leaf in leaves(state)}


def leaves(state: Any) -> list[tuple[str, Any]]:
    """Where each array stands in the state, as params/dense/0, and the array."""
    by_path = jax.tree_util.tree_leaves_with_path(state)
    places = [jax.tree_util.keystr(path, simple=True, separator="/") or "state" for path, _ in by_path]
    if len(set(places)) < len(places):
        raise ValueError(f"two arrays of the state have one name: {sorted(places)}")
    return [(place, leaf) for place, (_, leaf) in zip(places, by_path, strict=True)]


def name_of(place: str, dtype: Any) -> str:
    """The name of an array in the file; it tells the type where the file cannot: random keys, bfloat16."""
    return f"{place} as {dtype}" if is_key(dtype) or is_foreign(dtype) else place


def bits(leaf: Any) -> np.ndarray:
    """The array in a type that the file knows."""
    array = np.asarray(jax.random.key_data(leaf) if is_key(leaf.dtype) else leaf, order="C")
    return array.view(kind_of_bits(array)[1])


def from_bits(array: np.ndarray, dtype: Any) -> Array:
    """Undoes `bits`; a copy, since the program may write over its state."""
    if is_key(dtype):
        return jax.random.wrap_key_data(jnp.array(array), impl=jax.random.key_impl(jnp.empty((), dtype)))
    return jnp.array(array.view(dtype))


def kind_of_bits(leaf: Any) -> tuple[tuple[int, ...], np.dtype]:
    """Shape and type of `bits(leaf)`, also of an array that is only described."""
    leaf = jax.eval_shape(jax.random.key_data, leaf) if is_key(leaf.dtype) else leaf
    return leaf.shape, np.dtype(f"u{leaf.dtype.itemsize}") if is_foreign(leaf.dtype) else leaf.dtype


def is_key(dtype: Any) -> bool:
    """Whether arrays of this type hold random keys."""
    return jnp.issubdtype(dtype, jax.dtypes.prng_key)


def is_foreign(dtype: Any) -> bool:
    """Whether numpy alone, and so the file's reader, does not know this type."""
    return dtype.kind not in "biuf"
