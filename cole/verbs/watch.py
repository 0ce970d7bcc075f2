"""`cole watch`: a game in the terminal, of players, random or recorded, and as a page, a picture or a recording."""

import time
from collections.abc import Callable
from typing import NamedTuple

import jax
import numpy as np
from rich.console import Console
from rich.live import Live
from rich.text import Text

from cole import api
from cole.config.cooking import Watch
from cole.config.people import ReplayGame
from cole.errors import UserError
from cole.kitchen import draw, film, game, layouts, trajectory
from cole.kitchen.game import State
from cole.kitchen.trajectory import Trajectory

USUAL = "cramped_room"


def run(config: Watch) -> int:
    """Shows the game that was asked for."""
    if config.players and (config.game or config.random_start):
        raise UserError(f"{'--game' if config.game else '--random-start'} is for games without players")
    if config.players:
        return present(lambda: game_of(config), config)
    return present(lambda: trajectory.load(config.game) if config.game else random_game(config), config)


def present(wanted: Callable[[], Trajectory], config: Watch | ReplayGame) -> int:
    """Shows a game and saves it; without a terminal only the last state is printed."""
    if not 0 < config.speed < float("inf"):
        raise UserError(f"--speed must be a number above 0, not {config.speed}")
    if config.save:
        api.check_ending(config.save)
    played = wanted()
    states, events = trajectory.replay(played)
    shown = Film(played, film.listed(states), film.running_score(trajectory.rewards(events)), int(states.clock[-1]))
    console = Console(highlight=False)
    show(console, shown, config.speed)
    soups = int(np.sum(events.soup_served))
    console.print(f"{len(played.actions)} steps, {soups} soup{'s' * (soups != 1)} served, score {shown.scores[-1]:g}")
    if config.save:
        api.save(config.save, *shown)
        console.print(f"saved {config.save}", markup=False, soft_wrap=True)
    return 0


class Film(NamedTuple):
    """A game ready to be shown: T steps, T + 1 states."""

    played: Trajectory
    states: list[State]
    scores: np.ndarray  # [T + 1]
    horizon: int  # what the clock says at the end


def game_of(config: Watch) -> Trajectory:
    """A game of two players."""
    if len(config.players) != 2:
        raise UserError(f"a game is played by two, the first in seat 0; these are {len(config.players)}")
    first, second = config.players
    return api.play(first, second, layout=config.layout, seed=config.seed, steps=config.steps)


def random_game(config: Watch) -> Trajectory:
    """Cooks that choose every action uniformly at random."""
    if config.steps < 1:
        raise UserError(f"--steps must be at least 1, not {config.steps}")
    if not 0 <= config.seed <= trajectory.LARGEST_SEED:
        raise UserError(f"--seed must be a whole number from 0 to {trajectory.LARGEST_SEED}, not {config.seed}")
    layout = layouts.load(config.layout or USUAL)
    start_key, key = jax.random.split(jax.random.key(config.seed))
    actions = jax.random.randint(key, (config.steps, len(layout.start)), 0, layouts.ACTIONS)
    start = game.random_state(start_key, layout) if config.random_start else None
    return Trajectory(layout, np.asarray(actions), start and draw.as_numpy(start), config.seed)


def show(console: Console, shown: Film, speed: float) -> None:
    """An animation where there is a terminal, else the last state. A map too wide for the terminal is cropped."""
    each = zip(shown.states, shown.scores, strict=True)
    pictures = [draw.text(shown.played.layout, state, score, shown.horizon, rich=True) for state, score in each]
    if not console.is_terminal:
        console.print(pictures[-1], soft_wrap=True)
        return
    begin = time.monotonic()
    with Live(console=console, auto_refresh=False) as live:
        for step, picture in enumerate(pictures):
            live.update(Text.from_markup(picture, overflow="crop"), refresh=True)
            time.sleep(max(0.0, begin + (step + 1) / speed - time.monotonic()))
