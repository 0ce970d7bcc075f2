"""A zoo: the agents of runs in small files, what they earned on their cards, and of each team one that is published.

The rule: of a method's seeds in a kitchen, the one that earns most with the others of its own method (`best` of
`evaluate.experts`); where nobody evaluated that, the one that earned most with itself. Neither the human proxy nor
agents of other methods, by which methods are judged, choose anybody.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cole import runfolder
from cole.errors import UserError
from cole.evaluate.entries import entry_of, is_agent, places_in, settings_of
from cole.evaluate.lineup import Lineup, Team
from cole.policy import store
from cole.policy.store import Agent
from cole.report import evaluation

ON_CARDS = {"proxy": "with_proxy", "experts": "with_experts"}  # protocol -> name on a card


class Evaluated(NamedTuple):
    """What is known of agents."""

    earned: dict[str, dict[str, Any]]  # identity -> what it earned, by name on a card
    best: frozenset[str]  # identities of those who earn most with the others of their method


NOTHING = Evaluated({}, frozenset())


class Packed(NamedTuple):
    """An agent for the zoo."""

    place: Path  # in it
    agent: Agent
    published: bool


def packed(lineup: Lineup, known: Evaluated = NOTHING, labels: Sequence[str] = ()) -> list[Packed]:
    """The agents of these methods, or of all, with what they earned on their cards."""
    if unknown := [label for label in labels if label not in lineup.labels]:
        raise UserError(f"there are no agents of {unknown[0]}: there are those of {', '.join(lineup.labels)}")
    wanted = [team for team in lineup.teams.values() if team.label in (labels or lineup.labels)]
    return [one for team in wanted for one in _pack_team(team, known)]


def check_place(folder: Path, wanted: Sequence[Packed]) -> None:
    """Refuses to put agents in the place of such as were trained otherwise, since a zoo goes by their labels."""
    for one in wanted:
        there = folder / one.place
        if is_agent(there) and entry_of(there).settings != settings_of(one.agent.card):
            raise UserError(f"{there} was trained otherwise, and would be lost: pack them together, or elsewhere")


def _pack_team(team: Team, known: Evaluated) -> list[Packed]:
    folder, best = Path(team.kitchen) / folder_name(team.label), published_seed(team, known)
    found = []
    for seed, player in team.players.items():
        assert player.agent
        facts = known.earned.get(player.identity, {}) | {"published": seed == best}
        card = player.agent.card._replace(training=player.agent.card.training | facts)
        found.append(Packed(folder / f"seed-{seed}", player.agent._replace(card=card), seed == best))
    return found


def folder_name(label: str) -> str:
    """`COLE 1:3` as cole-1to3, `SP, random starts` as sp-random-starts: what the zoo calls a method."""
    return re.sub(r"[^a-z0-9_]+", "-", label.lower().replace(":", "to")).strip("-")


def published_seed(team: Team, known: Evaluated = NOTHING) -> int | None:
    """The seed that stands for a team, by the rule above; the lowest of several; None if it has no agents."""

    def with_itself(seed: int) -> float:
        agent = team.players[seed].agent
        return float(agent.card.training.get("return", -np.inf)) if agent else -np.inf

    best = [seed for seed, player in sorted(team.players.items()) if player.identity in known.best]
    return best[0] if best else max(sorted(team.players), key=with_itself, default=None)


def evaluated_in(folder: Path) -> Evaluated:
    """What the files say that `cole evaluate` leaves: those that are there."""
    found = {ON_CARDS[protocol]: facts for protocol, facts in evaluation.load_both(folder).items()}
    earned: dict[str, dict[str, Any]] = {}
    for name, facts in found.items():
        for identity, number in _means(facts, name).items():
            earned.setdefault(identity, {})[name] = number
    return Evaluated(earned, frozenset(identity for facts in found.values() for identity in _best(facts)))


def _best(facts: dict[str, Any]) -> Iterator[str]:
    """Whom the experts' figures name as the best of each method: by identity, since labels depend on who is there."""
    for one in facts["figures"].get("experts", []):
        seeds = dict(zip(one["labels"], one["best"], strict=True))
        for team in (team for team in facts["teams"] if team["kitchen"] == one["kitchen"]):
            if identity := team["players"].get(str(seeds.get(team["label"]))):
                yield identity


def _means(facts: dict[str, Any], name: str) -> dict[str, Any]:
    """Identity -> mean return with the others, each of their methods counting once; with proxies, in either seat.

    Experts are the agents of the baselines alone, so that what a card says does not depend on who else was evaluated.
    """
    experts = facts["figures"].get("baselines") if name == "with_experts" else None
    team_of = {identity: team["label"] for team in facts["teams"] for identity in dict(team["players"]).values()}
    by_seat: dict[str, tuple[dict[str, list[float]], dict[str, list[float]]]] = {i: ({}, {}) for i in team_of}
    for game in facts["games"]:
        mean = float(np.mean(game["returns"]))
        for seat, (mine, other) in enumerate((game["identities"], game["identities"][::-1])):
            theirs = team_of.get(other)
            if mine in team_of and mine != other and theirs != team_of[mine] and (not experts or theirs in experts):
                by_seat[mine][seat].setdefault(theirs or "proxy", []).append(mean)
    seats = {
        mine: [float(np.mean([np.mean(x) for x in seat.values()])) for seat in both if seat]
        for mine, both in by_seat.items()
    }
    full = {mine: numbers for mine, numbers in seats.items() if len(numbers) == 2}
    if name == "with_proxy":
        return {mine: [round(number, 1) for number in numbers] for mine, numbers in full.items()}
    return {mine: round(sum(numbers) / 2, 1) for mine, numbers in full.items()}


class Group(NamedTuple):
    """Agents of one kitchen and one method, as a list shows them."""

    kitchen: str
    name: str  # of their folder
    cards: list[store.Card]


def groups_in(folder: Path) -> list[Group]:
    """The agents in a folder, those of one folder together."""
    entries = [(place, entry_of(place)) for place in places_in(folder) if is_agent(place)]
    found: dict[tuple[str, str], list[store.Card]] = {}
    for place, entry in entries:
        assert entry.player and entry.player.agent
        kitchen, inside = entry.kitchen, place.parent.relative_to(folder).parts
        name = "/".join(part for part in inside if part not in (kitchen, runfolder.AGENTS)) or place.name
        found.setdefault((kitchen, name), []).append(entry.player.agent.card)
    return [Group(kitchen, name, cards) for (kitchen, name), cards in found.items()]
