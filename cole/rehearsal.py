"""Compiles what a run will need before it needs it: on made-up arrays, where that is cheap.

A program is compiled when it is first called. On an accelerator that takes longer than many rounds, and a round on
made-up arrays costs next to nothing there but memory, for another state beside the real one. On a CPU it costs a whole
round, so there is no rehearsal.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.core import Tracer

from cole.program import Program

END = -1  # of the rehearsals: what is done with the agents after the last round


def is_worth_it() -> bool:
    """Whether this machine computes so fast that compiling is what one waits for."""
    return jax.default_backend() != "cpu"


@contextmanager
def rehearsed(program: Program, then: Callable[[Any], Any]) -> Iterator[Program]:
    """The same program; its start begins a rehearsal too, and a round waits until rounds of its kind were rehearsed.

    Other kinds of rounds than the first, and `then`, which is done with the agents after the last, are rehearsed while
    the first are at work already. A run that is resumed rehearses what is still to come. Whoever leaves early waits for
    no more than the rehearsal that is going on.
    """
    pool, begun = ThreadPoolExecutor(1), dict[int, Future]()  # by the first round of a kind

    def begin(shapes: Any, kinds: list[int]) -> None:
        parts: dict[int, Callable[[], Any]] = {
            kind: partial(lambda kind: program.advance(blank(shapes), kind), kind) for kind in kinds
        }
        parts[END] = lambda: then(program.agents(blank(shapes)))
        begun.update({kind: pool.submit(_rehearse, part) for kind, part in parts.items()})

    def start(seeds: Array) -> Any:
        if not isinstance(seeds, Tracer):  # else somebody wants to know the shapes only
            shapes = jax.eval_shape(program.start, jax.ShapeDtypeStruct(seeds.shape, seeds.dtype))
            begin(shapes, [0, *program.changes])
        return program.start(seeds)

    def advance(state: Any, done: int) -> tuple[Any, dict[str, Array]]:
        if not begun:
            shapes = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), state)
            begin(shapes, [kind for kind in program.changes if kind > done])
        for kind, rehearsal in begun.items():
            if kind != END and kind <= done:
                rehearsal.result()
        return program.advance(state, done)

    def agents(state: Any) -> Any:
        if END in begun:
            begun[END].result()
        return program.agents(state)

    try:
        yield program._replace(start=start, advance=advance, agents=agents)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def blank(shapes: Any) -> Any:
    """Arrays of these shapes and types, all zero; made by numpy, since jax would compile a program for each shape."""

    def zeros(leaf: Any) -> Array:
        if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            words = jax.eval_shape(jax.random.key_data, leaf)
            return jax.random.wrap_key_data(jax.device_put(np.zeros(words.shape, words.dtype)))
        return jax.device_put(np.zeros(leaf.shape, leaf.dtype))

    return jax.tree.map(zeros, shapes)


def _rehearse(part: Callable[[], Any]) -> None:
    """Does it and lets go of the result; what goes wrong here will go wrong in earnest, where it is told."""
    with suppress(Exception):
        jax.block_until_ready(part())
