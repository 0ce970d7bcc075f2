"""Compiles what a run will need while it is still getting ready: all at once, on made-up arrays, where that is cheap.

A program is compiled when it is first called, and one after the other that takes half a minute on an accelerator. A
round on made-up arrays costs next to nothing there. On a CPU it costs a whole round, so there is no rehearsal.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from cole.program import Program


def is_worth_it() -> bool:
    """Whether this machine computes so fast that compiling is what one waits for."""
    return jax.default_backend() != "cpu"


def rehearsed(program: Program, then: Callable[[Any], Any]) -> Program:
    """The same program; whoever starts it begins its rehearsal too, and its rounds wait until that has ended.

    `then` is what comes after the last round: it is rehearsed with made-up parameters of the agents, while the rounds
    are at work already.
    """
    first: list[Future] = []
    last: list[Future] = []

    def start(seeds: Array) -> Any:
        shapes = jax.eval_shape(program.start, jax.ShapeDtypeStruct(seeds.shape, seeds.dtype))
        pool = ThreadPoolExecutor(1)
        first.append(pool.submit(lambda: _forget(program.advance(blank(shapes), 0))))
        last.append(pool.submit(lambda: _forget(then(program.agents(blank(shapes))))))
        pool.shutdown(wait=False)
        return program.start(seeds)

    def advance(state: Any, done: int) -> tuple[Any, dict[str, Array]]:
        _wait(first)
        return program.advance(state, done)

    def agents(state: Any) -> Any:
        _wait(last)
        return program.agents(state)

    return program._replace(start=start, advance=advance, agents=agents)


def blank(shapes: Any) -> Any:
    """Arrays of these shapes and types, all zero."""

    def zeros(leaf: Any) -> Array:
        if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            return jax.vmap(jax.random.key)(jnp.zeros(leaf.shape, jnp.uint32).ravel()).reshape(leaf.shape)
        return jnp.zeros(leaf.shape, leaf.dtype)

    return jax.tree.map(zeros, shapes)


def _forget(result: Any) -> None:
    """Waits for a result and lets go of it, which else would take memory for the whole run."""
    jax.block_until_ready(result)


def _wait(rehearsals: list[Future]) -> None:
    """Until they have ended; what went wrong here will go wrong in earnest, where it is told."""
    for one in rehearsals:
        one.exception()
