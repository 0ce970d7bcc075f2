"""A run whose strategies are toy agents, another for every round and seed, carried out as any run is."""

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import toy_agents as toy

from cole import run
from cole.kitchen import layouts
from cole.program import Program

SEEDS, ENV_STEPS, SLOTS, WARMUP = [5, 9], 100, 4, 1
CONFIG = {"method": "toy", "layout": "toy", "map": layouts.to_text(toy.KITCHEN), "setting": {"view": "grid"}}


def number(seed: int, round: int) -> int:
    """Of the toy agent that a seed is after a round."""
    return 100 * seed + round


def strategies(state: dict[str, Any]) -> Any:
    """[P, ...]"""
    every = [
        toy.agent(number(int(seed), int(done) - 1)).params
        for seed, done in zip(state["seed"], state["done"], strict=True)
    ]
    return jax.tree.map(lambda *leaves: np.stack(leaves), *every)


def told(round: int, seeds: int) -> dict[str, np.ndarray]:
    """What a run of COLE logs of its partners: phi falls with age; a draw of every strategy, after a warm-up."""
    alive = min(round + 1, SLOTS)
    phi = np.arange(1, SLOTS + 1) * (np.arange(SLOTS) < alive)
    draws = (np.arange(SLOTS) < alive) * float(round >= WARMUP)
    facts = {"phi": phi / phi.sum(), "draws": draws, "effective_partners": draws.sum()}
    facts |= {"alive": np.array(min(round + 2, SLOTS)), "joined": np.array(True)}
    return {name: np.stack([np.asarray(value)[None]] * seeds) for name, value in facts.items()}


def program(rounds: int, phi: bool) -> Program:
    def advance(state: dict[str, Any], round: int) -> tuple[dict[str, Any], dict[str, Any]]:
        seeds = len(state["seed"])
        log = {"return": np.zeros((seeds, 1))} | (told(round, seeds) if phi else {})
        return state | {"done": state["done"] + 1}, log

    def start(seeds: Any) -> dict[str, Any]:
        return {"seed": seeds, "done": jnp.zeros(seeds.shape, jnp.int32)}

    return Program(rounds, ENV_STEPS, start, advance, strategies, strategies)


def made(folder: Path, rounds: int = 5, phi: bool = False, stop_after: int | None = None, **config: Any) -> Path:
    """The folder of a run, finished or stopped."""
    done = 0

    def stop() -> bool:
        nonlocal done
        done += 1
        return done == stop_after

    for _ in run.carry_out(program(rounds, phi), folder, CONFIG | config, SEEDS, stop=stop):
        pass
    return folder
