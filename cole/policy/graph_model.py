"""The graph of a tf.js model: in which order it uses its tensors, and whether its layers work as ours do."""

import base64
from graphlib import CycleError, TopologicalSorter
from typing import Any

from cole.errors import UserError
from cole.kitchen.trajectory import show
from cole.policy import network

Node = dict[str, Any]

# What may follow a layer of other networks; ours has the leaky ReLU.
OTHER_ACTIVATIONS = {"Relu", "Relu6", "Elu", "Selu", "Prelu", "Tanh", "Sigmoid", "Softplus"}


def nodes(model: dict, where: str) -> list[Node]:
    """The operations of the graph; none if the file has no graph, as that of a Keras model."""
    topology = model.get("modelTopology")
    found = topology.get("node", []) if isinstance(topology, dict) else []
    if not isinstance(found, list):
        raise UserError(f"{where}: modelTopology: node: {show(found)} is not a list")
    for node in found:
        inputs = node.get("input", []) if isinstance(node, dict) else None
        texts = [node.get("name"), node.get("op"), *inputs] if isinstance(inputs, list) else [None]
        if not all(isinstance(text, str) for text in texts) or not isinstance(node.get("attr", {}), dict):
            raise UserError(f"{where}: modelTopology: {show(node)} is not an operation with name, op, input and attr")
    return found


def ranks(nodes: list[Node], where: str) -> dict[str, int]:
    """The number of every operation and tensor: what is further from the output, by the longest way, is smaller."""
    feeds, order = _flow(nodes, where)
    rank = dict.fromkeys(order, 0)
    for name in reversed(order):
        for source in feeds.get(name, []):
            rank[source] = min(rank[source], rank[name] - 1)
    return rank


def check_chain(nodes: list[Node], layers: dict[str, set[str]], where: str) -> None:
    """Refuses layers (their tensors, from the first to the last) of which one does not work on all those before it."""
    feeds, order = _flow(nodes, where)
    tensors = set().union(*layers.values())
    uses: dict[str, frozenset[str]] = {}
    for name in order:
        uses[name] = frozenset({name} & tensors).union(*(uses[source] for source in feeds.get(name, [])))
    results = set(uses.values())
    before: set[str] = set()
    for layer, own in layers.items():
        if before | own not in results:
            raise UserError(
                f"{where}: by the file's own graph {show(min(own))} does not follow on the layers before it"
            )
        before |= own if layer not in ("logits", "value") else set()


def check_layers(nodes: list[Node], where: str) -> None:
    """Refuses what can be seen to work differently: another activation, slope or padding."""
    rank = ranks(nodes, where)
    for node in nodes:
        words = {node["op"], *_words(_attribute(node, "fused_ops"))}
        for word in sorted(words & OTHER_ACTIVATIONS):
            raise UserError(f"{where}: {show(node['name'])} has a {word} where our network has a leaky ReLU")
        slopes = [_attribute(node, name).get("f", network.SLOPE) for name in ("alpha", "leakyrelu_alpha")]
        if "LeakyRelu" in words and not all(_near(slope, network.SLOPE) for slope in slopes):
            raise UserError(f"{where}: {show(node['name'])} has another slope than {network.SLOPE}, which ours has")
    convolutions = sorted((n for n in nodes if n["op"].endswith("Conv2D")), key=lambda node: rank[node["name"]])
    paddings = [word for node in convolutions for word in _words(_attribute(node, "padding"))]
    ours = ["SAME" if same else "VALID" for _, _, same in network.CONVOLUTIONS]
    if len(paddings) == len(convolutions) and paddings != ours:
        raise UserError(
            f"{where}: its convolutions are padded {', '.join(paddings) or 'nowhere'}, ours {', '.join(ours)}"
        )


def _flow(nodes: list[Node], where: str) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """What feeds each operation, and all names in an order in which nothing comes before what feeds it."""
    feeds = {node["name"]: [_source(name) for name in node.get("input", [])] for node in nodes}
    try:
        return feeds, tuple(TopologicalSorter(feeds).static_order())
    except CycleError:
        raise UserError(f"{where}: modelTopology: its operations feed each other in a circle") from None


def _near(slope: Any, ours: float) -> bool:
    return isinstance(slope, float | int) and abs(slope - ours) < 1e-6


def _attribute(node: Node, name: str) -> dict:
    value = node.get("attr", {}).get(name)
    return value if isinstance(value, dict) else {}


def _words(attribute: dict) -> list[str]:
    """The texts of an attribute: {"s": text} or {"list": {"s": [text, ...]}}."""
    inner = attribute.get("list")
    many = inner.get("s") if isinstance(inner, dict) else None
    texts = many if isinstance(many, list) else [attribute["s"]] if "s" in attribute else []
    return [_word(text) for text in texts]


def _word(text: Any) -> str:
    """A text as converters write it: in base 64, or as a list of bytes."""
    try:
        return (bytes(text) if isinstance(text, list) else base64.b64decode(text, validate=True)).decode()
    except (TypeError, ValueError):
        return show(text)


def _source(name: str) -> str:
    """^a is a and b:0 is b: only which operation it comes from matters."""
    return name.removeprefix("^").split(":")[0]
