"""Folders of finished runs of any method whose agents are toy agents, and games that cost nothing."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import toy_agents as toy

from cole import runfolder
from cole.evaluate.pairs import Pair, Setting
from cole.kitchen.game import Events
from cole.kitchen.layouts import Layout
from cole.policy import store

BESIDE = ("kitchen", "partners", "recipe", "return")  # that a card says, and the setting of a run does not
COLE_1_TO_3 = {"mixture": {"own": 1}, "batch": {"groups": 4}}


def saved(folder: Path, number: int, method: str, kitchen: str = "toy", **training: Any) -> Path:
    """The toy agent of a number, with a card of its own; the kitchen is always the same, whatever it is called."""
    made = toy.agent(number % 1000)
    noted = {
        "seed": number % 10,
        "method": method,
        "layout": kitchen,
        "training": {"recipe": "default", "view": "grid", **training},
    }
    store.save(folder, made._replace(card=made.card._replace(**noted)))
    return folder


def run_of(
    folder: Path,
    method: str,
    numbers: Sequence[int],
    asked: Sequence[int] | None = None,
    rounds: int = 1,
    **training: Any,
) -> Path:
    """A run with an agent for each number, whose last digit is its seed; it was asked for these seeds or more."""
    seeds = [number % 10 for number in numbers] if asked is None else list(asked)
    setting = {"view": "grid", **{name: value for name, value in training.items() if name not in BESIDE}}
    config = {"layout": training.get("kitchen", "toy"), "map": "", "method": method, "setting": setting}
    config |= {"partners": training["partners"]} if "partners" in training else {}
    deciding = {"seeds": seeds, "rounds": rounds, "env_steps": 1, "kept_from": 0, "config": config}
    facts = {"format": runfolder.FORMAT, "cole": "", "jax": "", "sha256": runfolder.hash_of(deciding), **deciding}
    folder.mkdir(parents=True)
    (folder / runfolder.CONFIG).write_text(json.dumps(facts))
    for number in numbers:
        saved(folder / runfolder.AGENTS / f"seed-{number % 10}", number, method, **training)
    return folder


def killed_at(name: str) -> Callable[[Path, bytes], None]:
    """In the place of `sealed.write_file`: whoever writes a file of this name comes no further than to half of it."""

    def write(path: Path, content: bytes) -> None:
        if path.name == name:
            path.with_name(f".{name}.new").write_bytes(content[: len(content) // 2])
            raise KeyboardInterrupt
        path.write_bytes(content)

    return write


def soups(pair: Pair) -> int:
    """What every pair serves in its first game: any number, but always the same."""
    return int(pair[0].identity[:2], 16) % 7 + int(pair[1].identity[:2], 16) % 3


def play_pairs(
    layout: Layout, pairs: Sequence[Pair], setting: Setting, at_once: int
) -> Iterator[tuple[Pair, np.ndarray]]:
    """In the place of `pairs.play_pairs`: one soup more in each further game."""
    for pair in pairs:
        counts = np.zeros((setting.episodes, 2, len(Events._fields)), np.int32)
        counts[:, 0, Events._fields.index("soup_served")] = soups(pair) + np.arange(setting.episodes)
        yield pair, counts
