"""Numbers that others printed, to stand beside ours; games of 400 steps.

Table 1: Li, Zhang, Sun, Du, Wen, Wang and Pan, "Cooperative Open-ended Learning Framework for Zero-shot Coordination",
ICML 2023. What agents earn with the human proxy: Carroll et al., "On the Utility of Learning about Humans for Human-AI
Coordination", NeurIPS 2019; "gold" is PPO trained with the proxy itself. Figures 4 and 5 are printed without numbers.
"""

from typing import NamedTuple

from cole.evaluate.labels import COLE, plain_method
from cole.kitchen.layouts import KITCHENS

PAPER = "Li et al., ICML 2023"
CARROLL = "Carroll et al., NeurIPS 2019"
RATIOS = ("COLE 0:4", "COLE 1:3", "COLE 2:2", "COLE 3:1")  # of Figure 4
IN_FIGURE_5 = ("SP", "PBT", "FCP", "MEP", "COLE 0:4", "COLE 1:3")

SHORT: dict[str, str] = dict(
    zip(KITCHENS, ("Cramped Rm.", "Asymm. Adv.", "Coord. Ring", "Forced Coord.", "Counter Circ."), strict=True)
)

COLUMNS = ("SP", "PBT", "FCP", "MEP", "COLE")
TABLE_1: dict[tuple[str, str], tuple[float, ...]] = {  # (kitchen, ratio) -> COLUMNS
    ("cramped_room", "0:4"): (153.00, 198.50, 199.83, 178.83, 169.76),
    ("cramped_room", "1:3"): (165.67, 209.83, 207.17, 196.83, 212.80),
    ("asymmetric_advantages", "0:4"): (108.17, 164.83, 175.50, 179.83, 182.80),
    ("asymmetric_advantages", "1:3"): (108.17, 161.50, 172.17, 179.83, 178.80),
    ("coordination_ring", "0:4"): (132.00, 106.83, 142.67, 130.67, 118.08),
    ("coordination_ring", "1:3"): (133.33, 158.83, 144.00, 124.67, 166.32),
    ("forced_coordination", "0:4"): (58.33, 61.33, 50.50, 79.33, 46.40),
    ("forced_coordination", "1:3"): (61.50, 70.33, 62.33, 38.00, 86.40),
    ("counter_circuit", "0:4"): (44.17, 48.33, 60.33, 21.33, 90.72),
    ("counter_circuit", "1:3"): (65.67, 64.00, 46.50, 76.67, 105.84),
}


class WithHProxy(NamedTuple):
    """What a method earned with the human proxy in one kitchen."""

    seat0: float  # the agent sits there
    seat1: float
    itself: float | None  # with a copy of itself


def _by_kitchen(*numbers: tuple[float, float, float | None]) -> dict[str, WithHProxy]:
    return {kitchen: WithHProxy(*each) for kitchen, each in zip(KITCHENS, numbers, strict=True)}


WITH_H_PROXY: dict[str, dict[str, WithHProxy]] = {  # label -> kitchen
    "SP": _by_kitchen((97, 111, 198.8), (38, 103, 167.2), (67, 73, 190.8), (23, 38, 151.9), (31, 32, 122.3)),
    "PBT": _by_kitchen((84, 114, 216.9), (57, 93, 190.1), (71, 80, 173.8), (14, 28, 169.5), (40, 33, 140.1)),
    "PPO_BC": _by_kitchen((156, 164, None), (73, 179, None), (126, 130, None), (59, 77, None), (70, 58, None)),
    "best response": _by_kitchen((164, 170, None), (127, 185, None), (147, 142, None), (91, 80, None), (84, 82, None)),
}
H_PROXY_ITSELF = dict(zip(KITCHENS, (115, 140.5, 67, 30, 47.5), strict=True))
PEOPLE = dict(zip(KITCHENS, (97.5, 158.3, 84.6, 94.0, 66.7), strict=True))  # two people with each other


def table_1(kitchen: str, ours: str | None, label: str) -> float | None:
    """What Table 1 says of a method in the row of this one; None of a variant, or if it says nothing of it."""
    row = TABLE_1.get((kitchen, (plain_method(ours or "") or "").removeprefix(f"{COLE} ")))
    name = COLE if label == ours else plain_method(label)
    return row[COLUMNS.index(name)] if row and name in COLUMNS else None


def with_h_proxy(kitchen: str, label: str) -> WithHProxy | None:
    """What was published of a method with the human proxy; nothing of a variant."""
    return WITH_H_PROXY.get(plain_method(label) or "", {}).get(kitchen)
