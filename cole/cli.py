"""The command line: `cole VERB`, one function of the project behind each."""

import gc
import io
import os
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import tyro

from cole import __version__, config
from cole.errors import UserError

# Where each verb is carried out. Imported only when asked for: jax and matplotlib take a second to load.
RUN = {
    config.Watch: "cole.verbs.watch",
    config.Play: "cole.verbs.play",
    config.Layouts: "cole.verbs.layouts",
    config.Agents: "cole.verbs.agents",
    config.Human: "cole.verbs.human",
    config.Crossplay: "cole.verbs.crossplay",
    config.Evaluate: "cole.verbs.evaluate",
    config.Report: "cole.verbs.report",
    config.Reproduce: "cole.verbs.reproduce",
    config.Analyze: "cole.verbs.analyze",
    config.Runs: "cole.verbs.runs",
    config.Doctor: "cole.verbs.doctor",
}

# Of XLA on an accelerator. Matrix products are left to its library: to try out others takes as long as all other
# compiling, and saves a twentieth of the time. All other operations get their usual kernels: to try out others takes as
# long again, and saves nothing. Small operations that do not wait for each other run side by side: with one seed that
# saves a twelfth.
FLAGS = {
    "xla_gpu_enable_triton_gemm": "false",
    "xla_gpu_experimental_enable_fusion_autotuner": "false",
    "xla_gpu_graph_enable_concurrent_region": "true",
}
# Of jax there. Random numbers come from a kernel of their own: to fuse each draw anew costs a second or two of
# compiling. Memory is taken as it is needed: to take most of it at once costs a second, too, and leaves none to others.
SETTINGS = {"JAX_THREEFRY_GPU_KERNEL_LOWERING": "true", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}

# Objects until python looks for garbage, in training: jax makes hundreds of thousands while it traces, nearly none of
# them garbage, and to look through them time and again takes .4 s.
GARBAGE = 1_000_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Carries out one verb; a user's mistake costs one sentence and exit code 2."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if arguments in (["--version"], ["-V"]):
        print(f"cole {__version__}")
        return 0
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without a letter shows ? instead
    before = gc.get_threshold()
    try:
        if arguments[:1] == ["train"]:  # its options are those of the methods, which know jax
            gc.set_threshold(GARBAGE)
            prepare_jax()
            wake_device(arguments)
            return import_module("cole.verbs.train").main(arguments[1:])
        verb = tyro.cli(config.Verb, prog="cole", description="Zero-shot coordination in Overcooked.", args=arguments)
        prepare_jax()
        return import_module(RUN[type(verb)]).run(verb)
    except UserError as error:
        print(f"cole: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("cole: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does; python would complain once more while closing it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    finally:
        gc.set_threshold(*before)


def prepare_jax() -> None:
    """Sets flags of XLA and jax, where the user has not, and keeps what jax compiles between runs.

    That is kept where the user has chosen ("": nowhere).
    """
    flags = os.environ.get("XLA_FLAGS", "")
    ours = [f"--{name}={value}" for name, value in FLAGS.items() if name not in flags]
    os.environ["XLA_FLAGS"] = " ".join([*flags.split(), *ours])
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(home / "cole" / "jax"))


def wake_device(arguments: Sequence[str]) -> None:
    """Begins to open the accelerator, which takes a second or two, while all else is imported; not for help alone.

    If that fails, it will fail again where it is needed, and is told there.
    """

    def touch() -> None:
        with suppress(Exception):
            jax.device_put(0.0)

    if not {"-h", "--help"} & set(arguments):
        jax = import_module("jax")
        threading.Thread(target=touch).start()


if __name__ == "__main__":
    sys.exit(main())
