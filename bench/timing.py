"""How the benchmarks set up jax, and time a compiled program."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from cole import cli


def as_in_runs() -> None:
    """Sets up jax as `cole` does, also where it is there already and has read its settings."""
    cli.prepare_jax()
    jax.config.update("jax_threefry_gpu_kernel_lowering", True)


class Timing(NamedTuple):
    """Seconds."""

    first: float  # of the first call, with compilation
    median: float  # of the calls after it
    least: float
    calls: int  # how many were timed


def measure(program: Callable[[Array], Any], repeats: int, budget_s: float) -> Timing:
    """Times a function of a key, at least twice, then until `repeats` calls or `budget_s` seconds are reached."""
    seconds = [_seconds(program, 0)]
    while len(seconds) <= repeats and (len(seconds) < 3 or sum(seconds[1:]) < budget_s):
        seconds.append(_seconds(program, len(seconds)))
    first, *rest = seconds
    return Timing(first, float(np.median(rest)), min(rest), len(rest))


def _seconds(program: Callable[[Array], Any], seed: int) -> float:
    key = jax.block_until_ready(jax.random.key(seed))
    begin = time.perf_counter()
    jax.block_until_ready(program(key))
    return time.perf_counter() - begin


class Peaks(NamedTuple):
    """What the machine reaches at its best."""

    operations_per_s: float  # of a large matrix product
    bytes_per_s: float  # of a large copy, reading and writing


def peaks(half: bool) -> Peaks:
    """Measured with arrays too large for any cache."""
    side = 8192 if jax.default_backend() == "gpu" else 2048
    dtype = jnp.bfloat16 if half else jnp.float32
    square = jnp.ones((side, side), dtype)
    flat = jnp.ones(side * side * 4, jnp.float32)
    product = jax.jit(lambda key: square @ (square + jax.random.uniform(key, (), dtype)))
    copy = jax.jit(lambda key: flat + jax.random.uniform(key))
    seconds = [measure(program, 10, 5.0).least for program in (product, copy)]
    return Peaks(2.0 * side**3 / seconds[0], 2.0 * flat.nbytes / seconds[1])
