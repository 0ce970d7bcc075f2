"""Tables in their formats, numbers that others printed, and the small choices of the report, worked by hand."""

import csv
import io
import json
import math
from itertools import pairwise

import numpy as np
import pytest
import toy_runs
from rich.table import Table as RichTable

from cole.evaluate import curves
from cole.evaluate.experts import ExpertRow
from cole.evaluate.lineup import gather
from cole.evaluate.proxy import ProxyRow
from cole.evaluate.stats import Improvement, Mean, Summary
from cole.report import bars, charts, formats, published, table1, tables
from cole.report.comparison import extremes, file_names, folded, typical
from cole.report.page import svg_of
from cole.report.tables import Cell, Row, Table
from cole.verbs import scores

NAN = math.nan
EXAMPLE = Table(
    "an_example",
    "Soups & onions",
    "100 % of_it.",
    ("method",),
    ("seat 0", "a|b"),
    [
        Row(("SP_1",), [Cell("1.5 ± 0.2", 1.5, 0.2, best=True), Cell("[1, 2]", 1, low=1, high=2)]),
        Row(
            ("<b>",),
            [Cell("\N{EN DASH}", lacks=("PBT",)), Cell("3.0\N{DAGGER}", 3.0, lacks=("PBT seed 1",))],
            soft=True,
        ),
    ],
    ("a note",),
    ("cole evaluate x #1",),
    (("SP_1", ("runs/a", "runs/b")),),
)


def test_cells_show_what_is_there_mark_what_lacks_something_and_leave_holes():
    assert tables.mean_cell(Mean(153.04, 2.06)).text == "153.0 ± 2.1"
    assert tables.mean_cell(Mean(153.0, NAN)).text == "153.0"
    assert tables.mean_cell(Mean(153.0, 2.0, ("SP seed 1",))).text == "153.0 ± 2.0\N{DAGGER}"
    assert tables.mean_cell(Mean(NAN, NAN, ("SP",))) == Cell("\N{EN DASH}", lacks=("SP",))
    assert tables.iqm_cell(Summary(1, 1, 2.0, 1.5, 2.5)).text == "2.0 [1.5, 2.5]"
    assert tables.chance_cell(Improvement(0.84, 0.6, 1.0, 0.095)).text == "0.84 [0.60, 1.00]"
    assert tables.chance_cell(Improvement(0.92, 0.68, 1.0, 0.032)).text == "0.92 [0.68, 1.00] *"
    assert tables.chance_cell(Improvement(NAN, NAN, NAN), ("SP",)).text == "\N{EN DASH}"
    assert tables.number_cell(None).text == "\N{EN DASH}"


def test_the_highest_is_marked_also_if_several_are_but_not_alone():
    assert [cell.best for cell in tables.mark_highest([Cell("", 1.0), Cell("", 2.0), Cell(""), Cell("", 2.0)])] == [
        0,
        1,
        0,
        1,
    ]
    assert not tables.mark_highest([Cell("", 1.0), Cell("")])[0].best


def test_on_the_screen_a_number_that_stands_alone_is_not_the_highest_either():
    both = ExpertRow("toy", "COLE", {"SP": Mean(1.0, NAN), "COLE": Mean(2.0, NAN)})
    alone = ExpertRow("toy", "COLE", {"SP": Mean(NAN, NAN), "COLE": Mean(2.0, NAN)})
    [shown] = [one for one in scores.experts_table([both, alone], ["SP"], "").renderables if isinstance(one, RichTable)]
    assert [[cell.style for cell in column.cells] for column in shown.columns[2:]] == [["", ""], ["bold", ""]]


def test_soft_rows_do_not_compete_in_a_column():
    rows = [
        Row(("a",), [Cell("", 1.0)]),
        Row(("a (published)",), [Cell("", 9.0)], soft=True),
        Row(("b",), [Cell("", 2.0)]),
    ]
    assert [row.cells[0].best for row in tables.mark_columns(rows, [0])] == [False, False, True]


def test_what_is_missing_is_listed_by_method():
    assert (
        tables.listed(["SP seed 1", "SP seed 10", "COLE 1:3 seed 0", "MEP"]) == "SP seeds 1, 10; COLE 1:3 seed 0; MEP"
    )
    assert tables.listed(["SP seed 1 in x", "SP seed 2 in x", "MEP in y"]) == "SP seeds 1, 2 in x; MEP in y"


def test_markdown_escapes_pipes_and_ends_with_where_it_comes_from():
    lines = formats.markdown(EXAMPLE).split("\n")
    assert lines[0] == "### Soups & onions"
    assert lines[2:5] == [r"| method | seat 0 | a\|b |", "|---|---:|---:|", "| SP_1 | **1.5 ± 0.2** | [1, 2] |"]
    assert lines[-4:-1] == ["a note  ", "`cole evaluate x #1`  ", "`SP_1: runs/a, runs/b`"]


def test_latex_escapes_whatever_it_would_take_for_its_own():
    text = formats.latex(EXAMPLE)
    assert r"\caption{Soups \& onions}" in text and r"\label{tab:an-example}" in text
    assert r"method & seat 0 & a\textbar{}b \\" in text
    assert r"SP\_1 & \textbf{1.5 $\pm$ 0.2} & {[}1, 2] \\" in text
    assert r"\textless{}b\textgreater{} & -- & 3.0$^\dagger$ \\" in text
    assert r"{\footnotesize 100 \% of\_it. a note\par}" in text
    assert text.startswith("% cole evaluate x #1\n% SP_1: runs/a, runs/b\n\\begin{table}")
    assert formats.tex("\\~^{$#}") == r"\textbackslash{}\textasciitilde{}\textasciicircum{}\{\$\#\}"


def test_csv_has_a_line_for_each_cell_with_its_spread_and_what_it_lacks():
    lines = list(csv.reader(io.StringIO(formats.as_csv(EXAMPLE))))
    assert lines == [
        ["method", "column", "value", "error", "low", "high", "lacks"],
        ["SP_1", "seat 0", "1.5", "0.2", "", "", ""],
        ["SP_1", "a|b", "1", "", "1", "2", ""],
        ["<b>", "seat 0", "", "", "", "", "PBT"],
        ["<b>", "a|b", "3", "", "", "", "PBT seed 1"],
    ]


def test_a_latex_label_has_letters_digits_and_hyphens_alone():
    assert formats.tex_label("proxy-my_kitchen.2") == "proxy-my-kitchen-2"
    assert formats.tex_label("a#{é") == "a--e9"


def test_names_of_files_leave_no_folder_and_no_two_are_the_same():
    names = file_names(["../x", "..", ".", "a b", "a/b", "A B", "all", "k" * 99], ["all"])
    assert list(names.values()) == [".._x", "_", "_-2", "a_b", "a_b-2", "A_B-3", "all-2", "k" * 50]


def test_html_escapes_names():
    text = formats.html(EXAMPLE)
    assert "<h3>Soups &amp; onions</h3>" in text and '<th scope="row">&lt;b&gt;</th>' in text
    assert "<td><strong>1.5 ± 0.2</strong></td>" in text and "<tr class=soft>" in text


def test_the_papers_numbers_are_found_by_kitchen_ratio_and_method():
    assert published.table_1("cramped_room", "COLE 1:3", "COLE 1:3") == 212.80
    assert published.table_1("counter_circuit", "COLE 0:4, paper", "MEP, paper") == 21.33
    assert published.table_1("cramped_room", "COLE 2:2", "SP") is None
    assert published.table_1("cramped_room", "COLE 1:3", "SP, random starts") is None
    assert published.table_1("cramped_room", "COLE 1:3", "MEP, small") is None
    assert published.table_1("cramped_room", "COLE 1:3, small", "SP") is None
    assert published.with_h_proxy("cramped_room", "SP, random starts") is None
    assert published.with_h_proxy("cramped_room", "SP, paper") == (97, 111, 198.8)
    assert published.table_1("toy", "COLE 1:3", "SP") is None
    assert published.table_1("cramped_room", "COLE 1:3", "TrajeDi") is None
    assert published.with_h_proxy("coordination_ring", "PBT") == (71, 80, 173.8)
    assert published.with_h_proxy("cramped_room", "MEP") is None
    assert len(published.TABLE_1) == 10


def test_the_papers_row_has_each_of_its_numbers_once_and_none_for_variants():
    baselines = ["SP, small", "SP, paper", "SP, default", "SP, random starts"]
    row = ExpertRow("cramped_room", "COLE 1:3", {})
    (papers,) = table1._papers(row, baselines)
    hole = "\N{EN DASH}"
    assert [cell.text for cell in papers.cells] == [hole, "165.67", hole, hole, "212.80"]


def test_in_every_row_of_table_1_that_the_paper_has_bold_the_highest_is_so():
    bold = {("cramped_room", "1:3"), ("asymmetric_advantages", "0:4"), ("coordination_ring", "1:3")}
    bold |= {("forced_coordination", "1:3"), ("counter_circuit", "1:3")}
    assert {at for at, row in published.TABLE_1.items() if max(row) == row[-1]} - {("counter_circuit", "0:4")} == bold


def test_the_best_and_the_worst_pair_are_of_different_methods_if_there_are_two():
    means = np.array([[99.0, 50.0, 3.0], [50.0, 0.0, 7.0], [2.0, 7.0, 99.0]])
    assert extremes(means, ["SP", "SP", "MEP"]) == {"best": (1, 2), "worst": (2, 0)}
    assert extremes(means, ["SP", "SP", "SP"]) == {"best": (0, 1), "worst": (2, 0)}
    assert extremes(means[:1, :1], ["SP"]) == {"best": (0, 0), "worst": (0, 0)}


def test_the_game_that_is_shown_is_the_one_nearest_to_the_mean():
    assert typical(np.array([0.0, 60.0, 40.0, 40.0])) == 2


def test_labels_fold_and_colours_differ():
    assert folded("COLE 1:3, paper") == "COLE\n1:3,\npaper"
    assert folded("extraordinary", 6) == "extra\N{HORIZONTAL ELLIPSIS}"
    labels = ["SP", "HSP", "COLE 1:3", "COLE 1:3, other"]
    chosen = bars.colours(labels)
    assert list(chosen) == labels and len(set(chosen.values())) == 4
    assert chosen["COLE 1:3"] == bars.COLOURS["COLE 1:3"]


def test_bars_have_both_seats_the_grey_one_behind_whiskers_and_a_word_for_a_hole():
    row = ProxyRow("SP", Mean(10, 1), Mean(20, 2), Mean(15, 1, ("SP seed 1",)), Mean(40, NAN), NAN)
    (axes,) = bars.chart("x", [row], ["SP", "MEP"], {"SP": "#56b4e9", "MEP": "#cc79a7"}).axes
    assert [patch.get_height() for patch in axes.patches] == [40, 10, 20]
    assert [bool(patch.get_hatch()) for patch in axes.patches] == [False, False, True]
    assert len(axes.containers) == 5  # three sets of bars, and whiskers where there is an error
    assert [text.get_text() for text in axes.texts] == ["missing"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["SP\N{DAGGER}", "MEP"]


@pytest.mark.parametrize("count", [2, 6, 8, 18])
def test_names_below_bars_do_not_touch_however_many_there_are(count):
    labels = ["best response", "SP, random starts", *(f"COLE 1:{i}, default" for i in range(count - 2))]
    row = ProxyRow("", Mean(1, NAN), Mean(1, NAN), Mean(1, NAN, ("one",)), Mean(1, NAN), NAN)
    figure = bars.chart("x", [row._replace(label=label) for label in labels], labels, dict.fromkeys(labels, "#56b4e9"))
    figure.canvas.draw()
    places = [text.get_window_extent() for text in figure.axes[0].get_xticklabels()]
    assert all(left.x1 < right.x0 for left, right in pairwise(places))
    assert len(places) == count


def test_a_dollar_in_a_name_is_drawn_as_it_is():
    curve = curves.Curve("k", r"$\who$", [0], np.array([1e6, 2e6]), np.array([[1.0, 2.0]]), ())
    row = ProxyRow(r"$\who$", Mean(1, NAN), Mean(1, NAN), Mean(1, NAN), Mean(1, NAN), NAN)
    drawn = charts.learning(r"a $\nope$ b", [curve], {r"$\who$": "#56b4e9"})
    assert drawn.axes[0].get_xlabel() == "million environment steps of one learner"
    for figure in (drawn, bars.chart(r"a $\nope$ b", [row], [r"$\who$"], {r"$\who$": "#56b4e9"})):
        assert svg_of(figure).startswith(b"<?xml")


@pytest.fixture
def team(tmp_path):
    """Two runs of a method: seeds 0 and 1 with four updates, seed 2 with two."""
    for name, numbers, updates in (("a", [0, 1], 4), ("b", [2], 2)):
        run = toy_runs.run_of(tmp_path / "toy" / "sp" / name, "sp", numbers)
        lines = [
            {"round": 0, "update": u, "steps": 10 * (u + 1), "return": [float(u + number) for number in numbers]}
            for u in range(updates)
        ]
        (run / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return gather([tmp_path]).teams["toy", "SP"]


def test_a_learning_curve_has_all_seeds_and_ends_where_each_log_ends(team):
    found = curves.of_team(team)
    assert (found.seeds, found.lacks) == ([0, 1, 2], ())
    assert found.steps.tolist() == [10, 20, 30, 40]
    np.testing.assert_equal(found.returns, [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, NAN, NAN]])


def test_a_curve_ends_at_the_mean_of_what_each_seed_earned_last(team):
    found = curves.of_team(team)
    assert curves.end(found) == (3 + 4 + 3) / 3
    assert curves.end(found._replace(returns=np.array([[NAN, NAN], [5, NAN]]))) == 5
    assert np.isnan(curves.end(found._replace(returns=np.full((2, 2), NAN))))


def test_many_updates_become_a_few_points_that_are_their_means(team):
    found = curves.of_team(team, points=2)
    assert found.steps.tolist() == [20, 40]
    np.testing.assert_equal(found.returns[0], [0.5, 2.5])


def test_a_run_without_a_log_is_named(team, tmp_path):
    (tmp_path / "toy" / "sp" / "b" / "log.jsonl").unlink()
    found = curves.of_team(team)
    assert (found.seeds, found.lacks) == ([0, 1], ("SP seed 2",))
