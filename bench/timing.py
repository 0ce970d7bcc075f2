"""How the benchmarks time a compiled program."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import Array


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
