"""How Python and jax are set so that no tick waits for something else; to be called before anything is computed."""

import os
import sys

import jax

SWITCH = 0.001  # seconds a thread may keep a tick waiting
CACHED = 0.0  # seconds of compilation from which on a program is kept on disk


def for_ticks() -> None:
    """Ticks are computed where they are asked for, not in a pool of threads that may be busy compiling."""
    sys.setswitchinterval(SWITCH)
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", CACHED)
    os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = str(CACHED)  # of processes begun from here


def shares_programs() -> bool:
    """Whether what another process compiles need not be compiled here."""
    return bool(jax.config.values.get("jax_compilation_cache_dir"))
