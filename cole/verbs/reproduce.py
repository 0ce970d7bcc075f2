"""`cole reproduce`: trains everything behind the paper's evidence, what is missing of it, and writes the report."""

import math
import time

from rich import box
from rich.console import Console
from rich.table import Table

from cole import bundles, campaign
from cole.campaign import STOPPED, Ended, Job, Wanted
from cole.config.judging import Report, Reproduce
from cole.errors import UserError
from cole.kitchen.layouts import KITCHENS
from cole.run import stop_requests
from cole.verbs import report

NETWORK = 0.4e6  # bytes of a strategy, in a large kitchen
ROUNDS = 100  # whose strategies a run keeps, about


def run(config: Reproduce) -> int:
    """Says what is to do, does it, and reports."""
    for name, value, most in (("jobs", config.jobs, 64), ("seeds", config.seeds, 1024)):
        if not 1 <= value <= most:
            raise UserError(f"--{name} must be a whole number from 1 to {most}, not {value}")
    if config.minutes is not None and not config.minutes > 0:
        raise UserError(f"--minutes must be above 0, not {config.minutes}")
    if config.whole and config.minutes is None:
        raise UserError("--whole needs --minutes: without them every run is finished")
    for name in [name for name in ("whole", "have") if getattr(config, name) and config.size != "full"]:
        raise UserError(f"--{name} is for runs of full size: what is predicted and known is not of {config.size} ones")
    if not (config.dry_run or config.no_report):
        report.check_folder(config.out)
    wanted = Wanted(config.only, config.size, config.seeds, config.runs)
    every = campaign.jobs(wanted)
    known = campaign.known_in(config.have) if config.have else {}
    todo = [job for job in every if not campaign.places_of(job, wanted, known)]
    console = Console(highlight=False)
    console.print(table(every, todo, campaign.measured(config.runs)))
    most = 60 * config.minutes if config.whole and config.minutes else math.inf
    work = bundles.bundled(todo, most)
    console.print(in_words(every, todo, work, config), soft_wrap=True)
    if config.dry_run:
        return 0
    failed, left = train(console, work, config)
    bundles.tidy(config.runs)
    for ended in failed:
        console.print(f"failed: {ended.job.label} in {ended.job.kitchen}: {ended.words}", markup=False, soft_wrap=True)
    if left:
        long = [job for job in work if campaign.to_go(job) > most]
        for job in long:
            needs = f"{job.label} in {job.kitchen} needs {campaign.to_go(job) / 60:.1f} minutes, as predicted"
            console.print(f"{needs}: give it more --minutes", markup=False, soft_wrap=True)
        goes_on = ": the same command goes on" if left > sum(map(campaign.runs_of, long)) else ""
        console.print(f"{left} runs are left{goes_on}", soft_wrap=True)
        return 1 if failed else STOPPED
    if config.no_report:
        return 0
    places = [place for job in every for place in campaign.places_of(job, wanted, known)]
    return report.run(Report(folders=tuple(places), out=config.out))


def table(every: list[Job], todo: list[Job], measured: dict[str, float]) -> Table:
    """Every method with the predicted seconds of its runs, by kitchen; and what was measured of those that are done."""
    words = "seconds of one H200, predicted; ✓ finished, and the seconds that it took here"
    shown = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), caption=words)
    kitchens = [kitchen for kitchen in KITCHENS if any(job.kitchen == kitchen for job in every)]
    shown.add_column("method")
    for kitchen in kitchens:
        shown.add_column(kitchen.replace("_", " "), justify="right")

    def cell(job: Job) -> str:
        taken = measured.get(campaign.command_of(job)) if campaign.is_done(job) else None
        done = "✓" if taken is None else f"✓ {taken:.0f}"
        return f"{campaign.to_go(job):.0f}" if job in todo else done

    cells = {(job.label, job.kitchen): cell(job) for job in every}
    for row in campaign.ROWS:
        if any(label == row.label for label, _ in cells):
            shown.add_row(row.label, *(cells.get((row.label, kitchen), "") for kitchen in kitchens))
    return shown


def in_words(every: list[Job], todo: list[Job], work: list[Job], config: Reproduce) -> str:
    """How much there is to do, in `todo` and in processes."""
    alone = sum(map(campaign.to_go, work)) / 60  # as predicted, at full size
    disk = len(todo) * ROUNDS * config.seeds * NETWORK / 1e9
    done = f"{len(every) - len(todo)} of {len(every)} runs are finished"
    if not todo:
        return done
    size = "" if config.size == "full" else f" at full size; {config.size} runs are far shorter"
    return f"{done}; the others take {alone:.0f} minutes one after the other{size}, and up to {disk:.1f} GB of disk"


def train(console: Console, work: list[Job], config: Reproduce) -> tuple[list[Ended], int]:
    """Does what is to do; what failed, and how many runs are not finished."""
    began = time.monotonic()
    deadline = math.inf if config.minutes is None else began + 60 * config.minutes

    def minutes() -> str:
        return f"{(time.monotonic() - began) / 60:5.1f} min"

    def tell(job: Job) -> None:
        console.print(f"{minutes()}  {job.label} in {job.kitchen} begins", markup=False, soft_wrap=True)

    failed, finished = [], 0
    with stop_requests("all runs end their round and stop") as stop:
        for ended in campaign.carry_out(work, config.jobs, deadline, stop, tell, config.whole):
            campaign.note(config.runs, ended, config.jobs)
            finished += campaign.runs_of(ended.job) if ended.code == 0 else 0
            failed += [ended] if ended.code not in (0, STOPPED) else []
            what = {0: "is finished", STOPPED: "is stopped"}.get(ended.code, "has failed")
            words = f"{ended.job.label} in {ended.job.kitchen} {what} after {ended.seconds:.0f} s: {ended.words}"
            console.print(f"{minutes()}  {words}", markup=False, soft_wrap=True)
    return failed, sum(map(campaign.runs_of, work)) - finished
