"""Advantages and the loss, worked by hand."""

import jax
import jax.numpy as jnp
import numpy as np

from cole.ppo import Hyper, Samples, gae, normalised, ppo_loss


def test_advantages_are_the_discounted_sums_of_surprises():
    # d = r + 0.5 v' - v = (1 + 1 - 1, 0 + 1.5 - 2, 4 + 0 - 3) = (1, -0.5, 1); A_t = d_t + 0.5 * 0.5 * A_{t+1}.
    rewards, values = jnp.array([1.0, 0.0, 4.0]), jnp.array([1.0, 2.0, 3.0])
    found = gae(rewards, values, jnp.array(0.0), discount=0.5, trace=0.5)
    np.testing.assert_allclose(found, [1.0 - 0.0625, -0.5 + 0.25, 1.0], rtol=1e-6)
    bootstrapped = gae(rewards, values, jnp.array(2.0), discount=0.5, trace=0.5)
    np.testing.assert_allclose(bootstrapped[-1], 2.0, rtol=1e-6)


def test_advantages_equal_the_recursion_over_a_whole_game():
    rewards, values = jax.random.normal(jax.random.key(0), (2, 400, 3))
    expected, last = np.zeros((400, 3)), np.zeros(3)
    following = np.concatenate([np.asarray(values)[1:], np.zeros((1, 3))])
    for t in reversed(range(400)):
        last = np.asarray(rewards)[t] + 0.99 * following[t] - np.asarray(values)[t] + 0.99 * 0.98 * last
        expected[t] = last
    np.testing.assert_allclose(gae(rewards, values, jnp.zeros(3), 0.99, 0.98), expected, rtol=2e-4, atol=2e-4)


def samples(**changes) -> Samples:
    """Two steps, actions 0 and 1, taken with probability 1/2 each."""
    fields = {
        "seen": jnp.zeros(2),
        "action": jnp.array([0, 1]),
        "log_probability": jnp.log(jnp.array([0.5, 0.5])),
        "value": jnp.array([0.0, 0.0]),
        "advantage": jnp.array([1.0, -1.0]),
        "target": jnp.array([2.0, 0.0]),
        "weight": jnp.ones(2),
    }
    return normalised(Samples(**(fields | changes)))


def test_the_loss_is_that_of_the_paper_by_hand():
    # New probabilities 0.6 and 0.6 of the actions taken: ratio 1.2, clipped to 1.1 only where that is worse.
    log_p = jnp.log(jnp.array([[0.6, 0.4], [0.4, 0.6]]))
    hyper = Hyper(rate=0.0, clip=0.1, value=0.5, entropy=0.25)
    loss, log = ppo_loss(log_p, jnp.array([0.3, 0.05]), samples(), hyper)
    np.testing.assert_allclose(log["policy_loss"], -(1.1 - 1.2) / 2, rtol=1e-5)
    # Values move by at most 0.1: errors max((0.3-2)^2, (0.1-2)^2) and max(0.05^2, 0.05^2).
    np.testing.assert_allclose(log["value_loss"], 0.5 * (3.61 + 0.0025) / 2, rtol=1e-5)
    entropy = -(0.6 * np.log(0.6) + 0.4 * np.log(0.4))
    np.testing.assert_allclose(log["entropy"], entropy, rtol=1e-5)
    np.testing.assert_allclose(loss, 0.05 + 0.5 * 0.903125 - 0.25 * entropy, rtol=1e-5)
    np.testing.assert_allclose(log["clipped"], 1.0)
    unclipped = ppo_loss(log_p, jnp.array([0.3, 0.05]), samples(), hyper, clip_value=False)[1]["value_loss"]
    np.testing.assert_allclose(unclipped, 0.5 * (1.7**2 + 0.05**2) / 2, rtol=1e-5)


def test_a_group_of_weight_0_does_not_count():
    log_p = jnp.log(jnp.array([[0.6, 0.4], [0.4, 0.6]]))
    hyper = Hyper(rate=0.0)
    one = ppo_loss(log_p, jnp.array([0.3, 9.0]), samples(weight=jnp.array([1.0, 0.0])), hyper)[1]
    np.testing.assert_allclose(one["value_loss"], 0.5 * max(1.7**2, 1.95**2), rtol=1e-5)


def test_advantages_are_normalised_within_a_minibatch():
    found = samples(advantage=jnp.array([1.0, 2.0, 9.0]), weight=jnp.array([1.0, 1.0, 0.0]))
    np.testing.assert_allclose(found.advantage[:2], [-1.0, 1.0], rtol=1e-5)
    np.testing.assert_allclose(found.weight, [0.5, 0.5, 0.0])
