"""`cole agents show FOLDER`: what an agent on disk is; `cole agents import FOLDER`: one that others published."""

import json
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cole.config import Agents, ImportAgent
from cole.errors import UserError
from cole.kitchen import layouts
from cole.policy import published, store
from cole.policy.card import by
from cole.verbs.layouts import about


def run(config: Agents) -> int:
    """Prints the facts of an agent, after importing it if that was asked for."""
    console = Console(highlight=False)
    if isinstance(config.do, ImportAgent):
        folder = bring_in(config.do)
        console.print(f"imported into {folder}", markup=False, soft_wrap=True)
    else:
        folder = config.do.folder
    show(console, store.load(folder))
    return 0


def bring_in(config: ImportAgent) -> Path:
    """Writes the published agent as one of ours; a folder that is there already is left alone."""
    folder = config.out or Path("agents") / config.folder.resolve().name
    if folder.exists():
        raise UserError(f"{folder} exists already: choose another one with --out")
    layout = layouts.load(config.layout)
    agent = published.load(config.folder, layout, config.view, name=Path(config.layout).stem)
    store.save(folder, agent)
    return folder


def show(console: Console, agent: store.Agent) -> None:
    """The card as a table of two columns."""
    card = agent.card
    facts = {
        "kitchen": f"{card.layout}, {about(store.layout_of(agent))}",
        "view": card.view,
        "network": ", ".join(f"{layer} {by(shape)}" for layer, shape in card.network.items()),
        "method": card.method,
        "seed": "unknown" if card.seed is None else str(card.seed),
        "steps": "unknown" if card.steps is None else f"{card.steps:,}",
        **{json.dumps(name).strip('"'): json.dumps(value).strip('"') for name, value in card.training.items()},
        "identity": store.identity(agent),
    }
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_header=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in facts.items():
        table.add_row(Text(name), Text(value))
    console.print(table)
