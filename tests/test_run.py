"""Runs survive whatever ends them: kills, full disks, Ctrl-C, damaged files; and nothing is ever lost unasked."""

import errno
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import jax.numpy as jnp
import pytest
import toy_program as toy

from cole import checkpoint, run, runfolder, sealed
from cole.errors import UserError
from cole.program import Program

ROOT = Path(__file__).parents[1]


def carry(folder: Path, told: list[str] | None = None, **changes) -> list[run.Report]:
    """The whole run, or the rest of it."""
    settings = {"every": toy.EVERY, "publish": toy.publisher(folder), "tell": (told if told is not None else []).append}
    program, config, seeds = (
        changes.pop(n, d) for n, d in [("program", toy.program()), ("config", toy.CONFIG), ("seeds", toy.SEEDS)]
    )
    return list(run.carry_out(program, folder, config, seeds, **settings | changes))


def until(count: int):
    """A `stop` that asks for the end after so many rounds."""
    asked = itertools.count(1)
    return lambda: next(asked) >= count


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("unbroken") / "run"
    carry(folder)
    return folder


@pytest.fixture(scope="module")
def wanted(unbroken) -> str:
    return toy.fingerprint(unbroken)


@pytest.fixture
def stopped(tmp_path) -> Path:
    """A run that was stopped after 7 of 24 rounds: checkpoints of 6 and 7."""
    folder = tmp_path / "run"
    carry(folder, stop=until(7))
    return folder


def test_a_run_reports_every_round(tmp_path):
    reports = carry(tmp_path / "run")
    assert [report.round for report in reports] == list(range(1, toy.ROUNDS + 1))
    assert [report.steps for report in reports] == [toy.ENV_STEPS * r for r in range(1, toy.ROUNDS + 1)]
    assert reports[0].log["by_part"].shape == (len(toy.SEEDS), toy.UPDATES, 3)
    lines = [json.loads(line) for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()]
    assert lines == [line for report in reports for line in report.lines]
    assert [line["update"] for line in lines] == list(range(toy.ROUNDS * toy.UPDATES))
    assert lines[4]["steps"] == 500
    assert lines[4]["seen"] == [5, 5]


@pytest.mark.parametrize(("patience", "saved"), [(0.0, toy.ROUNDS + 1), (1e9, 2)])
def test_by_default_a_checkpoint_is_written_when_enough_work_could_be_lost(tmp_path, monkeypatch, patience, saved):
    saves = []
    monkeypatch.setattr(run, "PATIENCE", patience)
    monkeypatch.setattr(run, "THRIFT", 0.0)  # however long a checkpoint takes
    monkeypatch.setattr(run.checkpoint, "save", lambda *rest, save=run.checkpoint.save: saves.append(1) or save(*rest))
    carry(tmp_path / "run", every=None)
    assert len(saves) == saved


def test_checkpoints_that_take_long_are_written_seldom(tmp_path, monkeypatch):
    """By a clock on which a round takes 1 s and a checkpoint .4 s: at round 4, and from then on after more than 8 s."""
    clock, rounds = [0.0], []

    def save(*rest, save=run.checkpoint.save):
        clock[0] += 0.4
        rounds.append(rest[2].round)
        return save(*rest)

    def advance(*rest, advance=run.advance):
        clock[0] += 1.0
        return advance(*rest)

    monkeypatch.setattr(run, "PATIENCE", 3.5)
    monkeypatch.setattr(run.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(run.checkpoint, "save", save)
    monkeypatch.setattr(run, "advance", advance)
    carry(tmp_path / "run", every=None)
    assert rounds == [0, 4, 13, 22, toy.ROUNDS]


def test_two_runs_of_the_same_seeds_end_alike(tmp_path, wanted):
    carry(tmp_path / "run", every=5)
    assert toy.fingerprint(tmp_path / "run") == wanted


def test_the_folder_holds_what_was_asked_for_and_the_two_newest_checkpoints(unbroken):
    config = json.loads((unbroken / "config.json").read_text())
    assert config["config"]["ppo"] == {"rate": 0.001, "shapes": [4, 3]}
    assert (config["seeds"], config["rounds"]) == (toy.SEEDS, toy.ROUNDS)
    assert {"cole", "jax"} <= config.keys()
    assert sorted(path.name for path in (unbroken / "checkpoints").iterdir()) == ["000022", "000024"]
    assert sorted(path.name for path in (unbroken / "agents").iterdir()) == ["1", "3"]


@pytest.mark.parametrize("rounds", [1, 2, 7, 23])
def test_a_stopped_run_resumes_to_the_same_end(tmp_path, wanted, rounds):
    folder, told = tmp_path / "run", []
    assert len(carry(folder, stop=until(rounds))) == rounds
    assert not (folder / "agents").exists()
    reports = carry(folder, told, resume=True)
    assert [report.round for report in reports] == list(range(rounds + 1, toy.ROUNDS + 1))
    assert toy.fingerprint(folder) == wanted
    assert told == [f"{folder} goes on after round {rounds} of {toy.ROUNDS}"]


def test_a_run_that_is_left_between_two_checkpoints_resumes_to_the_same_end(tmp_path, wanted):
    folder = tmp_path / "run"
    reports = run.carry_out(toy.program(), folder, toy.CONFIG, toy.SEEDS, every=4)
    assert [next(reports).round for _ in range(7)][-1] == 7
    reports.close()
    assert len((folder / "log.jsonl").read_text().splitlines()) == 7 * toy.UPDATES
    assert carry(folder, resume=True)[0].round == 5
    assert toy.fingerprint(folder) == wanted


def test_to_resume_what_has_not_begun_is_to_begin(tmp_path, wanted):
    told = []
    carry(tmp_path / "run", told, resume=True)
    assert told == [f"{tmp_path / 'run'} holds no run to resume: this is its start"]
    assert toy.fingerprint(tmp_path / "run") == wanted


def test_a_run_is_not_overwritten(stopped):
    before = {path: path.read_bytes() for path in stopped.rglob("*") if path.is_file()}
    with pytest.raises(UserError, match=r"holds a run already: resume it with --resume, or choose another name"):
        carry(stopped)
    assert {path: path.read_bytes() for path in stopped.rglob("*") if path.is_file()} == before


def test_a_folder_without_config_but_with_checkpoints_is_left_alone(stopped):
    (stopped / "config.json").unlink()
    with pytest.raises(UserError, match=r"has no config.json, but log.jsonl: move it away"):
        carry(stopped, resume=True)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"seeds": [3, 2]}, r"settings; seeds: \[3, 1\] -> \[3, 2\]$"),
        ({"config": toy.CONFIG | {"layout": "here"}}, 'settings; layout: "nowhere" -> "here"$'),
        ({"config": toy.CONFIG | {"ppo": {"rate": 0.01, "gae": None}}}, "ppo.rate: 0.001 -> 0.01; ppo.shapes: "),
        ({"config": toy.CONFIG | {"ppo": {"rate": 0.01, "gae": None}}}, r"ppo.gae: \(missing\) -> null$"),
        ({"program": toy.program(30)}, "settings; rounds: 24 -> 30$"),
    ],
)
def test_a_run_of_other_settings_is_refused_with_the_difference(stopped, changes, says):
    with pytest.raises(UserError, match=says):
        carry(stopped, resume=True, **changes)


@pytest.mark.parametrize("seeds", [[], [1, 1], [-1], [2**32]])
def test_seeds_must_be_different_numbers_that_fit(tmp_path, seeds):
    with pytest.raises(UserError, match="seeds must be different whole numbers from 0 to 4294967295, not"):
        carry(tmp_path / "run", seeds=seeds)
    assert not (tmp_path / "run").exists()


def test_a_checkpoint_every_0_rounds_is_refused(tmp_path):
    with pytest.raises(UserError, match="not every 0"):
        carry(tmp_path / "run", every=0)


def test_another_version_is_told(stopped, monkeypatch):
    told = []
    monkeypatch.setattr(runfolder, "__version__", "9.9")
    carry(stopped, told, resume=True)
    assert "resumed with 9.9" in told[0]


@pytest.mark.parametrize("change", [lambda x: x.astype(jnp.float32), lambda x: x[:1], lambda x: x * jnp.asarray(2.0)])
def test_a_program_that_changes_the_kind_of_its_state_is_told_at_once(tmp_path, change):
    program = Program(3, 1, lambda seeds: {"x": seeds}, lambda state, _: ({"x": change(state["x"])}, {}), lambda s: s)
    with pytest.raises(ValueError, match="round 0 changed the kind of x"):
        carry(tmp_path / "run", program=program, publish=None)


def test_a_finished_run_says_so(tmp_path, unbroken, wanted):
    folder, told = tmp_path / "run", []
    shutil.copytree(unbroken, folder)
    assert carry(folder, told, resume=True) == []
    assert told == [f"{folder} is finished: 24 rounds, 7,200 steps"]
    assert toy.fingerprint(folder) == wanted


def test_agents_that_were_lost_are_published_again(tmp_path, unbroken, wanted):
    folder = tmp_path / "run"
    shutil.copytree(unbroken, folder)
    shutil.rmtree(folder / "agents")
    assert carry(folder, resume=True) == []
    assert toy.fingerprint(folder) == wanted


def test_a_run_that_ended_while_publishing_publishes_all_agents(tmp_path, wanted):
    folder = tmp_path / "run"

    def fails(params, steps):
        sealed.write(folder / "agents" / "3", {"w": b"half of it"})
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(UserError, match="000024"):
        carry(folder, publish=fails)
    assert carry(folder, resume=True) == []
    assert toy.fingerprint(folder) == wanted


@pytest.mark.parametrize("damage", [b"", b"{}", b"[1]", b"\xff", None])
def test_a_damaged_config_is_refused_by_name(stopped, damage):
    path = stopped / "config.json"
    path.write_bytes(path.read_bytes().replace(b"0.001", b"0.002") if damage is None else damage)
    with pytest.raises(UserError, match=r"config.json is damaged"):
        carry(stopped, resume=True)


def test_a_damaged_checkpoint_is_told_and_the_previous_one_used(stopped, wanted):
    newest, told = stopped / "checkpoints" / "000007", []
    (newest / "state.safetensors").write_bytes(b"nonsense")
    assert carry(stopped, told, resume=True)[0].round == 7
    assert told[0].startswith(f"warning: {newest}/state.safetensors is damaged")
    assert told[0].endswith(f"the run goes on from {stopped}/checkpoints/000006 instead")
    assert toy.fingerprint(stopped) == wanted


def test_a_damaged_checkpoint_never_outlives_a_good_one(stopped):
    (stopped / "checkpoints" / "000007" / "state.json").unlink()
    reports = run.carry_out(toy.program(), stopped, toy.CONFIG, toy.SEEDS, resume=True, every=3, stop=until(1))
    assert [report.round for report in reports] == [7]
    assert {path.name for path in (stopped / "checkpoints").iterdir()} == {"000006", "000007"}
    sealed.read(stopped / "checkpoints" / "000007", (checkpoint.ARRAYS, checkpoint.CARD))


def test_two_damaged_checkpoints_are_refused_by_name(stopped):
    for name in ("000006", "000007"):
        (stopped / "checkpoints" / name / "state.json").unlink()
    with pytest.raises(UserError, match=r"no good checkpoint: .*000007/state.json .*; .*000006/state.json cannot be"):
        carry(stopped, resume=True)


def test_lost_checkpoints_are_refused(stopped):
    shutil.rmtree(stopped / "checkpoints")
    with pytest.raises(UserError, match="has lost its checkpoints"):
        carry(stopped, resume=True)


def test_a_checkpoint_of_another_run_is_refused(tmp_path, stopped):
    carry(tmp_path / "other", seeds=[5, 6], stop=until(1))
    shutil.rmtree(stopped / "checkpoints")
    shutil.copytree(tmp_path / "other" / "checkpoints", stopped / "checkpoints")
    with pytest.raises(UserError, match="000001 belongs to a run of other settings"):
        carry(stopped, resume=True)


def test_lines_that_no_checkpoint_knows_are_cut(stopped, wanted):
    with (stopped / "log.jsonl").open("ab") as file:
        file.write(b'{"round": 7, "update": 21, "ste')
    carry(stopped, resume=True)
    assert toy.fingerprint(stopped) == wanted


@pytest.mark.parametrize("damage", ["shorter", "other", "gone"])
def test_a_damaged_log_is_refused_by_name(stopped, damage):
    log = stopped / "log.jsonl"
    content = log.read_bytes()
    log.unlink()
    if damage != "gone":
        log.write_bytes(content[:-1] if damage == "shorter" else content.replace(b"seen", b"sean", 1))
    with pytest.raises(UserError, match=r"log.jsonl (is damaged|cannot be read)"):
        carry(stopped, resume=True)
    assert log.exists() == (damage != "gone")


def test_only_one_process_works_in_a_folder(tmp_path):
    folder = tmp_path / "run"
    reports = run.carry_out(toy.program(), folder, toy.CONFIG, toy.SEEDS)
    next(reports)
    assert runfolder.is_running(folder)
    with pytest.raises(UserError, match="run is in use: another process is at work there"):
        carry(folder, resume=True)
    reports.close()
    assert not runfolder.is_running(folder)
    carry(folder, resume=True)


class Ended(BaseException):
    """The machine stops here: nobody catches this."""


def count_calls(monkeypatch, fail) -> list:
    """Calls `fail(number, name)` before each file operation that a run makes, of those that may end it."""
    calls = []
    for owner, name in [
        (os, "fsync"),
        (Path, "rename"),
        (Path, "replace"),
        (Path, "mkdir"),
        (sealed, "_write_through"),
    ]:
        original = getattr(owner, name)

        def counted(*args, original=original, name=name, **kwargs):
            calls.append(name)
            fail(len(calls), name)
            return original(*args, **kwargs)

        monkeypatch.setattr(owner, name, counted)
    return calls


@pytest.fixture(scope="module")
def short(tmp_path_factory) -> str:
    """The end of a run of 6 rounds."""
    folder = tmp_path_factory.mktemp("short") / "run"
    carry(folder, program=toy.program(6))
    return toy.fingerprint(folder)


def test_a_run_may_end_before_any_file_operation(tmp_path, monkeypatch, short, tell):
    for number in itertools.count(1):
        folder = tmp_path / f"{number}"

        def fail(count, _, number=number):
            if count == number:
                raise Ended

        with monkeypatch.context() as patched:
            count_calls(patched, fail)
            try:
                carry(folder, program=toy.program(6))
                break
            except Ended:
                pass
        carry(folder, program=toy.program(6), resume=True)
        assert toy.fingerprint(folder) == short
        shutil.rmtree(folder)
    assert number > 50
    tell(f"runs: ended before each of {number - 1} file operations, all resumed to the same bytes")


def test_a_full_disk_costs_one_sentence_and_no_checkpoint(tmp_path, monkeypatch, short, tell):
    for number in itertools.count(1):
        folder = tmp_path / f"{number}"

        def fail(count, _, number=number):
            if count >= number:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as patched:
            count_calls(patched, fail)
            try:
                carry(folder, program=toy.program(6))
                break
            except UserError as error:
                said = str(error)
        assert "cannot be written: No space left on device" in said
        if saved := checkpoint.found(folder / "checkpoints"):
            sealed.read(saved[0], (checkpoint.ARRAYS, checkpoint.CARD))
        carry(folder, program=toy.program(6), resume=True)
        assert toy.fingerprint(folder) == short
        shutil.rmtree(folder)
    assert number > 50
    tell(f"runs: disk full at each of {number - 1} file operations, all resumed to the same bytes")


def script(folder: Path, **environment: str) -> subprocess.Popen:
    """The toy run in a process of its own."""
    settings = os.environ | {"PYTHONPATH": str(ROOT), "JAX_COMPILATION_CACHE_DIR": ""} | environment
    command = [sys.executable, str(ROOT / "tests" / "toy_program.py"), str(folder)]
    return subprocess.Popen(command, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_file_that_may_not_grow_costs_one_sentence(tmp_path, wanted):
    folder = tmp_path / "run"
    process = script(folder, FILE_LIMIT="9000")
    _, said = process.communicate()
    assert process.returncode == 2
    assert "cannot be written: File too large; the last good checkpoint is" in said
    assert "Traceback" not in said
    carry(folder, resume=True)
    assert toy.fingerprint(folder) == wanted


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_run_after_the_round_with_a_checkpoint(tmp_path, wanted, number):
    folder = tmp_path / "run"
    process = script(folder, HALT_ROUNDS="0.3")
    assert process.stdout
    assert [process.stdout.readline() for _ in range(4)][-1] == "3\n"
    process.send_signal(number)
    out, said = process.communicate()
    assert process.returncode == 0
    assert "cole: will stop after this round; once more stops at once" in said
    done = int(out.split()[-1])
    assert 3 <= done < toy.ROUNDS
    assert checkpoint.found(folder / "checkpoints")[0].name == f"{done:06d}"
    carry(folder, resume=True)
    assert toy.fingerprint(folder) == wanted


def kill(folder: Path, rng: random.Random, in_a_save: bool) -> None:
    """Starts the toy run and kills it at a random moment: while it starts, in a round, or in a save."""
    process = script(folder, HALT_SAVES="0.02" if in_a_save else "0", HALT_ROUNDS="0" if in_a_save else "0.05")
    assert process.stdout
    for _ in range(rng.randrange(toy.ROUNDS)):
        process.stdout.readline()
    time.sleep(rng.uniform(0.0, 0.1))
    process.kill()
    process.communicate()


def survive(tmp_path: Path, wanted: str, count: int) -> str:
    """Kills, resumes, compares; what came of it in words."""
    rng = random.Random(7)
    same, in_saves, rounds = 0, 0, []
    for number in range(count):
        folder = tmp_path / f"killed-{number}"
        kill(folder, rng, in_a_save=number % 3 != 2)
        in_saves += any(folder.rglob(".*.new"))
        rounds += [int(path.name) for path in checkpoint.found(folder / "checkpoints")[:1]]
        told: list[str] = []
        carry(folder, told, resume=True)
        assert not any("warning" in line for line in told)
        same += toy.fingerprint(folder) == wanted
    assert same == count
    return f"runs: {same} of {count} killed runs resumed to the same bytes; {in_saves} killed in a save, after {rounds}"


def test_killed_runs_resume_to_the_same_end(tmp_path, wanted, tell):
    tell(survive(tmp_path, wanted, 5))


@pytest.mark.slow
def test_twenty_killed_runs_resume_to_the_same_end(tmp_path, wanted, tell):
    tell(survive(tmp_path, wanted, 20))
