"""What programs have in common."""

import jax
import jax.numpy as jnp
import pytest

from cole.program import of_each


@pytest.mark.parametrize("count", [1, 3])
def test_of_each_is_vmap_also_of_a_single_one(count):
    def f(tree, number, other):
        return {"sum": jnp.sum(tree["a"]) * number, "other": None if other is None else other + number}

    tree, number = {"a": jnp.arange(2.0 * count).reshape(count, 2)}, jnp.float32(3)
    for other, axes in ((None, (0, None, None)), (jnp.arange(count), (0, None, 0))):
        expected, found = (of(f, axes)(tree, number, other) for of in (jax.vmap, of_each))
        assert jax.tree.map(lambda x: x.tolist(), found) == jax.tree.map(lambda x: x.tolist(), expected)
