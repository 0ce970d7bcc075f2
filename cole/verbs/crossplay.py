"""`cole crossplay A B C`: agents play with each other, every pair in both seats; the figures go into a folder."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from cole.config.judging import Crossplay
from cole.errors import UserError
from cole.evaluate import cache
from cole.evaluate.crossplay import CrossPlay, Setting, check, crossplay, with_itself, with_others
from cole.evaluate.players import COOKS, find, kitchen_of
from cole.report.comparison import file_names
from cole.report.crossplay import check_folder, save

MOST_COLUMNS = 12  # players whose matrix still fits on a screen


def run(config: Crossplay) -> int:
    """Finds the players, plays what is not known yet, prints the table and writes the folder."""
    setting = Setting(config.episodes, config.seed, config.greedy)
    check(setting, config.batch)
    if not config.players:
        raise UserError(f"name some players: folders of agents or runs, agents of the zoo, or {', '.join(COOKS)}")
    players = find(config.players, config.layout)
    layout, kitchen = kitchen_of(players, config.layout)
    folder = config.out or Path("crossplay-" + file_names([kitchen])[kitchen])
    check_folder(folder)
    console = Console(highlight=False)
    with progress(Console(stderr=True)) as show:
        result = crossplay(
            players, layout, setting, at_once=config.batch, known=cache.home(), fresh=config.fresh, progress=show
        )
    saved = save(folder, result, kitchen)
    console.print(table(result, kitchen))
    pairs = len(players) ** 2
    console.print(
        f"{pairs} pairs of {setting.episodes} games: {result.computed} played, {pairs - result.computed} known"
    )
    for path in saved:
        console.print(f"saved {path}", markup=False, soft_wrap=True)
    return 0


def table(result: CrossPlay, kitchen: str) -> Table:
    """A line for each player: what it earns in seat 0 with each other, on average with all others, and with itself."""
    n = len(result.players)
    shown = range(n if n <= MOST_COLUMNS else 0)
    error = (
        f"largest standard error {np.max(result.error):.1f}" if result.setting.episodes > 1 else "a single game each"
    )
    matrix = f"in {kitchen}: row in seat 0, column its partner; " if shown else f"in {kitchen}; "
    each = Table(caption=Text(matrix + error, "table.caption"), box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    each.add_column("")
    each.add_column("player", overflow="fold")
    for heading in (*(str(j + 1) for j in shown), "with others", "with itself"):
        each.add_column(heading, justify="right")
    for i, player in enumerate(result.players):
        numbers = [*(result.mean[i, j] for j in shown), with_others(result)[i], with_itself(result)[i]]
        each.add_row(str(i + 1), Text(player.name), *("-" if np.isnan(x) else f"{x:.1f}" for x in numbers))
    return each


@contextmanager
def progress(console: Console) -> Iterator[Callable[[int, int], None]]:
    """A bar where there is a terminal, gone when all is done."""
    columns = (BarColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task, began = bar.add_task("compiling", total=None), time.monotonic()

        def show(done: int, games: int) -> None:
            speed = done / max(time.monotonic() - began, 1e-9)
            text = f"{done:,} of {games:,} games  {speed:,.0f} games/s" if done else f"{games:,} games: compiling"
            bar.update(task, completed=done, total=games, description=text)

        yield show
