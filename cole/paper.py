"""The numbers of the papers, by kitchen: what a recipe is made of."""

from typing import NamedTuple


class SelfPlay(NamedTuple):
    """Self-play as published with the 2019 game, the SP of the paper's comparison."""

    steps: float  # environment steps in all
    rate: float  # of Adam
    shaped_until: float  # environment steps after which shaping has faded
    value: float  # weight of the value loss


SELF_PLAY = {
    "cramped_room": SelfPlay(6e6, 1e-3, 2.5e6, 1.0),
    "asymmetric_advantages": SelfPlay(7e6, 1e-3, 2.5e6, 0.5),
    "coordination_ring": SelfPlay(10e6, 6e-4, 3.5e6, 0.5),
    "forced_coordination": SelfPlay(7.5e6, 8e-4, 2.5e6, 0.5),
    "counter_circuit": SelfPlay(8e6, 8e-4, 2.5e6, 0.5),
}
# A kitchen of a user's own is trained as the hardest of these.
OTHER_KITCHEN = SELF_PLAY["counter_circuit"]
