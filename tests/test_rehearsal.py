"""A rehearsal changes nothing but when things are compiled."""

import threading

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


SEEDS = np.arange(2, dtype=np.uint32)


def staged() -> Program:
    """The same, whose third and last round is of another kind."""
    walk, other = program(), jax.jit(lambda state: state, donate_argnums=0)

    def advance(state, done):
        return walk.advance(other(state) if done >= 2 else state, done)

    return walk._replace(advance=advance, changes=(2,))


def walk(program: Program, state=None, done: int = 0) -> np.ndarray:
    state = program.start(SEEDS) if state is None else state
    for round in range(done, program.rounds):
        state, _ = program.advance(state, round)
    return np.asarray(program.agents(state))


@pytest.mark.parametrize("made", [program, staged])
def test_the_result_is_the_same(made):
    seen = []
    with rehearsed(made(), seen.append) as ready:
        np.testing.assert_array_equal(walk(made()), walk(ready))
    assert [params.tolist() for params in seen] == [[0.0, 0.0]]


@pytest.mark.parametrize("made", [program, staged])
def test_after_the_rehearsal_nothing_is_compiled(made, compiled):
    with rehearsed(made(), lambda params: params) as ready:
        state = ready.start(SEEDS)
        ready.agents(state)  # waits for the last rehearsal
        before = len(compiled)
        walk(ready, state)
    assert before > 0 and len(compiled) == before


def test_a_resumed_run_rehearses_what_is_still_to_come():
    rounds, seen = [], []

    def noting(state, done):
        rounds.append(done)
        return staged().advance(state, done)

    with rehearsed(staged()._replace(advance=noting), seen.append) as ready:
        assert jax.eval_shape(ready.start, SEEDS)[1].shape == (2,)  # as a run asks for shapes: begins nothing
        state, _ = program().advance(program().start(SEEDS), 0)
        found = walk(ready, state, done=1)
    np.testing.assert_array_equal(found, walk(program()))
    assert sorted(rounds) == [1, 2, 2] and len(seen) == 1  # round 2 twice: in the rehearsal, and in earnest
    with rehearsed(staged()._replace(advance=noting), seen.append) as ready:
        ready.agents(program().start(SEEDS))  # of a run that lacks its agents only
    assert len(rounds) == 3 and len(seen) == 1


def test_whoever_leaves_early_waits_for_no_rehearsal_that_has_not_begun():
    goes_on, done = threading.Event(), []

    def advance(state, round):
        goes_on.wait(60)
        done.append(round)
        return state, {}

    with rehearsed(staged()._replace(advance=advance), done.append) as ready:
        ready.start(SEEDS)
    goes_on.set()
    for thread in [thread for thread in threading.enumerate() if thread.name.startswith("ThreadPoolExecutor")]:
        thread.join(60)
    assert done == [0]


def test_what_fails_is_told_by_the_round_itself():
    broken = program()._replace(advance=lambda state, done: 1 / 0)
    with rehearsed(broken, lambda params: params) as ready:
        state = ready.start(SEEDS)
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
