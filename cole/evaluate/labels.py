"""What methods are called in tables: by name, COLE with its ratio, and a variant of a method as one of its own."""

import re
from collections.abc import Iterable
from typing import Any

from cole.policy.card import Card

COLE = "COLE"
BASELINES = ("SP", "PBT", "FCP", "MEP")  # of the paper, in its order
RATIO = "ratio"  # what the paper's Table 1 calls its rows
OURS = (COLE,)  # who is held against the baselines
RANDOM_STARTS = "SP, random starts"  # self-play from random states: no baseline of the paper
RECIPES = ("default", "paper", "authors")
CALLED = {"trajedi": "TrajeDi", "ppo_bc": "PPO_BC", "best_response": "best response", "h_proxy": "H_proxy"}
CALLED |= {method: method.upper() for method in ("sp", "pbt", "fcp", "mep", "hsp", "e3t", "op", "bc")}


def label_of(card: Card) -> str:
    """What the method of an agent is called."""
    return label_for(card.method, card.training)


def label_for(method: str, training: dict[str, Any]) -> str:
    """What a method with these settings is called; COLE with its ratio, groups with itself : with the population."""
    if method == "sp":
        return RANDOM_STARTS if _starts_at_random(training) else CALLED[method]
    if method != "cole":
        return CALLED.get(method, method)
    try:
        own = training["mixture"]["own"]
        return f"{COLE} {own}:{training['batch']['groups'] - own}"
    except (KeyError, TypeError):
        return COLE


def _starts_at_random(training: dict[str, Any]) -> bool:
    try:
        return training["batch"]["random_starts"] > 0
    except (KeyError, TypeError):
        return False


def longer(called: str, word: str) -> str:
    """`MEP, paper`: a label with what tells it from others of the method; never that of a variant."""
    label = f"{called}, {word}"
    return f"{called}, run {word}" if called != RANDOM_STARTS and method_of(label) == RANDOM_STARTS else label


def method_of(label: str) -> str:
    """The label without what tells it from others of the method: `SP` of `SP, paper`."""
    if label == RANDOM_STARTS or label.startswith(f"{RANDOM_STARTS}, "):
        return RANDOM_STARTS
    return label.split(", ")[0]


def is_called(label: str, method: str) -> bool:
    """Whether a label is this one, with or without what tells it from others of the method."""
    return method in (label, method_of(label)) or (method == COLE and label.startswith(f"{COLE} "))


def plain_method(label: str) -> str | None:
    """The method of a label that has nothing but a recipe beside it; None of one that was changed otherwise."""
    method = method_of(label)
    return method if label == method or label.removeprefix(f"{method}, ") in RECIPES else None


def headings(ours: Iterable[str | None]) -> tuple[str, str]:
    """What Table 1 calls its rows and its last column: as the paper does, where all of ours are COLE."""
    of_cole = all(label is None or is_called(label, COLE) for label in ours)
    return (RATIO, "COLEs") if of_cole else ("method", "that method")


def row_name(label: str, heading: str) -> str:
    """What stands in Table 1 below that heading."""
    return label.removeprefix(f"{COLE} ") if heading == RATIO else label


def place_of_label(label: str) -> tuple[int, list[int], str]:
    """What labels are sorted by: SP, PBT, FCP, MEP; then others by name; COLE last, by its ratio."""
    known = [at for at, method in enumerate(BASELINES) if is_called(label, method)]
    if is_called(label, COLE):
        return len(BASELINES) + 1, [int(number) for number in re.findall(r"\d+", label)[:2]], label
    return (known[0] if known else len(BASELINES)), [], label.lower()
