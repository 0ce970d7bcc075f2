"""`cole evaluate`, as a user runs it, on toy agents and with games that cost nothing; tables recomputed from games."""

import csv
import json
import re
from collections import defaultdict

import numpy as np
import pytest
import toy_agents as toy
import toy_runs
from rich.console import Console
from toy_runs import COLE_1_TO_3, run_of, saved

from cole import cli, sealed
from cole.evaluate import pairs
from cole.evaluate.pairs import Setting
from cole.kitchen import layouts
from cole.report.tables import HOLE, MARK
from cole.verbs import games

SEEDS = [0, 1]


@pytest.fixture(autouse=True)
def _own_caches(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def cheap(monkeypatch):
    monkeypatch.setattr(pairs, "play_pairs", toy_runs.play_pairs)


@pytest.fixture
def runs(tmp_path):
    for number, method in enumerate(("sp", "pbt", "fcp", "mep")):
        run_of(tmp_path / "runs" / "toy" / method / "one", method, [10 * number, 10 * number + 1])
    run_of(tmp_path / "runs" / "toy" / "cole" / "one", "cole", [40, 41], **COLE_1_TO_3)
    for number in (50, 51):
        saved(tmp_path / "people" / f"seed-{number - 50}", number, "h_proxy")
    return tmp_path / "runs"


def evaluate(capsys, *arguments) -> tuple[int, str, str]:
    try:
        code = cli.main(["evaluate", *map(str, arguments)])
    except SystemExit as stop:  # tyro's own refusals
        code = stop.code
    out, err = capsys.readouterr()
    return code, " ".join(out.split()), err


def means_of_pairs(file) -> dict[tuple[str, str], float]:
    """(first, second) -> mean return, from the raw games."""
    returns = defaultdict(list)
    with file.open() as lines:
        for line in csv.DictReader(lines):
            returns[line["first"], line["second"]].append(float(line["return"]))
    return {pair: float(np.mean(each)) for pair, each in returns.items()}


def lines_of(file) -> list[dict[str, str]]:
    with file.open() as lines:
        return list(csv.DictReader(lines))


@pytest.mark.usefixtures("cheap")
def test_the_proxy_table_is_what_its_games_say(capsys, runs, tmp_path):
    code, out, err = evaluate(capsys, "proxy", runs, "--proxy", "people", "--episodes", 3)
    assert code == 0
    # 10 agents: with themselves, and with 2 proxies in 2 seats, 3 games each; 90 games/s x (20 cells / 16) ** 1.4
    assert "150 games to play in toy; about 1 s at about 123 games/s, beside compiling" in err
    assert "toy: 2 proxies, 3 games each in each seat" in out
    mean = means_of_pairs(tmp_path / "evaluation" / "proxy-games.csv")
    people = ["seed-0", "seed-1"]
    for line in lines_of(tmp_path / "evaluation" / "proxy.csv"):
        agents = [f"{line['method']} seed {seed}" for seed in SEEDS]
        in_seat = {
            "seat 0": [[mean[agent, one] for one in people] for agent in agents],
            "seat 1": [[mean[one, agent] for one in people] for agent in agents],
            "both": [[mean[agent, one] + mean[one, agent] for one in people] for agent in agents],
            "with itself": [[mean[agent, agent]] for agent in agents],
        }
        by_seed = np.mean(in_seat[line["what"]], axis=1) / (2 if line["what"] == "both" else 1)
        assert float(line["mean"]) == pytest.approx(by_seed.mean())
        assert float(line["standard_error"]) == pytest.approx(abs(by_seed[0] - by_seed[1]) / 2)
        assert f"{by_seed.mean():.1f} ± " in out
        assert line["lacks"] == ""


@pytest.mark.usefixtures("cheap")
def test_the_experts_table_is_what_its_games_say(capsys, runs, tmp_path):
    code, out, err = evaluate(capsys, "experts", runs, "--episodes", 2)
    assert code == 0
    assert "180 games to play in toy" in err  # 10 agents with 9 others, 2 games each
    mean = means_of_pairs(tmp_path / "evaluation" / "experts-games.csv")
    methods = ["SP", "PBT", "FCP", "MEP", "COLE 1:3"]

    def both(one: str, other: str) -> float:
        return (mean[one, other] + mean[other, one]) / 2

    lines = [line for line in lines_of(tmp_path / "evaluation" / "experts.csv") if line["reading"] == "b"]
    assert [line["method"] for line in lines] == methods
    for line in lines:
        others = [f"{other} seed {seed}" for other in methods if other != line["method"] for seed in SEEDS]
        by_seed = [np.mean([both(f"{line['method']} seed {seed}", other) for other in others]) for seed in SEEDS]
        assert float(line["mean"]) == pytest.approx(np.mean(by_seed))
        assert float(line["standard_error"]) == pytest.approx(abs(by_seed[0] - by_seed[1]) / 2)
        assert f"{np.mean(by_seed):.1f} ± " in out
    best = [line for line in lines_of(tmp_path / "evaluation" / "experts.csv") if line["reading"] == "a"]
    for line in best:  # of two seeds the first
        others = [f"{other} seed 0" for other in methods if other != line["method"]]
        expected = np.mean([both(f"{line['method']} seed 0", other) for other in others])
        assert float(line["mean"]) == pytest.approx(expected)
    assert "COLE 1:3 > MEP" in out


@pytest.mark.usefixtures("cheap")
def test_whoever_is_ours_has_a_row_of_table_1_and_is_held_against_the_others(capsys, runs, tmp_path):
    asked = ("--baselines", "SP", "--ours", "MEP", "COLE", "--episodes", 1)
    code, out, err = evaluate(capsys, "experts", runs, *asked)
    # SP's two with each other and with MEP's and COLE's; MEP's with each other, and COLE's, but not MEP's with COLE's
    assert (code, "22 games to play in toy" in err) == (0, True)
    assert "not among the experts: PBT, FCP; --baselines and --ours name who is" in err
    assert "that method" in out and re.search(r"toy +COLE 1:3 ", out)  # not as 1:3, among other methods
    assert "MEP > SP" in out and "COLE 1:3 > SP" in out and "MEP > COLE" not in out
    lines = [line for line in lines_of(tmp_path / "evaluation" / "experts.csv") if line["reading"] == "b"]
    rows = [("MEP", "SP"), ("MEP", "MEP"), ("COLE 1:3", "SP"), ("COLE 1:3", "COLE 1:3")]
    assert [(line["ours"], line["method"]) for line in lines] == rows
    code, out, _ = evaluate(capsys, "proxy", runs, "--proxy", "people", "--ours", "MEP", "--episodes", 1)
    assert code == 0 and "MEP > COLE 1:3" in out and "COLE 1:3 > MEP" not in out


@pytest.mark.usefixtures("cheap")
def test_the_file_names_the_teams_their_commands_and_every_game(capsys, runs, tmp_path):
    assert evaluate(capsys, "experts", runs / "toy" / "sp", runs / "toy" / "cole", "--episodes", 2)[0] == 0
    found = json.loads((tmp_path / "evaluation" / "experts.json").read_text())
    assert (found["format"], found["protocol"], found["episodes"]) == ("cole-evaluation", "experts", 2)
    assert [team["label"] for team in found["teams"]] == ["SP", "COLE 1:3"]
    assert found["teams"][0]["command"].startswith("cole train sp ")
    assert found["teams"][0]["players"]["1"] == toy.player(1).identity
    assert len(found["games"]) == 12 and all(len(pair["returns"]) == 2 for pair in found["games"])
    pair = found["games"][0]
    assert (pair["first"], pair["second"]) == ("SP seed 0", "SP seed 1")
    assert found["figures"]["tables"]["b"][0]["cells"]["MEP"] == {"mean": None, "error": None, "lacks": ["MEP"]}


@pytest.mark.usefixtures("cheap")
def test_holes_are_marked_and_named_and_a_second_call_plays_nothing(capsys, runs):
    arguments = ("experts", runs / "toy" / "sp", runs / "toy" / "cole", "--episodes", 2)
    code, out, err = evaluate(capsys, *arguments)
    assert code == 0
    assert f"{HOLE} missing, {MARK} a mean without it: PBT; FCP; MEP" in out
    assert "no agents of PBT, FCP, MEP: holes in all tables" in err
    code, out, err = evaluate(capsys, *arguments, "--baselines", "SP")
    assert (code, MARK in out) == (0, False)
    assert "0 games to play in toy; 24 are known from before" in err


@pytest.mark.usefixtures("cheap")
def test_how_likely_one_is_better_is_marked_where_a_partner_lacks_a_seed(capsys, runs, tmp_path):
    run_of(tmp_path / "few" / "mep", "mep", [30], asked=[0, 1])
    folders = (runs / "toy" / "sp", runs / "toy" / "cole", tmp_path / "few")
    code, out, _ = evaluate(capsys, "experts", *folders, "--episodes", 1, "--baselines", "SP", "MEP")
    assert code == 0
    (line,) = [line for line in out.split("COLE 1:3 > ")[1:] if line.startswith("SP")]
    assert line.removeprefix("SP ").split(MARK)[0].endswith("]")
    footnote = out.split("how likely a seed of one earns more than a seed of the other [95 % interval]; * p < .05 ")[1]
    assert footnote.startswith(f"{HOLE} missing, {MARK} a mean without it: MEP seed 1")
    found = json.loads((tmp_path / "evaluation" / "experts.json").read_text())["figures"]["improvement"]
    assert [(x["other"], x["by_kitchen"]["toy"]["lacks"], x["over_all"]["lacks"]) for x in found] == [
        ("SP", ["MEP seed 1"], ["MEP seed 1"]),
        ("MEP", ["MEP seed 1"], ["MEP seed 1"]),
    ]
    assert found[0]["over_all"]["chance"] is not None and found[1]["over_all"]["chance"] is None


@pytest.mark.usefixtures("cheap")
def test_parts_of_a_divisor_that_lacks_a_seed_are_marked(capsys, tmp_path, runs):
    partners = [f"h {toy.player(number).identity}" for number in (50, 51)]
    for first, kitchen, there in ((0, "toy", 1), (70, "attic", 2)):
        facts = {"kitchen": kitchen, "recipe": "default" if kitchen == "toy" else "paper"}
        run_of(tmp_path / "two" / kitchen / "sp", "sp", [first, first + 1], **facts)
        best = [first + 80, first + 81][:there]
        run_of(tmp_path / "two" / kitchen / "best", "best_response", best, [0, 1], partners=partners, **facts)
    code, out, _ = evaluate(capsys, "proxy", tmp_path / "two", "--proxy", "people", "--episodes", 1)
    assert code == 0
    assert "BR-Prox: divided by best response without best response seed 1, " in out
    together = out.split("method mean IQM")[1]
    assert together.split("best response")[0].count(MARK) == 2  # SP has all its seeds, its divisor has not
    assert "not trained by the same recipe everywhere: SP: paper in attic, default in toy" in together
    assert f"{MARK} a mean without it: best response seed 1 in toy" in together
    found = json.loads((tmp_path / "evaluation" / "proxy.json").read_text())["figures"]
    assert found["overall"]["SP"]["lacks"] == found["divided_by"]["lacks"] == ["best response seed 1 in toy"]


@pytest.mark.usefixtures("cheap")
def test_over_several_kitchens_scores_are_parts_of_what_self_play_earns_with_itself(capsys, runs, tmp_path):
    run_of(runs / "attic" / "sp" / "one", "sp", [70, 71], kitchen="attic")
    folders = (runs / "toy" / "sp", runs / "toy" / "cole", runs / "attic")
    code, out, err = evaluate(capsys, "proxy", *folders, "--proxy", "people", "--episodes", 2)
    assert (code, "60 games to play in 2 kitchens" in err) == (0, True)
    assert "divided by what SP earns with itself" in out
    line = {(x["kitchen"], x["method"], x["what"]): x for x in lines_of(tmp_path / "evaluation" / "proxy.csv")}
    parts = [
        float(line[kitchen, "SP", "both"]["mean"]) / float(line[kitchen, "SP", "with itself"]["mean"])
        for kitchen in ("toy", "attic")
    ]
    found = json.loads((tmp_path / "evaluation" / "proxy.json").read_text())["figures"]
    assert found["overall"]["SP"]["mean"] == pytest.approx(np.mean(parts))
    assert found["overall"]["COLE 1:3"]["mean"] is None
    assert line["attic", "COLE 1:3", "both"]["mean"] == "" and line["attic", "COLE 1:3", "both"]["lacks"] == "COLE 1:3"
    (chance,) = found["improvement"]
    assert (chance["one"], chance["other"], chance["over_all"]["chance"]) == ("COLE 1:3", "SP", None)
    assert 0 <= chance["by_kitchen"]["toy"]["chance"] <= 1 and chance["by_kitchen"]["attic"]["chance"] is None


@pytest.mark.usefixtures("cheap")
def test_a_best_response_gives_br_prox_and_is_told_of_if_it_still_learned(capsys, runs, tmp_path):
    partners = [f"h {toy.player(number).identity}" for number in (50, 51)]
    run_of(runs / "toy" / "best_response" / "one", "best_response", [60, 61], partners=partners)
    code, out, err = evaluate(capsys, "proxy", runs, "--proxy", tmp_path / "people", "--episodes", 1)
    assert code == 0
    assert "BR-Prox: divided by best response, " in out
    assert "best response in toy had not reached its plateau with seed 0, 1: train it longer" in err


@pytest.mark.parametrize("name", ["experts.json", "experts.csv", "experts-games.csv"])
@pytest.mark.usefixtures("cheap", "runs")
def test_after_it_was_killed_while_it_wrote_it_can_be_run_again(capsys, name):
    with pytest.MonkeyPatch.context() as killed:
        killed.setattr(sealed, "write_file", toy_runs.killed_at(name))
        assert evaluate(capsys, "experts", "runs", "--episodes", 1)[0] == 130
    assert evaluate(capsys, "experts", "runs", "--episodes", 1)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["proxy"], "name some folders: of runs"),
        (["experts", "nowhere"], "nowhere cannot be read"),
        (["proxy", "runs", "--episodes", "0"], "episodes must be a whole number from 1"),
        (["proxy", "runs"], "there is no human proxy for toy: name partners with --proxy"),
        (["proxy", "runs", "--proxy", "zoo_of_mine"], "there is no player 'zoo_of_mine'"),
        (["experts", "runs", "--out", "runs"], "runs exists and is no result of an evaluation, so it is left alone"),
        (["experts", "runs", "--ours", "HSP"], "--ours HSP: there are agents of SP; PBT; FCP; MEP; COLE 1:3"),
        (["proxy", "runs", "--proxy", "people", "--ours", "HSP"], "--ours HSP: there are agents of SP"),
        (["experts", "runs", "--ours", "MEP"], "--ours MEP: it is among the baselines; name the others"),
        (["judge"], "judge"),
    ],
)
@pytest.mark.usefixtures("cheap", "runs")
def test_a_mistake_is_named_and_exits_with_2(capsys, arguments, says):
    code, _, err = evaluate(capsys, *arguments)
    assert code == 2
    assert says in err
    assert "Traceback" not in err


def test_the_time_left_is_measured_with_a_batch_that_is_not_compiled_for(monkeypatch):
    monkeypatch.setattr(games.crossplay, "games_at_once", lambda: 4)
    agents = [toy.player(number) for number in range(3)]
    job = games.Job("toy", toy.KITCHEN, [(first, second) for first in agents for second in agents])
    # Two games of nine pairs, two pairs at once: the second batch has its first result when the third pair is done.
    batches = games.second_batches(job, job.pairs, Setting(episodes=2))
    assert batches == {6: 4}
    clock = iter([0.0, 100.0, 100.0, 110.0])
    monkeypatch.setattr(games.time, "monotonic", lambda: next(clock))
    console = Console(record=True, width=80)
    tell = games.timed(batches, console)
    for done in (2, 4, 6):
        tell(done, 12 * 4)
    assert console.export_text() == "about 2 min left\n"  # 10 s for 4 games: 120 s for 48


def test_a_rough_time_is_told_before_anything_is_played(monkeypatch):
    room, large = layouts.load("cramped_room"), layouts.load("counter_circuit")  # 20 and 40 cells
    monkeypatch.setattr(games.jax, "default_backend", lambda: "cpu")
    assert games.game_seconds(room) == pytest.approx(1 / 90)
    assert games.game_seconds(large) == pytest.approx(2**1.4 / 90)
    assert games.expectation(9000, 100.0) == "; about 2 min at about 90 games/s, beside compiling"
    assert games.expectation(0, 0.0) == ""
    monkeypatch.setattr(games.jax, "default_backend", lambda: "gpu")
    assert games.game_seconds(large) == 1 / 20_000


def test_durations_are_told_in_the_unit_that_fits():
    assert [games.duration(seconds) for seconds in (40, 720, 9000)] == ["40 s", "12 min", "2.5 h"]


@pytest.mark.slow
def test_agents_really_play(capsys, runs, tmp_path):
    code, out, _ = evaluate(capsys, "proxy", runs / "toy" / "sp", "--proxy", tmp_path / "people", "--episodes", 1)
    assert (code, "SP" in out) == (0, True)
    assert len(lines_of(tmp_path / "evaluation" / "proxy-games.csv")) == 10
