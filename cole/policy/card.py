"""What is known of an agent beside its numbers: a record, the same as strict JSON, and as a page for people.

Fields of `config.json`, version 1; all must be there:

    "format"    "cole-agent"
    "version"   1; raised when a file of today could no longer be read
    "layout"    {"name": what the kitchen is called, "map": its rows, as `layouts.parse` reads them}
    "view"      what the agent sees, one of `store.VIEWS`, and so which kind of network it has
    "network"   the shape of each layer's weights
    "method"    what trained it
    "seed"      of that training, and "steps", how long it took; null where nobody knows
    "sha256"    of model.safetensors
    "training"  whatever else says how it came about: any names and plain values
"""

import json
import math
from typing import Any, NamedTuple

from cole.errors import UserError
from cole.kitchen.trajectory import LARGEST_SEED, items, record, show, whole

FORMAT, VERSION = "cole-agent", 1
FIELDS = ("format", "version", "layout", "view", "network", "method", "seed", "steps", "sha256", "training")
IMPORTED = "imported"  # the method of agents that others trained
LONGEST = 200  # symbols of a name


class Card(NamedTuple):
    """Which kitchen, view and network an agent's numbers are for, and where they come from."""

    layout: str
    map: str  # rows as `layouts.parse` reads them
    view: str
    network: dict[str, list[int]]  # layer -> shape of its weights
    method: str
    seed: int | None
    steps: int | None
    training: dict[str, Any]  # plain values, as JSON has them


def to_json(card: Card, sha256: str) -> bytes:
    """The text of config.json; a value that JSON does not have is an error."""
    fields = card._asdict() | {"format": FORMAT, "version": VERSION, "sha256": sha256}
    fields["layout"] = {"name": card.layout, "map": card.map.split("\n")}
    lines = [f'"{name}": {json.dumps(fields[name], allow_nan=False)}' for name in FIELDS]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def from_json(content: bytes, where: str) -> tuple[Card, str]:
    """The card in a config.json, and the SHA-256 it gives for the model; whatever is not as above is refused."""
    value = strict_json(content, where)
    _check_format(value, where)
    fields = record(value, where, set(FIELDS), set())
    layout = record(fields["layout"], f"{where}: layout", {"name", "map"}, set())
    rows = [_text(row, f"{where}: layout: map, row {y + 1}") for y, row in enumerate(_rows(layout, where))]
    for name in ("network", "training"):
        if not isinstance(fields[name], dict):
            raise UserError(f"{where}: {name}: {show(fields[name])} is not an object with fields")
    known = [
        None if fields[n] is None else whole(fields[n], 0, LARGEST_SEED, f"{where}: {n}") for n in ("seed", "steps")
    ]
    card = Card(
        layout=_text(layout["name"], f"{where}: layout: name"),
        map="\n".join(rows),
        view=_text(fields["view"], f"{where}: view"),
        network=fields["network"],
        method=_text(fields["method"], f"{where}: method"),
        seed=known[0],
        steps=known[1],
        training=fields["training"],
    )
    return card, _text(fields["sha256"], f"{where}: sha256")


def strict_json(content: bytes, where: str) -> Any:
    """A JSON value of UTF-8 text; fields given twice, NaN, infinities and half surrogates are refused."""
    try:
        value = json.loads(content.decode(), object_pairs_hook=_once, parse_constant=_finite, parse_float=_finite)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise UserError(f"{where} is not JSON as we read it: {error}") from None
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the field {show(next(name for name in names if names.count(name) > 1))} is given twice")
    return fields


def _finite(text: str) -> float:
    if not math.isfinite(float(text)):
        raise ValueError(f"{show(text)} is not a finite number")
    return float(text)


def _check_format(value: Any, where: str) -> None:
    """Before all else: a file of a later version may have other fields."""
    fields = record(value, where, {"format", "version"}, set(value) if isinstance(value, dict) else set())
    if fields["format"] != FORMAT:
        raise UserError(f"{where}: the format is {show(fields['format'])}, not {FORMAT!r}")
    version = whole(fields["version"], 1, 2**31, f"{where}: version")
    if version > VERSION:
        raise UserError(f"{where}: made by a newer version of cole (format {version}; this one reads up to {VERSION})")


def _rows(layout: dict, where: str) -> list:
    rows = items(layout["map"], f"{where}: layout: map")
    if not rows:
        raise UserError(f"{where}: layout: map: it has no rows")
    return rows


def _text(value: Any, where: str) -> str:
    """A name that can be printed on one line."""
    if not isinstance(value, str) or not value or len(value) > LONGEST or not value.isprintable():
        raise UserError(f"{where}: {show(value)} is not a line of 1 to {LONGEST} printable symbols")
    return value


PAGE = """\
---
license: {license}
library_name: cole
pipeline_tag: reinforcement-learning
tags:
- overcooked
- zero-shot-coordination
- multi-agent
- jax
---

# A cook for {layout}

A policy for one cook of the game Overcooked, in a kitchen it shares with others. It knows this kitchen only, called
`{layout}`, and can take any seat in it:

```
{map}
```

(`X` counter, `P` pot, `O` onions, `D` dishes, `S` serving hatch; a digit is where the cook of that seat starts.)

It looks at the view `{view}` and gives six logits, for north, south, east, west, stay and interact{value}.
The network has {parameters} parameters: {network}.

## Loading

```python
import jax

from cole.kitchen import game
from cole.policy import store
from cole.policy.policy import NOISE

agent = store.load("PATH/OF/THIS/FOLDER")
layout, policy = store.layout_of(agent), store.policy_of(agent)  # greedy=True: its best action instead of a draw

state, seat, noise = game.reset(layout), 0, jax.random.uniform(jax.random.key(0), (NOISE,))
ready = jax.jit(policy.prepare)(agent.params)  # once for all games
act = policy.act(ready, policy.view(layout, state, seat), policy.memory(), noise)
print(act.action, act.logits, act.value)
```

Nothing in this folder is executed. `SHA256SUMS` vouches for every byte; `sha256sum -c SHA256SUMS` checks it too.

## How it was made

- method: {method}
- seed: {seed}
- steps of the game: {steps}

```json
{training}
```
"""


def to_markdown(card: Card, parameters: int) -> bytes:
    """The text of README.md: a model card with the front matter of the Hugging Face hub."""
    filled = PAGE.format(
        **card._asdict()
        | {
            "license": "unknown" if card.method == IMPORTED else "mit",
            "network": ", ".join(f"{layer} {by(shape)}" for layer, shape in card.network.items()),
            "value": ", and a value" if "value" in card.network else "",
            "parameters": f"{parameters:,}",
            "seed": "unknown" if card.seed is None else card.seed,
            "steps": "unknown" if card.steps is None else f"{card.steps:,}",
            "training": json.dumps(card.training, indent=1),
        }
    )
    return filled.encode()


def by(shape: list[int] | tuple[int, ...]) -> str:
    """5x5x20x25: a shape in words."""
    return "x".join(map(str, shape)) or "a single number"
