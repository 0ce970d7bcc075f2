"""What holds the project together: pinned versions, one version number, and a demo that is spelled right."""

import re
import shlex
import subprocess
import tomllib
from itertools import chain
from pathlib import Path

import pytest
import tyro

from cole import __version__, config
from cole.evaluate import players
from cole.menu import METHODS
from cole.verbs.train import default_name

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


def test_an_installed_package_has_the_agents_where_it_looks_for_them():
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
    assert ROOT / build["wheel"]["force-include"]["zoo"] == players.PACKED
    assert "zoo" in build["sdist"]["include"]  # from which wheels are built, too
    assert ROOT / "zoo" == players.ZOO  # of a clone


def test_the_changelog_knows_this_version():
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_every_step_of_the_demo_is_understood_and_the_run_it_analyses_is_the_one_it_trains():
    told = subprocess.run(
        ["make", "--dry-run", "--assume-old=.venv/ready", "demo"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    steps = [shlex.split(line)[1:] for line in told.stdout.splitlines() if line.startswith(".venv/bin/cole ")]
    (_, *self_play), (_, *cole) = steps[:2]
    trained = {
        name: tyro.cli(METHODS[name].options, args=asked[1:]).run
        for name, asked in (("sp", self_play), ("cole", cole))
        if asked[0] == name
    }
    assert list(trained) == ["sp", "cole"]
    crossplay, analyze, report = (tyro.cli(config.Verb, args=step) for step in steps[2:])
    assert all(run.resume and run.size == "quick" for run in trained.values())  # safe to call twice
    folder = Path("runs") / "cramped_room"
    assert {run.runs / run.layout for run in trained.values()} == {folder}
    assert crossplay.players[0] == str(folder) and report.folders == (folder,)
    assert analyze.source == folder / "cole" / (trained["cole"].name or default_name(trained["cole"], "1to3"))
