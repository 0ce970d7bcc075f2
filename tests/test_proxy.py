"""Agents with the human proxy: every pair in both seats, and the mean by seat."""

import numpy as np
import toy_agents as toy

from cole.evaluate.pairs import Setting
from cole.evaluate.players import cook
from cole.evaluate.proxy import WithProxy, by_seat, with_proxy


def test_every_agent_meets_every_proxy_in_both_seats():
    agents, proxies = [cook("greedy_cook")], [cook("stay"), cook("random")]
    found = with_proxy(agents, proxies, toy.KITCHEN, Setting(episodes=2, steps=60))
    assert found.returns.shape == (1, 2, 2, 2)
    again = with_proxy(agents, proxies[:1], toy.KITCHEN, Setting(episodes=2, steps=60))
    np.testing.assert_array_equal(found.returns[:, :1], again.returns)


def test_the_mean_is_over_proxies_and_games_and_its_error_over_agents():
    returns = np.zeros((2, 2, 2, 1))
    returns[0, :, 0, 0] = [10, 30]  # the first agent in seat 0: 20 on average
    returns[1, :, 0, 0] = [40, 40]
    returns[:, :, 1, 0] = 5
    mean, error = by_seat(WithProxy([], [], returns))
    np.testing.assert_allclose(mean, [30, 5])
    np.testing.assert_allclose(error, [10, 0])  # 20 and 40: deviation 14.1, divided by the root of 2
    assert np.isnan(by_seat(WithProxy([], [], returns[:1]))[1]).all()
