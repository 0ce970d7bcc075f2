"""An agent on disk: a sealed folder of plain numbers and words, which loads for years and can run nothing.

`model.safetensors` has the network's parameters, float32 or float16, named like "conv1/w"; `config.json` says what they
are for (see `card`), `README.md` says it to people, and SHA256SUMS vouches for all three (see `sealed`).
"""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
from safetensors import SafetensorError, deserialize
from safetensors.numpy import save as to_safetensors

from cole import sealed
from cole.errors import UserError
from cole.kitchen import game, layouts
from cole.kitchen.layouts import Layout
from cole.kitchen.trajectory import show
from cole.policy.card import Card, by, from_json, to_json, to_markdown
from cole.policy.kinds import VIEWS, Shapes, policy_for, shapes
from cole.policy.policy import Policy

FILES = MODEL, CONFIG, PAGE = "model.safetensors", "config.json", "README.md"
KINDS = {"F32": "<f4", "F16": "<f2"}  # of numbers
MOST_CELLS = 1024  # of a kitchen: beyond, the matrices of one network would take gigabytes

Arrays = dict[str, dict[str, np.ndarray]]  # as network.Params: layer -> {"w", "b"}


class Agent(NamedTuple):
    """A cook for one kitchen."""

    params: Arrays
    card: Card


def new_card(
    layout: Layout,
    view: str,
    method: str,
    *,
    seed: int | None = None,
    steps: int | None = None,
    training: dict[str, Any] | None = None,
    name: str | None = None,
) -> Card:
    """A card with the map and the network's shape filled in; `name` is what a kitchen of one's own is called."""
    sizes = {layer: list(shape["w"]) for layer, shape in shapes(layout, view).items()}
    called = layouts.name_of(layout) or name or "unnamed"
    return Card(called, layouts.to_text(layout), view, sizes, method, seed, steps, training or {})


def save(folder: str | Path, agent: Agent, half: bool = False) -> None:
    """Writes the folder, or all of it anew; `load` gives the agent back. `half`: with numbers rounded to float16."""
    folder = Path(folder)
    if folder.exists() and not (
        folder.is_dir() and {file.name for file in folder.iterdir()} <= {*FILES, sealed.MANIFEST}
    ):
        raise UserError(f"{folder} exists and is more than an agent, so it is left alone")
    named = {name: np.ascontiguousarray(x) for name, x in _named(agent.params).items()}
    wanted = _check_card(agent.card, str(folder / CONFIG))
    check_params(named, wanted, str(folder / MODEL))
    if half:
        with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused
            named = {name: x.astype(np.float16) for name, x in named.items()}
    model = to_safetensors(named)
    check_params(tensors(model, str(folder / MODEL)), wanted, str(folder / MODEL))
    try:
        config = to_json(agent.card, sealed.sha256(model))
    except (TypeError, ValueError) as error:
        raise UserError(f"{folder / CONFIG} cannot be written: {error}") from None
    from_json(config, str(folder / CONFIG))
    page = to_markdown(agent.card, sum(x.size for x in named.values()))
    try:
        sealed.write(folder, {MODEL: model, CONFIG: config, PAGE: page})
    except OSError as error:
        raise UserError(f"{folder} cannot be written: {error.strerror}") from None


def load(folder: str | Path) -> Agent:
    """Reads a folder that `save` wrote, today or years ago; whatever is wrong with it is refused by name."""
    folder = Path(folder)
    if not folder.is_dir():
        raise UserError(f"there is no agent folder {folder}")
    files = sealed.read(folder, FILES)
    card, sha256 = from_json(files[CONFIG], str(folder / CONFIG))
    if sealed.sha256(files[MODEL]) != sha256:
        raise UserError(f"{folder / MODEL} is not the model {CONFIG} describes: its SHA-256 is another")
    wanted = _check_card(card, str(folder / CONFIG))
    named = tensors(files[MODEL], str(folder / MODEL))
    check_params(named, wanted, str(folder / MODEL))
    return Agent(nested(named, wanted), card)


def layout_of(agent: Agent) -> Layout:
    """The agent's kitchen, from its map."""
    return _layout(agent.card, "the agent's card")


def policy_of(agent: Agent, greedy: bool = False) -> Policy:
    """How the agent acts; its `prepare` wants the agent's params."""
    return policy_for(layout_of(agent), agent.card.view, greedy)


def identity(agent: Agent) -> str:
    """The SHA-256 of all that decides what the agent does: weights, map, view and network, but not its history."""
    tensors = {
        name: sealed.sha256(np.ascontiguousarray(x, "<f4").tobytes()) for name, x in _named(agent.params).items()
    }
    decides = {"map": layouts.to_text(layout_of(agent)), "view": agent.card.view, "network": agent.card.network}
    return sealed.sha256(json.dumps(decides | {"tensors": tensors}, sort_keys=True).encode())


def tensors(content: bytes, where: str) -> dict[str, np.ndarray]:
    """What is in a safetensors file, as float32, which or float16 it must be; `where` names it if it is not."""
    try:
        found = deserialize(content)
    except SafetensorError as error:
        raise UserError(f"{where} is not a safetensors file: {error}") from None
    for name, tensor in found:
        if tensor["dtype"] not in KINDS:
            raise UserError(f"{where}: the tensor {show(name)} is of type {tensor['dtype']}, not F32 or F16")
    return {
        name: np.frombuffer(t["data"], KINDS[t["dtype"]]).reshape(t["shape"]).astype(np.float32) for name, t in found
    }


def check_params(tensors: dict[str, np.ndarray], wanted: Shapes, where: str) -> None:
    """Refuses tensors that are not those of a network of these shapes, or not finite, by name."""
    expected = {f"{layer}/{part}": shape for layer, parts in wanted.items() for part, shape in parts.items()}
    for name in sorted(expected.keys() - tensors.keys()):
        raise UserError(f"{where}: the tensor {name!r} is missing")
    for name in sorted(tensors.keys() - expected.keys()):
        raise UserError(f"{where}: {show(name)} is not a tensor of this network")
    for name, tensor in tensors.items():
        if tensor.dtype != np.float32:
            raise UserError(f"{where}: the tensor {name!r} is of type {tensor.dtype}, not float32")
        if tensor.shape != expected[name]:
            raise UserError(f"{where}: the tensor {name!r} is {by(tensor.shape)}, not {by(expected[name])}")
        if not np.isfinite(tensor).all():
            raise UserError(f"{where}: the tensor {name!r} has numbers that are not finite")


def nested(named: dict[str, np.ndarray], wanted: Shapes) -> Arrays:
    """The tensors as the network has them: by layer, then by part."""
    return {layer: {part: named[f"{layer}/{part}"] for part in parts} for layer, parts in wanted.items()}


def _layout(card: Card, where: str) -> Layout:
    cells = len(card.map)
    if cells > MOST_CELLS:
        raise UserError(f"{where}: layout: map: {cells} symbols are more than an agent's kitchen has, {MOST_CELLS}")
    layout = layouts.parse(card.map, where=f"{where}: layout: map: ")
    if card.layout in layouts.MAPS and card.layout != layouts.name_of(layout):
        raise UserError(f"{where}: layout: the map is not that of {card.layout}")
    return layout


def _check_card(card: Card, where: str) -> Shapes:
    """The shapes of the parameters that belong to a card, which must be one of an agent we can play."""
    layout = _layout(card, where)
    if card.view not in VIEWS:
        raise UserError(f"{where}: view: {show(card.view)} is unknown; the views are {', '.join(VIEWS)}")
    try:
        wanted = _shapes_of(layouts.to_text(layout), card.view)
    except UserError as error:  # not for so many seats
        raise UserError(f"{where}: {error}") from None
    ours = {layer: list(shape["w"]) for layer, shape in wanted.items()}
    for layer in sorted(ours.keys() | card.network.keys()):
        found = card.network.get(layer)
        if json.dumps(found) != json.dumps(ours.get(layer)):  # to Python, but not to us, [64, true] is [64, 1]
            raise UserError(f"{where}: network: {show(layer)} is {show(found)}, not {ours.get(layer)}")
    return wanted


@lru_cache(64)
def _shapes_of(text: str, view: str) -> Shapes:
    """`shapes`, of a map that the view exists for; tracing takes longer than all else about loading an agent."""
    layout = layouts.parse(text)
    jax.eval_shape(lambda: policy_for(layout, view).view(layout, game.reset(layout), 0))
    return shapes(layout, view)


def _named(params: Arrays) -> dict[str, np.ndarray]:
    return {f"{layer}/{part}": x for layer, parts in params.items() for part, x in parts.items()}
