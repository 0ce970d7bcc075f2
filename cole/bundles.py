"""The ratios of COLE as one process: what the campaign has still to do of them in a kitchen, learning together."""

import math
import shutil
from collections.abc import Sequence
from pathlib import Path

from cole import runfolder, together
from cole.campaign import NAME, PAPERS, START, STOPPED, Job, ledger, option, to_go
from cole.kitchen.layouts import KITCHENS

SIDE_BY_SIDE = 0.75  # of the time that runs take one after the other, when they are one program


def bundled(todo: Sequence[Job], most: float = math.inf) -> list[Job]:
    """The same, but what COLE's ratios have still to do in one kitchen is one process, unless it was begun alone.

    What was begun together goes on so. A process of more than `most` predicted seconds is not made, and neither is one
    in a kitchen where such a process failed; nor is it resumed there, if it has done nothing yet.
    """
    labels = [row.label for row in PAPERS]
    full = [one for one in todo if one.label in labels and option(one, "--size") == "full"]
    joined = []
    for mine in ([one for one in full if one.kitchen == kitchen] for kitchen in KITCHENS):
        resumed = [_resumed(place, mine) for place in _begun(mine)]
        begun = [one for one in resumed if one.parts and (to_go(one) < one.seconds or not _failed(one))]
        taken = [part for one in begun for part in one.parts]
        fresh = [one for one in mine if one not in taken and not one.folder.exists()]
        joined += begun
        if len(fresh) > 1 and joint(fresh).seconds <= most and not _failed(fresh[0]):
            joined.append(joint(fresh))
    apart = [one for one in todo if not any(one in each.parts for each in joined)]
    return sorted([*joined, *apart], key=lambda one: -one.seconds)


def joint(parts: Sequence[Job], ratios: Sequence[str] = ()) -> Job:
    """Runs as one, of these ratios or of those they have: `--ratio 0:4,1:3`."""
    first, ratios = parts[0], ratios or [one.label.split()[1] for one in parts]
    changes = {"--ratio": ",".join(ratios), "--name": NAME}
    command = tuple(
        changes.get(before, word) for before, word in zip(("", *first.command), first.command, strict=False)
    )
    seconds = START + SIDE_BY_SIDE * len(ratios) * (first.seconds - START)
    folder = together.place(first.folder, NAME, ratios)
    return Job(f"COLE {', '.join(ratios)}", first.kitchen, folder, command, seconds, first.recipe, tuple(parts))


def tidy(runs: Path) -> None:
    """Removes what processes left whose runs are all there, or that were killed while they removed it."""
    for place in runs.glob(f"*/cole/.{NAME}-*"):
        parts = [place.with_name(f"{NAME}-{ratio}") for ratio in place.name.removeprefix(f".{NAME}-").split("-")]
        if place.suffix == ".old":
            shutil.rmtree(place, ignore_errors=True)
        elif all((part / runfolder.FINISHED).exists() for part in parts) and not runfolder.is_running(place):
            together.remove(place)


def _begun(jobs: Sequence[Job]) -> list[Path]:
    """The folders in which runs of this kitchen learn together; leftovers are not among them."""
    found = jobs[0].folder.parent.glob(f".{NAME}-*") if jobs else []
    return [place for place in found if not together.is_leftover(place) and (place / runfolder.CONFIG).exists()]


def _resumed(place: Path, todo: Sequence[Job]) -> Job:
    """What was begun there, with those of its runs that are still to do."""
    ratios = runfolder.read_config(place)["config"][together.RATIOS]
    return joint(todo, ratios)._replace(parts=tuple(one for one in todo if one.label.split()[1] in ratios))


def _failed(one: Job) -> bool:
    """Whether a process of several runs failed in this kitchen, and not because another one was at work there."""
    here = [line for line in ledger(Path(option(one, "--runs"))) if line.get("kitchen") == one.kitchen]
    failed = [line for line in here if line.get("in_one_program", 1) > 1 and line.get("code") not in (0, STOPPED)]
    return any(not str(line.get("said")).endswith(runfolder.AT_WORK) for line in failed)
