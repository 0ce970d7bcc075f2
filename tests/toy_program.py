"""A program of some milliseconds a round with all that a state may hold; as a script, a run that can be killed.

`python toy_program.py FOLDER` starts or resumes. HALT_SAVES=s waits s seconds in the middle of each file of a
checkpoint; FILE_LIMIT=b lets no file grow beyond b bytes, as a full disk would.
"""

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from cole import run, sealed
from cole.errors import UserError
from cole.program import Program

ROUNDS, UPDATES, ENV_STEPS, EVERY = 24, 3, 300, 2
SEEDS = [3, 1]
CONFIG = {"layout": "nowhere", "ppo": {"rate": 0.001, "shapes": (4, 3)}, "rounds": ROUNDS}


class Mind(NamedTuple):
    weights: dict[str, Array]
    halves: Array
    seen: Array
    awake: Array


def start(seed: Array) -> dict[str, Any]:
    """One seed's state: a typed key, floats of two sizes, an integer, a truth value, and an array of nothing."""
    key, own = jax.random.split(jax.random.key(seed))
    weights = {"w": jax.random.normal(own, (4, 3)), "b": jnp.zeros(3)}
    mind = Mind(weights, jnp.ones(5, jnp.bfloat16), jnp.int32(0), jnp.bool_(True))
    return {"key": key, "mind": (mind, jnp.zeros((0, 2)))}


def advance(state: dict[str, Any], round: Array) -> tuple[dict[str, Any], dict[str, Array]]:
    """UPDATES updates of one seed: a walk that amplifies any difference."""

    def update(state, _):
        key, own = jax.random.split(state["key"])
        mind, nothing = state["mind"]
        noise = jax.random.normal(own, (4, 3))
        w = jnp.sin(3.0 * mind.weights["w"] + 0.1 * noise + mind.weights["b"][None] + round)
        weights = {"w": w, "b": mind.weights["b"] + jnp.mean(w, axis=0)}
        mind = Mind(weights, mind.halves * 1.01 + 0.1, mind.seen + 1, ~mind.awake)
        log = {"return": jnp.sum(w), "seen": mind.seen, "by_part": w[0], "ratio": w[0, 0] / (mind.seen - 2)}
        return {"key": key, "mind": (mind, nothing)}, log

    return jax.lax.scan(update, state, None, UPDATES)


_start = jax.jit(jax.vmap(start))
_advance = jax.jit(jax.vmap(advance, (0, None)), donate_argnums=0)


def program(rounds: int = ROUNDS) -> Program:
    return Program(rounds, ENV_STEPS, _start, _advance, lambda state: state["mind"][0].weights)


def publisher(folder: Path):
    """Writes an agent for each seed."""

    def publish(params: dict[str, Array], steps: list[int]) -> None:
        for i, seed in enumerate(SEEDS):
            sealed.write(folder / "agents" / str(seed), {"w": params["w"][i].tobytes(), "steps": b"%d" % steps[i]})

    return publish


def fingerprint(folder: Path) -> str:
    """One hash over the final state, the log and the agents."""
    files = [*sorted(max((folder / "checkpoints").iterdir()).iterdir()), *sorted(folder.glob("agents/*/*"))]
    return sealed.sha256(b"".join(file.read_bytes() for file in [*files, folder / "log.jsonl"]))


def halt_saves(seconds: float) -> None:
    """Makes every save so slow that a kill meets it half written."""
    write_through = sealed._write_through

    def slowly(path: Path, content: bytes) -> None:
        path.write_bytes(content[: len(content) // 2])
        time.sleep(seconds)
        write_through(path, content)

    sealed._write_through = slowly


def main(folder: Path) -> int:
    if halt := float(os.environ.get("HALT_SAVES", "0")):
        halt_saves(halt)
    if limit := int(os.environ.get("FILE_LIMIT", "0")):
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        with run.stop_requests() as stop:
            settings = {"resume": True, "every": EVERY, "publish": publisher(folder), "stop": stop}
            print("ready", flush=True)
            for report in run.carry_out(program(), folder, CONFIG, SEEDS, **settings):
                print(report.round, flush=True)
                time.sleep(float(os.environ.get("HALT_ROUNDS", "0")))
    except UserError as error:
        print(f"cole: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which whoever started the tests may have switched off
    sys.exit(main(Path(sys.argv[1])))
