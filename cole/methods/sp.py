"""Self-play: one learner meets itself until it plays well with itself, and often with nobody else.

Pseudo-code: repeat: play both seats of many games with the current policy; improve it by PPO.
Our choices: the learner takes the seats in turn and learns from its own seat, as in 2019, or from both; games may begin
in random mid-game states, which is a cheap way to see more of the kitchen.
"""

from cole import solo
from cole.kitchen.layouts import Layout
from cole.program import Program
from cole.solo import Setting


def program(layout: Layout, setting: Setting) -> Program:
    """Self-play in one kitchen: one learner without guests."""
    return solo.program(layout, setting)
