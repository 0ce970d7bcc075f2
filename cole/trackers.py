"""Where else a log may go while it is written: Weights & Biases, TensorBoard. Neither is needed or imported unasked."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

from cole.errors import UserError
from cole.journal import OWN

Track = Callable[[dict[str, Any]], None]  # takes a line of the log
Close = Callable[[], Any]


@contextmanager
def open_trackers(names: Sequence[str], folder: Path, config: dict[str, Any]) -> Iterator[Track]:
    """A function that hands a line of the log to all trackers named: opened at the first line, closed at the end."""
    packages = {name: needed(name) for name in names}
    opened: dict[str, tuple[Track, Close]] = {}

    def track(line: dict[str, Any]) -> None:
        for name, package in packages.items():
            if name not in opened:
                opened[name] = TRACKERS[name][1](package, folder, config, line["update"])
            opened[name][0](line)

    try:
        yield track
    finally:
        for _, close in opened.values():
            close()


def wandb(package: Any, folder: Path, config: dict[str, Any], _: int) -> tuple[Track, Close]:
    """Weights & Biases; a resumed run goes on under the identity that lies in its folder."""
    identity = folder / "wandb.id"
    if not identity.exists():
        identity.write_text(uuid4().hex)
    name = "/".join(folder.resolve().parts[-3:])
    known = {"id": identity.read_text(), "resume": "allow", "dir": str(folder)}
    session = package.init(project="cole", name=name, config=config, **known)
    return lambda line: session.log(scalars(line), step=line["update"]), session.finish


def tensorboard(package: Any, folder: Path, config: dict[str, Any], first: int) -> tuple[Track, Close]:
    """TensorBoard, in a folder of that name; what a broken run wrote and a resumed one writes again is hidden."""
    writer = package.SummaryWriter(str(folder / "tensorboard"), purge_step=first)

    def track(line: dict[str, Any]) -> None:
        for name, value in scalars(line).items():
            writer.add_scalar(name, value, line["update"])

    return track, writer.close


TRACKERS = {"wandb": ("wandb", wandb), "tensorboard": ("tensorboardX", tensorboard)}  # by extra: package, function


def needed(name: str) -> Any:
    """The tracker's package, or a sentence on how to come by it."""
    if name not in TRACKERS:
        raise UserError(f"no tracker called {name}; there are {', '.join(TRACKERS)}")
    package = TRACKERS[name][0]
    try:
        return import_module(package)
    except ImportError:
        raise UserError(f"the tracker {name} needs the package {package}: pip install 'cole[{name}]'") from None


def scalars(line: dict[str, Any]) -> dict[str, float]:
    """Every field that is one number a seed, as field/0, field/1, ... by place of the seed, and the steps."""
    fields = {name: values for name, values in line.items() if name not in OWN}
    found = {f"{name}/{i}": alone(value) for name, values in fields.items() for i, value in enumerate(values)}
    return {"steps": line["steps"]} | {name: value for name, value in found.items() if value is not None}


def alone(value: Any) -> float | None:
    """The number, also out of a list of one, as a single learner's is; None if there are more, or it is not finite."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return None if isinstance(value, list) else value
