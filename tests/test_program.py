"""What programs have in common."""

import jax
import jax.numpy as jnp
import pytest

from cole import program
from cole.program import of_each


@pytest.mark.parametrize("one_by_one", [True, False])
@pytest.mark.parametrize("count", [1, 3])
def test_of_each_is_vmap_whether_side_by_side_or_not(monkeypatch, count, one_by_one):
    monkeypatch.setitem(program.ONE_BY_ONE, "cpu", one_by_one)

    def f(tree, number, other, key):
        drawn = jax.random.uniform(key)
        return {"sum": jnp.sum(tree["a"]) * number, "drawn": drawn, "other": None if other is None else other + number}

    tree, number = {"a": jnp.arange(2.0 * count).reshape(count, 2)}, jnp.float32(3)
    keys = jax.random.split(jax.random.key(0), count)
    for other, axes in ((None, (0, None, None, 0)), (None, (0, None, 0, 0)), (jnp.arange(count), (0, None, 0, 0))):
        expected, found = (of(f, axes)(tree, number, other, keys) for of in (jax.vmap, of_each))
        assert jax.tree.map(lambda x: x.tolist(), found) == jax.tree.map(lambda x: x.tolist(), expected)
