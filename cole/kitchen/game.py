"""The rules: State, Events, reset, step. No reward is built in, nothing resets by itself, nothing is random.

What happens at the faced cell is written once, as a plain function (`interact`), and compiled into a table, so that a
step is a few look-ups whatever the cooks do.
"""

from itertools import combinations, product
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from cole.kitchen.layouts import COUNTER, DISHES, INTERACT, NORTH, ONIONS, POT, SERVING, STAY, SYMBOLS, Layout

NOTHING, ONION, DISH, SOUP = range(4)  # what a hand or a counter can hold

SOUP_ONIONS = 3  # a pot with this many starts to cook by itself
COOK_TICKS = 20  # and is ready after so many ticks; nothing burns
READY = SOUP_ONIONS + COOK_TICKS
HORIZON = 400


class State(NamedTuple):
    """One game, in a few dozen bytes. S seats."""

    cell: Array  # [S] int32: y * W + x
    facing: Array  # [S] int8: NORTH, SOUTH, EAST, WEST
    held: Array  # [S] int8: NOTHING, ONION, DISH, SOUP
    contents: Array  # [H*W] int8: the item on a counter; in a pot 0-2 onions, then 3 + ticks cooked (3-23)
    clock: Array  # [] int32: steps played


class Events(NamedTuple):
    """What each seat did in one step: [S] each. The same record holds weights, see `reward`."""

    onion_taken: Array | float = 0.0  # from a dispenser
    dish_taken: Array | float = 0.0
    dish_taken_useful: Array | float = 0.0  # a dish taken while pots need dishes, see `step`
    onion_in_pot: Array | float = 0.0
    soup_taken: Array | float = 0.0  # from a pot, onto the dish in hand
    soup_served: Array | float = 0.0
    onion_put: Array | float = 0.0  # onto a counter
    dish_put: Array | float = 0.0
    soup_put: Array | float = 0.0
    onion_lifted: Array | float = 0.0  # from a counter
    dish_lifted: Array | float = 0.0
    soup_lifted: Array | float = 0.0
    fumbled: Array | float = 0.0  # INTERACT without effect
    stayed: Array | float = 0.0  # STAY
    moved: Array | float = 0.0  # is in another cell now
    blocked: Array | float = 0.0  # would have moved, but the cooks were in each other's way


SPARSE = Events(soup_served=20.0)
SHAPED = Events(onion_in_pot=3.0, dish_taken_useful=3.0, soup_taken=5.0)


def reset(layout: Layout) -> State:
    """The opening: empty hands, empty kitchen, everybody at the start and facing north."""
    seats = len(layout.start)
    return State(
        cell=jnp.asarray(layout.start, jnp.int32),
        facing=jnp.full(seats, NORTH, jnp.int8),
        held=jnp.full(seats, NOTHING, jnp.int8),
        contents=jnp.zeros(layout.terrain.size, jnp.int8),
        clock=jnp.zeros((), jnp.int32),
    )


def reward(weights: Events, events: Events) -> Array:
    """weights . events, per seat [S]: the sparse reward, shaping and hidden utilities are all this."""
    total = jnp.zeros(jnp.shape(events.soup_served))
    for weight, event in zip(weights, events, strict=True):
        if not (isinstance(weight, float) and weight == 0.0):
            total += weight * event
    return total


def step(layout: Layout, state: State, actions: Array) -> tuple[State, Events]:
    """One tick: interacts in seat order, then all moves at once, then the pots cook.

    A dish is *taken usefully* if the pots that held something when the step began outnumber the dishes in hands, and
    no dish lies on a counter; seat 0's deed of the same step counts for seat 1.
    """
    held, contents, deeds, useful = _interacts(layout, state, actions)
    cell, facing, blocked = _moves(layout, state, actions)
    state_after = State(cell, facing, held, _cook(layout, contents), state.clock + 1)
    happened = {name: deeds == code for code, name in enumerate(DEEDS) if code}
    events = Events(
        **happened,
        dish_taken_useful=useful,
        fumbled=(actions == INTERACT) & (deeds == 0),
        stayed=actions == STAY,
        moved=cell != state.cell,
        blocked=blocked,
    )
    return state_after, events


def interact(terrain: int, held: int, content: int) -> tuple[int, int, str]:
    """INTERACT with one cell: what is in hand and in the cell afterwards, and the name of the deed ("" for none)."""
    if terrain == COUNTER:
        if held and not content:
            return NOTHING, held, ("", "onion_put", "dish_put", "soup_put")[held]
        if content and not held:
            return content, NOTHING, ("", "onion_lifted", "dish_lifted", "soup_lifted")[content]
    if terrain == ONIONS and not held:
        return ONION, content, "onion_taken"
    if terrain == DISHES and not held:
        return DISH, content, "dish_taken"
    if terrain == POT and held == ONION and content < SOUP_ONIONS:
        return NOTHING, content + 1, "onion_in_pot"
    if terrain == POT and held == DISH and content == READY:
        return SOUP, 0, "soup_taken"
    if terrain == SERVING and held == SOUP:
        return NOTHING, content, "soup_served"
    return held, content, ""


DEEDS = ("", *(name for name in Events._fields[:12] if name != "dish_taken_useful"))
_ITEMS, _CONTENTS = SOUP + 1, READY + 1


def _interact_table() -> np.ndarray:
    """`interact` for every (terrain, held, content), as one number: held + 4 * content + 128 * deed."""
    table = np.zeros(len(SYMBOLS) * _ITEMS * _CONTENTS, np.int32)
    cases = product(range(len(SYMBOLS)), range(_ITEMS), range(_CONTENTS))
    for index, (terrain, held, content) in enumerate(cases):
        # A counter never holds more than an item: such a case cannot arise and may stand for anything.
        impossible = terrain == COUNTER and content >= _ITEMS
        held, content, deed = (0, 0, "") if impossible else interact(terrain, held, content)
        table[index] = held + 4 * content + 128 * DEEDS.index(deed)
    return table


_INTERACT = _interact_table()


def _interacts(layout: Layout, state: State, actions: Array) -> tuple[Array, Array, Array, Array]:
    """Hands, contents, deed codes and useful dishes after every INTERACT, seat 0 fully before seat 1, and so on.

    Two cooks may face one cell: a later seat finds it as the earlier left it.
    """
    terrain = jnp.asarray(layout.terrain).ravel()
    faced = jnp.asarray(layout.faced)[state.cell, state.facing]
    kinds, seen = terrain[faced].astype(jnp.int32), state.contents[faced]
    busy_pots = jnp.sum((terrain == POT) & (state.contents > 0))
    counter_dishes = jnp.sum((terrain == COUNTER) & (state.contents == DISH))

    held = list(state.held)
    left, deeds, useful = [], [], []
    for seat in range(len(held)):
        found = seen[seat]
        for earlier in range(seat):
            found = jnp.where(faced[earlier] == faced[seat], left[earlier], found)
        index = (kinds[seat] * _ITEMS + held[seat]) * _CONTENTS + found
        acts = actions[seat] == INTERACT
        entry = jnp.where(acts, jnp.asarray(_INTERACT)[index], held[seat] + 4 * found.astype(jnp.int32))
        deed = entry // 128
        hand_dishes = sum((item == DISH).astype(jnp.int32) for item in held)
        took_dish = deed == DEEDS.index("dish_taken")
        useful.append(took_dish & (busy_pots > hand_dishes) & (counter_dishes == 0))
        deeds.append(deed)
        held[seat] = (entry % 4).astype(jnp.int8)
        left.append((entry // 4 % 32).astype(jnp.int8))
        counter_dishes += (deed == DEEDS.index("dish_put")).astype(jnp.int32)
        counter_dishes -= (deed == DEEDS.index("dish_lifted")).astype(jnp.int32)

    contents = state.contents
    cells = jnp.arange(contents.shape[0])
    for seat in range(len(held)):
        contents = jnp.where(cells == faced[seat], left[seat], contents)
    return jnp.stack(held), contents, jnp.stack(deeds), jnp.stack(useful)


def _moves(layout: Layout, state: State, actions: Array) -> tuple[Array, Array, Array]:
    """Cells, facings, and who was blocked. If any two cooks would meet or swap, all keep their cells; all turn."""
    facing = jnp.where(actions < STAY, actions, state.facing).astype(jnp.int8)
    target = jnp.asarray(layout.next_cell)[state.cell, actions]
    clash = jnp.zeros((), bool)
    for a, b in combinations(range(target.shape[0]), 2):
        swap = (target[a] == state.cell[b]) & (target[b] == state.cell[a])
        clash |= (target[a] == target[b]) | swap
    return jnp.where(clash, state.cell, target), facing, clash & (target != state.cell)


def _cook(layout: Layout, contents: Array) -> Array:
    """Every full pot gets one tick further until it is ready."""
    cooking = (jnp.asarray(layout.terrain).ravel() == POT) & (contents >= SOUP_ONIONS) & (contents < READY)
    return contents + cooking.astype(jnp.int8)


def random_state(key: Array, layout: Layout, *, anywhere: bool = False, clutter: float = 0.25) -> State:
    """A random mid-game state: cells, facings, hands, counters and pots; the clock stands at 0.

    By default only what play can reach: every cook in the room it starts in, and items only on counters some cook can
    touch. `anywhere` lifts both limits. `clutter` is the chance that a counter holds something.
    """
    seats, terrain = len(layout.start), jnp.asarray(layout.terrain).ravel()
    cell_key, hand_key = jax.random.split(key)
    item, clutter_here, stage, ticks, *score = jax.random.uniform(cell_key, (4 + seats, terrain.shape[0]))
    facing, held = jax.random.uniform(hand_key, (2, seats))
    cluttered = (clutter_here < clutter) & (terrain == COUNTER)
    if not anywhere:
        cluttered &= jnp.asarray(layout.touchable)
    # Empty, one onion, two, cooking and ready are equally likely; a full pot has cooked at least one tick.
    cooking = 1 + SOUP_ONIONS + _below(COOK_TICKS - 1, ticks)
    pot = jnp.select([stage < 0.6, stage < 0.8], [_below(5, stage), cooking], READY)
    contents = jnp.where(cluttered, 1 + _below(SOUP, item), jnp.where(terrain == POT, pot, 0))
    return State(
        cell=_random_cells(layout, score, anywhere),
        facing=_below(4, facing).astype(jnp.int8),
        held=_below(_ITEMS, held).astype(jnp.int8),
        contents=contents.astype(jnp.int8),
        clock=jnp.zeros((), jnp.int32),
    )


def _below(limit: int, uniform: Array) -> Array:
    """Whole numbers 0 .. limit - 1 from numbers in [0, 1)."""
    return jnp.floor(limit * uniform).astype(jnp.int32)


def _random_cells(layout: Layout, score: list[Array], anywhere: bool) -> Array:
    """[S] int32: for each seat the free cell with the highest score [H*W], in its own room unless `anywhere`."""
    room = jnp.asarray(layout.room)
    free = room >= 0
    chosen = []
    for seat, scores in enumerate(score):
        allowed = free if anywhere else free & (room == room[layout.start[seat]])
        chosen.append(jnp.argmax(jnp.where(allowed, scores, -1.0)))
        free &= jnp.arange(room.shape[0]) != chosen[-1]
    return jnp.stack(chosen).astype(jnp.int32)
