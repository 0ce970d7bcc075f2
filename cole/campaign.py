"""The campaign: every run behind the paper's tables and figures, what it is expected to cost, and what it did cost.

Runs are processes of `cole train`, several at a time, each resumed where it was left; a run that is finished is not
touched again. Predictions are seconds of one NVIDIA H200 with nothing else on it, five seeds in one program: of the
rounds of a run, at what a round was measured to take in some kitchens, and of its start.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from cole import checkpoint, runfolder
from cole.errors import UserError
from cole.evaluate.entries import entry_of, is_agent, places_in
from cole.evaluate.labels import method_of
from cole.kitchen.layouts import KITCHENS

LEDGER = "campaign.jsonl"  # in the folder of the runs: a line for every run whose process ended
STOPPED = 130  # exit code of a run that can be resumed
AT_LEAST, GRACE = 20.0, 60.0  # seconds: what is left when the last run begins; to stop in, before a run is killed
START = 16.0  # seconds of a run before its first round is done
NAME = "paper"  # of runs, before their ratio


class Row(NamedTuple):
    """A method of the campaign, in all kitchens."""

    label: str
    method: str
    recipe: str
    name: str  # of the run
    more: tuple[str, ...]  # options of `cole train`
    seconds: tuple[float, ...]  # predicted, by kitchen


class Job(NamedTuple):
    """One run."""

    label: str
    kitchen: str
    folder: Path
    command: tuple[str, ...]  # what follows `cole`
    seconds: float  # predicted
    recipe: str = ""
    parts: tuple["Job", ...] = ()  # the runs of a process that trains several in one program


COLE = (53, 66, 58, 52, 71)
WITH_CLONES = (40, 68, 67, 44, 75)
PAPERS = tuple(
    Row(f"COLE {a}:{b}", "cole", "paper", f"{NAME}-{a}to{b}", ("--ratio", f"{a}:{b}"), COLE)
    for a, b in ((0, 4), (1, 3), (2, 2), (3, 1))
)
ROWS = (
    *PAPERS,
    Row("COLE 1:3, authors", "cole", "authors", "authors-1to3", (), (85, 170, 96, 71, 170)),
    Row("COLE 1:3, default", "cole", "default", "default-1to3", (), COLE),
    Row("SP", "sp", "paper", "paper", (), (24, 37, 28, 22, 37)),
    Row("SP, random starts", "sp", "paper", "random-starts", ("--random-starts", "1.0"), (24, 37, 28, 22, 37)),
    Row("PBT", "pbt", "paper", "paper", (), (79, 157, 53, 81, 91)),
    Row("FCP", "fcp", "paper", "paper", (), (104, 171, 125, 112, 169)),
    Row("MEP", "mep", "paper", "paper", (), (108, 172, 112, 110, 163)),
    Row("TrajeDi", "trajedi", "paper", "paper", (), (108, 172, 112, 110, 163)),
    Row("HSP", "hsp", "paper", "paper", (), (204, 420, 250, 207, 400)),
    Row("E3T", "e3t", "paper", "paper", (), (26, 46, 36, 24, 48)),
    Row("PPO_BC", "ppo_bc", "paper", "paper", (), WITH_CLONES),
    Row("best response", "best_response", "default", "default", (), (52, 94, 93, 58, 105)),
)


class Wanted(NamedTuple):
    """Which part of it, how large, and where."""

    only: tuple[str, ...] = ()  # labels, kitchens, "label in kitchen"; empty: all
    size: str = "full"
    seeds: int = 5
    runs: Path = Path("runs")


def jobs(wanted: Wanted) -> list[Job]:
    """The runs that are asked for, the longest first: so that none is left over when all others have ended."""
    labels, names = {row.label.lower() for row in ROWS}, [name.lower() for name in wanted.only]
    pairs = [tuple(name.rsplit(" in ", 1)) for name in names if " in " in name]
    methods, kitchens = [name for name in names if name in labels], [name for name in names if name in KITCHENS]
    known = {*methods, *kitchens, *(f"{label} in {kitchen}" for label in labels for kitchen in KITCHENS)}
    if unknown := [name for name in wanted.only if name.lower() not in known]:
        every = ", ".join(row.label for row in ROWS)
        raise UserError(f"--only {unknown[0]}: the methods are {every}; else name a kitchen, or METHOD in KITCHEN")

    def is_wanted(row: Row, kitchen: str) -> bool:
        if (row.label.lower(), kitchen) in pairs:
            return True
        here = (not methods or row.label.lower() in methods) and (not kitchens or kitchen in kitchens)
        return here and bool(methods or kitchens or not pairs)

    found = [job(row, kitchen, wanted) for row in ROWS for kitchen in KITCHENS if is_wanted(row, kitchen)]
    return sorted(found, key=lambda one: -one.seconds)


def job(row: Row, kitchen: str, wanted: Wanted) -> Job:
    """A row in one kitchen."""
    name = row.name if wanted.size == "full" else f"{row.name}-{wanted.size}"
    command = ["train", row.method, "--layout", kitchen, "--recipe", row.recipe, "--size", wanted.size]
    command += ["--seeds", str(wanted.seeds), "--runs", str(wanted.runs), "--name", name, "--resume", *row.more]
    folder = wanted.runs / kitchen / row.method / name
    return Job(row.label, kitchen, folder, tuple(command), row.seconds[KITCHENS.index(kitchen)], row.recipe)


def option(one: Job, name: str) -> str:
    """What follows an option in a job's command."""
    return one.command[one.command.index(name) + 1]


def runs_of(one: Job) -> int:
    """How many runs a process makes."""
    return max(len(one.parts), 1)


def is_done(one: Job) -> bool:
    """Whether the run is finished and its agents are there; a run of other seeds in its place is refused."""
    if not (one.folder / runfolder.CONFIG).exists():
        return False
    wanted = int(option(one, "--seeds"))
    if (there := len(runfolder.read_config(one.folder)["seeds"])) != wanted:
        raise UserError(f"{one.folder} is a run of {there} seeds, not {wanted}: move it away, or choose other --runs")
    return (one.folder / runfolder.FINISHED).exists() and (one.folder / runfolder.AGENTS).exists()


def to_go(one: Job) -> float:
    """Predicted seconds of what is left of a run: all, or its start and the rounds that it has not done."""
    done = checkpoint.found(one.folder / runfolder.CHECKPOINTS)
    if not done or not (one.folder / runfolder.CONFIG).exists():
        return one.seconds
    left = 1.0 - int(done[0].name) / runfolder.read_config(one.folder)["rounds"]
    return min(START, one.seconds) + left * max(one.seconds - START, 0.0)


Known = dict[tuple[str, str, str], dict[int, Path]]  # (kitchen, name of the method, recipe) -> seed -> folder


def known_in(folder: Path) -> Known:
    """The agents that are there already, in a zoo for example; two of one seed that were trained otherwise are refused.

    How long they were trained nobody checks.
    """
    found: Known = {}
    settings: dict[Path, str] = {}
    for entry, place in ((entry_of(place), place) for place in places_in(folder) if is_agent(place)):
        settings[place] = entry.settings
        other = found.setdefault((entry.kitchen, entry.called, entry.recipe), {}).setdefault(entry.seed, place)
        if settings[other] != entry.settings:
            raise UserError(f"--have {folder}: {other} and {place} differ in more than their seed: name one of them")
    return found


def places_of(one: Job, wanted: Wanted, known: Known) -> list[Path]:
    """Where the agents of a job are: in its run, or else among those that are known; nowhere if it is still to do."""
    if is_done(one):
        return [one.folder]
    there = known.get((one.kitchen, method_of(one.label), one.recipe), {})
    seeds = range(wanted.seeds)
    return [there[seed] for seed in seeds] if set(seeds) <= there.keys() else []


class Ended(NamedTuple):
    """What became of a job."""

    job: Job
    code: int  # 0: finished; STOPPED: it can be resumed
    seconds: float
    words: str  # the last it said


def carry_out(
    todo: Sequence[Job],
    at_once: int,
    deadline: float,
    stop: Callable[[], bool] = lambda: False,
    began: Callable[[Job], None] = lambda job: None,
    whole: bool = False,
) -> Iterator[Ended]:
    """Runs the jobs, `at_once` so many. After `deadline` (of time.monotonic), or once `stop()`, those at work stop.

    A run that is stopped ends its round, writes a checkpoint and can be resumed. None begins in the last seconds; if
    `whole`, none that will not be finished, by its prediction and by how much longer others took than theirs.
    """
    left_over = threading.Event()  # whoever reads the results has gone
    stretched: list[float] = []  # seconds by predicted seconds of those that were done from beginning to end

    def is_over() -> bool:
        return left_over.is_set() or stop() or time.monotonic() >= deadline

    def one(job: Job) -> Ended | None:
        start = time.monotonic()
        expected = to_go(job) * (sum(stretched) / len(stretched) if stretched else 1.0) if whole else AT_LEAST
        if is_over() or start >= deadline - max(expected, AT_LEAST):
            return None
        began(job)
        anew = not job.folder.exists()
        code, words = finished([sys.executable, "-m", "cole.cli", *job.command], is_over)
        seconds = time.monotonic() - start
        stretched.extend([seconds / job.seconds] if code == 0 and anew else [])
        return Ended(job, code, seconds, words)

    pool = ThreadPoolExecutor(at_once)
    try:
        for future in as_completed([pool.submit(one, job) for job in todo]):
            if ended := future.result():
                yield ended
    finally:
        left_over.set()
        pool.shutdown(cancel_futures=True)


def finished(command: Sequence[str], is_over: Callable[[], bool]) -> tuple[int, str]:
    """Exit code and last line of a process; when all is over it is asked to stop, and killed if it does not.

    It has a process group of its own, so that Ctrl-C reaches it once, from here.
    """
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said,
        subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, start_new_session=True) as process,
    ):
        asked = 0.0
        while process.poll() is None:
            if is_over() and not asked:
                process.terminate()
                asked = time.monotonic()
            elif asked and time.monotonic() - asked > GRACE:
                process.kill()
            time.sleep(0.1)
        said.seek(0)
        lines = [line.strip() for line in said if line.strip()]
    code = STOPPED if asked and process.returncode != 0 else process.returncode
    return code, lines[-1] if lines else ""


def note(runs: Path, ended: Ended, at_once: int) -> None:
    """Adds a line to the ledger: what was predicted, and what it took beside how many others.

    Of several runs in one program, a line for each, with its part of the seconds.
    """
    each, lines = ended.job.parts or (ended.job,), []
    for job in each:
        line = {"label": job.label, "kitchen": job.kitchen, "code": ended.code, "at_once": at_once}
        line |= {"predicted_s": round(ended.job.seconds / len(each), 1), "seconds": round(ended.seconds / len(each), 1)}
        line |= {"said": ended.words, "command": command_of(job), "in_one_program": len(each)}
        lines.append(json.dumps(line) + "\n")
    with runfolder.writing(runs, None):
        runs.mkdir(parents=True, exist_ok=True)
        with (runs / LEDGER).open("a", encoding="utf-8") as file:
            file.writelines(lines)


def command_of(one: Job) -> str:
    """What a job is, in the ledger."""
    return " ".join(("cole", *one.command))


def measured(runs: Path) -> dict[str, float]:
    """Command -> seconds that it took, all parts together, as the ledger says."""
    taken = dict[str, float]()
    for line in ledger(runs):
        taken[line["command"]] = taken.get(line["command"], 0.0) + line["seconds"]
    return taken


def ledger(runs: Path) -> list[dict[str, Any]]:
    """Its lines; one that was cut off says nothing."""
    path, found = runs / LEDGER, []
    for text in path.read_text("utf-8").splitlines() if path.exists() else ():
        with suppress(ValueError, KeyError, TypeError):
            line = json.loads(text)
            found.append(line | {"seconds": line["seconds"] + 0.0, "command": str(line["command"])})
    return found
