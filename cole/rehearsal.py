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

    `then` is what comes after the last round: it is rehearsed with made-up parameters of the agents.
    """
    rehearsal: list[Future] = []

    def start(seeds: Array) -> Any:
        shapes = jax.eval_shape(program.start, jax.ShapeDtypeStruct(seeds.shape, seeds.dtype))
        pool = ThreadPoolExecutor(2)
        rehearsal.append(pool.submit(lambda: _forget(program.advance(blank(shapes), 0))))
        pool.submit(lambda: _forget(then(program.agents(blank(shapes)))))
        pool.shutdown(wait=False)
        return program.start(seeds)

    def advance(state: Any, done: int) -> tuple[Any, dict[str, Array]]:
        for part in rehearsal:
            part.exception()  # waits; what went wrong here will go wrong there, where it is told
        return program.advance(state, done)

    return program._replace(start=start, advance=advance)


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
