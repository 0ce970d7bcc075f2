"""The paper's network: three convolutions of 25 filters, three dense layers of 64, six logits and a value.

Parameters are a dict of arrays: `conv1`, `conv2`, `conv3`, `dense1`, `dense2`, `dense3`, `logits`, `value`, each
{"w", "b"}. A kitchen has a few dozen cells, so a convolution is a matrix product over the flattened grid, its kernel
spread over a matrix. A layer is then a single matrix, bias included: a row of numbers ends in a 1, and
(x, 1) [[w, 0], [b, 1]] = (x w + b, 1). Zeros fill up to the sizes that matrix units like.

Such a `whole` matrix is mostly zeros, which costs an accelerator little where few networks share many samples.
Elsewhere the second and third convolution are divided. By `columns`, three neighbouring columns of the kitchen times
one matrix, the same for all, give one column: the smallest matrices, for networks that see few games each. By `blocks`,
two columns come from the three or four around them, each block by a matrix of its own: fewer zeros than in the whole
matrix, larger products than by columns, and no column is copied.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from cole.kitchen import views
from cole.kitchen.layouts import ACTIONS, Layout

Params = dict[str, dict[str, Array]]
Shape = tuple[int, int, int]  # W, H, channels
Layers = list[
    list[Array]
]  # a matrix each, or, of a convolution in blocks, one a block; the last gives logits and value
Way = Literal["whole", "columns", "blocks"]

FILTERS, HIDDEN = 25, 64
SLOPE = 0.2  # of the leaky ReLU
ALIGNED = 16  # both sizes of every matrix are multiples of it
BLOCK = 2  # columns of a block
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


class Part(NamedTuple):
    """What one product computes of a convolution."""

    around: slice  # the inputs it needs
    table: np.ndarray  # [inputs, cells]: their `_connections` to the cells it computes


class Products(NamedTuple):
    """The network for one kitchen."""

    matrices: Callable[[Params], Layers]
    forward: Callable[[Layers, Array], tuple[Array, Array]]  # inputs [..., n] -> logits [..., A] and value [...]


def products(shape: Shape, varying: np.ndarray, constant: np.ndarray, way: Way) -> Products:
    """What turns parameters into matrices, and computes with these.

    The inputs are those of a flattened view [W*H*channels] numbered in `varying`, then a 1 and zeros (`filling`).
    All other inputs always have their value in `constant`, and become part of the first bias.
    """
    width, height, channels = shape
    table = _connections(width, height, channels, 5, same=True)
    always = _weights_of(constant, table, 5 * 5 * channels)
    first = _spreader(table[varying], 5 * 5 * channels)
    divided = [(name, same, _parts(width, height, same, way)) for name, _, same in CONVOLUTIONS[1:]]
    spread = {name: [_spreader(part.table, 3 * 3 * FILTERS) for part in parts] for name, _, parts in divided}

    def matrices(params: Params) -> Layers:
        kernel = params["conv1"]["w"].reshape(-1, FILTERS)
        bias = jnp.broadcast_to(params["conv1"]["b"], (len(always), FILTERS)) + jnp.matmul(always, kernel)
        layers = [[_with_bias(first(kernel), bias.ravel())]]
        join = _with_bias if way == "whole" else _stacked
        for name, fills in spread.items():
            spread_out = [fill(params[name]["w"].reshape(-1, FILTERS)) for fill in fills]
            layers.append([join(w, jnp.tile(params[name]["b"], w.shape[1] // FILTERS)) for w in spread_out])
        layers += [[_with_bias(params[name]["w"], params[name]["b"])] for name in DENSE]
        heads = [params["logits"], params["value"]]
        return [*layers, [_with_bias(*(jnp.concatenate([head[of] for head in heads], -1) for of in ("w", "b")))]]

    def forward(layers: Layers, x: Array) -> tuple[Array, Array]:
        """All layers compute in the type of their matrices, which may be bfloat16; the last in more (see `in_two`)."""
        [beginning], *hidden, [last] = layers
        x = jax.nn.leaky_relu(jnp.matmul(x, beginning), SLOPE)
        if way != "whole":
            x = x[..., : width * height * FILTERS]  # without the 1 and what fills up
            for _, same, parts in divided:
                mine, *hidden = hidden
                x = _columns(x, mine[0], width, same) if way == "columns" else _blocks(x, mine, parts)
                x = jax.nn.leaky_relu(x, SLOPE)
            x = _with_one(x)
        for [matrix] in hidden:
            x = jax.nn.leaky_relu(jnp.matmul(x, matrix), SLOPE)
        x = jnp.concatenate([x.astype(last.dtype)] * (len(last) // x.shape[-1]), -1)
        out = jnp.matmul(x, last, preferred_element_type=jnp.float32)
        return out[..., :ACTIONS], out[..., ACTIONS]

    return Products(matrices, forward)


def apply(params: Params, seen: Array, way: Way = "whole") -> tuple[Array, Array]:
    """Logits [..., A] and value [...] of views [..., W, H, channels]."""
    shape = (seen.shape[-3], seen.shape[-2], seen.shape[-1])
    inputs = int(np.prod(shape))
    network = products(shape, np.arange(inputs), np.zeros(inputs), way)
    x = seen.reshape(*seen.shape[:-3], inputs).astype(jnp.float32)
    return network.forward(network.matrices(params), _with_one(x))


def in_two(matrix: Array) -> Array:
    """[[rounded], [rest]] in bfloat16: (x, x) times it is x times the matrix, to 16 bits instead of 8."""
    rounded = jax.lax.reduce_precision(matrix, exponent_bits=8, mantissa_bits=7)  # a mere cast XLA would take back
    return jnp.concatenate([rounded, matrix - rounded]).astype(jnp.bfloat16)


def filling(numbers: int) -> int:
    """How many zeros follow so many numbers and a 1."""
    return -(numbers + 1) % ALIGNED


def _with_bias(w: Array, b: Array) -> Array:
    """[[w, 0], [b, 1]], filled up with zeros."""
    inputs, outputs = w.shape
    one = np.eye(inputs + 1, 1, -inputs, dtype=np.float32)  # a column of zeros that ends in a 1
    whole = jnp.concatenate([jnp.concatenate([w, b[None]]), one], axis=1)
    return jnp.pad(whole, ((0, filling(inputs)), (0, filling(outputs))))


def _stacked(w: Array, b: Array) -> Array:
    """[[w], [b]]."""
    return jnp.concatenate([w, b[None]])


def _affine(x: Array, stacked: Array) -> Array:
    """x w + b of [[w], [b]]."""
    out = jnp.matmul(x, stacked[:-1])
    return out + jnp.broadcast_to(stacked[-1], out.shape)


def _with_one(x: Array) -> Array:
    """Rows of numbers [..., n] that now end in a 1 and zeros."""
    ending = np.eye(1, 1 + filling(x.shape[-1]), dtype=np.float32)[0]
    return jnp.concatenate([x, jnp.broadcast_to(ending.astype(x.dtype), (*x.shape[:-1], len(ending)))], -1)


def _columns(x: Array, matrix: Array, width: int, same: bool) -> Array:
    """A convolution of size 3, column by column: x [..., width * n] in columns of n numbers."""
    x = x.reshape(*x.shape[:-1], width, -1)
    if same:
        x = jnp.pad(x, [(0, 0)] * (x.ndim - 2) + [(1, 1), (0, 0)])
    count = x.shape[-2] - 2
    three = jnp.concatenate([x[..., i : i + count, :] for i in range(3)], -1)
    out = _affine(three, matrix)
    return out.reshape(*out.shape[:-2], -1)


def _blocks(x: Array, matrices: list[Array], parts: list[Part]) -> Array:
    """A convolution of x [..., n], block by block."""
    return jnp.concatenate([_affine(x[..., part.around], m) for part, m in zip(parts, matrices, strict=True)], -1)


def _parts(width: int, height: int, same: bool, way: Way) -> list[Part]:
    """The products of the second or third convolution: one, or one for each block of columns."""
    if way == "columns":
        table = _connections(3, height, FILTERS, 3, same)
        return [Part(slice(None), table[:, height : 2 * height] if same else table)]  # to the middle column
    table = _connections(width, height, FILTERS, 3, same)
    if way == "whole":
        return [Part(slice(None), table)]
    margin = 0 if same else 1
    columns, parts = range(margin, width - margin), []  # of the output, as numbered in the kitchen
    numbers, cells = height * FILTERS, table.shape[1] // len(columns)  # of a column that goes in, and that comes out
    for begin in columns[::BLOCK]:
        end = min(begin + BLOCK, columns.stop)
        around = slice(max(begin - 1, 0) * numbers, min(end + 1, width) * numbers)
        parts.append(Part(around, table[around, (begin - margin) * cells : (end - margin) * cells]))
    return parts


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
