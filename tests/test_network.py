"""The network against the library's own convolution."""

from functools import partial
from typing import get_args

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cole.policy import network


def reference(params: network.Params, seen: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The same network with lax.conv; seen [n, W, H, channels]."""
    x = seen.astype(jnp.float32)
    for name, _, same in network.CONVOLUTIONS:
        order = ("NHWC", "HWIO", "NHWC")
        padding = "SAME" if same else "VALID"
        x = jax.lax.conv_general_dilated(x, params[name]["w"], (1, 1), padding, dimension_numbers=order)
        x = jax.nn.leaky_relu(x + params[name]["b"][None, None, None], 0.2)
    x = x.reshape(x.shape[0], -1)
    for name in network.DENSE:
        x = jax.nn.leaky_relu(x @ params[name]["w"] + params[name]["b"][None], 0.2)
    heads = [x @ params[name]["w"] + params[name]["b"][None] for name in ("logits", "value")]
    return heads[0], heads[1][:, 0]


def noisy(key: jax.Array, shape: network.Shape) -> network.Params:
    """Parameters with biases and a policy head that matter."""

    @jax.jit
    def make(key):
        leaves, tree = jax.tree.flatten(network.init(key, shape))
        keys = jax.random.split(key, len(leaves))
        return tree.unflatten([x + 0.1 * jax.random.normal(k, x.shape) for x, k in zip(leaves, keys, strict=True)])

    return make(key)


@pytest.mark.parametrize("way", get_args(network.Way))
@pytest.mark.parametrize("shape", [(5, 4, 20), (9, 5, 20), (3, 3, 26)])
def test_dense_products_equal_the_convolutions_and_their_gradients(shape, way):
    apply = partial(network.apply, way=way)
    params = noisy(jax.random.key(0), shape)
    seen = jax.random.randint(jax.random.key(1), (7, *shape), 0, 4)

    def loss(net, params):
        logits, value = net(params, seen)
        return jnp.sum(jnp.sin(logits)) + jnp.sum(jnp.cos(value))

    for ours, theirs in zip(*(jax.jit(net)(params, seen) for net in (apply, reference)), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)
    ours, theirs = (jax.jit(jax.grad(loss, argnums=1), static_argnums=0)(net, params) for net in (apply, reference))
    for name in params:
        for part in ("w", "b"):
            scale = float(jnp.max(jnp.abs(theirs[name][part])))
            np.testing.assert_allclose(ours[name][part], theirs[name][part], atol=2e-4 * scale)


def test_the_layers_are_those_of_the_paper():
    params = jax.eval_shape(lambda key: network.init(key, (5, 4, 20)), jax.random.key(0))
    shapes = {name: part["w"].shape for name, part in params.items()}
    assert shapes == {
        "conv1": (5, 5, 20, 25),
        "conv2": (3, 3, 25, 25),
        "conv3": (3, 3, 25, 25),
        "dense1": (3 * 2 * 25, 64),
        "dense2": (64, 64),
        "dense3": (64, 64),
        "logits": (64, 6),
        "value": (64, 1),
    }


def test_a_fresh_policy_is_close_to_uniform():
    shape = (5, 4, 20)
    params = jax.jit(lambda key: network.init(key, shape))(jax.random.key(0))
    logits, _ = network.apply(params, jnp.ones((1, *shape)))
    assert float(jnp.max(jnp.abs(logits))) < 0.1


@pytest.mark.slow
def test_many_networks_at_once_equal_one_after_the_other():
    shape = (5, 4, 20)
    params = [noisy(key, shape) for key in jax.random.split(jax.random.key(2), 3)]
    seen = jax.random.randint(jax.random.key(3), (3, 6, *shape), 0, 4)
    together = jax.vmap(network.apply)(jax.tree.map(lambda *leaves: jnp.stack(leaves), *params), seen)
    for i, one in enumerate(params):
        for ours, alone in zip(together, network.apply(one, seen[i]), strict=True):
            np.testing.assert_allclose(ours[i], alone, rtol=1e-5, atol=1e-5)


def test_a_matrix_in_two_parts_is_far_closer_than_a_rounded_one():
    matrix = jax.random.normal(jax.random.key(0), (80, 16))
    x = jax.random.normal(jax.random.key(1), (5, 80)).astype(jnp.bfloat16)
    exact = np.asarray(x, np.float64) @ np.asarray(matrix, np.float64)

    @jax.jit
    def errors(x, matrix):
        twice, parts = jnp.concatenate([x, x], 1), network.in_two(matrix)
        two = jnp.matmul(twice, parts, preferred_element_type=jnp.float32)
        return two, jnp.matmul(x, matrix.astype(jnp.bfloat16), preferred_element_type=jnp.float32)

    two, one = (np.abs(np.asarray(out) - exact).max() for out in errors(x, matrix))
    assert two < 1e-3 < 1e-2 < one
