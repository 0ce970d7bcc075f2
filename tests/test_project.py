"""What holds the project together: pinned versions, and one version number."""

import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest

from cole import __version__

ROOT = Path(__file__).parents[1]


def plain(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned(python: str) -> dict[str, str]:
    lines = (ROOT / f"constraints-{python}.txt").read_text().splitlines()
    pairs = [re.fullmatch(r"([\w.-]+)==([\w.]+)", line) for line in lines]
    assert all(pairs), [line for line, pair in zip(lines, pairs, strict=True) if not pair]
    assert len({plain(pair[1]) for pair in pairs if pair}) == len(lines)
    return {plain(pair[1]): pair[2] for pair in pairs if pair}


@pytest.mark.parametrize("python", ["3.11", "3.12"])
def test_everything_the_project_asks_for_is_pinned(python):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    names = {plain(re.match(r"[\w.-]+", line)[0]) for line in asked} - {"cole"}
    assert names <= set(pinned(python))


def test_each_python_has_its_jax():
    assert pinned("3.11")["jax"].startswith("0.10.")
    assert pinned("3.12")["jax"].startswith("0.11.")


def test_the_changelog_knows_this_version():
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text()
