"""How a learner learns from its samples."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cole import learning
from cole.learning import Batch
from cole.ppo import Samples


@pytest.mark.parametrize("minibatches", [3, 4])
def test_every_epoch_has_every_sample_once_in_an_order_of_its_own(minibatches):
    """Of 3 x 33 samples none is left out; of 4 x 24 three are, others in each epoch."""
    numbers, each = jnp.arange(99), jnp.ones(99)
    samples = Samples(numbers, numbers, each, each, each, each, each)
    orders = []
    for seed in range(2):
        parts = learning.shuffled(jax.random.key(seed), samples, Batch(minibatches=minibatches, epochs=2))
        assert parts.seen.shape == (2 * minibatches, 99 // minibatches)
        np.testing.assert_array_equal(parts.seen, parts.action)  # what belongs together stays so
        orders += np.asarray(parts.seen).reshape(2, -1).tolist()
    for order in orders:
        assert len(set(order)) == len(order) == 99 // minibatches * minibatches
    assert len({tuple(order) for order in orders}) == 4
