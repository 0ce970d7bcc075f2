"""What a GPU would run, on a machine without one: compiles a generation of COLE for an NVIDIA H200, and counts.

One JSON line with the seconds of tracing, lowering and compiling, and one for each loop of the program: how often it
turns and how many kernels a turn starts, those of loops inside it not counted. With few seeds the time of a run is
little more than the number of its kernels. Wants `pip install '.[cuda]'`, but no GPU.

    python bench/kernels.py --layout cramped_room --seeds 1 5
    XLA_FLAGS=--xla_gpu_experimental_enable_fusion_autotuner=true python bench/kernels.py     # as XLA is usually
"""

import argparse
import json
import os
import re
import time
from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import topologies
from timing import as_in_runs

from cole import paper, program, rollout
from cole.kitchen import layouts
from cole.methods import cole
from cole.policy import policy
from cole.program import of_each

H200 = """
gpu_device_info {
  threads_per_block_limit: 1024 threads_per_warp: 32 threads_per_core_limit: 2048 core_count: 132 fpus_per_core: 128
  shared_memory_per_block: 49152 shared_memory_per_block_optin: 232448 shared_memory_per_core: 233472
  registers_per_core_limit: 65536 registers_per_block_limit: 65536
  block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535
  memory_bandwidth: 4800000000000 l2_cache_size: 52428800 clock_rate_ghz: 1.98 device_memory_size: 151397597184
  cuda_compute_capability { major: 9 }
}
platform_name: "CUDA"
dnn_version_info { major: 9 minor: 10 }
device_description_str: "NVIDIA H200"
"""
STAGES = ("trace", "lower", "compile")
# Instructions that start no kernel, or of which another one says so already; loops are counted one by one.
SILENT = {"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "while", "after-all", "async-done"}
SILENT |= {"fusion-done", "copy-done", "partition-id"}


def compiled(layout: str, seeds: int) -> tuple[str, dict[str, float]]:
    """The text of a generation as `cole train cole --recipe paper` runs it; and what took how many seconds."""
    device = topologies.get_topology_desc("h200", "cuda", target_config=H200, topology="1x1x1").devices[0]
    there = jax.sharding.SingleDeviceSharding(device)
    setting, kitchen = paper.cole_("paper", layout)._replace(half=True), layouts.load(layout)
    state = jax.eval_shape(cole.program(kitchen, setting).start, jax.ShapeDtypeStruct((seeds,), jnp.uint32))
    shapes = (state, jax.ShapeDtypeStruct((), jnp.int32))
    arguments = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=there), shapes)
    every = of_each(partial(cole.generation, cole.kitchen_for(kitchen, setting)), (0, None))
    times = [time.perf_counter()]
    traced = jax.jit(every, donate_argnums=0).trace(*arguments)
    times.append(time.perf_counter())
    lowered = traced.lower()
    times.append(time.perf_counter())
    text = lowered.compile().as_text() or ""
    times.append(time.perf_counter())
    return text, {f"{what}_s": round(b - a, 2) for what, a, b in zip(STAGES, times[:-1], times[1:], strict=True)}


def computations(text: str) -> dict[str, list[str]]:
    """Name -> instructions, a line each."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if begins := re.match(r"(?:ENTRY )?%?([\w.-]+) \(.*\{$", line):
            found[inside := begins[1]] = []
        elif re.match(r"\s+(ROOT )?%", line):
            found[inside].append(line)
    return found


def kernels(lines: list[str]) -> int:
    """How many of these instructions start a kernel."""
    names = [re.search(r"[)}\]] ([a-z-]+)\(", line) for line in lines]
    return sum(name is not None and name[1] not in SILENT for name in names)


def loops(text: str) -> Iterator[dict[str, Any]]:
    """Every loop of a compiled program."""
    parts = computations(text)
    for line in (line for lines in parts.values() for line in lines if " while(" in line):
        body, turns = re.search(r"body=%?([\w.-]+)", line), re.search(r'known_trip_count":\{"n":"(\d+)', line)
        where = re.search(r'op_name="([^"]*)"', line)
        assert body
        yield {
            "loop": where[1].replace("/eval_jaxpr", "") if where else body[1],
            "turns": int(turns[1]) if turns else None,
            "kernels": kernels(parts[body[1]]),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layout", nargs="+", default=["cramped_room"], choices=list(layouts.MAPS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    args = parser.parse_args()
    os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"  # that would look for a GPU
    as_in_runs()
    for choice in (policy.WAYS, program.ONE_BY_ONE, rollout.UNROLL, rollout.APART):
        choice["cpu"] = choice["gpu"]  # this machine stands in for one with a GPU
    about = {"bench": "kernels", "jax": jax.__version__}
    for layout, seeds in product(args.layout, args.seeds):
        text, seconds = compiled(layout, seeds)
        print(json.dumps(about | {"layout": layout, "seeds": seeds} | seconds), flush=True)
        for loop in loops(text):
            print(json.dumps(about | {"layout": layout, "seeds": seeds} | loop), flush=True)


if __name__ == "__main__":
    main()
