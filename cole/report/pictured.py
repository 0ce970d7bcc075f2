"""Chapters of the report with pictures: bars, maps, films, curves, and the sentences that explain them."""

import shlex
from collections.abc import Sequence
from html import escape

from cole.evaluate import curves, proxy
from cole.evaluate.labels import COLE, is_called
from cole.evaluate.proxy import ProxyRow
from cole.report import bars, charts, published, style
from cole.report.comparison import Comparison, Matrix, Pairing, Process, kitchen_title, runs_of, sources
from cole.report.origins import made_by
from cole.report.page import Section, film, heading, origin, picture, pictures, svg_of, text
from cole.report.tables import listed

SEEN = ("payoff_matrix", "preference_centrality", "newest")  # of the figures of `cole analyze`


def with_proxy(found: Comparison, shown: dict[str, str]) -> Section:
    """Protocol 1: Figures 5 and 4, tables, statistics."""
    title = "With the human proxy (Figures 4 and 5)"
    if not found.with_proxy:
        return Section("proxy", title, [text("There is no human proxy for these kitchens, so this is empty.")])
    labels = found.lineup.labels
    ratios = [label for label in labels if is_called(label, COLE)]
    wanted = {
        "Figure 5: the methods": [*_with_missing(labels, published.IN_FIGURE_5, published.RATIOS[2:])],
        "Figure 4: the ratios of COLE": [*_with_missing(ratios, published.RATIOS, ())],
    }
    parts = [
        text(
            "Every method sits beside the human proxy, a clone of people that it never met in training. Plain bars:",
            "in seat 0; hashed bars: seats switched; grey bars behind: with a copy of itself. Whiskers are standard",
            "errors over seeds. Higher is better; low colour before high grey: a method that understands itself only.",
        )
    ]
    for name, chosen in wanted.items():
        parts += [heading(name), _bar_charts(found, chosen)]
    absent = [kitchen for kitchen in found.lineup.kitchens if kitchen not in {one.kitchen for one in found.with_proxy}]
    parts += [text(f"No human proxy for {', '.join(absent)}: left out here.")] if absent else []
    mine = [html for name, html in shown.items() if name.startswith("proxy-") or name == "improvement-proxy"]
    return Section("proxy", title, parts + mine)


def _with_missing(labels: Sequence[str], wanted: Sequence[str], without: Sequence[str]) -> list[str]:
    """Labels to draw: those there are, and in their places those of the paper that are missing."""
    there = [label for label in labels if label not in without]
    known = [label for label in wanted if label in there or not any(is_called(one, label) for one in there)]
    rest = [label for label in there if label not in wanted]
    plain = [label for label in known if not is_called(label, COLE)]
    return [*plain, *rest, *(label for label in known if is_called(label, COLE))]


def _bar_charts(found: Comparison, labels: Sequence[str]) -> str:
    palette = bars.colours([*found.lineup.labels, *labels])
    each = []
    for result in found.with_proxy:
        rows = proxy.rows(result)
        drawn = bars.chart(kitchen_title(result.kitchen), rows, labels, palette)
        broad = drawn.get_figwidth() > 1.5 * style.WIDTH
        each.append(picture(svg_of(drawn), _bars_in_words(result.kitchen, rows, labels), broad=broad))
    kitchens = [one.kitchen for one in found.with_proxy]
    made = made_by(found, "proxy", kitchens, labels)
    absent = [label for label in labels if label not in found.lineup.labels]
    note = f'<p class="note">Missing, as no runs were given: {escape(", ".join(absent))}.</p>' if absent else ""
    return pictures(each, note + origin(*made, sources(found.lineup)))


def _bars_in_words(kitchen: str, rows: Sequence[ProxyRow], labels: Sequence[str]) -> str:
    said = [
        f"{row.label} {row.seat0.mean:.0f} in seat 0, {row.seat1.mean:.0f} switched, {row.itself.mean:.0f} with itself"
        for row in rows
        if row.label in labels and row.both.mean == row.both.mean
    ]
    return f"{kitchen_title(kitchen)}: {'; '.join(said)}"


def everybody(found: Comparison) -> Section:
    """The cross-play matrix of each kitchen."""
    words = text(
        "Mean return of every agent in seat 0 (row) with every agent (column), darker is higher. White lines part the",
        "methods, seeds stand in order. A dark diagonal block in a pale row: a method that only understands itself.",
    )
    parts = [words, pictures([_map(one) for one in found.matrices])]
    return Section(
        "everybody", "Everybody with everybody", [*parts, *(_map_origin(found, one) for one in found.matrices)]
    )


def _map(one: Matrix) -> str:
    means = one.played.mean
    seen = f"{len(means)} agents, mean returns from {means.min():.0f} to {means.max():.0f}"
    drawn = charts.matrix(kitchen_title(one.kitchen), one)
    return picture(svg_of(drawn), f"Cross-play in {kitchen_title(one.kitchen)}: {seen}", f"{seen}.")


def _map_origin(found: Comparison, one: Matrix) -> str:
    mine = runs_of(found.lineup, [one.kitchen], found.lineup.labels)
    folders = [folder for _, each in mine for folder in each]
    setting = ["--episodes", str(found.setting.episodes), "--seed", str(found.setting.seed)]
    return origin([shlex.join(["cole", "crossplay", *folders, *setting])], mine, sources(found.lineup))


def extremes(found: Comparison, shown: dict[str, str]) -> Section:
    """Films of the best and the worst pairing of each kitchen, and what they did."""
    words = text(
        "Of all pairs of agents of different methods, the one that earns most and the one that earns least. The film",
        "is that game of theirs whose return is nearest to their mean; in print it is left out.",
    )
    films = [
        f'<div class="pictures">{"".join(map(_film, _of(found, kitchen)))}</div>' for kitchen in found.lineup.kitchens
    ]
    return Section("pairings", "The best and the worst pairing", [words, *films, shown["behaviour"]])


def _of(found: Comparison, kitchen: str) -> list[Pairing]:
    return [one for one in found.pairings if one.kitchen == kitchen]


def _film(one: Pairing) -> str:
    first, second = one.names
    done = one.done
    title = f"{kitchen_title(one.kitchen)}, {one.which}: {first} (seat 0) with {second}"
    words = (
        f"Mean return {done.returns:.1f} over {done.games} games; this is game {one.game}, return {one.earned:.0f}. "
        f"Longest block of a game {done.longest:.1f} steps on average, {done.worst} at most."
    )
    return f'<div class="pair"><h4>{escape(title)}</h4>{text(words)}{film(one.film, one.ratio, title)}</div>'


def learning(found: Comparison) -> Section:
    """Learning curves of each kitchen."""
    title = "Learning curves"
    if not found.curves:
        return Section("learning", title, [text("No log of a run was found.")])
    words = text(
        "Return of the training games over the environment steps of one learner: the line is the mean over seeds",
        "(their number in brackets), the band reaches from the lowest to the highest seed. Every method is trained",
        "with partners of its own choice, so heights are not comparable between methods; shapes are. A fall in the",
        "middle of FCP, MEP or TrajeDi is the start of the second stage, a new learner. FCP, MEP, TrajeDi and HSP",
        "train a pool of several learners at a time first, and PBT all along: every one of them plays the steps of the",
        "axis, so these methods cost more than their curves are long.",
    )
    palette = bars.colours(found.lineup.labels)
    each = []
    for kitchen in found.lineup.kitchens:
        mine = [curve for curve in found.curves if curve.kitchen == kitchen]
        if mine:
            name = kitchen_title(kitchen)
            last = {one.label: curves.end(one) for one in mine}
            ends = "; ".join(f"{label} ends at {earned:.0f}" for label, earned in last.items() if earned == earned)
            each.append(picture(svg_of(charts.learning(name, mine, palette)), f"Learning curves in {name}: {ends}"))
    lacks = [f"{name} in {curve.kitchen}" for curve in found.curves for name in curve.lacks]
    drawn = {(curve.kitchen, curve.label) for curve in found.curves}
    teams = [(kitchen, label) for kitchen in found.lineup.kitchens for label in found.lineup.labels]
    lacks += [f"{at[1]} in {at[0]}" for at in teams if at not in drawn and _has_agents(found, *at)]
    note = [text(f"Without a log: {listed(lacks)}.")] if lacks else []
    where = '<p class="origin">From <code>log.jsonl</code> of each of the <a href="#runs">runs</a>.</p>'
    return Section("learning", title, [words, pictures(each, where), *note])


def _has_agents(found: Comparison, kitchen: str, label: str) -> bool:
    team = found.lineup.teams.get((kitchen, label))
    return bool(team and team.players)


def process(found: Comparison) -> Section:
    """Figures 2 and 6: how runs went."""
    words = text(
        "A run's strategies, from its start (top left) to its end, play with each other. Payoffs: darker is higher.",
        "Preference centrality: darker is lower, hence preferred by more; dark cells along the diagonal mean that the",
        "newest strategy is the one most others prefer, so that cooperative incompatibility is overcome.",
    )
    parts = [part for one in found.processes for part in _process(one)]
    if not parts:
        hint = "None of these runs has been analysed: run <code>cole analyze RUN</code> first, or give"
        parts = [f"<p>{hint} <code>--history</code> to this report.</p>"]
    return Section("process", "The learning process (Figures 2 and 6)", [words, *parts])


def _process(one: Process) -> list[str]:
    figure = "Figure 6" if is_called(one.label, COLE) else "Figure 2"
    name = f"{figure}: {one.label}, {kitchen_title(one.kitchen)}"
    each = [picture(one.figures[kind], f"{name}: {kind.replace('_', ' ')}") for kind in SEEN if kind in one.figures]
    return [
        heading(name),
        text(f"{one.words[:1].upper()}{one.words[1:]}.") if one.words else "",
        pictures(each),
        origin([one.command], (), {}),
    ]
