"""The paper's network: three convolutions of 25 filters, three dense layers of 64, six logits and a value.

Parameters are a dict of arrays: `conv1`, `conv2`, `conv3`, `dense1`, `dense2`, `dense3`, `logits`, `value`, each
{"w", "b"}. A kitchen has a few dozen cells, so each convolution runs as one matrix product over the flattened grid, its
kernel spread over a matrix. Every layer is then a single matrix, bias included: a row of numbers ends in a 1, and
(x, 1) [[w, 0], [b, 1]] = (x w + b, 1). Zeros fill up to the sizes that matrix units like.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from cole.kitchen import views
from cole.kitchen.layouts import ACTIONS, Layout

Params = dict[str, dict[str, Array]]
Shape = tuple[int, int, int]  # W, H, channels
Layers = list[Array]  # a matrix each; the last gives six logits and the value

FILTERS, HIDDEN = 25, 64
SLOPE = 0.2  # of the leaky ReLU
ALIGNED = 16  # both sizes of every matrix are multiples of it
# Name, kernel size, padded to the same size?
CONVOLUTIONS = (("conv1", 5, True), ("conv2", 3, True), ("conv3", 3, False))
DENSE = ("dense1", "dense2", "dense3")


def shape_of(layout: Layout, view: str) -> Shape:
    """What a network sees of a kitchen."""
    height, width = layout.terrain.shape
    return width, height, views.CODED[view].table.shape[1]


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


def as_matrices(shape: Shape, varying: np.ndarray, constant: np.ndarray) -> Callable[[Params], Layers]:
    """What turns parameters into matrices, for the inputs of a flattened view [W*H*channels] numbered in `varying`.

    All other inputs always have their value in `constant`, and become part of the first bias.
    """
    tables, rows, channels = {}, {}, shape[2]
    for name, size, same in CONVOLUTIONS:
        tables[name] = _connections(shape[0], shape[1], channels, size, same)
        rows[name], channels = size * size * channels, FILTERS
    always = _weights_of(constant, tables["conv1"], rows["conv1"])
    tables["conv1"] = tables["conv1"][varying]
    spread = {name: _spreader(table, rows[name]) for name, table in tables.items()}

    def matrices(params: Params) -> Layers:
        layers = []
        for name, table in tables.items():
            kernel = params[name]["w"].reshape(-1, FILTERS)
            bias = jnp.broadcast_to(params[name]["b"], (table.shape[1], FILTERS))
            if name == "conv1":
                bias = bias + jnp.matmul(always, kernel, precision=jax.lax.Precision.HIGHEST)
            layers.append(_with_bias(spread[name](kernel), bias.ravel()))
        layers += [_with_bias(params[name]["w"], params[name]["b"]) for name in DENSE]
        heads = [params["logits"], params["value"]]
        return [*layers, _with_bias(*(jnp.concatenate([head[part] for head in heads], -1) for part in ("w", "b")))]

    return matrices


def forward(layers: Layers, x: Array) -> tuple[Array, Array]:
    """Logits [..., A] and value [...] of inputs x [..., n] that end in a 1 and zeros, as `padded` makes them.

    All layers but the last compute in the type of their matrices, which may be bfloat16.
    """
    for matrix in layers[:-1]:
        x = jax.nn.leaky_relu(jnp.matmul(x, matrix), SLOPE)
    out = jnp.matmul(x.astype(jnp.float32), layers[-1])
    return out[..., :ACTIONS], out[..., ACTIONS]


def apply(params: Params, seen: Array) -> tuple[Array, Array]:
    """Logits [..., A] and value [...] of views [..., W, H, channels]."""
    shape = (seen.shape[-3], seen.shape[-2], seen.shape[-1])
    inputs = int(np.prod(shape))
    x = seen.reshape(*seen.shape[:-3], inputs).astype(jnp.float32)
    x = jnp.concatenate([x, jnp.ones((*x.shape[:-1], 1)), jnp.zeros((*x.shape[:-1], filling(inputs)))], -1)
    return forward(as_matrices(shape, np.arange(inputs), np.zeros(inputs))(params), x)


def filling(numbers: int) -> int:
    """How many zeros follow so many numbers and a 1."""
    return -(numbers + 1) % ALIGNED


def _with_bias(w: Array, b: Array) -> Array:
    """[[w, 0], [b, 1]], filled up with zeros."""
    inputs, outputs = w.shape
    one = np.eye(inputs + 1, 1, -inputs, dtype=np.float32)  # a column of zeros that ends in a 1
    whole = jnp.concatenate([jnp.concatenate([w, b[None]]), one], axis=1)
    return jnp.pad(whole, ((0, filling(inputs)), (0, filling(outputs))))


def _connections(width: int, height: int, channels: int, size: int, same: bool) -> np.ndarray:
    """[W*H*channels, W'*H']: which row of the kernel [size*size*channels, filters] takes an input to a cell.

    Where none does, it is the number after the last row.
    """
    margin = 0 if same else size // 2
    places = [(x, y) for x in range(width) for y in range(height)]
    inner = [(x, y) for x, y in places if margin <= x < width - margin and margin <= y < height - margin]
    table = np.full((len(places), channels, len(inner)), size * size * channels)
    for o, (x, y) in enumerate(inner):
        for k in range(size * size):
            cell = (x + k // size - size // 2, y + k % size - size // 2)
            if cell in places:
                table[places.index(cell), :, o] = k * channels + np.arange(channels)
    return table.reshape(-1, len(inner))


def _weights_of(constant: np.ndarray, table: np.ndarray, rows: int) -> np.ndarray:
    """[W'*H', rows]: what constant inputs add to each output cell, as weights of the kernel's rows."""
    weights = np.zeros((table.shape[1], rows + 1), np.float32)
    np.add.at(weights, (np.arange(table.shape[1])[None, :], table), constant[:, None])
    return weights[:, :-1]


def _spreader(table: np.ndarray, rows: int) -> Callable[[Array], Array]:
    """What fills a matrix [n, cells*filters] with rows of a kernel [rows, filters], as `table` [n, cells] says.

    Its gradient is written out: each row of the kernel gathers from where it went, which is faster than scattering.
    """
    places = _places(table, rows)

    @jax.custom_vjp
    def spread(kernel: Array) -> Array:
        return jnp.asarray(kernel).at[table].get(mode="fill", fill_value=0).reshape(len(table), -1)

    def gather(_, change: Array) -> tuple[Array]:
        change = change.reshape(table.size, -1)
        return (jnp.sum(change.at[places].get(mode="fill", fill_value=0), axis=1),)

    spread.defvjp(lambda kernel: (spread(kernel), None), gather)
    return spread


def _places(table: np.ndarray, rows: int) -> np.ndarray:
    """[rows, most]: where each row stands in the flattened table; the number after the last place fills up."""
    found = [np.flatnonzero(table == row) for row in range(rows)]
    places = np.full((rows, max(map(len, found))), table.size)
    for row, where in enumerate(found):
        places[row, : len(where)] = where
    return places
