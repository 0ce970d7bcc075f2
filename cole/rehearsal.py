"""Compiles what a run will need before it needs it: on made-up arrays, where that is cheap.

A program is compiled when it is first called. On an accelerator that takes longer than many rounds, and a round on
made-up arrays costs next to nothing there. On a CPU it costs a whole round, so there is no rehearsal.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from cole.program import Program


def is_worth_it() -> bool:
    """Whether this machine computes so fast that compiling is what one waits for."""
    return jax.default_backend() != "cpu"


def rehearsed(program: Program, then: Callable[[Any], Any]) -> Program:
    """The same program; whoever starts it begins its rehearsal too, and a round waits until its kind was rehearsed.

    Other kinds of rounds than the first, and `then`, which is done with the agents after the last, are rehearsed while
    the first are at work already.
    """
    kinds = (0, *program.changes)
    rehearsals: list[Future] = []  # of each kind of round, and of the end

    def start(seeds: Array) -> Any:
        shapes = jax.eval_shape(program.start, jax.ShapeDtypeStruct(seeds.shape, seeds.dtype))
        parts = [lambda first=first: program.advance(blank(shapes), first) for first in kinds]
        with_agents = [lambda: then(program.agents(blank(shapes)))]
        pool = ThreadPoolExecutor(1)
        rehearsals.extend(pool.submit(_forget, part) for part in [*parts, *with_agents])
        pool.shutdown(wait=False)
        return program.start(seeds)

    def advance(state: Any, done: int) -> tuple[Any, dict[str, Array]]:
        _wait(rehearsals[: sum(done >= first for first in kinds)])
        return program.advance(state, done)

    def agents(state: Any) -> Any:
        _wait(rehearsals)
        return program.agents(state)

    return program._replace(start=start, advance=advance, agents=agents)


def blank(shapes: Any) -> Any:
    """Arrays of these shapes and types, all zero; made by numpy, since jax would compile a program for each shape."""

    def zeros(leaf: Any) -> Array:
        if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            words = jax.eval_shape(jax.random.key_data, leaf)
            return jax.random.wrap_key_data(jax.device_put(np.zeros(words.shape, words.dtype)))
        return jax.device_put(np.zeros(leaf.shape, leaf.dtype))

    return jax.tree.map(zeros, shapes)


def _forget(part: Callable[[], Any]) -> None:
    """Does it, and lets go of the result, which else would take memory for the whole run."""
    jax.block_until_ready(part())


def _wait(rehearsals: list[Future]) -> None:
    """Until they have ended; what went wrong here will go wrong in earnest, where it is told."""
    for one in rehearsals:
        one.exception()
