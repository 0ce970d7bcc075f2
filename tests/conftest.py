"""Settings of all tests: silent broadcasting is an error, and what a test counted is told at the end."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Tests compile many small programs and run each for an instant: compiling fast matters more than running fast.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")

import jax
import pytest

from cole import program, rollout
from cole.policy import policy

jax.config.update("jax_numpy_rank_promotion", "raise")


@pytest.fixture
def tell(record_property) -> Callable[[str], None]:
    """tell("28,002 compared, 0 mismatches"): a line of the summary, also when tests run in several processes."""
    return lambda line: record_property("told", line)


@contextmanager
def compilations() -> Iterator[list[str]]:
    """A list that grows by one with every program that jax compiles."""
    names: list[str] = []
    jax.monitoring.register_event_duration_secs_listener(
        lambda name, *_, **__: names.append(name) if name.endswith("backend_compile_duration") else None
    )
    yield names
    jax.monitoring.clear_event_listeners()


@pytest.fixture
def compiled() -> Iterator[list[str]]:
    """What is compiled during a test."""
    with compilations() as names:
        yield names


@pytest.fixture
def as_on_a_gpu(monkeypatch) -> None:
    """Programs are built as they are for a GPU."""
    for choice in (policy.WAYS, program.ONE_BY_ONE, rollout.APART, rollout.UNROLL):
        monkeypatch.setitem(choice, "cpu", choice["gpu"])


def pytest_terminal_summary(terminalreporter) -> None:
    reports = [r for outcome in ("passed", "failed") for r in terminalreporter.stats.get(outcome, [])]
    lines = [line for r in reports for name, line in r.user_properties if name == "told"]
    if lines:
        terminalreporter.section("what was counted")
        for line in sorted(set(lines)):
            terminalreporter.line(line)
