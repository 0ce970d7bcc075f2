"""The paper's network: three convolutions of 25 filters, three dense layers of 64, six logits and a value.

A kitchen has a few dozen cells, so each convolution runs as one dense matrix product over the flattened grid, its
kernel spread over a matrix; every layer is then alike, and many networks at once are one batched product. Parameters
are a dict of arrays: `conv1`, `conv2`, `conv3`, `dense1`, `dense2`, `dense3`, `logits`, `value`, each {"w", "b"}.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from cole.kitchen.layouts import ACTIONS

Params = dict[str, dict[str, Array]]
Shape = tuple[int, int, int]  # W, H, channels

FILTERS, HIDDEN = 25, 64
SLOPE = 0.2  # of the leaky ReLU
# Name, kernel size, padded to the same size?
CONVOLUTIONS = (("conv1", 5, True), ("conv2", 3, True), ("conv3", 3, False))
DENSE = ("dense1", "dense2", "dense3")


def init(key: Array, shape: Shape) -> Params:
    """Fresh parameters for a view of this shape: uniform Glorot weights, zero biases, a policy close to uniform."""
    keys = iter(jax.random.split(key, 8))
    glorot = jax.nn.initializers.glorot_uniform()
    params, channels = {}, shape[2]
    for name, size, _ in CONVOLUTIONS:
        params[name] = {"w": glorot(next(keys), (size, size, channels, FILTERS)), "b": jnp.zeros(FILTERS)}
        channels = FILTERS
    features = (shape[0] - 2) * (shape[1] - 2) * FILTERS
    for name in DENSE:
        params[name] = {"w": glorot(next(keys), (features, HIDDEN)), "b": jnp.zeros(HIDDEN)}
        features = HIDDEN
    params["logits"] = {"w": 0.01 * glorot(next(keys), (HIDDEN, ACTIONS)), "b": jnp.zeros(ACTIONS)}
    params["value"] = {"w": glorot(next(keys), (HIDDEN, 1)), "b": jnp.zeros(1)}
    return params


Layers = list[dict[str, Array]]


def spread(params: Params, shape: Shape) -> Layers:
    """The network as plain dense layers, the last giving six logits and the value: what `forward` runs."""
    width, height = shape[:2]
    layers = [_as_dense(params[name], width, height, size, same) for name, size, same in CONVOLUTIONS]
    layers += [params[name] for name in DENSE]
    heads = [params["logits"], params["value"]]
    return [*layers, {part: jnp.concatenate([head[part] for head in heads], axis=-1) for part in ("w", "b")}]


def without_constants(layers: Layers, varying: np.ndarray, constant: np.ndarray) -> Layers:
    """The same function of the inputs numbered in `varying` alone: the others, always `constant`, join the bias."""
    first, *rest = layers
    bias = first["b"] + jnp.matmul(jnp.asarray(constant, jnp.float32), first["w"])
    return [{"w": first["w"][varying], "b": bias}, *rest]


def forward(layers: Layers, x: Array, half: bool = False) -> tuple[Array, Array]:
    """Logits [..., A] and value [...] of flattened views x [..., W*H*channels].

    With `half` the factors of products are rounded to bfloat16 and their sums kept in float32, except in the last
    layer: what matrix units are made for.
    """
    for layer in layers[:-1]:
        product = _half_product(x, layer["w"]) if half else jnp.matmul(x, layer["w"])
        x = jax.nn.leaky_relu(product + jnp.broadcast_to(layer["b"], product.shape), SLOPE)
    out = jnp.matmul(x, layers[-1]["w"])
    out = out + jnp.broadcast_to(layers[-1]["b"], out.shape)
    return out[..., :ACTIONS], out[..., ACTIONS]


def apply(params: Params, seen: Array) -> tuple[Array, Array]:
    """Logits [..., A] and value [...] of views [..., W, H, channels]."""
    shape = (seen.shape[-3], seen.shape[-2], seen.shape[-1])
    return forward(spread(params, shape), seen.reshape(*seen.shape[:-3], -1).astype(jnp.float32))


@jax.custom_vjp
def _half_product(x: Array, w: Array) -> Array:
    """x [..., n] times w [n, m], and both products of its gradient, from factors in bfloat16."""
    return jnp.matmul(x.astype(jnp.bfloat16), w.astype(jnp.bfloat16), preferred_element_type=jnp.float32)


def _half_forward(x: Array, w: Array) -> tuple[Array, tuple[Array, Array]]:
    return _half_product(x, w), (x.astype(jnp.bfloat16), w.astype(jnp.bfloat16))


def _half_backward(factors: tuple[Array, Array], change: Array) -> tuple[Array, Array]:
    x, w = factors
    change = change.astype(jnp.bfloat16)
    flat = x.reshape(-1, x.shape[-1]).T, change.reshape(-1, change.shape[-1])
    to_x = jnp.matmul(change, w.T, preferred_element_type=jnp.float32)
    return to_x, jnp.matmul(*flat, preferred_element_type=jnp.float32)


_half_product.defvjp(_half_forward, _half_backward)


def _as_dense(layer: dict[str, Array], width: int, height: int, size: int, same: bool) -> dict[str, Array]:
    """A convolution as a matrix [W*H*cin, W'*H'*cout]: each entry is one of the kernel's, or 0."""
    kernel = layer["w"].reshape(size * size, *layer["w"].shape[2:])
    where = jnp.asarray(_offsets(width, height, size, same))  # [W*H, W'*H', size*size] one-hot
    matrix = jnp.einsum("iok,kcf->icof", where, kernel)
    cells_in, channels, cells_out, filters = matrix.shape
    bias = jnp.tile(layer["b"], cells_out)
    return {"w": matrix.reshape(cells_in * channels, cells_out * filters), "b": bias}


def _offsets(width: int, height: int, size: int, same: bool) -> np.ndarray:
    """[cells in, cells out, size*size]: 1 where the kernel's entry connects the two cells."""
    margin = 0 if same else size // 2
    places = [(x, y) for x in range(width) for y in range(height)]
    inner = [(x, y) for x, y in places if margin <= x < width - margin and margin <= y < height - margin]
    table = np.zeros((len(places), len(inner), size * size), np.float32)
    for o, (x, y) in enumerate(inner):
        for k in range(size * size):
            cell = (x + k // size - size // 2, y + k % size - size // 2)
            if cell in places:
                table[places.index(cell), o, k] = 1.0
    return table
