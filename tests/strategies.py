"""What property tests draw: valid kitchens, mid-game states and joint actions, and one compiled step for all of them.

Compiling costs more than playing. So every drawn kitchen has the size of the largest one of the paper (CANVAS), every
batch has GAMES games, and the layout is an argument of the compiled step: one compilation per number of seats.
States come from NumPy, not from `game.random_state`, which is itself under test.
"""

from functools import partial

import jax
import numpy as np
from hypothesis import HealthCheck, reject, settings
from hypothesis import strategies as st

from cole.errors import UserError
from cole.kitchen import game, layouts
from cole.kitchen.game import DISH, NOTHING, ONION, READY, SOUP, SOUP_ONIONS, State
from cole.kitchen.layouts import COUNTER, DISHES, FLOOR, INTERACT, ONIONS, POT, SERVING, STAY, UNREACHABLE, Layout

CANVAS = (5, 9)  # height, width
GAMES = 64

# Nothing is remembered between runs, and a slow shared machine is no failure.
quickly = partial(
    settings,
    deadline=None,
    database=None,
    derandomize=True,  # the same cases every time: what a test counts cannot depend on luck
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
seeds = st.integers(0, 2**32 - 1)


@st.composite
def kitchens(draw: st.DrawFn, seats: int, size: tuple[int, int] = CANVAS) -> Layout:
    """Any kitchen of this size that a team can cook in, of one room or several; shrinks towards an open one."""
    height, width = size
    cells = (height - 2) * (width - 2)
    terrain = np.full(size, COUNTER, np.int8)
    inside = draw(st.lists(st.sampled_from([FLOOR, FLOOR, FLOOR, COUNTER]), min_size=cells, max_size=cells))
    terrain[1:-1, 1:-1] = np.reshape(inside, (height - 2, width - 2))
    wall = draw(st.sampled_from([0, *range(2, width - 2)]))  # often a wall from top to bottom; 0 is border anyway
    terrain[:, wall] = COUNTER
    beside_floor = layouts.build(terrain, np.flatnonzero(terrain.ravel() == FLOOR)[:0]).faced[terrain.ravel() == FLOOR]
    walls = sorted(set(beside_floor.ravel()) & set(np.flatnonzero(terrain.ravel() == COUNTER)))
    floor = list(np.flatnonzero(terrain.ravel() == FLOOR))
    if len(walls) < 4 or len(floor) < seats:
        reject()
    stations = draw(st.lists(st.sampled_from(walls), min_size=4, max_size=9, unique=True))
    extra = draw(st.lists(st.sampled_from([POT, ONIONS, DISHES, SERVING]), min_size=5, max_size=5))
    kinds = [POT, ONIONS, DISHES, SERVING, *extra][: len(stations)]
    terrain.ravel()[stations] = kinds
    starts = draw(st.lists(st.sampled_from(floor), min_size=seats, max_size=seats, unique=True))
    try:
        return layouts.parse(layouts.to_text(layouts.build(terrain, starts)))
    except UserError:
        reject()


def on_canvas(name: str, seats: int) -> Layout:
    """A kitchen of the paper, with counters around it up to CANVAS and as many seats as asked for."""
    layout = layouts.load(name)
    terrain = np.full(CANVAS, COUNTER, np.int8)
    height, width = layout.terrain.shape
    terrain[:height, :width] = layout.terrain
    y, x = np.divmod(layout.start, width)
    floor = np.flatnonzero(terrain.ravel() == FLOOR)
    starts = list(dict.fromkeys([*(y * CANVAS[1] + x), *floor]))
    return layouts.build(terrain, starts[:seats])


def everywhere(seats: int) -> st.SearchStrategy[Layout]:
    """The five kitchens of the paper with this many seats, and generated ones, all of one size."""
    return st.sampled_from(list(layouts.MAPS)).map(lambda name: on_canvas(name, seats)) | kitchens(seats)


def states(rng: np.random.Generator, layout: Layout, games: int = GAMES) -> State:
    """A batch of mid-game states: cooks often crowded and at work, counters bare to full, pots at every stage."""
    kinds = layout.terrain.ravel()
    clutter = rng.choice([0.0, 0.1, 0.6], (games, 1))
    items = rng.integers(1, SOUP + 1, (games, kinds.size)) * (rng.random((games, kinds.size)) < clutter)
    onions = rng.integers(0, SOUP_ONIONS, items.shape)
    cooking = rng.integers(SOUP_ONIONS + 1, READY, items.shape)
    pots = np.choose(rng.integers(0, 4, items.shape), [onions, onions, cooking, np.full_like(cooking, READY)])
    contents = (np.where(kinds == COUNTER, items, 0) + np.where(kinds == POT, pots, 0)).astype(np.int8)
    cell = _cells(rng, layout, games)
    facing = _facing(rng, layout, cell)
    return State(
        cell=cell,
        facing=facing,
        held=_held(rng, layout, contents, layout.faced[cell, facing]),
        contents=contents,
        clock=rng.integers(0, game.HORIZON, games).astype(np.int32),
    )


def actions(rng: np.random.Generator, layout: Layout, games: int = GAMES) -> np.ndarray:
    """A batch of joint actions [games, S] without aim; every other one is INTERACT."""
    shape = (games, len(layout.start))
    return np.where(rng.random(shape) < 0.5, INTERACT, rng.integers(0, INTERACT, shape)).astype(np.int32)


def work(rng: np.random.Generator, layout: Layout, state: State) -> np.ndarray:
    """Joint actions [games, S] of cooks who go about their work and err one time in four; soups get served."""
    supply = np.where(rng.random(state.held.shape) < 0.8, ONIONS, DISHES)
    wanted = np.choose(state.held, [supply, POT, POT, SERVING])
    useful = layout.terrain.ravel()[layout.stations] == wanted[..., None]
    ahead = layout.next_cell[state.cell][..., :STAY]  # [games, S, 4], and the facing will be the action itself
    cost = np.where(useful[..., None, :], layout.distance[ahead, np.arange(STAY)], UNREACHABLE).min(-1)
    here = np.where(useful, layout.distance[state.cell, state.facing], UNREACHABLE).min(-1)
    aimed = np.where(here == 0, INTERACT, np.argmin(cost + rng.random(cost.shape), axis=-1))
    return np.where(rng.random(here.shape) < 0.25, actions(rng, layout, len(here)), aimed).astype(np.int32)


def _cells(rng: np.random.Generator, layout: Layout, games: int) -> np.ndarray:
    """[games, S] distinct floor cells; in most games the cooks stand close together around one of the stations."""
    floor = np.flatnonzero(layout.room >= 0)
    width = layout.terrain.shape[1]
    middle = rng.choice(layout.stations, (games, 1))
    away = np.abs(floor // width - middle // width) + np.abs(floor % width - middle % width)
    score = rng.random((games, len(floor))) * 1.5 + away * (rng.random((games, 1)) < 0.7)
    order = np.argsort(score, axis=1)[:, : len(layout.start)]
    return floor[rng.permuted(order, axis=1)].astype(np.int32)


def _facing(rng: np.random.Generator, layout: Layout, cell: np.ndarray) -> np.ndarray:
    """[games, S]: seven in ten rather face something to interact with, and a station rather than a counter."""
    ahead = layout.terrain.ravel()[layout.faced[cell]]
    interest = (ahead != FLOOR) * 0.4 + (ahead > COUNTER) * 0.4
    keen = rng.random(cell.shape)[..., None] < 0.7
    return np.argmax(rng.random(ahead.shape) + interest * keen, axis=-1).astype(np.int8)


def _held(rng: np.random.Generator, layout: Layout, contents: np.ndarray, faced: np.ndarray) -> np.ndarray:
    """[games, S]: anything; half of the cooks hold what the faced cell is waiting for."""
    kind, inside = layout.terrain.ravel()[faced], np.take_along_axis(contents, faced, axis=1)
    anything = rng.integers(NOTHING, SOUP + 1, faced.shape)
    for_pot = np.where(inside < SOUP_ONIONS, ONION, DISH)
    suited = np.select(
        [kind == POT, kind == SERVING, kind == COUNTER], [for_pot, SOUP, anything * (inside == 0)], NOTHING
    )
    return np.where(rng.random(faced.shape) < 0.5, suited, anything).astype(np.int8)


_step = jax.jit(jax.vmap(game.step, in_axes=(None, 0, 0)))


def step(layout: Layout, state: State, joint: np.ndarray) -> tuple[State, game.Events]:
    """`game.step` for a batch, as NumPy arrays; compiled once per size, number of seats and of games."""
    bare = layout._replace(stations=None, distance=None)  # the rules do not look at these, and their sizes differ
    return jax.tree.map(np.asarray, _step(bare, state, joint))


def one(batch: State, game_number: int) -> State:
    """One game of a batch."""
    return State(*(field[game_number] for field in batch))
