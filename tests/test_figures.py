"""Checks that figures can be read: width, letters, what is drawn and what is left out, the same bytes every time."""

import itertools
import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

from cole.evaluate.history import Partners
from cole.report import figures, learning, style
from cole.report.analysis import Newest
from cole.report.examples import FIGURE1_FAILING, snapshots
from cole.report.figure1 import figure1
from cole.report.matrix import write_matrix

DOCS = Path(__file__).parents[1] / "docs" / "figures"


def drawn(n, name="s"):
    """The five figures of a made-up population of n, without jax: preferences by plain loops."""
    w = snapshots(0, n, incompatible=min(4, n // 5))
    w = (w + w.T) / 2
    names = [f"{name}{i + 1}" for i in range(n)]
    history, eta = np.full((n, n), -1), np.ones((n, n))
    for t in range(1, n):
        part = np.where(np.eye(t + 1, dtype=bool), -np.inf, w[: t + 1, : t + 1])
        history[t, : t + 1] = part.argmax(1)
        eta[t, : t + 1] = 1 - np.bincount(history[t, : t + 1], minlength=t + 1) / t
    return figures.all_figures(w, history[-1], eta[-1], history, eta, names)


def letters(figure):
    """Every text that is really drawn: labels of axes and of ticks in view only where the axes are on."""
    for axes in figure.axes:
        yield from (text for text in [*axes.texts, axes.title] if text.get_text())
        for axis in (axes.xaxis, axes.yaxis) if axes.axison else ():
            low, high = sorted(axis.get_view_interval())
            yield axis.label
            yield from (tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high)


def closest_names(figure):
    """Points between the two nearest names of a graph."""
    axes = figure.axes[0]
    spots = [axes.transData.transform(text.get_position()) for text in axes.texts]
    return min(np.linalg.norm(a - b) for a, b in itertools.combinations(spots, 2)) / figure.dpi * 72


def words_and_numbers(svg):
    """What an SVG file says, and its numbers; names that are made from numbers left out."""
    text = re.sub(r"\b[pm][0-9a-f]{10}\b|(?<=_0_)[0-9a-f]{10}\b", "name", svg.read_text())
    number = r"(?<![\w#.-])-?\d+\.?\d*(?![\w.-]*[\w])"
    return re.sub(number, "0", text), np.array([float(found) for found in re.findall(number, text)])


def like(one, other):
    """Whether two SVG files draw the same to half a point: the last digits differ between processors."""
    (words, numbers), (other_words, other_numbers) = words_and_numbers(one), words_and_numbers(other)
    return words == other_words and np.allclose(numbers, other_numbers, rtol=0, atol=0.5)


@pytest.mark.parametrize(("n", "called"), [(2, "s"), (12, "COLE seed "), (50, "s")])
def test_figures_are_one_column_wide_with_letters_of_six_points_inside_the_page(n, called):
    for name, figure in drawn(n, called).items():
        assert figure.get_figwidth() == style.WIDTH <= 3.3
        figure.draw_without_rendering()  # lays the figure out
        for text in letters(figure):
            if not text.get_text():
                continue
            assert text.get_fontsize() >= 6
            box = text.get_window_extent().padded(-1)
            assert figure.bbox.contains(box.x0, box.y0), (name, text)
            assert figure.bbox.contains(box.x1, box.y1), (name, text)
        if name == "preference_graph":
            assert len(figure.axes[0].texts) == n
            assert closest_names(figure) > style.FONT


def test_the_same_figure_is_the_same_file(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        style.save(figures.payoff_matrix(FIGURE1_FAILING, list("1234")), tmp_path / folder, "m")
    for ending in ("pdf", "svg"):
        assert (tmp_path / "a" / f"m.{ending}").read_bytes() == (tmp_path / "b" / f"m.{ending}").read_bytes()


def test_fonts_are_embedded_in_the_pdf(tmp_path):
    pdf, _ = style.save(figures.payoff_matrix(FIGURE1_FAILING, list("1234")), tmp_path, "m")
    assert b"/FontFile2" in pdf.read_bytes()
    assert b"/Type3" not in pdf.read_bytes()


def test_a_constant_matrix_can_be_drawn(tmp_path):
    style.save(figures.payoff_matrix(np.zeros((3, 3)), list("abc")), tmp_path, "flat")
    style.save(figures.game_graph(np.zeros((3, 3)), list("abc")), tmp_path, "flat_graph")
    assert style.span(np.zeros((3, 3))).vmax == 1.0


def test_a_dollar_in_a_name_is_a_dollar(tmp_path):
    names, alike = ["x", "$a_{b$", "c^2$", "$5"], np.zeros((4, 4))
    history = np.where(np.tri(4, dtype=bool), 0, -1)
    for name, figure in figures.all_figures(alike, history[-1], alike[-1], history, alike, names).items():
        style.save(figure, tmp_path, name)
    axes = figures.payoff_matrix(alike, names).axes[0]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == names
    style.save(figures.preference_history(history, alike, ["$", "a", "$_", "$$$"]), tmp_path, "short_names")


def test_the_figure_says_what_an_eta_of_0_means():
    figure = figures.preference_graph(np.array([1, 0]), np.zeros(2), list("ab"), zero="most central")
    assert figure.axes[-1].get_xlabel().endswith("(0: most central)")


def test_strategies_not_yet_born_are_left_white():
    figure = figures.centrality_matrix(np.ones((4, 4)), list("1234"))
    mask = np.ma.getmaskarray(figure.axes[0].collections[0].get_array())
    assert mask.tolist() == np.triu(np.ones((4, 4), bool), 1).tolist()


def test_few_generations_are_all_shown_and_many_evenly():
    assert figures.history_shown(4) == [1, 2, 3]
    assert figures.history_shown(50) == [7, 16, 24, 32, 41, 49]


def test_few_edges_are_all_drawn_and_many_only_the_highest():
    assert figures.edges_drawn(4) == 6
    assert figures.edges_drawn(50) == 307
    assert figures.edges_drawn(1000) == 1500
    w = np.zeros((50, 50))
    w[3, 4] = w[4, 3] = 9.0
    lines = figures.game_graph(w, [str(i) for i in range(50)]).axes[0].collections[0]
    assert len(lines.get_segments()) == 307
    np.testing.assert_allclose(lines.get_segments()[-1], figures.circle(50)[[3, 4]])  # the highest on top


def test_the_population_of_the_docs_is_the_one_of_the_examples(tmp_path):
    write_matrix(tmp_path / "made.csv", [str(i + 1) for i in range(50)], snapshots(0, 50))
    assert (tmp_path / "made.csv").read_bytes() == (DOCS / "population50.csv").read_bytes()


def test_figure_1_of_the_docs_is_what_the_code_draws(tmp_path):
    made = tmp_path / "figure1.svg"
    with mpl.rc_context(style.STYLE):  # as docs/make_figures.py does; the layout would move if a PDF came first
        figure1().savefig(made, metadata={"Date": None})
    assert like(made, DOCS / "figure1.svg")


@pytest.mark.parametrize(
    ("old", "new"), [("#fee838", "#123456"), ("<!-- 3 -->", "<!-- 2 -->"), ("86.365699", "88.365699"), ("</g>", "")]
)
def test_another_drawing_is_not_like_figure_1(tmp_path, old, new):
    svg = (DOCS / "figure1.svg").read_text()
    assert old in svg
    (tmp_path / "other.svg").write_text(svg.replace(old, new, 1))
    assert not like(tmp_path / "other.svg", DOCS / "figure1.svg")


# ------------------------------------------------------------------------------------------------- of a whole run


def made_up(generations, slots, warmup):
    """Partners of a run: phi rises with the slot, and after the warm-up everybody is drawn as often."""
    there = np.arange(slots)[None] <= np.arange(generations)[:, None]
    phi = there * np.arange(1.0, slots + 1)
    draws = there * (np.arange(generations) >= warmup)[:, None] * 2.0
    effective = there.sum(axis=1) * (draws.sum(axis=1) > 0)
    return Partners(np.arange(generations), phi / phi.sum(axis=1, keepdims=True), draws, effective, there)


def of_newest(n):
    """Figure of n strategies whose shares of in-edges fall from 1 to 0."""
    share = np.append(np.nan, np.linspace(1, 0, n - 1))
    return learning.newest(7 * np.arange(n), Newest(100.0 + np.arange(n), 90 + share, share))


@pytest.mark.parametrize(
    "figure",
    [
        pytest.param(lambda: of_newest(2), id="newest of 2"),
        pytest.param(lambda: of_newest(50), id="newest of 50"),
        pytest.param(lambda: learning.partners(made_up(2, 3, 0)), id="partners of 2"),
        pytest.param(lambda: learning.partners(made_up(3, 3, 3)), id="self-play only"),
        pytest.param(lambda: learning.partners(made_up(250, 50, 10)), id="partners of 250"),
    ],
)
def test_what_is_drawn_of_a_run_lies_inside_the_page_and_apart(figure):
    figure = figure()
    figure.draw_without_rendering()
    for axes in figure.axes:
        assert all(text.get_fontsize() >= 6 for text in letters(figure))
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            labels = [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
            boxes = [label.get_window_extent() for label in labels if label.get_text() and label.get_visible()]
            assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
        legend = axes.get_legend()
        for text in [*letters(figure), *(legend.get_texts() if legend else ())]:
            box = text.get_window_extent().padded(-1)
            assert not text.get_text() or figure.bbox.contains(box.x0, box.y0), text
            assert not text.get_text() or figure.bbox.contains(box.x1, box.y1), text


def test_the_newest_figure_says_how_often_most_and_all_prefer_it():
    above, below = of_newest(5).axes  # shares 1, 2/3, 1/3, 0
    assert [line.get_label() for line in above.get_lines()] == ["with itself", "with its predecessors"]
    said = "the newest is preferred by most predecessors in 50 % of 4 rounds, by all of them in 25 %"
    assert below.get_title().replace("\n", " ") == said
    shares = below.get_lines()[-1]
    assert shares.get_xdata().tolist() == [0, 7, 14, 21, 28]
    np.testing.assert_allclose(shares.get_ydata()[1:], [1, 2 / 3, 1 / 3, 0])


def test_slots_that_are_empty_and_generations_of_self_play_are_left_white():
    top, middle, bottom, *_ = learning.partners(made_up(4, 9, 2)).axes
    phi, draws = (axes.collections[0].get_array() for axes in (top, middle))
    assert phi.shape == draws.shape == (4, 4)  # slots that were ever taken, by generations
    assert np.ma.getmaskarray(phi).tolist() == np.tril(np.ones((4, 4), bool), -1).tolist()
    np.testing.assert_allclose(phi[:3, 2], [0.5, 1.0, 1.5])  # phi of 1/6, 2/6, 3/6 times three strategies
    assert np.ma.getmaskarray(draws)[:, :2].all()
    assert draws[:3, 2].tolist() == [2, 2, 2]
    as_drawn = bottom.get_lines()[-1].get_ydata()
    assert np.isnan(as_drawn[:2]).all()
    assert as_drawn[2:].tolist() == [3, 4]


def test_strategies_of_a_run_are_called_by_their_rounds():
    history = np.where(np.tri(3, dtype=bool), 0, -1)
    drawn = figures.all_figures(
        np.eye(3), history[-1], np.ones(3), history, np.ones((3, 3)), ["0", "9", "18"], by_round=True
    )
    titles = [axes.get_title().split("\n")[0] for axes in drawn["preference_history"].axes[:2]]
    assert titles == ["round 9", "round 18"]
    axes = drawn["preference_centrality"].axes[0]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["0", "9", "18"]
    assert drawn["payoff_matrix"].axes[0].get_xlabel() == "partner of round"


def test_twenty_names_of_two_digits_below_a_matrix_do_not_touch():
    figure = figures.payoff_matrix(np.eye(20), [str(i) for i in range(20)])
    figure.draw_without_rendering()
    boxes = [tick.get_window_extent() for tick in figure.axes[0].get_xticklabels()]
    assert not any(left.overlaps(right) for left, right in itertools.pairwise(boxes))
