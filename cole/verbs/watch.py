"""`cole watch`: a game in the terminal, random or recorded, and on request as a page, a picture or a recording."""

import time
from collections.abc import Callable
from pathlib import Path

import jax
import numpy as np
from rich.console import Console
from rich.live import Live
from rich.text import Text

from cole.config import Watch
from cole.errors import UserError
from cole.kitchen import draw, film, game, layouts, trajectory
from cole.kitchen.trajectory import Trajectory

ACTIONS = 6


def run(config: Watch) -> int:
    """Shows the game and saves it; without a terminal only the last state is printed."""
    write = writer(config.save) if config.save else None
    played = trajectory.load(config.game) if config.game else random_game(config)
    states, events = trajectory.replay(played)
    scores = film.running_score(trajectory.rewards(events))
    console = Console(highlight=False)
    show(console, played.layout, film.listed(states), scores, config.speed)
    soups = int(np.sum(events.soup_served))
    console.print(f"{len(played.actions)} steps, {soups} soup{'s' * (soups != 1)} served, score {scores[-1]:g}")
    if write and config.save:
        save(config.save, lambda: write(played, states, scores))
        console.print(f"saved {config.save}", markup=False, soft_wrap=True)
    return 0


def random_game(config: Watch) -> Trajectory:
    """Cooks that choose every action uniformly at random."""
    if config.steps < 1:
        raise UserError(f"--steps must be at least 1, not {config.steps}")
    if config.speed <= 0:
        raise UserError(f"--speed must be above 0, not {config.speed}")
    layout = layouts.load(config.layout)
    start_key, key = jax.random.split(jax.random.key(config.seed))
    actions = jax.random.randint(key, (config.steps, len(layout.start)), 0, ACTIONS)
    start = game.random_state(start_key, layout) if config.random_start else None
    return Trajectory(layout, np.asarray(actions), start and draw.as_numpy(start), config.seed)


def show(console: Console, layout: layouts.Layout, states: list, scores: np.ndarray, speed: float) -> None:
    """An animation where there is a terminal, else the last state."""
    horizon = len(states) - 1
    pictures = [draw.text(layout, s, score, horizon, rich=True) for s, score in zip(states, scores, strict=True)]
    if not console.is_terminal:
        console.print(pictures[-1])
        return
    begin = time.monotonic()
    with Live(console=console, auto_refresh=False) as live:
        for step, picture in enumerate(pictures):
            live.update(Text.from_markup(picture), refresh=True)
            time.sleep(max(0.0, begin + (step + 1) / speed - time.monotonic()))


def writer(path: Path) -> Callable:
    """What writes a file with this ending, found before the game is played."""
    writers = {
        ".html": lambda played, states, scores: path.write_text(film.html(played.layout, states, scores), "utf-8"),
        ".gif": lambda played, states, scores: path.write_bytes(film.gif(played.layout, states, scores)),
        ".svg": lambda played, states, scores: path.write_text(
            draw.svg(played.layout, film.listed(states)[-1], scores[-1]), "utf-8"
        ),
        ".json": lambda played, states, scores: trajectory.save(path, played),
    }
    if path.suffix not in writers:
        raise UserError(f"--save {path}: the name must end in one of {', '.join(writers)}")
    return writers[path.suffix]


def save(path: Path, write: Callable) -> None:
    """Writes, or says in one sentence why not."""
    try:
        write()
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}") from None
