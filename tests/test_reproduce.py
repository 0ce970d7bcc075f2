"""The campaign: which runs there are, how they are carried out and noted, and what the verb says of it."""

import json
import math
import sys
import time
from pathlib import Path

import pytest
import toy_agents as toy
from toy_runs import run_of

from cole import campaign, runfolder
from cole.campaign import Ended, Job, Wanted
from cole.cli import main
from cole.errors import UserError
from cole.kitchen import layouts
from cole.menu import METHODS
from cole.policy import store
from cole.verbs import reproduce, train

AUTHORS = {("COLE 1:3, authors", "cramped_room")}


def job(*command: str, seconds: float = 1.0) -> Job:
    return Job("SP", "cramped_room", Path("nowhere"), command, seconds)


def test_every_method_of_the_paper_is_there_in_every_kitchen_and_the_longest_begins():
    every = campaign.jobs(Wanted())
    assert {one.label for one in every} >= {"COLE 0:4", "COLE 1:3", "COLE 2:2", "COLE 3:1", "SP", "PBT", "FCP", "MEP"}
    assert len(every) == 5 * len(campaign.ROWS)
    assert len({one.folder for one in every}) == len(every)
    assert [one.seconds for one in every] == sorted((one.seconds for one in every), reverse=True)


@pytest.mark.parametrize("row", campaign.ROWS, ids=lambda row: row.label)
def test_each_run_is_one_that_cole_train_accepts(row, monkeypatch, tmp_path):
    prepared = []
    monkeypatch.setattr(train, "run", lambda asked, command: prepared.append(train.prepared(asked)) or 0)
    one = campaign.job(row, "cramped_room", Wanted(size="quick", seeds=2, runs=tmp_path))
    assert main(one.command) == 0
    assert prepared[0].folder == one.folder
    assert prepared[0].method in METHODS and prepared[0].seeds == [0, 1]


def test_methods_and_kitchens_can_be_chosen_by_name():
    chosen = campaign.jobs(Wanted(only=("cole 1:3", "FCP", "counter_circuit")))
    assert sorted((one.label, one.kitchen) for one in chosen) == [
        ("COLE 1:3", "counter_circuit"),
        ("FCP", "counter_circuit"),
    ]
    for bad in ("magic", "magic in cramped_room", "FCP in", "FCP in space", "cramped_room in FCP"):
        with pytest.raises(UserError, match=f"--only {bad}: the methods are COLE 0:4"):
            campaign.jobs(Wanted(only=(bad,)))


@pytest.mark.parametrize(
    ("only", "runs"),
    [
        (("HSP in counter_circuit",), {("HSP", "counter_circuit")}),
        (("hsp in Counter_Circuit", "COLE 1:3, authors in cramped_room"), {*AUTHORS, ("HSP", "counter_circuit")}),
        (("SP in counter_circuit", "FCP", "cramped_room"), {("SP", "counter_circuit"), ("FCP", "cramped_room")}),
    ],
)
def test_single_runs_can_be_chosen_beside_methods_and_kitchens(only, runs):
    assert {(one.label, one.kitchen) for one in campaign.jobs(Wanted(only=only))} == runs


def test_processes_are_carried_out_and_their_last_words_kept():
    todo = [job("--version"), job("train", "sp", "--seeds", "0")]
    ended = {one.job.command: one for one in campaign.carry_out(todo, 2, math.inf)}
    assert ended[("--version",)].code == 0 and ended[("--version",)].words.startswith("cole ")
    assert ended[todo[1].command].code == 2 and "seeds" in ended[todo[1].command].words


def test_after_the_deadline_nothing_begins_and_shortly_before_it_neither():
    for left in (-1.0, campaign.AT_LEAST / 2):
        assert list(campaign.carry_out([job("--version")], 1, time.monotonic() + left)) == []


def test_if_only_whole_runs_count_those_that_would_be_cut_off_do_not_begin():
    todo = [job("--version", seconds=1000.0), job("--version", seconds=1.0)]
    deadline = time.monotonic() + 100.0
    assert [one.job.seconds for one in campaign.carry_out(todo, 1, deadline, whole=True)] == [1.0]
    assert [one.job.seconds for one in campaign.carry_out(todo, 1, deadline)] == [1000.0, 1.0]


def test_of_a_run_that_was_begun_only_the_rest_counts(tmp_path):
    folder = tmp_path / "cramped_room" / "sp" / "paper"
    one = job("--version", seconds=campaign.START + 400.0)._replace(folder=folder)
    assert campaign.to_go(one) == campaign.START + 400.0
    run_of(folder, "sp", [], asked=range(5), rounds=40)
    for done in ("000020", "000030"):
        (folder / runfolder.CHECKPOINTS / done).mkdir(parents=True)
    assert campaign.to_go(one) == campaign.START + 400.0 / 4
    short = one._replace(seconds=10.0)
    assert campaign.to_go(short) == 10.0
    assert list(campaign.carry_out([one._replace(seconds=4000.0)], 1, time.monotonic() + 300.0, whole=True)) == []
    assert len(list(campaign.carry_out([one], 1, time.monotonic() + 300.0, whole=True))) == 1


@pytest.mark.parametrize(("resumed", "begun"), [(False, [10.0]), (True, [10.0, 150.0])])
def test_whoever_took_longer_than_predicted_from_the_beginning_warns_of_the_others(
    monkeypatch, tmp_path, resumed, begun
):
    clock = iter(range(0, 1000, 50))  # whoever looks at it loses 50 seconds
    monkeypatch.setattr(campaign.time, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(campaign, "finished", lambda command, is_over: (0, ""))
    first = job("--version", seconds=10.0)
    todo = [first._replace(folder=tmp_path) if resumed else first, job("--version", seconds=150.0)]
    assert [one.job.seconds for one in campaign.carry_out(todo, 1, 600.0, whole=True)] == begun


def agents_of(folder: Path, label: str, method: str, seeds: range, recipe: str = "paper", **training) -> None:
    for seed in seeds:
        made = toy.agent(seed, layouts.load("cramped_room"), training={"recipe": recipe, **training})
        place = folder / "cramped_room" / label / f"seed-{seed}"
        store.save(place, made._replace(card=made.card._replace(method=method)))


def test_agents_that_are_known_count_by_kitchen_method_and_recipe(tmp_path):
    agents_of(tmp_path, "sp", "sp", range(5))
    agents_of(tmp_path, "whatever", "cole", range(5), "authors", mixture={"own": 1}, batch={"groups": 4})
    agents_of(tmp_path, "pbt", "pbt", range(4))
    wanted = Wanted(only=("cramped_room",), runs=tmp_path / "runs")
    known = campaign.known_in(tmp_path)
    found = {one.label: campaign.places_of(one, wanted, known) for one in campaign.jobs(wanted)}
    assert {label: places for label, places in found.items() if places} == {
        "SP": [tmp_path / "cramped_room" / "sp" / f"seed-{seed}" for seed in range(5)],
        "COLE 1:3, authors": [tmp_path / "cramped_room" / "whatever" / f"seed-{seed}" for seed in range(5)],
    }
    fewer = wanted._replace(seeds=4)
    found = {one.label: len(campaign.places_of(one, fewer, known)) for one in campaign.jobs(fewer)}
    assert (found["SP"], found["PBT"], found["FCP"]) == (4, 4, 0)


def test_known_agents_of_one_seed_that_were_trained_otherwise_are_refused(tmp_path):
    agents_of(tmp_path, "sp", "sp", range(2), rounds=50)
    agents_of(tmp_path, "sp-quick", "sp", range(2), rounds=5)
    with pytest.raises(UserError, match="differ in more than their seed: name one of them"):
        campaign.known_in(tmp_path)


def test_a_run_goes_before_agents_that_are_known(tmp_path):
    agents_of(tmp_path, "sp", "sp", range(5))
    wanted = Wanted(only=("SP", "cramped_room"), runs=tmp_path / "runs")
    (one,) = campaign.jobs(wanted)
    run_of(one.folder, "sp", range(5))
    (one.folder / "finished").touch()
    assert campaign.places_of(one, wanted, campaign.known_in(tmp_path)) == [one.folder]


def test_what_is_known_is_not_trained_and_reported_on(tmp_path, capsys, monkeypatch):
    agents_of(tmp_path / "zoo", "sp", "sp", range(5))
    reported = []
    monkeypatch.setattr(reproduce.report, "run", lambda config: reported.append(config.folders) or 0)
    asked = ["--runs", str(tmp_path / "runs"), "--have", str(tmp_path / "zoo"), "--only", "SP", "cramped_room"]
    assert main(["reproduce", *asked]) == 0
    assert "1 of 1 runs are finished" in capsys.readouterr().out
    assert reported == [tuple(tmp_path / "zoo" / "cramped_room" / "sp" / f"seed-{seed}" for seed in range(5))]


STUBBORN = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
POLITE = "import signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *_: (print('stopped'), sys.exit(130)))\n"


@pytest.mark.parametrize(("program", "words"), [(POLITE, "stopped"), (STUBBORN, "begun"), ("import time\n", "begun")])
def test_who_is_at_work_when_all_is_over_is_asked_to_stop_and_killed_if_it_does_not(monkeypatch, program, words):
    monkeypatch.setattr(campaign, "GRACE", 0.5)
    over = time.monotonic() + 1.0
    command = [sys.executable, "-c", program + "print('begun', flush=True)\ntime.sleep(60)"]
    code, said = campaign.finished(command, lambda: time.monotonic() > over)
    assert (code, said) == (campaign.STOPPED, words)
    assert time.monotonic() - over < 30


def test_once_stopped_nothing_else_begins():
    begun: list[Job] = []
    todo = [job("--version") for _ in range(3)]
    assert len(list(campaign.carry_out(todo, 1, math.inf, lambda: bool(begun), begun.append))) == 1
    assert len(begun) == 1


def test_who_stops_listening_leaves_no_runs_behind():
    begun: list[Job] = []
    every = campaign.carry_out([job("--version") for _ in range(4)], 1, math.inf, began=begun.append)
    next(every)
    every.close()
    assert len(begun) < 4


def test_the_ledger_has_what_was_predicted_and_what_it_took(tmp_path):
    for seconds in (3.14159, 2.0):
        campaign.note(tmp_path, Ended(job("train", "sp", seconds=5.0), 0, seconds, "done"), 4)
    lines = [json.loads(line) for line in (tmp_path / campaign.LEDGER).read_text().splitlines()]
    assert [(line["predicted_s"], line["seconds"], line["at_once"]) for line in lines] == [(5.0, 3.1, 4), (5.0, 2.0, 4)]
    assert lines[0]["command"] == "cole train sp"


def test_what_a_run_took_is_the_sum_of_its_parts(tmp_path):
    assert campaign.measured(tmp_path) == {}
    for command, seconds in ((("train", "sp"), 3.0), (("train", "sp"), 2.0), (("train", "sp", "--size", "quick"), 9.0)):
        campaign.note(tmp_path, Ended(job(*command), 0, seconds, "done"), 1)
    with (tmp_path / campaign.LEDGER).open("a") as ledger:
        ledger.write('{"label": "SP", "sec')  # a disk was full
    assert campaign.measured(tmp_path) == {"cole train sp": 5.0, "cole train sp --size quick": 9.0}


def test_a_run_that_never_fits_is_named(tmp_path, capsys):
    asked = ["--runs", str(tmp_path), "--only", "HSP", "cramped_room", "--minutes", "0.5", "--whole"]
    assert main(["reproduce", *asked]) == campaign.STOPPED
    said = capsys.readouterr().out
    assert "HSP in cramped_room needs 3.4 minutes, as predicted: give it more --minutes" in said
    assert "1 runs are left\n" in said


def test_a_dry_run_says_what_there_is_to_do_and_does_nothing(tmp_path, capsys):
    run_of(tmp_path / "cramped_room" / "sp" / "paper", "sp", [0], asked=range(5))
    (tmp_path / "cramped_room" / "sp" / "paper" / "finished").touch()
    [one] = campaign.jobs(Wanted(only=("SP", "cramped_room"), runs=tmp_path))
    campaign.note(tmp_path, Ended(one, 0, 77.7, "done"), 1)
    assert main(["reproduce", "--dry-run", "--runs", str(tmp_path), "--only", "SP", "PBT", "cramped_room"]) == 0
    said = capsys.readouterr().out
    assert "1 of 2 runs are finished; the others take 1 minutes" in said and "✓ 78" in said and "GB of disk" in said
    assert len((tmp_path / campaign.LEDGER).read_text().splitlines()) == 1


def test_runs_that_nobody_asked_for_are_holes_in_the_table(tmp_path, capsys):
    asked = ["HSP in counter_circuit", "COLE 1:3, authors in asymmetric_advantages"]
    assert main(["reproduce", "--dry-run", "--runs", str(tmp_path), "--only", *asked]) == 0
    cells = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["HSP", "400"] in cells and any(line[-1:] == ["170"] for line in cells)


def test_a_run_of_other_seeds_does_not_count(tmp_path, capsys):
    run_of(tmp_path / "cramped_room" / "sp" / "paper", "sp", [0, 1])
    assert main(["reproduce", "--dry-run", "--runs", str(tmp_path), "--only", "SP"]) == 2
    assert "is a run of 2 seeds, not 5" in capsys.readouterr().err


def test_what_failed_is_named_and_the_report_waits(tmp_path, capsys, monkeypatch):
    def fails(todo, at_once, deadline, stop, began, whole):
        yield Ended(todo[0], 2, 1.0, "no such kitchen")

    monkeypatch.setattr(campaign, "carry_out", fails)
    assert main(["reproduce", "--runs", str(tmp_path), "--only", "SP", "cramped_room"]) == 1
    said = capsys.readouterr().out
    assert "failed: SP in cramped_room: no such kitchen" in said and "1 runs are left" in said


def test_a_place_that_is_no_report_is_refused_before_anything_is_trained(tmp_path, capsys, monkeypatch):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").touch()
    monkeypatch.setattr(campaign, "carry_out", lambda *_: iter(()))
    asked = ["reproduce", "--runs", str(tmp_path), "--only", "SP", "cramped_room", "--out", str(tmp_path / "mine")]
    assert main(asked) == 2
    said = capsys.readouterr()
    assert "mine exists and is no report" in said.err and "SP" not in said.out
    assert main([*asked, "--no-report"]) == campaign.STOPPED and main([*asked, "--dry-run"]) == 0


def test_a_ledger_that_cannot_be_written_is_told_of_in_one_sentence(tmp_path):
    (tmp_path / campaign.LEDGER).mkdir()
    with pytest.raises(UserError, match=f"{campaign.LEDGER} cannot be written: Is a directory"):
        campaign.note(tmp_path, Ended(job("train", "sp"), 0, 1.0, "done"), 1)


BAD = [
    (["--jobs", "0"], "--jobs"),
    (["--seeds", "0"], "--seeds"),
    (["--minutes", "0"], "--minutes"),
    (["--whole"], "--whole needs --minutes"),
    (["--whole", "--minutes", "1", "--size", "quick"], "--whole is for runs of full size"),
    (["--have", ".", "--size", "quick"], "--have is for runs of full size"),
    (["--have", "nowhere"], "nowhere cannot be read"),
]


@pytest.mark.parametrize(("bad", "says"), BAD)
def test_impossible_numbers_are_refused(bad, says, capsys):
    assert main(["reproduce", *bad]) == 2
    assert says in capsys.readouterr().err
