"""`cole doctor`: what this installation has, and what is missing."""

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path

import jax
from rich.console import Console

from cole import __version__
from cole.config import Doctor

# What each extra is for, and the modules that show that it is there.
EXTRAS = {
    "human": ("convert the recorded human games", ["overcooked_ai_py"]),
    "adapters": ("PettingZoo, Gymnasium and JaxMARL environments", ["pettingzoo", "gymnasium", "jaxmarl"]),
    "wandb": ("the log of a run in Weights & Biases", ["wandb"]),
    "tensorboard": ("the log of a run in TensorBoard", ["tensorboardX"]),
    "dev": ("tests and benchmarks", ["pytest", "hypothesis", "ruff", "shapiq"]),
}


def run(config: Doctor) -> int:
    """Prints one line per finding; exit code 1 if something the project needs is missing or of the wrong version."""
    console = Console(highlight=False)
    findings = [*python_and_jax(), *devices(), compilation_cache(), *dependencies(), *extras()]
    for good, line in findings:
        mark = {True: "[green]ok[/green]     ", False: "[red]wrong[/red]  ", None: "[yellow]absent[/yellow] "}[good]
        console.print(mark + line, soft_wrap=True)
    return 1 if any(good is False for good, _ in findings) else 0


Finding = tuple[bool | None, str]  # fine, wrong, or absent but optional


def python_and_jax() -> list[Finding]:
    python = sys.version_info[:2] in ((3, 11), (3, 12))
    jax_version = tuple(int(part) for part in jax.__version__.split(".")[:2])
    return [
        (True, f"cole {__version__}"),
        (python, f"Python {platform.python_version()} (3.11 and 3.12 are supported)"),
        (jax_version in ((0, 10), (0, 11)), f"jax {jax.__version__}, jaxlib {version('jaxlib')} (0.10 and 0.11)"),
    ]


def devices() -> list[Finding]:
    found: list[Finding] = [(True, f"device {device.id}: {device.device_kind}") for device in jax.devices()]
    if jax.default_backend() == "cpu":
        found.append((None, f"no accelerator: {os.cpu_count()} CPU cores do all the work (extra: cuda)"))
    return found


def compilation_cache() -> Finding:
    folder = os.environ.get("JAX_COMPILATION_CACHE_DIR")
    if not folder:
        return None, "compilation cache: off (JAX_COMPILATION_CACHE_DIR is empty)"
    files = [file for file in Path(folder).glob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files) / 2**20
    return True, f"compilation cache: {folder}, {len(files)} files, {size:.1f} MiB"


def dependencies() -> list[Finding]:
    """Every package the project cannot do without."""
    try:
        needed = [line for line in requires("cole") or [] if "extra ==" not in line]
    except PackageNotFoundError:
        return [(None, "cole itself is not installed, only imported from its folder")]
    names = [line.split(">")[0].split("=")[0].split("<")[0].split("[")[0].strip() for line in needed]
    return [installed(name) for name in names]


def installed(name: str) -> Finding:
    try:
        return True, f"{name} {version(name)}"
    except PackageNotFoundError:
        return False, f"{name} is missing: pip install {name}"


def extras() -> list[Finding]:
    found: list[Finding] = []
    for extra, (purpose, modules) in EXTRAS.items():
        missing = [module for module in modules if find_spec(module) is None]
        how = f" (missing: {', '.join(missing)}; pip install '.\\[{extra}]')" if missing else ""
        found.append((None if missing else True, f"extra {extra}: {purpose}{how}"))
    return found
