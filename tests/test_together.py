"""Several runs in one program: what they are called, what they share, and what each gets of it."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors import numpy as safetensors
from toy_runs import run_of

from cole import bundles, campaign, journal, runfolder, together
from cole.campaign import Ended, Job, Wanted
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
    assert (job.folder.name, job.method) == (".mine-0to4-3to1", "cole")
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
        (("--ratio", "0:4,1:3", "--track", "tensorboard"), "one --ratio"),
        (("--ratio", "0:4,1:3", "--seed", str(2**21)), "seeds below"),
    ],
)
def test_what_cannot_be_one_program_is_refused(arguments, says, capsys, tmp_path):
    assert main(["train", "cole", *TINY, "--runs", str(tmp_path), *arguments]) == 2
    assert says in " ".join(capsys.readouterr().err.split())


def test_a_folder_with_another_run_in_it_is_refused_and_one_that_was_handed_out_is_known(tmp_path):
    part = tmp_path / "a"
    run_of(tmp_path / "other", "sp", [0])
    asked = runfolder.read_config(run_of(part, "cole", [0, 1]))
    asked = {name: asked[name] for name in ("seeds", "rounds", "env_steps", "kept_from", "config")}
    assert not together.is_there(tmp_path / "nothing", asked)
    with pytest.raises(UserError, match="a holds another run already"):
        together.is_there(part, asked)  # it is not finished
    (part / runfolder.FINISHED).touch()
    assert together.is_there(part, asked)
    with pytest.raises(UserError, match="a holds another run already"):
        together.is_there(part, asked | {"seeds": [0, 1, 2]})
    (tmp_path / "other" / runfolder.FINISHED).touch()
    with pytest.raises(UserError, match="other holds another run already"):
        together.is_there(tmp_path / "other", asked)


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
    assert (part / runfolder.FINISHED).exists() and [path.name for path in written] == [".second.new"]
    together.remove(source)
    assert [path.name for path in tmp_path.iterdir()] == ["second"]


def wanted_in(runs: Path, *ratios: str) -> list[Job]:
    return campaign.jobs(Wanted(only=(*(f"COLE {ratio}" for ratio in ratios), "SP", "cramped_room"), runs=runs))


def begun_together(place: Path, *ratios: str) -> None:
    """A folder in which runs of these ratios begin to learn, ten rounds long."""
    run_of(place, "cole", [], asked=range(5), rounds=10)
    text = json.loads((place / runfolder.CONFIG).read_text())
    text["config"]["ratios"] = ratios
    deciding = {name: text[name] for name in ("seeds", "rounds", "env_steps", "kept_from", "config")}
    (place / runfolder.CONFIG).write_text(json.dumps(text | {"sha256": runfolder.hash_of(deciding)}))


def test_what_is_left_of_the_ratios_in_a_kitchen_is_one_process_of_the_campaign(tmp_path):
    todo = wanted_in(tmp_path, "0:4", "1:3", "2:2")
    [alone] = [one for one in todo if one.label == "COLE 1:3"]
    alone.folder.mkdir(parents=True)  # it was begun alone
    joined, *rest = bundles.bundled(todo)
    assert [part.label for part in joined.parts] == ["COLE 0:4", "COLE 2:2"] and joined.label == "COLE 0:4, 2:2"
    assert sorted(one.label for one in rest) == ["COLE 1:3", "SP"]
    assert max(part.seconds for part in joined.parts) < joined.seconds < sum(part.seconds for part in joined.parts)
    campaign.note(tmp_path, Ended(joined, 0, 100.0, "done"), 1)
    assert campaign.measured(tmp_path) == {campaign.command_of(part): 50.0 for part in joined.parts}
    quick = campaign.jobs(Wanted(only=("COLE 0:4", "COLE 2:2"), size="quick", runs=Path("full")))
    assert bundles.bundled(quick) == quick


def test_what_was_begun_together_goes_on_together_whatever_is_asked_for(tmp_path):
    [place] = [one.folder for one in bundles.bundled(wanted_in(tmp_path, "0:4", "1:3", "2:2")) if one.parts]
    begun_together(place, "0:4", "1:3", "2:2")
    (place / runfolder.CHECKPOINTS / "000005").mkdir(parents=True)
    (place.parent / f"{place.name}.old").mkdir()
    [joined] = [one for one in bundles.bundled(wanted_in(tmp_path, "1:3")) if one.parts]
    assert joined.folder == place and "0:4,1:3,2:2" in joined.command
    assert [part.label for part in joined.parts] == ["COLE 1:3"]
    assert campaign.to_go(joined) == pytest.approx(campaign.START + (joined.seconds - campaign.START) / 2)
    labels = [[part.label for part in one.parts] for one in bundles.bundled(wanted_in(tmp_path, "1:3", "3:1"))]
    assert sorted(labels) == [[], [], ["COLE 1:3"]]


def test_a_process_that_is_too_long_or_failed_before_is_not_made(tmp_path):
    todo = wanted_in(tmp_path, "0:4", "1:3")
    [joined] = [one for one in bundles.bundled(todo) if one.parts]
    assert bundles.bundled(todo, most=joined.seconds - 1.0) == todo
    campaign.note(tmp_path, Ended(joined, campaign.STOPPED, 9.0, "stopped"), 1)
    assert any(one.parts for one in bundles.bundled(todo))
    campaign.note(tmp_path, Ended(joined, 2, 9.0, f"cole: {joined.folder} is in use: {runfolder.AT_WORK}"), 1)
    assert any(one.parts for one in bundles.bundled(todo))
    campaign.note(tmp_path, Ended(joined, 1, 9.0, "out of memory"), 1)
    assert bundles.bundled(todo) == todo


def test_a_process_that_failed_is_begun_again_only_if_it_got_anywhere(tmp_path):
    todo = wanted_in(tmp_path, "0:4", "1:3")
    [joined] = [one for one in bundles.bundled(todo) if one.parts]
    begun_together(joined.folder, "0:4", "1:3")
    (joined.folder / runfolder.CHECKPOINTS / "000000").mkdir(parents=True)
    assert any(one.parts for one in bundles.bundled(todo))
    campaign.note(tmp_path, Ended(joined, 1, 9.0, "out of memory"), 1)
    assert bundles.bundled(todo) == todo
    (joined.folder / runfolder.CHECKPOINTS / "000003").mkdir()
    assert [one.folder for one in bundles.bundled(todo) if one.parts] == [joined.folder]


def test_what_a_process_left_is_removed_once_all_its_runs_are_there(tmp_path):
    place = tmp_path / "cramped_room" / "cole" / ".paper-0to4-1to3"
    begun_together(place, "0:4", "1:3")
    place.with_name(".paper-2to2-3to1.old").mkdir()
    for ratio in ("0to4", "1to3"):
        part = place.with_name(f"paper-{ratio}")
        bundles.tidy(tmp_path)
        assert place.exists()
        part.mkdir()
        bundles.tidy(tmp_path)
        assert place.exists()
        (part / runfolder.FINISHED).touch()
    with runfolder.locked(place):
        bundles.tidy(tmp_path)
        assert place.exists()
    bundles.tidy(tmp_path)
    assert sorted(path.name for path in place.parent.iterdir()) == ["paper-0to4", "paper-1to3"]


def test_the_process_of_the_campaign_makes_the_runs_it_stands_for(monkeypatch, tmp_path):
    todo = campaign.jobs(Wanted(only=("COLE 0:4", "COLE 3:1", "cramped_room"), seeds=2, runs=tmp_path))
    [joined] = bundles.bundled(todo)
    found = []
    monkeypatch.setattr(train, "run", lambda asked, command: found.append(train.prepared(asked)) or 0)
    assert main(joined.command) == 0
    assert {part.folder for part in found[0].parts} == {one.folder for one in todo}
    assert found[0].folder == joined.folder


def test_runs_that_learn_together_are_shown_with_the_seeds_of_each(tmp_path, capsys):
    config = {"layout": "toy", "map": "", "method": "cole", "setting": {"view": "grid"}, "ratios": ["0:4", "1:3"]}
    deciding = {"seeds": together.seeds([3, 4, 5], 2), "rounds": 1, "env_steps": 1, "kept_from": 0, "config": config}
    facts = {"format": runfolder.FORMAT, "cole": "", "jax": "", "sha256": runfolder.hash_of(deciding), **deciding}
    for name in (".x-0to4-1to3", ".x-0to4.new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / runfolder.CONFIG).write_text(json.dumps(facts))
    assert main(["runs", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "3-5" in said and ".new" not in said


@pytest.mark.slow
def test_a_run_beside_others_is_what_it_is_alone(tmp_path, capsys):
    tiny = [word if before != "--warmup" else "0" for before, word in zip(("", *TINY), TINY, strict=False)]
    where = ("--layout", "cramped_room", "--seeds", "2", "--name", "x", "--capacity", "4")
    both, alone = tmp_path / "both", tmp_path / "alone"
    asked = ["train", "cole", *tiny, *where, "--ratio", "0:4,3:1", "--runs", str(both)]
    assert main(asked) == 0
    name = ("--name", "x-3to1")
    assert main(["train", "cole", *tiny, *where, *name, "--ratio", "3:1", "--runs", str(alone)]) == 0
    place = Path("cramped_room", "cole", "x-3to1")
    assert sorted(path.name for path in (both / place).parent.iterdir()) == ["x-0to4", "x-3to1"]
    configs = [json.loads((runs / place / runfolder.CONFIG).read_text())["sha256"] for runs in (both, alone)]
    assert configs[0] == configs[1]
    agents = [[entry_of(one) for one in places_in(runs / place)] for runs in (both, alone)]
    assert [(one.seed, one.called, one.settings) for one in agents[0]] == [
        (one.seed, one.called, one.settings) for one in agents[1]
    ]
    assert agents[0][0].called == "COLE 3:1"
    lines = [journal.every_line(runs / place / runfolder.LOG) for runs in (both, alone)]
    np.testing.assert_allclose(lines[0][0]["return"], lines[1][0]["return"])  # later on, rounding tells them apart
    met = {
        ratio: journal.every_line(both / place.with_name(f"x-{ratio}") / runfolder.LOG) for ratio in ("0to4", "3to1")
    }
    assert [np.sum(line["draws"], axis=1).tolist() for line in met["0to4"]] == [[4.0, 4.0]] * 2
    assert [np.sum(line["draws"], axis=1).tolist() for line in met["3to1"]] == [[1.0, 1.0]] * 2

    assert main(asked) == 2 and "is finished: leave its ratio out" in " ".join(capsys.readouterr().err.split())
    assert main([*asked, "--resume"]) == 0 and "all are finished" in capsys.readouterr().out
    assert main([*asked, "--resume", "--generations", "3"]) == 2
    assert "holds another run already" in " ".join(capsys.readouterr().err.split())


@pytest.mark.slow
def test_a_program_that_is_ended_while_it_hands_out_goes_on_with_the_rest(tmp_path, monkeypatch, capsys):
    asked = ["train", "cole", *TINY, "--seeds", "2", "--name", "x", "--ratio", "0:4,3:1", "--runs", str(tmp_path)]
    hand_out, runs = together.hand_out, tmp_path / "cramped_room" / "cole"

    def once(source: Path, part: Path, *rest) -> None:
        if part.name == "x-3to1":
            raise UserError("the disk is full")
        hand_out(source, part, *rest)

    monkeypatch.setattr(together, "hand_out", once)
    assert main(asked) == 2
    assert sorted(path.name for path in runs.iterdir()) == [".x-0to4-3to1", "x-0to4"]
    before = (runs / "x-0to4" / runfolder.CONFIG).stat().st_mtime_ns
    monkeypatch.setattr(together, "hand_out", hand_out)
    assert main([*asked, "--resume"]) == 0
    assert sorted(path.name for path in runs.iterdir()) == ["x-0to4", "x-3to1"]
    assert (runs / "x-0to4" / runfolder.CONFIG).stat().st_mtime_ns == before
    assert len(places_in(runs)) == 4
