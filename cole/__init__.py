"""Cooperative open-ended learning (COLE) for zero-shot coordination, in JAX."""

from importlib import import_module
from typing import Any

__version__ = "0.4.0"

# Of `cole.api`, which is loaded when one of them is first asked for: jax takes a second, and help is to be instant.
API = ("load_agent", "play", "draw", "crossplay", "analyse")


def __getattr__(name: str) -> Any:
    if name in API:
        return getattr(import_module("cole.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *API])
