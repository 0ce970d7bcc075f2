"""The report as a whole: its tables, what came of it in short, and the chapters in their order."""

from collections.abc import Sequence
from html import escape

from cole.evaluate import experts, proxy
from cole.evaluate.labels import is_called
from cole.evaluate.lineup import Begun, Team, lacking
from cole.evaluate.proxy import BEST_RESPONSE
from cole.report import protocols, table1, tables
from cole.report.comparison import Comparison, kitchen_title, sources
from cole.report.page import Section, Words, table, text
from cole.report.pictured import everybody, extremes, learning, process, with_proxy
from cole.report.tables import HOLE, MARK, Table

MEANINGS = {
    "return": "20 for every soup the team serves in a game of 400 steps.",
    "±": "the standard error; over seeds unless a table says otherwise. None where there is a single seed.",
    "IQM": "interquartile mean: the mean of the middle half of the seeds' scores; its interval comes from drawing "
    "seeds again 2000 times, anew for every kitchen.",
    f"{HOLE} and {MARK}": "a hole where agents are missing, and a mean that lacks some of them; what is missing "
    "is named below. Nothing is silently averaged over fewer seeds.",
    "BR-Prox": "return divided by that of a best response trained with the same partners; may exceed 1, not clipped.",
    "best seed": "of reading (a): the seed that earns most with the other seeds of its own method. The test partners "
    "are never looked at.",
    "seat 0": "the seat of the first cook; in Asymmetric Advantages it stands on the right.",
}


def all_tables(found: Comparison) -> list[Table]:
    """Everything that is also written as Markdown, LaTeX and CSV."""
    kitchens = [one.kitchen for one in found.with_proxy]
    every = [
        *(protocols.proxy_table(found, one) for one in found.with_proxy),
        protocols.overall_table(found),
        protocols.improvement_table(found, found.proxy_chances, "proxy", kitchens),
        table1.experts_table(found, "b"),
        table1.experts_table(found, "a"),
        table1.experts_iqm_table(found),
        protocols.improvement_table(found, found.expert_chances, "experts", found.lineup.kitchens),
        protocols.behaviour_table(found, found.pairings),
    ]
    return [one for one in every if one is not None]


def chapters(found: Comparison, made: Sequence[Table]) -> list[Section]:
    """The page without its head; `made` are all tables."""
    numbers = sources(found.lineup)
    shown = {one.name: table(one, numbers) for one in made}
    return [
        with_proxy(found, shown),
        with_experts(shown),
        everybody(found),
        extremes(found, shown),
        learning(found),
        process(found),
        how_to_read(found),
        runs(found),
    ]


def head(found: Comparison, command: str) -> Words:
    """Title, who is compared, and what came of it."""
    lineup = found.lineup
    count, seeds = sum(len(team.players) for team in lineup.teams.values()), len(lineup.seeds)
    who = f"{count} agents of {len(lineup.labels)} methods ({'; '.join(lineup.labels)})"
    lead = f"{who}, {seeds} seed{'s' * (seeds > 1)}, {', '.join(map(kitchen_title, lineup.kitchens))}."
    places = [(kitchen, label) for kitchen in lineup.kitchens for label in lineup.labels]
    lacks = [f"{name} in {kitchen}" for kitchen, label in places for name in lacking(lineup, kitchen, label)]
    points = [*_first_with_proxy(found), *_first_with_experts(found)]
    points += [f"Not finished, so not among these: {'; '.join(map(_begun_run, lineup.begun))}."] if lineup.begun else []
    points += [f"Missing, and marked wherever it matters: {tables.listed(lacks)}."] if lacks else []
    return Words(found.title, lead, points, command)


def _begun_run(one: Begun) -> str:
    """`MEP seeds 0, 1 in toy (runs/toy/mep/one)`."""
    return f"{tables.listed(f'{one.label} seed {seed} in {one.kitchen}' for seed in one.seeds)} ({one.source})"


def _first_with_proxy(found: Comparison) -> list[str]:
    """Who earns most with the human proxy, and who follows; the best response is no competitor."""
    said = []
    for result in found.with_proxy:
        rows = [row for row in proxy.rows(result) if not is_called(row.label, BEST_RESPONSE)]
        ranked = sorted((row for row in rows if row.both.mean == row.both.mean), key=lambda row: -row.both.mean)
        names = [f"{row.label} {tables.mean_cell(row.both).text}" for row in ranked[:2]]
        order = " earns most, then ".join(names) if len(names) > 1 else f"{names[0]} alone" if names else "nobody"
        said.append(f"{kitchen_title(result.kitchen)}, with the human proxy: {order}.")
    return said


def _first_with_experts(found: Comparison) -> list[str]:
    """Where each of ours stands among the experts of its group, by the reading that decides."""
    said = []
    for result in found.experts:
        for row in experts.table_b(result, found.baselines):
            means = {label: mean for label, mean in row.cells.items() if mean.mean == mean.mean}
            if row.ours in means and len(means) > 1:
                ranked = sorted(means, key=lambda label: -means[label].mean)
                first = next(label for label in ranked if label != row.ours)
                own, other = (tables.mean_cell(means[label]).text for label in (row.ours, first))
                place = f"{ranked.index(row.ours) + 1} of {len(ranked)}"
                order = f"{row.ours} earns {own}, {place}; the best of the others is {first}, {other}"
                order = order if len(means) > 2 else f"{row.ours} and {first} earn {own} with each other"
                said.append(f"{kitchen_title(row.kitchen)}, with experts (b): {order}.")
    return said


def with_experts(shown: dict[str, str]) -> Section:
    """Protocol 2: Table 1 in both readings, statistics."""
    words = text(
        "Every method plays with the agents that the other methods made. The paper's text speaks of the best models,",
        "its caption of all: so there are two readings. Reading (b), all seeds with all seeds, decides; reading (a) is",
        "shown for comparison. The paper's numbers stand below ours, in italics; it does not say over how many games.",
    )
    mine = [html for name, html in shown.items() if name.startswith("experts-") or name == "improvement-experts"]
    return Section("experts", "With experts (Table 1)", [words, *mine])


def how_to_read(found: Comparison) -> Section:
    """What the words mean."""
    words = "".join(f"<dt>{escape(name)}</dt><dd>{escape(meaning)}</dd>" for name, meaning in MEANINGS.items())
    games = f"Games are drawn from seed {found.setting.seed}; actions are sampled."
    where = "All tables are in tables/ as Markdown, LaTeX and CSV; every game is in games/."
    return Section("reading", "How to read this", [f"<dl>{words}</dl>", text(games, where)])


def runs(found: Comparison) -> Section:
    """Everybody, and what trained them."""
    numbers = sources(found.lineup)
    said: dict[str, list[str]] = {source: [] for source in numbers}
    for team in _in_order(found):
        for source, trained in zip(team.source.splitlines(), team.command.splitlines(), strict=True):
            what = f"{team.label}, {kitchen_title(team.kitchen)}, agents of seeds {', '.join(map(str, team.players))}"
            said[source].append(f"{escape(what)}<br><code>{escape(source)}</code><br><code>{escape(trained)}</code>")
    listed = "".join(f'<li id="run-{numbers[source]}">{"<br>".join(each)}</li>' for source, each in said.items())
    words = text("Tables name runs by these numbers. The second line trains them again.")
    parts = [words, f'<div class="runs"><ol>{listed}</ol></div>']
    if found.lineup.begun:
        later = [f"{escape(_begun_run(one))}<br><code>{escape(one.command)}</code>" for one in found.lineup.begun]
        parts += [
            text("Not finished:"),
            f'<div class="runs"><ul>{"".join(f"<li>{one}</li>" for one in later)}</ul></div>',
        ]
    return Section("runs", "Runs and their commands", parts)


def _in_order(found: Comparison) -> list[Team]:
    lineup = found.lineup
    teams = [lineup.teams.get((kitchen, label)) for kitchen in lineup.kitchens for label in lineup.labels]
    return [team for team in teams if team]
