"""Checkpoints come back bit by bit, or are refused by name."""

import random
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import toy_program as toy

from cole import checkpoint, sealed
from cole.checkpoint import Card
from cole.errors import UserError

SEEDS = jnp.array(toy.SEEDS, jnp.uint32)
FILES = (checkpoint.ARRAYS, checkpoint.CARD, sealed.MANIFEST)


def card(round: int) -> Card:
    return Card(round, 3 * round, toy.SEEDS, "0" * 64, 1000, "1" * 64)


def anything(path: Path, card: Card) -> None:
    """Every checkpoint fits."""


def same(one: Any, other: Any) -> bool:
    """Whether two states have the same structure, types and bits."""
    each = [[(x.dtype, x.shape, checkpoint.bits(x).tobytes()) for x in jax.tree.leaves(s)] for s in (one, other)]
    return each[0] == each[1] and jax.tree.structure(one) == jax.tree.structure(other)


@pytest.fixture(scope="module")
def states() -> list[Any]:
    """The toy's state after 0, 1 and 2 rounds."""
    program = toy.program()
    later = [jax.tree.map(jnp.copy, program.start(SEEDS))]
    for round in range(2):
        later.append(program.advance(jax.tree.map(jnp.copy, later[-1]), round)[0])
    return later


@pytest.fixture(scope="module")
def template() -> Any:
    return jax.eval_shape(toy.program().start, SEEDS)


def test_a_state_comes_back_bit_by_bit(tmp_path, states, template):
    path = checkpoint.save(tmp_path, states[2], card(2))
    state, found = checkpoint.load(path, template)
    assert same(state, states[2])
    assert not same(state, states[1])
    assert found == card(2)
    assert state["key"].dtype == states[2]["key"].dtype


@pytest.mark.parametrize("impl", ["threefry2x32", "rbg", "unsafe_rbg"])
def test_keys_of_every_kind_come_back(tmp_path, impl):
    keys = jax.random.split(jax.random.key(4, impl=impl), 3)
    path = checkpoint.save(tmp_path, keys, card(0))
    assert same(checkpoint.load(path, jax.eval_shape(lambda: keys))[0], keys)


def test_odd_numbers_and_types_come_back(tmp_path):
    floats = [np.nan, -np.nan, np.inf, -0.0, 1e-45, 3.4e38]
    types = [jnp.float16, jnp.bfloat16, jnp.float8_e4m3fn, jnp.int8, jnp.uint8, jnp.int16, jnp.uint32, jnp.complex64]
    state = [jnp.array(floats, jnp.float32), jnp.zeros((2, 0, 3)), jnp.float32(2.0), *(jnp.ones(3, t) for t in types)]
    path = checkpoint.save(tmp_path, state, card(0))
    assert same(checkpoint.load(path, jax.eval_shape(lambda: state))[0], state)


def test_names_are_paths(states):
    names = [checkpoint.name_of(place, leaf.dtype) for place, leaf in checkpoint.leaves(states[0])]
    assert names[:3] == ["key as key<fry>", "mind/0/weights/b", "mind/0/weights/w"]
    assert names[3:] == ["mind/0/halves as bfloat16", "mind/0/seen", "mind/0/awake", "mind/1"]


def test_two_arrays_of_one_name_are_a_mistake_in_the_program():
    with pytest.raises(ValueError, match="have one name"):
        checkpoint.leaves({"a": {"b": 1}, "a/b": 2})


@pytest.mark.parametrize(
    ("other", "says"),
    [
        ({"a": jnp.zeros(3), "b": jnp.zeros(2)}, "only one of them has b"),
        ({"c": jnp.zeros(3)}, "only one of them has a, c"),
        ({"a": jnp.zeros(4)}, r"a is float32\[3\], not float32\[4\]"),
        ({"a": jnp.zeros(3, jnp.int32)}, r"a is float32\[3\], not int32\[3\]"),
        ({"a": jnp.zeros(3, jnp.bfloat16)}, "only one of them has a, a as bfloat16"),
        ({"a": jax.random.key(0)}, "only one of them has a, a as key<fry>"),
    ],
)
def test_a_state_of_another_program_is_refused(tmp_path, other, says):
    path = checkpoint.save(tmp_path, {"a": jnp.zeros(3)}, card(0))
    with pytest.raises(UserError, match=f"state.safetensors is of another program: {says}"):
        checkpoint.load(path, jax.eval_shape(lambda: other))


def test_another_format_is_refused(tmp_path, monkeypatch):
    path = checkpoint.save(tmp_path, jnp.zeros(3), card(0))
    monkeypatch.setattr(checkpoint, "FORMAT", 2)
    with pytest.raises(UserError, match="another version of cole"):
        checkpoint.load(path, jax.eval_shape(lambda: jnp.zeros(3)))


def test_what_could_not_be_read_again_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(sealed, "LARGEST", 100)
    with pytest.raises(UserError, match="larger than 100 bytes"):
        checkpoint.save(tmp_path, jnp.zeros(30), card(0))


def test_a_settled_state_has_no_weak_types():
    state = checkpoint.settled({"weak": jnp.asarray(1.0), "key": jax.random.key(0), "plain": np.ones(2)})
    assert not state["weak"].weak_type
    assert state["plain"].dtype == jnp.float32


def test_only_checkpoints_are_cleared_away(tmp_path):
    for name in ("000001", "000002", "000003", ".000004.new", ".000003.old", "notes", "1234567"):
        (tmp_path / name).mkdir()
    checkpoint.keep(tmp_path, (tmp_path / "000002", None, tmp_path / "000003"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["000002", "000003", "notes"]


def test_the_newest_checkpoint_is_found_by_number(tmp_path):
    for name in ("000002", "1000000", "999999", ".000009.new"):
        (tmp_path / name).mkdir()
    assert [path.name for path in checkpoint.found(tmp_path)] == ["1000000", "999999", "000002"]


@pytest.fixture
def two(tmp_path, states) -> Path:
    """A folder with two good checkpoints."""
    for round in (1, 2):
        checkpoint.save(tmp_path, states[round], card(round))
    return tmp_path


def refused_by_name(folder: Path, file: str, content: bytes, good: bytes, states: list, template: Any) -> bool:
    """Whether the damage is told, by the file's name or by what it vouches for, and the previous state comes back."""
    (folder / "000002" / file).write_bytes(content)
    told: list[str] = []
    state, found, path = checkpoint.restore(folder, template, anything, told.append)
    (folder / "000002" / file).write_bytes(good)
    named = any(f"{folder / '000002' / name} " in told[0] for name in (FILES if file == sealed.MANIFEST else (file,)))
    return named and len(told) == 1 and found == card(1) and path.name == "000001" and same(state, states[1])


def test_every_flipped_byte_is_refused_by_name(two, states, template, tell):
    rng = random.Random(1)
    count = 0
    for turn in range(500):
        file = FILES[turn % 3]
        good = (two / "000002" / file).read_bytes()
        place, mask = rng.randrange(len(good)), rng.randrange(1, 256)
        flipped = good[:place] + bytes([good[place] ^ mask]) + good[place + 1 :]
        count += refused_by_name(two, file, flipped, good, states, template)
    tell(f"checkpoints: {count} of 500 byte flips refused by name, the previous one used")
    assert count == 500


def test_every_truncation_is_refused_by_name(two, states, template, tell):
    rng = random.Random(2)
    count = 0
    for turn in range(100):
        file = FILES[turn % 3]
        good = (two / "000002" / file).read_bytes()
        length = 0 if turn < 3 else rng.randrange(len(good))
        count += refused_by_name(two, file, good[:length], good, states, template)
    tell(f"checkpoints: {count} of 100 truncations refused by name, the previous one used")
    assert count == 100


def test_good_checkpoints_are_not_told_of(two, states, template):
    told: list[str] = []
    assert same(checkpoint.restore(two, template, anything, told.append)[0], states[2])
    assert told == []
