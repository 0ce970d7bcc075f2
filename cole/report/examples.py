"""Payoff matrices with known answers: the two games of Figure 1, and a made-up population of learner's snapshots."""

import numpy as np

FIGURE1_FAILING = np.array(
    [
        [2.0, 10.0, 9.0, 9.0],
        [10.0, 4.0, 1.0, 3.0],
        [9.0, 1.0, 6.0, 6.0],
        [9.0, 3.0, 6.0, 8.0],
    ],
    np.float32,
)
"""Figure 1 (a), with numbers of ours, since the paper prints none as text.

1 and 2 prefer each other; 3 and 4 earn more than 2 did, with the others (16/3 and 18/3 after 14/3) and with
themselves, yet everybody's best partner stays 1, or 2 for 1 itself: eta(3) = eta(4) = 1 in every generation.
"""

FIGURE1_IDEAL = np.add.outer(np.arange(1.0, 5.0), np.arange(1.0, 5.0)).astype(np.float32)
"""Figure 1 (b): w(i, j) = i + j, so that each newcomer is everybody's best partner and eta of it is 0."""


def incompatible_members(n: int, count: int = 4) -> np.ndarray:
    """Slots of the members of `snapshots` whom nobody can work with, spread over the later three quarters."""
    return np.linspace(0.25 * n, 0.9 * n, count).astype(int) if count else np.zeros(0, int)


def snapshots(seed: int, n: int = 50, incompatible: int = 4) -> np.ndarray:
    """Ordered payoffs [n, n] of a made-up population: one learner's snapshots, `incompatible` of which fail.

    Skill rises as 1 - exp(-4 i / n); conventions drift in a random walk in the plane, and two strategies lose up to
    60 % of their payoff as their conventions part; the seats differ by 10 %; the incompatible members earn 4 % of
    that with anybody else. Entries are means of ten episodes of soups worth 20 (noise of 6, rounded to 2).
    """
    rng = np.random.default_rng(seed)
    skill = 1.0 - np.exp(-4.0 * np.arange(1, n + 1) / n)
    convention = np.cumsum(rng.normal(size=(n, 2)), axis=0) * 1.2 / np.sqrt(n)
    distance = np.linalg.norm(convention[:, None] - convention[None, :], axis=-1)
    w = 200.0 * np.sqrt(np.outer(skill**1.1, skill**0.9)) * (0.4 + 0.6 * np.exp(-(distance**2)))
    w *= 1.0 + 0.05 * np.sign(np.subtract.outer(skill, skill))
    odd = incompatible_members(n, incompatible)
    shunned = np.zeros((n, n), bool)
    shunned[odd, :] = shunned[:, odd] = True
    np.fill_diagonal(shunned, False)
    w = np.where(shunned, 0.04 * w, w) + rng.normal(scale=6.0, size=(n, n)) * (w > 0)
    return np.maximum(2.0 * np.round(w / 2.0), 0.0)
