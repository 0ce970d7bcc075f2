"""Checks `cole analyze`: what it reads, what it refuses and how it says so, what it saves."""

import csv
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
import toy_history as past

from cole import cli
from cole import graph as gg
from cole.config.judging import Analyze
from cole.errors import UserError
from cole.evaluate import history
from cole.evaluate.cache import Played
from cole.evaluate.crossplay import gathered
from cole.evaluate.lineup import Team
from cole.kitchen.game import Events
from cole.report.analysis import how_often, when_newest
from cole.report.examples import FIGURE1_FAILING, FIGURE1_IDEAL, snapshots
from cole.report.matrix import read_matrix, write_matrix
from cole.verbs.analyze import run
from cole.verbs.processes import read

NAMED = "partner,ann,bob\nann,1,2\nbob,3,4\n"


def written(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "crossplay.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (NAMED, ["ann", "bob"]),
        ("\ufeff" + NAMED, ["ann", "bob"]),
        ("ann,bob\n1,2\n3,4\n", ["ann", "bob"]),
        ("ann,1,2\nbob,3,4\n", ["ann", "bob"]),
        ("1,2\n3,4\n", ["1", "2"]),
        (",0,1\n0,1,2\n1,3,4\n", ["0", "1"]),  # as pandas writes a frame without names
        ("1, 2\r\n\r\n 3,4\r\n\r\n", ["1", "2"]),
        ('x,"a,b",b\n"a,b",1,2\nb,3,4\n', ["a,b", "b"]),
    ],
)
def test_names_may_stand_in_the_first_row_the_first_column_both_or_neither(tmp_path, text, names):
    matrix = read_matrix(written(tmp_path, text))
    assert matrix.names == names
    assert matrix.payoffs.tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("\n , \n", "the file is empty"),
        ("5\n", "a single strategy has no partner to prefer; give at least two"),
        ("x,ann\nann,5\n", "a single strategy has no partner to prefer; give at least two"),
        ("1,2,3\n4,5,6\n", "2 rows and 3 columns are not a square matrix, with or without names"),
        ("1,2\n3,4\n5,6\n", "3 rows and 2 columns are not a square matrix, with or without names"),
        ("1,2\n3\n", "line 2 has 1 cells, line 1 has 2"),
        ("\n1,2\n\n , \n3\n", "line 5 has 1 cells, line 2 has 2"),
        ("partner,ann,bob\nann,1,2\nbob,1_000,4\n", "row 'bob', column 'ann': '1_000' is not a number"),
        ("partner,ann,bob\nann,1,\nbob,3,4\n", "row 'ann', column 'bob': the payoff is missing"),
        ("partner,ann,bob\nann,1,2\nbob,nan,4\n", "row 'bob', column 'ann': 'nan' is not a finite number"),
        ("partner,ann,bob\nann,1,2\nbob,-inf,4\n", "row 'bob', column 'ann': '-inf' is not a finite number"),
        ("partner,ann,bob\nann,1,2\nbob,many,4\n", "row 'bob', column 'ann': 'many' is not a number"),
        ("partner,ann,bob\nann,1,2\nbob,1e31,4\n", "row 'bob', column 'ann': '1e31' is beyond 1e+30"),
        ("partner,ann,ann\nann,1,2\nann,3,4\n", "two strategies are called 'ann'"),
        ("partner,ann,bob\nann,1,2\neve,3,4\n", "strategy 2 is called 'bob' in the first row but 'eve' in its own"),
        ("partner,ann,\nann,1,2\n,3,4\n", "strategy 2 has no name"),
        (",7,9\n7,1,2\n9,3,4\n", "row '1', column '1': the payoff is missing"),  # not taken for names
        ("1;2\n3;4\n", "cells must be separated by commas, not by semicolons or tabs"),
        (b"\xff\xfe1,2", "cannot be read as CSV text"),
        (b"1,2\x00\n3,4", "row '1', column '2': '2\\x00' is not a number"),
    ],
)
def test_a_bad_matrix_is_refused_in_one_sentence_that_names_the_place(tmp_path, text, said):
    path = written(tmp_path, text)
    with pytest.raises(UserError) as refused:
        read_matrix(path)
    sentence = str(refused.value)
    assert said in sentence
    assert sentence.startswith(f"{path}: ")
    assert "\n" not in sentence


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(UserError, match="there is no such file"):
        read_matrix(tmp_path / "nothing.csv")
    with pytest.raises(UserError, match="cannot be read"):
        read_matrix(tmp_path)


def test_a_written_matrix_reads_back(tmp_path):
    names = ["a", "b c", "d,e", "4"]
    write_matrix(tmp_path / "m.csv", names, FIGURE1_FAILING / 3)
    matrix = read_matrix(tmp_path / "m.csv")
    assert matrix.names == names
    np.testing.assert_allclose(matrix.payoffs, FIGURE1_FAILING / 3, rtol=1e-7)


@pytest.fixture
def figure1_file(tmp_path):
    write_matrix(tmp_path / "figure1.csv", ["one", "two", "three", "[red]four"], FIGURE1_FAILING)
    return tmp_path / "figure1.csv"


def test_analysis_of_figure_1_is_printed_and_saved(figure1_file, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(Analyze(figure1_file)) == 0
    folder = tmp_path / "figure1-analysis"
    printed = capsys.readouterr().out
    assert "[red]four" in printed
    for path in folder.iterdir():
        assert f"saved {folder.name}/{path.name}" in printed
    pictures = {f"{p.stem} {p.suffix}" for p in folder.iterdir() if p.suffix in (".pdf", ".svg")}
    assert len(pictures) == 10
    analysis = json.loads((folder / "analysis.json").read_text())
    assert analysis["strategy"]["preferred"] == ["two", "one", "one", "one"]
    assert analysis["strategy"]["rank"] == [1, 2, 3, 3]
    np.testing.assert_allclose(analysis["strategy"]["eta"], [0, 2 / 3, 1, 1], rtol=1e-6)
    assert sum(analysis["strategy"]["phi"]) == pytest.approx(1.0, rel=1e-5)
    assert analysis["symmetric"] is True
    assert analysis["newest_eta"] == 1.0
    with (folder / "preference_centrality.csv").open() as file:
        rows = list(csv.reader(file))
    assert rows[1] == ["1", "1", "", "", ""]
    assert rows[3][:4] == ["3", "0", "0.5", "1"]
    with (folder / "strategies.csv").open() as file:
        assert [row["preferred"] for row in csv.DictReader(file)] == ["two", "one", "one", "one"]


def test_seats_and_options_reach_the_result(tmp_path):
    # In the first seat ann does best with eve (9), as the mean of both seats with bob (6 against 5).
    path = written(tmp_path, "x,ann,bob,eve,joe\nann,0,6,9,0\nbob,6,0,1,0\neve,1,1,0,0\njoe,0,0,0,0\n")
    best = {}
    for seats in ("mean", "ordered"):
        run(Analyze(path, tmp_path / seats, seats=seats, figures=False, inversion="softmax"))
        best[seats] = json.loads((tmp_path / seats / "analysis.json").read_text())["strategy"]["preferred"][0]
        assert not list((tmp_path / seats).glob("*.pdf"))
    assert best == {"mean": "bob", "ordered": "eve"}


def test_an_output_folder_that_is_a_file_is_refused(figure1_file):
    with pytest.raises(UserError, match="cannot be made"):
        run(Analyze(figure1_file, figure1_file))


@pytest.mark.parametrize("name", ["strategies.csv", "preference_centrality.csv", "analysis.json", "game_graph.svg"])
def test_a_result_that_cannot_be_written_is_refused_in_one_sentence(figure1_file, tmp_path, name):
    (tmp_path / "out" / name).mkdir(parents=True)  # a folder in its place
    with pytest.raises(UserError) as refused:
        run(Analyze(figure1_file, tmp_path / "out"))
    assert str(refused.value) == f"{tmp_path / 'out' / name}: cannot be written (Is a directory)."


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan"), 1e-40, 1e-300, 1e300])
def test_a_temperature_that_nothing_can_be_divided_by_is_refused(figure1_file, temperature):
    with pytest.raises(UserError, match="--temperature must be above 0"):
        run(Analyze(figure1_file, temperature=temperature))


@pytest.mark.parametrize("temperature", [0.001, 1e-30, 1e30])
def test_an_extreme_temperature_still_gives_a_distribution_and_valid_json(tmp_path, temperature):
    path = written(tmp_path, "0,90,1\n90,0,1\n1,1,0\n")
    options = {"sigma": "softmax", "inversion": "softmax", "temperature": temperature, "figures": False}
    run(Analyze(path, tmp_path / "out", **options))

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    analysis = json.loads((tmp_path / "out" / "analysis.json").read_text(), parse_constant=refuse)
    assert sum(analysis["strategy"]["phi"]) == pytest.approx(1.0, rel=1e-5)
    assert (analysis["sigma_max_over_min"] is None) == (temperature < 1)


@pytest.mark.slow
def test_names_beyond_the_terminals_alphabet_are_printed_with_question_marks(tmp_path, monkeypatch):
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "")
    path = written(tmp_path, "zo\u00eb,b\n1,2\n3,4\n")
    assert cli.main(["analyze", str(path), "--out", str(tmp_path / "out"), "--no-figures"]) == 0
    terminal.flush()
    assert b"zo?" in terminal.buffer.getvalue()
    assert json.loads((tmp_path / "out" / "analysis.json").read_text())["names"] == ["zo\u00eb", "b"]


@pytest.mark.parametrize(
    ("centrality", "meaning"),
    [
        ("in_degree", "preferred by all others"),
        ("pagerank", "highest PageRank"),
        ("closeness", "preferred by all others"),
    ],
)
def test_the_caption_says_what_an_eta_of_0_means(figure1_file, tmp_path, capsys, centrality, meaning):
    run(Analyze(figure1_file, tmp_path / "out", centrality=centrality, figures=False))
    assert f"eta 0: {meaning}" in " ".join(capsys.readouterr().out.split())


def test_the_weighted_pagerank_is_not_called_as_the_ordinary_one(figure1_file, tmp_path):
    run(Analyze(figure1_file, tmp_path / "out", figures=False))
    with (tmp_path / "out" / "strategies.csv").open() as file:
        header = next(csv.reader(file))
    assert "weighted_pagerank" in header
    assert "pagerank" not in header


# ------------------------------------------------------------------------------------------------------- of a run


@pytest.fixture
def pretend(monkeypatch):
    """Games that end as a matrix says, instead of being played."""

    def ending(payoffs: np.ndarray) -> None:
        def replay(found, setting, **_):
            counts = np.zeros((2, len(Events._fields)), np.int64)
            table = [[Played(np.full(setting.episodes, w, np.float32), counts) for w in row] for row in payoffs]
            return gathered(history.players(found), None, setting, table, 0)

        monkeypatch.setattr(history, "replay", replay)

    return ending


@pytest.mark.parametrize(
    ("payoffs", "in_edges", "most", "every"),
    [
        pytest.param(FIGURE1_IDEAL, [None, 1.0, 1.0, 1.0], 1.0, 1.0, marks=pytest.mark.slow),
        (FIGURE1_FAILING, [None, 1.0, 0.0, 0.0], 1 / 3, 1 / 3),
    ],
)
def test_a_run_is_analysed_by_what_its_strategies_earn_with_each_other(
    tmp_path, pretend, capsys, payoffs, in_edges, most, every
):
    pretend(payoffs)
    folder = past.made(tmp_path / "run", rounds=4)
    assert run(Analyze(folder)) == 0
    analysis = json.loads((folder / "analysis" / "analysis.json").read_text())
    assert analysis["names"] == ["round-000", "round-001", "round-002", "round-003"]
    assert analysis["newest"]["in_edges"] == in_edges
    assert analysis["newest"]["with_itself"] == np.diagonal(payoffs).tolist()
    assert analysis["newest"]["with_predecessors"][3] == pytest.approx(payoffs[3, :3].mean())
    assert analysis["newest_preferred_by_most"] == pytest.approx(most)
    assert analysis["newest_preferred_by_all"] == pytest.approx(every)
    assert f"predecessors in {100 * most:.0f} % of 3 rounds, by all of them in {100 * every:.0f} %" in " ".join(
        capsys.readouterr().out.split()
    )
    np.testing.assert_array_equal(read_matrix(folder / "analysis" / "payoff.csv").payoffs, payoffs)
    drawn = {path.stem for path in (folder / "analysis").glob("*.pdf")}
    assert "newest" in drawn and "partners" not in drawn
    assert len(drawn) == 6


def test_the_command_below_a_figure_has_all_that_was_not_as_usual(tmp_path, pretend):
    pretend(FIGURE1_IDEAL[:3, :3])
    folder = past.made(tmp_path / "run", rounds=4)
    team = Team("SP", "toy", {}, str(folder), "")
    asked = {"count": 3, "seats": "ordered", "centrality": "pagerank", "sigma": "softmax", "temperature": 0.5}
    run(Analyze(folder, **asked, figures=False))
    more = "--count 3 --seats ordered --centrality pagerank --sigma softmax --temperature 0.5"
    always = f"cole analyze {folder} --seed 5 --episodes 5 --games-seed 0"
    assert read(team, folder / "analysis").command == f"{always} {more}"
    pretend(FIGURE1_IDEAL)
    run(Analyze(folder, figures=False))
    assert read(team, folder / "analysis").command == always


def test_partners_are_drawn_only_of_a_run_with_phi(tmp_path, pretend):
    pretend(FIGURE1_IDEAL)
    folder = past.made(tmp_path / "run", rounds=4, phi=True)
    run(Analyze(folder, tmp_path / "elsewhere"))
    assert (tmp_path / "elsewhere" / "partners.svg").exists()
    assert not (folder / "analysis").exists()
    run(Analyze(folder, figures=False))
    assert not list((folder / "analysis").glob("*.svg"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"count": 1}, "count must be at least 2"),
        ({"episodes": 0}, "episodes must be a whole number from 1"),
        ({"seed": 4}, "has no seed 4: it has 5, 9"),
        ({"games_seed": -1}, "--games-seed must be from 0 to 9223372036854775807, not -1"),
    ],
)
def test_what_cannot_be_asked_of_a_run_is_refused_before_anything_is_written(tmp_path, options, said):
    folder = past.made(tmp_path / "run", rounds=2)
    with pytest.raises(UserError, match=said):
        run(Analyze(folder, **options))
    assert not (folder / "analysis").exists()


def test_a_folder_that_is_no_run_is_refused(tmp_path):
    with pytest.raises(UserError, match="is not the folder of a run"):
        run(Analyze(tmp_path))


def test_the_share_of_in_edges_is_1_less_the_diagonal_of_the_centrality_matrix():
    graph = gg.graph_of_payoffs(snapshots(1, 20))
    w = gg.payoff(graph)
    newest = when_newest(np.asarray(w), np.asarray(gg.preference_history(w, graph.alive)))
    eta = np.asarray(gg.preference_centrality_matrix(w, graph.alive))
    np.testing.assert_allclose(newest.in_edges[1:], 1 - np.diagonal(eta)[1:], atol=1e-6)
    assert np.isnan(newest.in_edges[0])


def test_half_of_the_predecessors_are_not_most_of_them():
    assert how_often(np.array([np.nan, 1.0, 0.5, 0.51, 0.0])) == {
        "newest_preferred_by_most": 0.5,
        "newest_preferred_by_all": 0.25,
    }
