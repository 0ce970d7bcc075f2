"""Several runs in one program: what they are called, what they share, and what each gets of it."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors import numpy as safetensors

from cole import campaign, journal, runfolder, together
from cole.campaign import Ended, Wanted
from cole.cli import main
from cole.errors import UserError
from cole.evaluate.entries import entry_of, places_in
from cole.verbs import train

TINY = ("--size", "quick", "--generations", "2", "--updates", "1", "--warmup", "1", "--games-after", "2")


def prepared(monkeypatch, *arguments: str) -> train.Job:
    found = []
    monkeypatch.setattr(train, "run", lambda asked, command: found.append(train.prepared(asked)) or 0)
    assert main(["train", "cole", *TINY, *arguments]) == 0
    return found[0]


def test_each_ratio_is_a_run_of_its_own_and_learns_beside_the_others(monkeypatch, tmp_path):
    where = ("--runs", str(tmp_path), "--seeds", "2", "--seed", "7")
    job = prepared(monkeypatch, *where, "--ratio", "0:4,3:1", "--name", "mine")
    assert [part.folder.name for part in job.parts] == ["mine-0to4", "mine-3to1"]
    assert [part.setting.mixture.own for part in job.parts] == [0, 3]
    assert [part.seeds for part in job.parts] == [[7, 8], [7, 8]]
    assert job.folder.name == ".mine-0to4-3to1"
    assert job.seeds == [7, 8, together.APART + 7, together.APART + 8]
    assert [(part.folder.name, mine) for part, mine in train.shares(job)] == [
        ("mine-0to4", slice(0, 2)),
        ("mine-3to1", slice(2, 4)),
    ]
    alone = prepared(monkeypatch, *where, "--ratio", "3:1", "--name", "mine-3to1")
    assert alone.deciding == job.parts[1].deciding and alone.folder == job.parts[1].folder


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--ratio", "1:3,1:3"), "must differ"),
        (("--ratio", "1:3,1:2"), "a + b be the same"),
        (("--ratio", "1:3,"), "such as 1:3, not ''"),
        (("--ratio", "1:3,4:0"), "which is self-play"),
        (("--ratio", "0:4,1:3", "--recipe", "authors"), "--per-draw"),
        (("--ratio", "0:4,1:3", "--breakdown"), "one --ratio"),
        (("--ratio", "0:4,1:3", "--seed", str(2**21)), "seeds below"),
    ],
)
def test_what_cannot_be_one_program_is_refused(arguments, says, capsys, tmp_path):
    assert main(["train", "cole", *TINY, "--runs", str(tmp_path), *arguments]) == 2
    assert says in " ".join(capsys.readouterr().err.split())


def test_runs_that_are_there_are_not_overwritten(tmp_path):
    parts = [tmp_path / "a", tmp_path / "b"]
    assert together.folder(parts, "a-b") == tmp_path / ".a-b"
    parts[1].mkdir()
    with pytest.raises(UserError, match="b holds a run already"):
        together.folder(parts, "a-b")
    (tmp_path / ".a-b").mkdir()  # it was stopped while it handed out
    assert together.folder(parts, "a-b") == tmp_path / ".a-b"


def test_each_run_gets_its_share_of_the_log_and_of_the_strategies(tmp_path):
    source, part = tmp_path / ".both", tmp_path / "second"
    (source / runfolder.STRATEGIES).mkdir(parents=True)
    line = {"round": 0, "update": 0, "steps": 9, "return": [1.0, 2.0, 3.0, 4.0], "phi": [[1], [2], [3], [4]]}
    (source / runfolder.LOG).write_text(json.dumps(line) + "\n")
    array = np.arange(8.0, dtype=np.float32).reshape(4, 2)
    (source / runfolder.STRATEGIES / "000000.safetensors").write_bytes(safetensors.save({"w": array}))
    written = []
    together.hand_out(source, part, slice(2, 4), written.append)
    assert journal.every_line(part / runfolder.LOG) == [line | {"return": [3.0, 4.0], "phi": [[3], [4]]}]
    kept = safetensors.load((part / runfolder.STRATEGIES / "000000.safetensors").read_bytes())
    np.testing.assert_array_equal(kept["w"], array[2:])
    assert together.is_finished(part) and len(written) == 1
    together.hand_out(source, part, slice(0, 2), written.append)  # what is there is left alone
    assert len(written) == 1 and journal.last_line(part / runfolder.LOG) == line | {
        "return": [3.0, 4.0],
        "phi": [[3], [4]],
    }


def test_what_is_left_of_the_ratios_in_a_kitchen_is_one_process_of_the_campaign(tmp_path):
    wanted = Wanted(only=("COLE 0:4", "COLE 1:3", "COLE 2:2", "SP", "cramped_room"), runs=tmp_path)
    todo = campaign.jobs(wanted)
    todo[-2].folder.mkdir(parents=True)  # one of the ratios was begun alone
    alone = todo[-2].label
    joined, *rest = campaign.bundled(todo)
    assert len(joined.parts) == 2 and alone not in [part.label for part in joined.parts]
    assert sorted(one.label for one in rest) == sorted([alone, "SP"])
    assert max(part.seconds for part in joined.parts) < joined.seconds < sum(part.seconds for part in joined.parts)
    assert joined.label.removeprefix("COLE ").split(", ") == [part.label.split()[1] for part in joined.parts]
    campaign.note(tmp_path, Ended(joined, 0, 100.0, "done"), 1)
    assert campaign.measured(tmp_path) == {campaign.command_of(part): 50.0 for part in joined.parts}
    quick = campaign.jobs(wanted._replace(size="quick"))
    assert campaign.bundled(quick) == quick


def test_the_process_of_the_campaign_makes_the_runs_it_stands_for(monkeypatch, tmp_path):
    todo = campaign.jobs(Wanted(only=("COLE 0:4", "COLE 3:1", "cramped_room"), seeds=2, runs=tmp_path))
    [joined] = campaign.bundled(todo)
    found = []
    monkeypatch.setattr(train, "run", lambda asked, command: found.append(train.prepared(asked)) or 0)
    assert main(joined.command) == 0
    assert {part.folder for part in found[0].parts} == {one.folder for one in todo}
    assert found[0].folder == joined.folder


@pytest.mark.slow
def test_a_run_beside_others_is_what_it_is_alone(tmp_path, capsys):
    where = ("--layout", "cramped_room", "--seeds", "2", "--name", "x")
    both, alone = tmp_path / "both", tmp_path / "alone"
    assert main(["train", "cole", *TINY, *where, "--ratio", "0:4,1:3", "--runs", str(both)]) == 0
    assert main(["train", "cole", *TINY, *where[:-1], "x-1to3", "--ratio", "1:3", "--runs", str(alone)]) == 0
    place = Path("cramped_room", "cole", "x-1to3")
    configs = [json.loads((runs / place / runfolder.CONFIG).read_text())["sha256"] for runs in (both, alone)]
    assert configs[0] == configs[1]
    assert sorted(path.name for path in (both / place).parent.iterdir()) == ["x-0to4", "x-1to3"]
    agents = [[entry_of(one) for one in places_in(runs / place)] for runs in (both, alone)]
    assert [(one.seed, one.called, one.settings) for one in agents[0]] == [
        (one.seed, one.called, one.settings) for one in agents[1]
    ]
    lines = [journal.every_line(runs / place / runfolder.LOG) for runs in (both, alone)]
    np.testing.assert_allclose(lines[0][0]["return"], lines[1][0]["return"])  # later on, rounding tells them apart
    assert main(["train", "cole", *TINY, *where, "--ratio", "0:4,1:3", "--runs", str(both), "--resume"]) == 0
    assert "finished" in capsys.readouterr().out
