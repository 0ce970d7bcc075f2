"""`cole agents`: those that come with the project; `show`: what one is; `pack`: those of runs as a zoo; `take`: those
of an earlier round; `import`."""

import json
import shutil
from itertools import groupby
from pathlib import Path

import jax
import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cole import options, runfolder, sealed, zoo
from cole.config.agents import Agents, ImportAgent, ListAgents, PackAgents, TakeAgents
from cole.errors import UserError
from cole.evaluate import earlier
from cole.evaluate.itself import measurer, reached
from cole.evaluate.lineup import gather
from cole.evaluate.players import ZOO
from cole.kitchen import layouts
from cole.policy import published, store
from cole.policy.card import by
from cole.verbs.layouts import about


def run(config: Agents) -> int:
    """Does what was asked for; an agent that is imported is shown, too."""
    console = Console(highlight=False)
    if isinstance(config.do, ListAgents):
        return show_all(console, config.do.folder or ZOO)
    if isinstance(config.do, PackAgents):
        return pack(console, config.do)
    if isinstance(config.do, TakeAgents):
        return take(console, config.do)
    if isinstance(config.do, ImportAgent):
        folder = bring_in(config.do)
        console.print(f"imported into {folder}", markup=False, soft_wrap=True)
    else:
        folder = config.do.folder
    show(console, store.load(folder))
    return 0


def show_all(console: Console, folder: Path) -> int:
    """A line for each method, kitchen after kitchen."""
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}")
    groups = zoo.groups_in(folder)
    if not groups:
        raise UserError(f"there are no agents in {folder}")
    words = "mean returns over seeds: with itself, with human proxies, with experts (the baselines' agents)"
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), caption=words)
    rows = [(group.kitchen, row_of(group)) for group in sorted(groups, key=lambda group: group.kitchen)]
    headings = [name for name in rows[0][1] if any(row[name] for _, row in rows)]
    for heading in headings:
        left = heading == "agents"
        table.add_column(heading, justify="left" if left else "right", no_wrap=not left, overflow="fold")
    for kitchen, inside in groupby(rows, key=lambda row: row[0]):
        table.add_row(Text(kitchen, "bold"))
        for _, row in inside:
            table.add_row(*(Text(f"  {row[name]}" if name == "agents" else row[name]) for name in headings))
    console.print(table)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    count = sum(len(group.cards) for group in groups)
    console.print(f"{count} agents, {size / 1e6:.1f} MB", soft_wrap=True)
    return 0


def row_of(group: zoo.Group) -> dict[str, str]:
    """What the list says of some agents."""
    trained = [card.training for card in group.cards]
    returns = {"itself": "return", "proxies": "with_proxy", "experts": "with_experts"}
    return {
        "agents": group.name,
        "seeds": str(len(group.cards)),
        **{heading: mean_of([one.get(name) for one in trained]) for heading, name in returns.items()},
        "published": ", ".join(str(card.seed) for card in group.cards if card.training.get("published")),
    }


def mean_of(numbers: list[float | list[float] | None]) -> str:
    """Of what is known, over seeds and seats."""
    known = [float(np.mean(number)) for number in numbers if number is not None]
    return f"{np.mean(known):.1f}" if known else ""


def pack(console: Console, config: PackAgents) -> int:
    """Writes the agents of runs into a zoo."""
    known = zoo.evaluated_in(config.evaluation) if config.evaluation else zoo.NOTHING
    found = zoo.packed(gather(config.folders), known, config.methods)
    zoo.check_place(config.out, found)
    for one in found:
        store.save(config.out / one.place, one.agent, half=True)
    said = f"{len(found)} agents are in {config.out}, of which {sum(one.published for one in found)} are published"
    console.print(said, markup=False, soft_wrap=True)
    return 0


def take(console: Console, config: TakeAgents) -> int:
    """Writes the agents of an earlier round as a folder of agents beside the run, each measured with itself."""
    games = options.games_after(config.games_after)
    wanted = config.round if config.round == earlier.BEST else f"round-{config.round}"
    run = config.run.resolve()
    out = config.out or run.parent / f"{run.name}-{wanted}"
    found = earlier.taken(config.run, config.round)
    if out.exists():
        raise UserError(f"{out} exists already: choose another one with --out")
    cards = [agent.card for agent in found]
    seeds = [card.seed or 0 for card in cards]
    params = jax.tree.map(lambda *each: np.stack(each), *(agent.params for agent in found))
    half = bool(cards[0].training.get("half"))
    returns = measurer(store.layout_of(found[0]), cards[0].view, half, seeds, games)(params)
    fresh = out.with_name(f".{out.name}.new")  # all of them appear at once, or none
    shutil.rmtree(fresh, ignore_errors=True)
    for agent, seed, mine in zip(found, seeds, returns, strict=True):
        training = agent.card.training | {"return": round(float(mine.mean()), 2)}
        store.save(fresh / f"seed-{seed}", agent._replace(card=agent.card._replace(training=training)))
    with runfolder.writing(fresh, None):
        sealed.rename(fresh, out)
    rounds = ", ".join(str(card.training["round"]) for card in cards)
    console.print(f"{out}: after rounds {rounds}; {reached(returns)}", markup=False, soft_wrap=True)
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
