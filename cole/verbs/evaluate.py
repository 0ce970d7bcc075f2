"""`cole evaluate proxy | experts FOLDERS` and `cole evaluate blocks A B`: methods judged as the paper judges them."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from rich.console import Console

from cole.config.judging import Evaluate, EvaluateBlocks, EvaluateExperts, EvaluateProxy
from cole.errors import UserError
from cole.evaluate import crossplay, experts, proxy, stats
from cole.evaluate.lineup import Lineup, all_lacking, differing, gather, layout_of
from cole.evaluate.pairs import Setting
from cole.evaluate.players import kitchen_of
from cole.evaluate.stats import Improvement, Mean
from cole.report.comparison import Chances
from cole.report.evaluation import Findings, Games, check_folder, save
from cole.verbs import blocks, scores
from cole.verbs.games import Job, play, say
from cole.verbs.scores import Lacks


def run(config: Evaluate) -> int:
    """Does what was asked for."""
    asked = config.do
    if isinstance(asked, EvaluateBlocks):
        return blocks.run(asked)
    setting = Setting(asked.episodes, asked.seed)
    crossplay.check(setting, None)
    check_folder(asked.out)
    lineup = gather(asked.folders)
    console, notes = Console(highlight=False), Console(stderr=True, highlight=False)
    if isinstance(asked, EvaluateProxy):
        found, games = judge_proxy(asked, lineup, setting, console, notes)
    else:
        found, games = judge_experts(asked, lineup, setting, console, notes)
    for path in save(asked.out, found, lineup, setting, games):
        console.print(f"saved {path}", markup=False, soft_wrap=True)
    return 0


def judge_proxy(
    asked: EvaluateProxy, lineup: Lineup, setting: Setting, console: Console, notes: Console
) -> tuple[Findings, list[Games]]:
    """Protocol 1: plays, prints, and hands over what is to be saved."""
    ours = experts.ours_of(lineup, (), asked.ours)
    partners = {kitchen: proxy.proxies_of(kitchen, asked.proxy) for kitchen in lineup.kitchens}
    for kitchen in [kitchen for kitchen, found in partners.items() if not found]:
        say(notes, f"{kitchen} is left out: the zoo has no human proxy for it; name others with --proxy")
    kitchens = [kitchen for kitchen in lineup.kitchens if partners[kitchen]]
    if not kitchens:
        raise UserError(f"there is no human proxy for {', '.join(lineup.kitchens)}: name partners with --proxy")
    for kitchen in kitchens:
        kitchen_of(partners[kitchen], layout_of(lineup, kitchen))
    jobs = [
        Job(kitchen, layout_of(lineup, kitchen), proxy.wanted_pairs(lineup, kitchen, partners[kitchen]))
        for kitchen in kitchens
    ]
    games = play(jobs, setting, notes)
    results = [proxy.with_proxy(lineup, one.kitchen, partners[one.kitchen], one.found) for one in games]
    for result in results:
        console.print(scores.proxy_table(result, setting.episodes))
        warn_of_best(lineup, result, notes)
    if chances := proxy_chances(results, lineup.labels, ours):
        console.print(scores.improvement_table(chances, lacks_of_pairs(lineup, kitchens, chances), kitchens))
    whole = proxy.overall(lineup, results)
    if whole:
        words = [f"not trained by the same recipe everywhere: {x}" for x in differing(lineup, lineup.labels, kitchens)]
        console.print(scores.overall_table(whole.earned, whole.lacks, whole.divided.words, *words))
    return proxy_findings(lineup, results, chances, whole), games


def judge_experts(
    asked: EvaluateExperts, lineup: Lineup, setting: Setting, console: Console, notes: Console
) -> tuple[Findings, list[Games]]:
    """Protocol 2, in both readings."""
    baselines = experts.baselines_of(lineup, asked.baselines)
    ours = experts.ours_of(lineup, baselines, asked.ours)
    labels = [*baselines, *ours]
    if others := [label for label in lineup.labels if label not in labels]:
        say(notes, f"not among the experts: {', '.join(others)}; --baselines and --ours name who is")
    if absent := [label for label in baselines if label not in lineup.labels]:
        say(notes, f"no agents of {', '.join(absent)}: holes in all tables, unless --baselines names the others only")
    jobs = [
        Job(kitchen, layout_of(lineup, kitchen), experts.wanted_pairs(lineup, kitchen, baselines, ours))
        for kitchen in lineup.kitchens
    ]
    games = play(jobs, setting, notes)
    results = [experts.with_experts(lineup, one.kitchen, baselines, ours, one.found) for one in games]
    chances = expert_chances(results, baselines, ours)
    found = expert_findings(lineup, results, baselines, chances)
    tables = found.figures["tables"]
    console.print(scores.experts_table(tables["a"], baselines, "(a) the best seed of each; ± over games"))
    console.print(scores.experts_table(tables["b"], baselines, "(b) decides: all seeds with all; ± over seeds"))
    if chances:
        lacks = lacks_of_pairs(lineup, lineup.kitchens, chances, baselines)
        console.print(scores.improvement_table(chances, lacks, lineup.kitchens))
    return found, games


def warn_of_best(lineup: Lineup, result: proxy.WithProxy, notes: Console) -> None:
    """Says if the divisor of BR-Prox was still learning."""
    if result.best and (seeds := proxy.still_learning(lineup.teams[result.kitchen, result.best])):
        many = ", ".join(map(str, seeds))
        say(notes, f"{result.best} in {result.kitchen} had not reached its plateau with seed {many}: train it longer")


def improvements(by_label: dict[str, np.ndarray], ours: Sequence[str]) -> dict[tuple[str, str], list[Improvement]]:
    """(one, other) -> how likely one is better, from scores [R, K]: in each kitchen, and over all."""
    pairs = [(one, other) for one in ours for other in by_label if other != one]
    chance = stats.probability_of_improvement
    return {
        (one, other): [
            *(chance(x[:, None], y[:, None]) for x, y in zip(by_label[one].T, by_label[other].T, strict=True)),
            chance(by_label[one], by_label[other]),
        ]
        for one, other in pairs
    }


def proxy_chances(results: Sequence[proxy.WithProxy], labels: Sequence[str], ours: Sequence[str]) -> Chances:
    """Each of ours against all others, with the proxy."""
    by_label = {label: proxy.scores(results, label) for label in labels} if results else {}
    return improvements(by_label, ours if by_label else ())


def expert_chances(results: Sequence[experts.Experts], baselines: Sequence[str], ours: Sequence[str]) -> Chances:
    """Each of ours against the baselines, with experts."""
    chances: Chances = {}
    for one in ours:
        group = [*baselines, one]
        chances |= improvements({label: experts.scores(results, label, group) for label in group}, [one])
    return chances


def lacks_of_pairs(
    lineup: Lineup, kitchens: Sequence[str], pairs: Iterable[tuple[str, str]], baselines: Sequence[str] = ()
) -> dict[tuple[str, str], list[Lacks]]:
    """Of each pair what those lack whom its scores depend on (with experts these): in each kitchen, and over all."""
    places = [*([kitchen] for kitchen in kitchens), kitchens]
    who = {pair: (*baselines, pair[0]) if baselines else pair for pair in pairs}
    return {pair: [all_lacking(lineup, group, place) for place in places] for pair, group in who.items()}


# What is saved


def proxy_findings(
    lineup: Lineup, results: Sequence[proxy.WithProxy], chances: Chances, whole: proxy.Overall | None
) -> Findings:
    """Of Protocol 1; `whole` is what methods earn over all kitchens."""
    kitchens = [one.kitchen for one in results]
    found: dict[str, Any] = {"with_proxy": results, "rows": [proxy.rows(one) for one in results]}
    found["improvement"] = told(chances, lacks_of_pairs(lineup, kitchens, chances), kitchens)
    if whole:
        divisor = {"what": whole.divided.words, "numbers": whole.divided.by, "lacks": whole.less}
        found["overall"] = {x: one._asdict() | {"lacks": whole.lacks[x]} for x, one in whole.earned.items()}
        found |= {"divided_by": divisor, "different_recipes": differing(lineup, lineup.labels, kitchens)}
    return Findings("proxy", found, proxy_lines(results))


def expert_findings(
    lineup: Lineup, results: Sequence[experts.Experts], baselines: Sequence[str], chances: Chances
) -> Findings:
    """Of Protocol 2."""
    tables = {
        "a": [row for result in results for row in experts.table_a(result, baselines)],
        "b": [row for result in results for row in experts.table_b(result, baselines)],
    }
    lacks = lacks_of_pairs(lineup, lineup.kitchens, chances, baselines)
    found = {"baselines": baselines, "experts": results, "tables": tables}
    return Findings("experts", found | {"improvement": told(chances, lacks, lineup.kitchens)}, expert_lines(tables))


def told(chances: Chances, lacks: dict[tuple[str, str], list[Lacks]], kitchens: Sequence[str]) -> list[dict[str, Any]]:
    """How likely one is better than the other, and what that lacks."""
    each = []
    for (one, other), found in chances.items():
        facts = [x._asdict() | {"lacks": less} for x, less in zip(found, lacks[one, other], strict=True)]
        by_kitchen = dict(zip(kitchens, facts[:-1], strict=True))
        each.append({"one": one, "other": other, "by_kitchen": by_kitchen, "over_all": facts[-1]})
    return each


def proxy_lines(results: Sequence[proxy.WithProxy]) -> list[dict[str, Any]]:
    """Of proxy.csv."""
    rows = [(result.kitchen, row) for result in results for row in proxy.rows(result)]
    names = {"seat 0": "seat0", "seat 1": "seat1", "both": "both", "with itself": "itself"}
    return [
        {"kitchen": kitchen, "method": row.label, "what": name} | mean_fields(getattr(row, field))
        for kitchen, row in rows
        for name, field in names.items()
    ]


def expert_lines(tables: dict[str, list[experts.ExpertRow]]) -> list[dict[str, Any]]:
    """Of experts.csv."""
    return [
        {"reading": reading, "kitchen": row.kitchen, "ours": row.ours or "", "method": label} | mean_fields(mean)
        for reading, rows in tables.items()
        for row in rows
        for label, mean in row.cells.items()
    ]


def mean_fields(mean: Mean) -> dict[str, Any]:
    return {"mean": mean.mean, "standard_error": mean.error, "lacks": "; ".join(mean.lacks)}
