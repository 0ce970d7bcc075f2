"""One state in the words of the overcooked_ai project: those of 2019, of its browser game and of release 1.1.0.

Players have `position`, `orientation` and `held_object`; `objects` is a list, or a mapping in the browser game. A soup
is `state: [kind, onions, ticks]` until 1.1.0 brought `_ingredients` and `cooking_tick`, -1 before it cooks.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from cole.errors import UserError
from cole.kitchen.game import COOK_TICKS, DISH, NOTHING, ONION, READY, SOUP, SOUP_ONIONS
from cole.kitchen.layouts import DIRECTIONS, POT, Layout
from cole.kitchen.trajectory import LATEST, PlainState, check_state, items, show, whole

ITEMS = {"onion": ONION, "dish": DISH}
NAMES = {item: name for name, item in ITEMS.items()}
ORDER = {"ingredients": ["onion"] * SOUP_ONIONS}  # the one dish on the menu, which 1.1.0 repeats in every state


def read_state(layout: Layout, value: Any, where: str) -> PlainState:
    """A checked state; the clock is 0 where the file has no timestep."""
    rows = layout.terrain
    players = items(field(value, "players", where), f"{where}: players", len(layout.start))
    places = [f"{where}: player {seat}" for seat in range(len(players))]
    pairs = list(zip(players, places, strict=True))
    contents = [NOTHING] * rows.size
    things = field(value, "objects", where)
    for thing in things.values() if isinstance(things, dict) else items(things, f"{where}: objects"):
        x, y = position(field(thing, "position", f"{where}: objects"), rows, f"{where}: objects")
        place = f"{where}: object at {x},{y}"
        if contents[y * rows.shape[1] + x]:
            raise UserError(f"{place}: there are two")
        contents[y * rows.shape[1] + x] = _in_pot(thing, place) if rows[y, x] == POT else _item(thing, place)
    cells = [position(field(player, "position", place), rows, place) for player, place in pairs]
    state = PlainState(
        cell=[y * rows.shape[1] + x for x, y in cells],
        facing=[direction(field(player, "orientation", place), place) for player, place in pairs],
        held=[_item(player.get("held_object"), place) for player, place in pairs],
        contents=contents,
        clock=whole(value.get("timestep", 0), 0, LATEST, f"{where}: timestep"),
    )
    check_state(layout, state, where)
    return state


def _item(thing: Any, where: str) -> int:
    """What lies on a counter or in a hand."""
    if thing is None:
        return NOTHING
    name = field(thing, "name", where)
    if name == "soup":
        onions, ticks = _soup(thing, where)
        if (onions, ticks) != (SOUP_ONIONS, COOK_TICKS):
            raise UserError(f"{where}: a soup outside a pot is not ready")
        return SOUP
    if not isinstance(name, str) or name not in ITEMS:
        raise UserError(f"{where}: {show(name)} is not a thing of our kitchen")
    return ITEMS[name]


def _in_pot(thing: Any, where: str) -> int:
    if field(thing, "name", where) != "soup":
        raise UserError(f"{where}: {show(thing['name'])} in a pot")
    onions, ticks = _soup(thing, where)
    return onions + ticks


def _soup(thing: dict, where: str) -> tuple[int, int]:
    """Onions and ticks of a soup in either form. Recordings of the browser game count on after the soup is ready."""
    if thing.get("state") is not None:
        kind, onions, ticks = items(thing["state"], f"{where}: state", 3)
        kinds = [kind] * whole(onions, 1, SOUP_ONIONS, f"{where}: onions")
    else:
        parts = items(field(thing, "_ingredients", where), f"{where}: _ingredients")
        kinds = [field(part, "name", f"{where}: _ingredients") for part in parts]
        ticks = field(thing, "cooking_tick" if "cooking_tick" in thing else "_cooking_tick", where)
        ticks = max(0, whole(ticks, -1, LATEST, f"{where}: cooking_tick"))
        whole(len(kinds), 1, SOUP_ONIONS, f"{where}: number of ingredients")
    if kinds != ["onion"] * len(kinds):
        raise UserError(f"{where}: {show(kinds)} are not only onions")
    if len(kinds) < SOUP_ONIONS and ticks != 0:
        raise UserError(f"{where}: {len(kinds)} of {SOUP_ONIONS} onions cannot cook")
    return len(kinds), min(whole(ticks, 0, LATEST, f"{where}: ticks"), COOK_TICKS)


def direction(value: Any, where: str) -> int:
    """A [dx, dy] as the number of a direction."""
    for number, step in enumerate(DIRECTIONS):
        if value == list(step):
            return number
    raise UserError(f"{where}: {show(value)} is not an action or direction")


def field(value: Any, name: str, where: str) -> Any:
    """One field of a JSON object; others may be there."""
    if not isinstance(value, dict):
        raise UserError(f"{where}: {show(value)} is not an object with fields")
    if name not in value:
        raise UserError(f"{where}: the field {name!r} is missing")
    return value[name]


def position(value: Any, rows: Sequence | np.ndarray, where: str) -> tuple[int, int]:
    """A cell [x, y] within the rows of a map."""
    x, y = items(value, f"{where}: position", 2)
    whole(y, 0, len(rows) - 1, f"{where}: y")
    return whole(x, 0, len(rows[y]) - 1, f"{where}: x"), y


def write_state(layout: Layout, state: PlainState) -> dict:
    """A state as release 1.1.0 writes it."""
    width, kinds = layout.terrain.shape[1], layout.terrain.ravel()
    at = [[cell % width, cell // width] for cell in range(kinds.size)]
    cooks = zip(state.cell, state.facing, state.held, strict=True)
    return {
        "players": [
            {"position": at[cell], "orientation": list(DIRECTIONS[facing]), "held_object": _thing(held, at[cell])}
            for cell, facing, held in cooks
        ],
        "objects": [
            _their_soup(content, at[cell]) if kinds[cell] == POT else _thing(content, at[cell])
            for cell, content in enumerate(state.contents)
            if content
        ],
        "bonus_orders": [],
        "all_orders": [ORDER],
        "timestep": state.clock,
    }


def _thing(item: int, position: list[int]) -> dict | None:
    if item == SOUP:
        return _their_soup(READY, position)
    return None if item == NOTHING else {"name": NAMES[item], "position": position}


def _their_soup(content: int, position: list[int]) -> dict:
    ticks = content - SOUP_ONIONS if content >= SOUP_ONIONS else -1
    onions = min(content, SOUP_ONIONS)
    return {
        "name": "soup",
        "position": position,
        "_ingredients": [{"name": "onion", "position": position}] * onions,
        "cooking_tick": ticks,
        "is_cooking": 0 <= ticks < COOK_TICKS,
        "is_ready": ticks >= COOK_TICKS,
        "is_idle": ticks < 0,
        "cook_time": COOK_TICKS if ticks >= 0 else -1,
        "_cooking_tick": ticks,
    }
