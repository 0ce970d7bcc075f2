"""Agents that others published as plain weight files: tf.js folders, a `model.json` and binary shards beside it.

`model.json` lists tensors by name, shape and type, which lie one after the other in the shards. The agents of 2019 are
such folders. They list their layers from the last to the first, and two layers of the same shape differ by name only;
so where the file has the graph of the network, what feeds what decides, and without a graph the order of those tensors
that no other can be confused with.
"""

import math
import re
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np

from cole import sealed
from cole.errors import UserError
from cole.kitchen.layouts import ACTIONS, Layout
from cole.kitchen.trajectory import items, record, show, whole
from cole.policy import graph_model, network
from cole.policy.card import IMPORTED, by, strict_json
from cole.policy.store import Agent, Arrays, Shapes, new_card, shapes

MODEL = "model.json"
MOST_BYTES = 2**28  # of a file; published agents have about 200 kB
BYTES = {"float32": 4, "int32": 4}  # of one number; whole numbers are there for reshaping and are passed over


class Tensor(NamedTuple):
    """One array of float32, as published."""

    name: str
    values: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape


def load(folder: Path, layout: Layout, view: str, name: str | None = None) -> Agent:
    """The agent in a tf.js folder, as a cook of ours for this kitchen; what cannot be placed for certain is refused."""
    where = str(folder / MODEL)
    described = _read(folder / MODEL)
    model = strict_json(described, where)
    tensors, files = _tensors(model, folder, where)
    wanted = shapes(layout, view)
    present = _present(tensors, wanted)
    nodes = graph_model.nodes(model, where)
    if nodes:
        graph_model.check_layers(nodes, where)
        matched = _match(_by_graph(tensors, nodes, where), present, where)
        used = {layer: {matched[f"{layer}/{part}"].name for part in parts} for layer, parts in present.items()}
        graph_model.check_chain(nodes, used, where)
    else:
        matched = _match(_by_appearance(tensors, present, where), present, where)
        _check_names({slot: tensor.name for slot, tensor in matched.items()}, where)
    params, notes = _completed(matched, wanted)
    training = {
        "origin": "weights published as tf.js files, trained by others",
        "files": {MODEL: sealed.sha256(described)} | files,
        "tensors": {slot: tensor.name for slot, tensor in matched.items()},
    }
    return Agent(params, new_card(layout, view, IMPORTED, training=training | notes, name=name))


def _tensors(model: Any, folder: Path, where: str) -> tuple[list[Tensor], dict[str, str]]:
    """All float32 tensors in the order of the manifest, and the SHA-256 of every shard."""
    tensors: list[Tensor] = []
    files: dict[str, str] = {}
    for group in items(_fields(model, where, "weightsManifest")["weightsManifest"], f"{where}: weightsManifest"):
        fields = _fields(group, f"{where}: weightsManifest", "paths", "weights")
        paths = items(fields["paths"], f"{where}: paths")
        shards = {path: _read(_inside(folder, path, where)) for path in paths}
        files |= {path: sealed.sha256(content) for path, content in shards.items()}
        tensors += _cut(items(fields["weights"], f"{where}: weights"), b"".join(map(shards.__getitem__, paths)), where)
    names = [tensor.name for tensor in tensors]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"{where}: the tensor {show(name)} is listed twice")
    return tensors, files


def _cut(specs: list, content: bytes, where: str) -> list[Tensor]:
    """The float32 tensors of one group, whose bytes must be exactly those of its shards."""
    tensors, at = [], 0
    for spec in specs:
        name, shape, dtype = _spec(spec, where)
        end = at + BYTES[dtype] * math.prod(shape)
        if end > len(content):
            raise UserError(f"{where}: the shards end, after {len(content)} bytes, before the tensor {show(name)} does")
        if dtype == "float32":
            values = np.frombuffer(content[at:end], "<f4").reshape(shape).astype(np.float32)
            if not np.isfinite(values).all():
                raise UserError(f"{where}: the tensor {show(name)} has numbers that are not finite")
            tensors.append(Tensor(name, values))
        at = end
    if at < len(content):
        raise UserError(f"{where}: the shards have {len(content)} bytes, its tensors only {at}")
    return tensors


def _spec(value: Any, where: str) -> tuple[str, list[int], str]:
    fields = _fields(value, f"{where}: weights", "name", "shape", "dtype")
    name = fields["name"]
    if not isinstance(name, str):
        raise UserError(f"{where}: weights: {show(name)} is not the name of a tensor")
    here = f"{where}: the tensor {show(name)}"
    if fields["dtype"] not in list(BYTES) or "quantization" in fields:
        raise UserError(f"{here} is of type {show(fields['dtype'])} or quantized; only float32 can be imported")
    shape = [whole(size, 1, MOST_BYTES, f"{here}: shape") for size in items(fields["shape"], f"{here}: shape")]
    if len(shape) > 4:
        raise UserError(f"{here}: {len(shape)} dimensions are more than any layer has")
    return name, shape, fields["dtype"]


def _by_graph(tensors: list[Tensor], nodes: list[graph_model.Node], where: str) -> list[Tensor]:
    """The tensors in the order the network uses them, as its graph has it."""
    rank = graph_model.ranks(nodes, where)
    for tensor in tensors:
        if tensor.name not in rank:
            raise UserError(f"{where}: the tensor {show(tensor.name)} does not occur in the file's own graph")
    return sorted(tensors, key=lambda tensor: rank[tensor.name])


def _by_appearance(tensors: list[Tensor], present: Shapes, where: str) -> list[Tensor]:
    """The tensors as listed, or from the last to the first: whichever has the layers in our order."""
    forwards = [parts["w"] for layer, parts in present.items() if layer != "value"]
    found = [tensor.shape for tensor in tensors if tensor.shape in forwards]
    if found != forwards and found != forwards[::-1] and sorted(found) == sorted(forwards):
        raise UserError(f"{where}: the order of its tensors does not tell which of two layers of one shape comes first")
    return tensors[::-1] if found == forwards[::-1] else tensors


def _present(tensors: list[Tensor], wanted: Shapes) -> Shapes:
    """The layers to look for: all of ours but a value that nobody published, and a third dense layer."""
    have = [tensor.shape for tensor in tensors]
    missing = {"value"} if not {*wanted["value"].values()} & {*have} else set()
    missing |= {"dense3"} if have.count(wanted["dense3"]["w"]) == 1 else set()
    return {layer: parts for layer, parts in wanted.items() if layer not in missing}


def _match(tensors: list[Tensor], wanted: Shapes, where: str) -> dict[str, Tensor]:
    """The tensor for each of our names: those of one shape, given in order, fill the places of that shape in turn."""
    slots = {f"{layer}/{part}": shape for layer, parts in wanted.items() for part, shape in parts.items()}
    places = {shape: [slot for slot in slots if slots[slot] == shape] for shape in slots.values()}
    fitting = {shape: [tensor for tensor in tensors if tensor.shape == shape] for shape in places}
    for tensor in tensors:
        if tensor.shape not in places:
            empty = [f"{names[0]} of {by(shape)}" for shape, names in places.items() if not fitting[shape]]
            missing = f"; missing: {', '.join(empty)}" if empty else ""
            raise UserError(
                f"{where}: the tensor {show(tensor.name)} of {by(tensor.shape)} has no place in our network for this"
                f" kitchen and view{missing}"
            )
    for shape, names in places.items():
        found = fitting[shape]
        if len(found) != len(names):
            have = ", ".join(show(tensor.name) for tensor in found) or "none"
            raise UserError(f"{where}: {by(shape)} is the shape of {', '.join(names)}, but the file has {have}")
    matched = {name: tensor for shape in places for name, tensor in zip(places[shape], fitting[shape], strict=True)}
    return {slot: matched[slot] for slot in slots}


def _check_names(names: dict[str, str], where: str) -> None:
    """What names say must not contradict their order: x/bias belongs to x/kernel, and dense_1 comes before dense_2."""
    kernels, biases = ([name.rpartition("/")[0] for slot, name in names.items() if slot.endswith(p)] for p in "wb")
    if len({*kernels}) == len(kernels) and {*kernels} == {*biases} and kernels != biases:
        at = next(i for i in range(len(kernels)) if kernels[i] != biases[i])
        raise UserError(f"{where}: by their order the bias in {show(biases[at])} goes with {show(kernels[at])}")
    for part in "wb":
        for former, latter in (("conv2", "conv3"), ("dense2", "dense3")):
            pair = [names.get(f"{layer}/{part}", "") for layer in (former, latter)]
            first, second = ([int(digits) for digits in re.findall(r"\d{1,9}", name)] for name in pair)
            if len(first) == len(second) and first > second:
                raise UserError(
                    f"{where}: by their order {show(pair[0])} comes before {show(pair[1])}, by name after it"
                )


def _completed(matched: dict[str, Tensor], wanted: Shapes) -> tuple[Arrays, dict[str, str]]:
    """The whole network, and what had to be added."""
    notes = {}
    params = {layer: {p: np.zeros(shape, np.float32) for p, shape in parts.items()} for layer, parts in wanted.items()}
    for slot, tensor in matched.items():
        layer, part = slot.split("/")
        params[layer][part] = tensor.values
    if "value/w" not in matched:
        notes["value"] = "none was published: its weights are zeros, and so is every value"
    if "dense3/w" not in matched:
        notes["dense3"] = "the published network has two dense layers: this one hands the logits through unchanged"
        params |= _hand_through(params)
    return params, notes


def _hand_through(params: Arrays) -> Arrays:
    """A third dense layer that changes nothing: it computes the heads z and -z, and leaky(z) - leaky(-z) is 1.2 z."""
    heads = [params["logits"], params["value"]]
    w = np.concatenate([head["w"] for head in heads], axis=1)
    b = np.concatenate([head["b"] for head in heads])
    spare = np.zeros((len(w), len(w) - 2 * len(b)), np.float32)
    through = np.eye(len(w), len(b), dtype=np.float32) - np.eye(len(w), len(b), -len(b), dtype=np.float32)
    through /= 1 + network.SLOPE
    return {
        "dense3": {"w": np.concatenate([w, -w, spare], axis=1), "b": np.concatenate([b, -b, spare[0]])},
        "logits": {"w": through[:, :ACTIONS], "b": np.zeros_like(b[:ACTIONS])},
        "value": {"w": through[:, ACTIONS:], "b": np.zeros_like(b[ACTIONS:])},
    }


def _fields(value: Any, where: str, *needed: str) -> dict:
    """A JSON object with at least these fields."""
    return record(value, where, {*needed}, {*value} if isinstance(value, dict) else set())


def _inside(folder: Path, path: Any, where: str) -> Path:
    """The file of a path in the manifest, which must not lead out of the folder."""
    if not isinstance(path, str) or not path.isprintable() or not path:
        raise UserError(f"{where}: paths: {show(path)} is not the name of a file")
    plain = PurePosixPath(path)
    outside = plain.is_absolute() or ".." in plain.parts or "\\" in path or ":" in path
    if outside or not (folder / path).resolve().is_relative_to(folder.resolve()):
        raise UserError(f"{where}: paths: {show(path)} leads out of the folder")
    return folder / path


def _read(path: Path) -> bytes:
    if not path.is_file():
        raise UserError(f"there is no file {path}")
    if path.stat().st_size > MOST_BYTES:
        raise UserError(f"{path} is larger than {MOST_BYTES} bytes, which no agent's file is")
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
