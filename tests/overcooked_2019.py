"""The reference in tests: overcooked-ai 1.1.0 playing by the cooking rule of 2019, and its states as ours and back.

    reference = kitchen(layout)                       one of our layouts as their game
    theirs = to_theirs(layout, state)                 one State (no batch axis) as an OvercookedState
    theirs, sparse, shaped = reference.play(theirs, actions)     our action numbers; rewards by seat, lists of S
    state = to_ours(layout, theirs)                   a State of NumPy arrays

Import `overcooked_ai_py` only through here: the recipe is global there, and `play` sets it anew each time.
"""

from collections.abc import Iterable

import numpy as np
from overcooked_ai_py.mdp.actions import Action, Direction
from overcooked_ai_py.mdp.overcooked_mdp import (
    ObjectState,
    OvercookedGridworld,
    OvercookedState,
    PlayerState,
    Recipe,
    SoupState,
)

from cole.kitchen import layouts
from cole.kitchen.game import COOK_TICKS, NOTHING, SOUP, SOUP_ONIONS, State
from cole.kitchen.layouts import COUNTER, POT, Layout

ITEMS = (None, "onion", "dish", "soup")  # our item numbers as their names
ORDERS = [{"ingredients": ["onion"] * SOUP_ONIONS}]


class Overcooked2019(OvercookedGridworld):
    """Their game, except that a pot starts by itself at three onions and by nothing else."""

    def soup_to_be_cooked_at_location(self, state: OvercookedState, pos: tuple[int, int]) -> bool:
        """An INTERACT with empty hands never starts a pot."""
        return False

    def step_environment_effects(self, state: OvercookedState) -> None:
        """Full pots start, then everything cooks, so that the third onion's own step is the first tick."""
        for thing in state.objects.values():
            if thing.name == "soup" and thing.is_idle and thing.is_full:
                thing.begin_cooking()
        super().step_environment_effects(state)

    def play(self, state: OvercookedState, actions: Iterable[int]) -> tuple[OvercookedState, list[int], list[int]]:
        """The next state, and the sparse and the shaped reward of each seat; `state` itself is left alone."""
        self.remember_recipe()
        joint = tuple(Action.INDEX_TO_ACTION[action] for action in actions)
        state, infos = self.get_state_transition(state, joint)
        return state, infos["sparse_reward_by_agent"], infos["shaped_reward_by_agent"]

    def encode(self, state: OvercookedState, horizon: int) -> np.ndarray:
        """Their 26-channel view of both seats [2, W, H, 26]."""
        self.remember_recipe()
        return np.stack(self.lossless_state_encoding(state, horizon=horizon))

    def remember_recipe(self) -> None:
        """Undo what another game object did to the one recipe book all of them share."""
        Recipe.configure(self.recipe_config)


def kitchen(layout: Layout) -> Overcooked2019:
    """Their game in one of our kitchens, any number of seats."""
    terrain = [[layouts.SYMBOLS[kind] for kind in row] for row in layout.terrain]
    starts = [_position(layout, cell) for cell in layout.start]
    return Overcooked2019(terrain, starts, start_all_orders=ORDERS, cook_time=COOK_TICKS, delivery_reward=20)


def to_theirs(layout: Layout, state: State) -> OvercookedState:
    """One State as their record; the clock becomes the timestep."""
    players = []
    for cell, facing, held in zip(state.cell, state.facing, state.held, strict=True):
        position = _position(layout, cell)
        players.append(PlayerState(position, Direction.INDEX_TO_DIRECTION[int(facing)], _thing(int(held), position)))
    kinds, contents = layout.terrain.ravel(), np.asarray(state.contents)
    things = {}
    for cell in np.flatnonzero(contents):
        position, content = _position(layout, cell), int(contents[cell])
        things[position] = _pot(content, position) if kinds[cell] == POT else _thing(content, position)
    return OvercookedState(players, things, all_orders=ORDERS, timestep=int(state.clock))


def to_ours(layout: Layout, theirs: OvercookedState) -> State:
    """Their record as one State; a thing that cannot be in our game is refused."""
    width, kinds = layout.terrain.shape[1], layout.terrain.ravel()
    contents = np.zeros(kinds.size, np.int8)
    for (x, y), thing in theirs.objects.items():
        cell = y * width + x
        if kinds[cell] not in (COUNTER, POT):
            raise ValueError(f"{thing} lies on {layouts.SYMBOLS[kinds[cell]]!r}")
        contents[cell] = _pot_number(thing) if kinds[cell] == POT else _item_number(thing)
    return State(
        cell=np.array([y * width + x for x, y in theirs.player_positions], np.int32),
        facing=np.array([Direction.DIRECTION_TO_INDEX[o] for o in theirs.player_orientations], np.int8),
        held=np.array([_item_number(player.held_object) for player in theirs.players], np.int8),
        contents=contents,
        clock=np.int32(theirs.timestep),
    )


def _position(layout: Layout, cell: int) -> tuple[int, int]:
    y, x = divmod(int(cell), layout.terrain.shape[1])
    return x, y


def _thing(item: int, position: tuple[int, int]) -> ObjectState | None:
    if item == NOTHING:
        return None
    if item == SOUP:
        return SoupState.get_soup(position, SOUP_ONIONS, cooking_tick=COOK_TICKS)
    return ObjectState(ITEMS[item], position)


def _pot(content: int, position: tuple[int, int]) -> SoupState:
    if content < SOUP_ONIONS:
        return SoupState.get_soup(position, content)
    return SoupState.get_soup(position, SOUP_ONIONS, cooking_tick=content - SOUP_ONIONS)


def _item_number(thing: ObjectState | None) -> int:
    if thing is None:
        return NOTHING
    if thing.name == "soup" and (thing.ingredients != ["onion"] * SOUP_ONIONS or not thing.is_ready):
        raise ValueError(f"{thing!r} is not a finished onion soup")
    return ITEMS.index(thing.name)


def _pot_number(soup: SoupState) -> int:
    onions = soup.ingredients.count("onion")
    if onions != len(soup.ingredients):
        raise ValueError(f"{soup!r} holds more than onions")
    if soup.is_idle != (onions < SOUP_ONIONS):
        raise ValueError(f"{soup!r} does not cook by the rule of 2019")
    return onions if soup.is_idle else SOUP_ONIONS + min(soup._cooking_tick, COOK_TICKS)
