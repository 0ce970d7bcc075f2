"""A rehearsal changes nothing but when things are compiled."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cole.program import Program
from cole.rehearsal import blank, rehearsed


def program() -> Program:
    """Walks at random."""

    def step(state, done):
        key, place = state
        return (key, place + jax.random.normal(jax.random.fold_in(key, done))), {"return": place[None]}

    every = jax.jit(jax.vmap(step, in_axes=(0, None)), donate_argnums=0)
    start = jax.jit(jax.vmap(lambda seed: (jax.random.key(seed), jnp.float32(0.0))))
    agents = jax.jit(lambda state: state[1])
    return Program(3, 1, start, lambda state, done: every(state, jnp.int32(done)), agents)


def walk(program: Program) -> np.ndarray:
    state = program.start(jnp.arange(2, dtype=jnp.uint32))
    for done in range(program.rounds):
        state, _ = program.advance(state, done)
    return np.asarray(program.agents(state))


def test_the_result_is_the_same():
    seen = []
    np.testing.assert_array_equal(walk(program()), walk(rehearsed(program(), seen.append)))
    assert [params.tolist() for params in seen] == [[0.0, 0.0]]


def test_after_the_rehearsal_a_round_compiles_nothing(compiled):
    ready = rehearsed(program(), lambda params: params)
    state = ready.start(jnp.arange(2, dtype=jnp.uint32))
    state, _ = ready.advance(state, 0)
    before = len(compiled)
    ready.advance(state, 1)
    assert before > 0 and len(compiled) == before


def test_every_kind_of_round_is_rehearsed_before_it_comes(compiled):
    other = jax.jit(lambda state: state)

    def advance(state, done):
        return program().advance(other(state) if done >= 2 else state, done)

    called = []
    ready = rehearsed(program()._replace(advance=advance, changes=(2,)), called.append)
    state = ready.start(jnp.arange(2, dtype=jnp.uint32))
    jax.block_until_ready(ready.agents(state))  # waits for all
    assert len(called) == 1
    before = len(compiled)
    other(state)
    assert before > 0 and len(compiled) == before


def test_what_fails_is_told_by_the_round_itself():
    broken = program()._replace(advance=lambda state, done: 1 / 0)
    ready = rehearsed(broken, lambda params: params)
    state = ready.start(jnp.arange(2, dtype=jnp.uint32))
    with pytest.raises(ZeroDivisionError):
        ready.advance(state, 0)


def test_made_up_arrays_have_the_shapes_and_types_of_a_state():
    shapes = jax.eval_shape(program().start, jnp.arange(2, dtype=jnp.uint32))
    made = blank(shapes)
    assert jax.tree.map(lambda x: (x.shape, x.dtype), made) == jax.tree.map(lambda x: (x.shape, x.dtype), shapes)


def test_making_them_up_compiles_nothing(compiled):
    shapes = jax.eval_shape(program().start, jnp.arange(3, dtype=jnp.uint32))
    before = len(compiled)
    blank(shapes)
    assert len(compiled) == before
