"""`cole report`, as a user runs it, on toy agents, with games that cost nothing; its tables recomputed from games."""

import base64
import csv
import io
import json
import re
from collections import defaultdict
from html.parser import HTMLParser
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
import toy_agents as toy
import toy_runs
from rich.console import Console
from toy_runs import COLE_1_TO_3, run_of, saved

from cole import cli, sealed
from cole.evaluate import behaviour, pairs
from cole.evaluate.lineup import gather
from cole.kitchen.layouts import INTERACT
from cole.report.matrix import Matrix
from cole.report.tables import HOLE, MARK
from cole.verbs import analyze
from cole.verbs.processes import processes

METHODS = ["SP", "PBT", "FCP", "MEP", "COLE 1:3"]
SEEDS = [0, 1]
PEOPLE = ["seed-0", "seed-1"]
NOTHING = b"<svg xmlns='http://www.w3.org/2000/svg'/>"


def idle(layout, pair, setting):
    """In the place of `behaviour.play`: cooks who use what is in front of them, all the time."""
    return np.full((setting.episodes, 30, 2), INTERACT, np.int8)


class Page(HTMLParser):
    """What a page says: its tables by section, its links, and whatever it could fetch."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.below: dict[str, str] = {}  # all text of a table's section
        self.ids, self.links, self.sources, self.styles, self.frames = set(), [], [], [], []
        self.boxed, self.open, self.now, self.cell, self.style = [], [], None, False, False
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids |= {found["id"]} if "id" in found else set()
        self.links += [found["href"]] if tag == "a" else []
        self.sources += [
            found[name] for name in ("src", "href", "data", "action", "poster") if name in found and tag != "a"
        ]
        self.styles += [found["style"]] if "style" in found else []
        self.frames += [found["srcdoc"]] if "srcdoc" in found else []
        if tag == "section" and found.get("class") == "table":
            self.now = found["id"]
            self.tables[self.now], self.below[self.now] = [], ""
        self.boxed += [found.get("class") for _ in [0] if tag == "div" and "wide" in str(found.get("class"))]
        if tag == "tr":
            self.tables[self.now].append([])
        if tag in ("th", "td"):
            self.tables[self.now][-1].append("")
            self.cell = True
        self.style = tag == "style"

    def handle_endtag(self, tag):
        self.cell = self.cell and tag not in ("th", "td")
        self.now = None if tag == "section" else self.now
        self.style = False

    def handle_data(self, data):
        self.styles += [data] if self.style else []
        if self.now and self.cell:
            self.tables[self.now][-1][-1] += data
        elif self.now:
            self.below[self.now] += data


def make(folder, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "")
    monkeypatch.setattr(pairs, "play_pairs", toy_runs.play_pairs)
    monkeypatch.setattr(behaviour, "play", idle)
    monkeypatch.chdir(folder)
    for number in (50, 51):
        saved(folder / "people" / f"seed-{number - 50}", number, "h_proxy")


def report(*arguments) -> int:
    try:
        return cli.main(["report", *map(str, arguments)])
    except SystemExit as stop:  # tyro's own refusals
        return stop.code


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The report of five methods with two seeds each, one run analysed before, one with a log."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as monkeypatch:
        make(folder, monkeypatch)
        runs = folder / "runs" / "toy"
        for number, method in enumerate(("sp", "pbt", "fcp", "mep")):
            run_of(runs / method / "one", method, [10 * number, 10 * number + 1])
        last = run_of(runs / "cole" / "one", "cole", [40, 41], **COLE_1_TO_3)
        lines = [{"round": 0, "update": u, "steps": 100 * (u + 1), "return": [10.0 * u, 30.0 * u]} for u in range(3)]
        (last / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        (last / "analysis").mkdir()
        facts = {"run": "runs/toy/cole/one", "seed": 1, "episodes": 5, "games_seed": 2}
        facts["newest"] = {"in_edges": [None, 1.0, 0.0]}
        (last / "analysis" / "analysis.json").write_text(json.dumps(facts))
        (last / "analysis" / "payoff_matrix.svg").write_bytes(NOTHING)
        options = [
            "--proxy",
            "people",
            "--episodes",
            2,
            "--episodes-proxy",
            3,
            "--out",
            "out",
            "--title",
            "A <toy> & more",
        ]
        assert report("runs", *options) == 0
        html = (folder / "out" / "index.html").read_text()
        yield SimpleNamespace(folder=folder / "out", html=html, page=Page(html))


def means(file) -> dict[tuple[str, str], float]:
    """(first, second) -> mean return, from the raw games."""
    returns = defaultdict(list)
    with file.open() as lines:
        for line in csv.DictReader(lines):
            returns[line["first"], line["second"]].append(float(line["return"]))
    return {pair: float(np.mean(each)) for pair, each in returns.items()}


def written(by_seed) -> str:
    """A mean of two seeds as tables show it."""
    return f"{np.mean(by_seed):.1f} ± {abs(by_seed[0] - by_seed[1]) / 2:.1f}"


def agent(method: str, seed: int) -> str:
    return f"{method} seed {seed}"


def with_people(mean, method: str) -> dict[str, list[float]]:
    """What both seeds of a method earn with the proxies."""
    first = [np.mean([mean[agent(method, seed), one] for one in PEOPLE]) for seed in SEEDS]
    second = [np.mean([mean[one, agent(method, seed)] for one in PEOPLE]) for seed in SEEDS]
    return {"seat 0": first, "seat 1": second, "both seats": [(a + b) / 2 for a, b in zip(first, second, strict=True)]}


def test_the_proxy_table_is_what_its_games_say(whole):
    mean = means(whole.folder / "games" / "proxy-games.csv")
    head, *rows = whole.page.tables["proxy-toy"]
    assert head == ["method", "seat 0", "seat 1", "both seats", "both, IQM", "with itself"]
    assert [row[0] for row in rows] == METHODS
    for row in rows:
        for column, by_seed in with_people(mean, row[0]).items():
            assert row[head.index(column)] == written(by_seed)
        assert row[5] == written([mean[agent(row[0], seed), agent(row[0], seed)] for seed in SEEDS])
        low, high = sorted(
            with_people(mean, row[0])["both seats"]
        )  # two draws of two seeds reach from one to the other
        assert row[4] == f"{(low + high) / 2:.1f} [{low:.1f}, {high:.1f}]"


def both(mean, one: str, other: str) -> float:
    return (mean[one, other] + mean[other, one]) / 2


def with_experts(mean, method: str) -> list[float]:
    """What each seed of a method earns with all seeds of all others: every method counts once."""
    others = [agent(other, seed) for other in METHODS if other != method for seed in SEEDS]
    return [float(np.mean([both(mean, agent(method, seed), other) for other in others])) for seed in SEEDS]


def test_table_1_is_what_its_games_say_in_both_readings(whole):
    mean = means(whole.folder / "games" / "experts-games.csv")
    head, row = whole.page.tables["experts-b"]
    assert head == ["layout", "ratio", "whose", "SP", "PBT", "FCP", "MEP", "COLEs"]
    assert row == ["toy", "1:3", "here", *(written(with_experts(mean, method)) for method in METHODS)]
    _, row = whole.page.tables["experts-a"]
    for method, cell in zip(METHODS, row[3:], strict=True):  # of two seeds the first is the best
        others = [agent(other, 0) for other in METHODS if other != method]
        assert cell.split(" ± ")[0] == f"{np.mean([both(mean, agent(method, 0), other) for other in others]):.1f}"
    assert "which decides" in whole.page.below["experts-b"]


def test_statistics_with_experts_are_what_their_games_say(whole):
    mean = means(whole.folder / "games" / "experts-games.csv")
    scores = {method: with_experts(mean, method) for method in METHODS}
    for row in whole.page.tables["experts-iqm"][1:]:
        low, high = sorted(scores[row[1]])
        assert row == ["COLE 1:3", row[1], f"{(low + high) / 2:.1f} [{low:.1f}, {high:.1f}]"]
    assert improvements(whole, "improvement-experts") == pytest.approx(chances(scores), abs=0.0051)


def test_the_probability_of_improvement_with_the_proxy_is_what_its_games_say(whole):
    mean = means(whole.folder / "games" / "proxy-games.csv")
    scores = {method: with_people(mean, method)["both seats"] for method in METHODS}
    assert improvements(whole, "improvement-proxy") == pytest.approx(chances(scores), abs=0.0051)


def improvements(whole, name: str) -> dict[str, float]:
    rows = whole.page.tables[name][1:]
    assert {row[0] for row in rows} == {"COLE 1:3"}
    return {row[1]: float(row[2].split(" ")[0]) for row in rows}


def chances(scores: dict[str, list[float]]) -> dict[str, float]:
    """How many of the four pairs of seeds COLE wins; a draw is half."""
    ours = scores["COLE 1:3"]
    wins = {other: [(x > y) + (x == y) / 2 for x, y in product(ours, scores[other])] for other in METHODS[:-1]}
    return {other: sum(won) / 4 for other, won in wins.items()}


def test_the_best_and_the_worst_pairing_are_those_of_the_games_and_behaviour_is_shown(whole):
    mean = {pair: x for pair, x in means(whole.folder / "games" / "experts-games.csv").items() if not same(*pair)}
    found = re.findall(r"Toy, (best|worst): (.*) \(seat 0\) with (.*)</h4>", whole.html)
    assert [which for which, _, _ in found] == ["best", "worst"]
    assert mean[found[0][1:]] == max(mean.values()) and mean[found[1][1:]] == min(mean.values())
    rows = whole.page.tables["behaviour"][1:]
    assert [row[2] for row in rows[:2]] == [f"0: {found[0][1]}", f"1: {found[0][2]}"]
    # Cooks who only use an empty pot, or a counter, with empty hands: nothing is done, and nobody is in the way.
    assert len(rows) == 4
    assert rows[0][3:] == ["0.0", "0.0", "0.0", "100 %", "0 %", "0.0", "0.0"]
    assert "Mean return 0.0 over 2 games; this is game 0, return 0." in whole.html


def same(one: str, other: str) -> bool:
    return one.split(" seed ")[0] == other.split(" seed ")[0]


def test_the_matrix_of_everybody_is_what_the_games_say(whole):
    mean = means(whole.folder / "games" / "experts-games.csv")
    with (whole.folder / "games" / "crossplay-toy" / "payoff.csv").open() as file:
        head, *rows = csv.reader(file)
    names = [agent(method, seed) for method in METHODS for seed in SEEDS]
    assert head[1:] == names
    for row in rows:
        for name, value in zip(names, row[1:], strict=True):
            assert row[0] == name or float(value) == pytest.approx(mean[row[0], name])


def test_all_three_formats_have_the_cells_of_the_page(whole):
    for name, (head, *rows) in whole.page.tables.items():
        markdown = (whole.folder / "tables" / f"{name}.md").read_text().replace("**", "")
        assert all(f"| {' | '.join(row)} |" in markdown for row in [head, *rows])
        latex = (whole.folder / "tables" / f"{name}.tex").read_text()
        assert latex.count(r" \\") == len(rows) + 1
        with (whole.folder / "tables" / f"{name}.csv").open() as file:
            lines = list(csv.DictReader(file))
        cells = [cell for row in rows for cell in row[len(row) - len(lines) // len(rows) :]]
        for line, cell in zip(lines, cells, strict=True):
            shown = re.match(r"-?[\d.]+", cell)
            value = float(line["value"]) * (100 if cell.endswith("%") else 1) if line["value"] else None
            assert value == (
                pytest.approx(float(shown[0]), abs=0.51 if cell.endswith("%") else 0.051) if shown else None
            )


def test_every_table_names_its_command_and_its_runs(whole):
    for name, below in whole.page.below.items():
        assert "cole evaluate " in below, name
    assert "cole evaluate proxy runs --proxy people --episodes 3 --seed 0" in whole.page.below["proxy-toy"]
    assert "cole evaluate experts runs --episodes 2 --seed 0" in whole.page.below["experts-b"]
    assert "runs: SP 1; PBT 2; FCP 3; MEP 4; COLE 1:3 5" in whole.page.below["experts-b"]
    assert "cole train mep" in whole.html and "runs/toy/mep/one" in whole.html
    assert {link[1:] for link in whole.page.links if link.startswith("#")} <= whole.page.ids


def test_an_analysis_in_a_run_and_its_log_are_shown(whole):
    assert base64.b64encode(NOTHING).decode() in whole.html
    assert "cole analyze runs/toy/cole/one --seed 1 --episodes 5 --games-seed 2" in whole.html
    assert "The newest is preferred by most predecessors in 50 % of 2 rounds, by all of them in 50 %." in whole.html
    assert "Learning curves in Toy: COLE 1:3 ends at 40" in whole.html  # 20 and 60
    assert "FCP, MEP, TrajeDi and HSP train a pool of several learners at a time first, and PBT all along" in whole.html
    assert "Without a log: SP in toy; PBT in toy; FCP in toy; MEP in toy." in whole.html


def test_the_page_asks_no_network_and_its_title_is_text(whole):
    assert [link for link in whole.page.links if not link.startswith("#")] == ["https://arxiv.org/abs/2302.04831"]
    assert len(whole.page.frames) == 2
    for page in [whole.page, *map(Page, whole.page.frames)]:
        assert all(source.startswith(("data:", "#")) for source in page.sources)
        assert all("url(" not in style and "@import" not in style for style in page.styles)
    assert "default-src 'none'" in whole.html
    assert "<h1>A &lt;toy&gt; &amp; more</h1>" in whole.html


def test_the_page_is_made_for_phones_and_for_paper(whole):
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in whole.html
    assert len(whole.page.boxed) == len(whole.page.tables) == 7
    style = "".join(whole.page.styles)
    assert re.search(r"\.wide \{ overflow-x: auto;", style)
    assert re.search(r"@media print \{.*\.film, \.on-screen \{ display: none; \}", style, re.DOTALL)


def test_holes_are_marked_and_named_and_never_averaged_away(tmp_path, monkeypatch, capsys):
    make(tmp_path, monkeypatch)
    run_of(tmp_path / "runs" / "toy" / "sp" / "one", "sp", [0, 1])
    run_of(tmp_path / "runs" / "toy" / "cole" / "one", "cole", [40], asked=[0, 1], **COLE_1_TO_3)
    options = ["--proxy", "people", "--episodes", 1, "--episodes-proxy", 1, "--baselines", "SP", "MEP"]
    assert report("runs", *options) == 0
    out, err = capsys.readouterr()
    assert "saved report/index.html" in out and "15 games to play in toy" in err
    assert "6 games to play in toy; 3 are known from before" in err  # those with themselves
    html = (tmp_path / "report" / "index.html").read_text()
    page = Page(html)
    sp, cole = page.tables["proxy-toy"][1:]
    assert MARK not in "".join(sp) and [cell.endswith(MARK) for cell in cole[1:4]] == [True] * 3
    assert cole[4] == HOLE  # an interquartile mean of fewer seeds is none
    assert "a mean without it: COLE 1:3 seed 1." in page.below["proxy-toy"]
    (_, row) = page.tables["experts-b"]
    assert row[4] == HOLE and row[3].endswith(MARK) and row[5].endswith(MARK)
    assert "COLE 1:3 seed 1" in page.below["experts-b"] and "MEP" in page.below["experts-b"]
    assert "cole evaluate experts runs --baselines SP MEP --episodes 1 --seed 0" in page.below["experts-b"]
    assert all(cell == HOLE for row in page.tables["improvement-proxy"][1:] for cell in row[2:])
    assert "Missing, and marked wherever it matters: COLE 1:3 seed 1 in toy." in html
    assert "Missing, as no runs were given: PBT, FCP, MEP, COLE 0:4." in html


def test_whoever_is_ours_has_a_row_of_table_1_and_the_page_says_who_it_is(tmp_path, monkeypatch):
    make(tmp_path, monkeypatch)
    run_of(tmp_path / "runs" / "toy" / "sp" / "one", "sp", [0, 1])
    run_of(tmp_path / "runs" / "toy" / "mep" / "one", "mep", [30, 31])
    options = ["--proxy", "people", "--episodes", 1, "--episodes-proxy", 1]
    options += ["--baselines", "SP", "--ours", "MEP", "COLE"]
    run_of(tmp_path / "runs" / "toy" / "cole" / "one", "cole", [40, 41], **COLE_1_TO_3)
    assert report("runs", *options) == 0
    html = (tmp_path / "report" / "index.html").read_text()
    page = Page(html)
    head, mep, cole = page.tables["experts-b"]
    assert f"MEP and SP earn {mep[-1]} with each other." in html and "the best of the others" not in html
    assert (head[1], head[-1], mep[1], cole[1]) == ("method", "that method", "MEP", "COLE 1:3")
    with_experts, with_proxy = ([["MEP", "SP"], ["COLE 1:3", "SP"]], ["MEP", "COLE 1:3"])
    assert [row[:2] for row in page.tables["improvement-experts"][1:]] == with_experts
    assert with_proxy in [row[:2] for row in page.tables["improvement-proxy"][1:]]
    again = "cole evaluate experts runs --baselines SP --ours MEP COLE --episodes 1 --seed 0"
    assert again in page.below["experts-b"]
    assert "cole evaluate proxy runs --proxy people --ours MEP COLE --episodes 1" in page.below["improvement-proxy"]


def test_over_several_kitchens_scores_are_parts_of_what_the_best_response_earns(tmp_path, monkeypatch):
    make(tmp_path, monkeypatch)
    partners = [f"h {toy.player(number).identity}" for number in (50, 51)]
    for first, kitchen in ((0, "toy"), (100, "attic")):
        run_of(tmp_path / "runs" / kitchen / "sp", "sp", [first, first + 1], kitchen=kitchen)
        best = [first + 60, first + 61]
        run_of(tmp_path / "runs" / kitchen / "best", "best_response", best, kitchen=kitchen, partners=partners)
    options = ["--proxy", "people", "--episodes", 1, "--episodes-proxy", 2, "--baselines", "SP"]
    assert report("runs", *options, "best response") == 0
    page = Page((tmp_path / "report" / "index.html").read_text())
    shares = []
    for kitchen in ("attic", "toy"):
        sp, best = page.tables[f"proxy-{kitchen}"][1:3]
        earned = [float(row[3].split(" ")[0]) for row in (sp, best)]
        assert float(sp[6]) == pytest.approx(earned[0] / earned[1], abs=0.02)
        assert best[6] == "1.00"
        assert "It had not reached its plateau with seed 0, 1" in page.below[f"proxy-{kitchen}"]
        shares.append(earned[0] / earned[1])
    assert float(page.tables["proxy-all"][1][1].split(" ")[0]) == pytest.approx(np.mean(shares), abs=0.01)
    assert "divided by what the best response earns" in page.below["proxy-all"].lower()
    assert page.tables["experts-iqm"][0] == ["group of", "method", "Attic", "Toy", "all"]
    for protocol, asked in (("proxy", options[:2]), ("experts", [*options[-2:], "best response"])):
        again = ["evaluate", protocol, "runs", *asked, "--episodes", {"proxy": "2", "experts": "1"}[protocol]]
        assert cli.main(again) == 0
    made = {path.name: path.read_bytes() for path in (tmp_path / "evaluation").iterdir()}
    assert len(made) == 6 and all((tmp_path / "report" / "games" / name).read_bytes() == made[name] for name in made)
    assert b'"overall"' in made["proxy.json"] and b'"improvement"' in made["experts.json"]


def test_whatever_a_divisor_lacks_is_marked_where_it_divides_and_odd_kitchens_make_files_inside(tmp_path, monkeypatch):
    make(tmp_path, monkeypatch)
    partners = [f"h {toy.player(number).identity}" for number in (50, 51)]
    for first, kitchen, there in ((0, "toy", 2), (100, "../my attic", 1)):
        recipe = {"kitchen": kitchen, "recipe": "paper" if kitchen == "toy" else "default"}
        run_of(tmp_path / "runs" / str(first) / "s p", "sp", [first, first + 1], **recipe)
        best = [first + 60, first + 61][:there]
        run_of(tmp_path / "runs" / str(first) / "best", "best_response", best, [0, 1], partners=partners, **recipe)
    options = ["--proxy", "people", "--episodes", 1, "--episodes-proxy", 1, "--baselines", "SP"]
    assert report("runs", *options, "best response") == 0
    assert sorted(path.name for path in (tmp_path / "report" / "games").glob("crossplay-*")) == [
        "crossplay-.._my_attic",
        "crossplay-toy",
    ]
    page = Page((tmp_path / "report" / "index.html").read_text())
    assert [page.tables[name][1][6].endswith(MARK) for name in ("proxy-.._my_attic", "proxy-toy")] == [True, False]
    assert "divided by what best response earns without best response seed 1, " in page.below["proxy-.._my_attic"]
    lacks = "best response seed 1 in ../my attic"
    assert all(cell.endswith(MARK) for cell in page.tables["proxy-all"][1][1:]) and lacks in page.below["proxy-all"]
    assert page.tables["experts-iqm"][1][-1].endswith(MARK) and page.tables["experts-iqm"][2][-1] == HOLE
    note = "Not trained by the same recipe everywhere: SP: default in ../my attic, paper in toy; best response: "
    for name in ("proxy-all", "experts-iqm"):
        assert note in page.below[name]
    assert "cole evaluate blocks 'runs/0/s p/agents/seed-" in page.below["behaviour"]


def test_an_unfinished_run_is_a_hole_that_the_page_names(tmp_path, monkeypatch, capsys):
    make(tmp_path, monkeypatch)
    run_of(tmp_path / "runs" / "sp", "sp", [0, 1])
    run_of(tmp_path / "runs" / "sp-more", "sp", [], asked=[2])
    run_of(tmp_path / "runs" / "mep", "mep", [], asked=[0, 1])
    options = ["--proxy", "people", "--episodes", 1, "--episodes-proxy", 1, "--baselines", "SP", "MEP"]
    assert report("runs", *options) == 0
    assert "runs/mep has no agents yet: its seeds are holes until it is finished" in capsys.readouterr().err
    html = (tmp_path / "report" / "index.html").read_text()
    page = Page(html)
    sp, mep = page.tables["proxy-toy"][1:]
    assert sp[1].endswith(MARK) and mep == ["MEP", *[HOLE] * 5]
    assert "a mean without it: SP seed 2; MEP." in page.below["proxy-toy"]
    said = "Not finished, so not among these: SP seed 2 in toy (runs/sp-more); MEP seeds 0, 1 in toy (runs/mep)."
    assert said in html
    assert "Missing, and marked wherever it matters: SP seed 2 in toy; MEP in toy." in html
    games = json.loads((tmp_path / "report" / "games" / "experts.json").read_text())
    assert [(one["label"], one["seeds"]) for one in games["unfinished"]] == [("SP", [2]), ("MEP", [0, 1])]


def test_a_broken_analysis_and_a_run_without_strategies_are_told_of(tmp_path, monkeypatch):
    make(tmp_path, monkeypatch)
    run = run_of(tmp_path / "runs" / "toy" / "sp" / "one", "sp", [0])
    lineup, said = gather([run]), io.StringIO()
    notes = Console(file=said)
    assert processes(lineup, tmp_path / "history", notes) == []
    (run / "analysis").mkdir()
    (run / "analysis" / "analysis.json").write_text("{}")
    assert processes(lineup, None, notes) == []  # nothing was drawn
    (run / "analysis" / "newest.svg").write_bytes(NOTHING)
    assert said.getvalue() == ""
    assert processes(lineup, None, notes) == []
    assert said.getvalue().startswith("SP in toy has no Figure 2 or 6: ")
    assert "analysis.json is no analysis of a run: run `cole analyze` again" in said.getvalue()


def test_an_analysis_that_cannot_be_written_is_told_of(tmp_path, monkeypatch):
    make(tmp_path, monkeypatch)
    run = run_of(tmp_path / "runs" / "toy" / "sp" / "one", "sp", [0])
    (run / "strategies").mkdir()
    (tmp_path / "history" / "toy-SP" / "strategies.csv").mkdir(parents=True)
    source = analyze.Source(Matrix(["a", "b"], np.eye(2)), {}, [], None)
    monkeypatch.setattr(analyze, "of_run", lambda config, folder: source)
    said = io.StringIO()
    assert processes(gather([run]), tmp_path / "history", Console(file=said, width=400)) == []
    assert "SP in toy has no Figure 2 or 6: " in said.getvalue()
    assert "strategies.csv: cannot be written (Is a directory)" in said.getvalue()


@pytest.mark.parametrize("name", ["proxy.json", "proxy.csv", "crossplay.json", "proxy-toy.md", "index.html"])
def test_after_it_was_killed_while_it_wrote_it_can_be_run_again(tmp_path, monkeypatch, name):
    make(tmp_path, monkeypatch)
    run_of(tmp_path / "runs" / "toy" / "sp" / "one", "sp", [0, 1])
    options = ["--proxy", "people", "--episodes", 1, "--episodes-proxy", 1, "--baselines", "SP"]
    with pytest.MonkeyPatch.context() as killed:
        killed.setattr(sealed, "write_file", toy_runs.killed_at(name))
        assert report("runs", *options) == 130
    assert report("runs", *options) == 0


def test_somebody_elses_games_in_the_folder_are_told_of_before_anything_is_played(tmp_path, monkeypatch, capsys):
    make(tmp_path, monkeypatch)
    (tmp_path / "report" / "games").mkdir(parents=True)
    (tmp_path / "report" / "games" / "chess.pgn").touch()
    run_of(tmp_path / "runs" / "toy" / "sp" / "one", "sp", [0])
    assert report("runs") == 2
    said = capsys.readouterr().err
    assert "report/games exists and is no result of an evaluation" in said and "to play" not in said


@pytest.mark.parametrize("screen", [":0", ""])
def test_the_page_is_opened_if_asked_for_and_if_there_is_a_screen(tmp_path, monkeypatch, screen):
    opened = []
    make(tmp_path, monkeypatch)
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("DISPLAY", screen)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    run_of(tmp_path / "runs" / "toy" / "sp" / "one", "sp", [0])
    options = ["--proxy", "people", "--episodes", 1, "--episodes-proxy", 1, "--baselines", "SP"]
    assert report("runs", *options) == 0 and not opened
    assert report("runs", *options, "--open") == 0
    assert opened == ([(tmp_path / "report" / "index.html").as_uri()] if screen else [])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "name some folders: of runs"),
        (["nowhere"], "nowhere cannot be read"),
        (["runs", "--episodes", "0"], "episodes must be a whole number from 1"),
        (["runs", "--episodes-proxy", "0"], "episodes must be a whole number from 1"),
        (["runs", "more", "--proxy", "people"], 'there are several SP, "SP, default", "SP, paper": name one'),
        (["runs", "--proxy", "zoo_of_mine"], "there is no player 'zoo_of_mine'"),
        (["runs", "--out", "runs"], "runs exists and is no report, so it is left alone: choose another --out"),
    ],
)
def test_a_mistake_is_named_and_exits_with_2(tmp_path, monkeypatch, capsys, arguments, says):
    make(tmp_path, monkeypatch)
    run_of(tmp_path / "runs" / "toy" / "sp" / "one", "sp", [0])
    run_of(tmp_path / "more" / "toy" / "sp" / "two", "sp", [10], recipe="paper")
    assert report(*arguments) == 2
    err = capsys.readouterr().err
    assert says in err and "Traceback" not in err


@pytest.mark.slow
def test_in_a_browser_the_page_fits_its_films_play_and_nobody_is_asked_for_anything(whole):
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    from test_page import ARGUMENTS, CHROMIUM

    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: apt-get install chromium")
    complaints, asked = [], []
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for width in (390, 1280):
            page = browser.new_page(viewport={"width": width, "height": 850})
            page.on("console", lambda message: complaints.append(message.text))
            page.on("request", lambda request: asked.append(request.url))
            page.goto((whole.folder / "index.html").as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") == width
            frame = page.frame_locator("iframe").first
            frame.locator("#on").click()
            sync_api.expect(frame.locator("#clock")).to_have_text("1")
            grave = [
                one for one in axe.Axe().run(page).response["violations"] if one["impact"] in ("serious", "critical")
            ]
            assert [(one["id"], one["nodes"][0]["html"][:200]) for one in grave] == []
        browser.close()
    assert complaints == []
    assert {url for url in asked if not url.startswith("data:")} == {(whole.folder / "index.html").as_uri()}
