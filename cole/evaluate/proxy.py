"""Protocol 1 of the paper: agents with the human proxy, in either seat."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cole.evaluate.crossplay import DEFAULT, play_all
from cole.evaluate.pairs import Setting
from cole.evaluate.players import Player
from cole.kitchen.layouts import Layout


class WithProxy(NamedTuple):
    """What A agents earn with H proxies. E games of each pair in each seat."""

    agents: list[Player]
    proxies: list[Player]
    returns: np.ndarray  # [A, H, 2, E]: the agent in seat 0, then in seat 1


def with_proxy(
    agents: Sequence[Player], proxies: Sequence[Player], layout: Layout, setting: Setting = DEFAULT, **how: Any
) -> WithProxy:
    """Every agent with every proxy, in both seats; the options are those of `play_all`."""
    both = [(agent, proxy) for agent in agents for proxy in proxies]
    found, _ = play_all([*both, *((proxy, agent) for agent, proxy in both)], layout, setting, **how)

    def games(agent: Player, proxy: Player) -> list[np.ndarray]:
        return [found[agent.identity, proxy.identity].returns, found[proxy.identity, agent.identity].returns]

    returns = np.array([[games(agent, proxy) for proxy in proxies] for agent in agents])
    return WithProxy(list(agents), list(proxies), returns)


def by_seat(result: WithProxy) -> tuple[np.ndarray, np.ndarray]:
    """[2] mean over agents of what they earn in each seat, and its standard error over agents (NaN for one)."""
    each = result.returns.mean(axis=(1, 3), dtype=np.float64)  # [A, 2]
    count = len(each)
    error = each.std(axis=0, ddof=1) / count**0.5 if count > 1 else np.full(2, np.nan)
    return each.mean(axis=0), error
