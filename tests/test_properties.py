"""What must hold in every kitchen, from every state, whatever the cooks do: for one to four seats."""

import jax
import numpy as np
import pytest
from hypothesis import given
from strategies import GAMES, actions, everywhere, on_canvas, quickly, seeds, states, step, work

from cole.kitchen import game, layouts
from cole.kitchen.game import DISH, NOTHING, ONION, READY, SOUP, SOUP_ONIONS, Events, State
from cole.kitchen.layouts import COUNTER, INTERACT, POT, STAY, Layout


def for_every_game(check, examples: int = 20):
    """Run `check(layout, state, joint, after, events)` on drawn batches for each number of seats."""

    @pytest.mark.parametrize("seats", [1, 2, 3, 4])
    def test(seats):
        @quickly(max_examples=examples)
        @given(everywhere(seats), seeds)
        def draw(layout, seed):
            rng = np.random.default_rng(seed)
            state = states(rng, layout)
            joint = actions(rng, layout) if seed % 2 else work(rng, layout, state)
            check(layout, state, joint, *step(layout, state, joint))

        draw()

    return test


def hands(state: State, item: int) -> np.ndarray:
    """[games, S] 1 where a cook holds the item."""
    return (state.held == item).astype(int)


def counters(layout: Layout, state: State, item: int) -> np.ndarray:
    """[games] how many counters hold the item."""
    return ((layout.terrain.ravel() == COUNTER) & (state.contents == item)).sum(axis=1)


def potted(layout: Layout, state: State) -> np.ndarray:
    """[games] onions in all pots, cooked or not."""
    return np.minimum(np.where(layout.terrain.ravel() == POT, state.contents, 0), SOUP_ONIONS).sum(axis=1)


def signed(events: Events, *names: str) -> np.ndarray:
    """[games, S] a sum of events; a name with a minus in front is subtracted."""
    return sum((-1 if name[0] == "-" else 1) * getattr(events, name.lstrip("-")).astype(int) for name in names)


def check_items_are_conserved(layout, before, joint, after, events):
    """Hands change by the own deeds of the seat; counters and pots by those of all; nothing else comes or goes."""
    by_hand = {
        ONION: ("onion_taken", "onion_lifted", "-onion_put", "-onion_in_pot"),
        DISH: ("dish_taken", "dish_lifted", "-dish_put", "-soup_taken"),
        SOUP: ("soup_taken", "soup_lifted", "-soup_put", "-soup_served"),
    }
    for item, names in by_hand.items():
        np.testing.assert_array_equal(hands(after, item) - hands(before, item), signed(events, *names))
    for item, name in ((ONION, "onion"), (DISH, "dish"), (SOUP, "soup")):
        change = counters(layout, after, item) - counters(layout, before, item)
        np.testing.assert_array_equal(change, signed(events, f"{name}_put", f"-{name}_lifted").sum(axis=1))
    change = potted(layout, after) - potted(layout, before)
    np.testing.assert_array_equal(
        change, signed(events, "onion_in_pot").sum(1) - SOUP_ONIONS * events.soup_taken.sum(1)
    )


test_items_in_hands_on_counters_and_in_pots_change_only_as_the_events_say = for_every_game(check_items_are_conserved)


def check_things_lie_only_where_they_can(layout, before, joint, after, events):
    kinds = layout.terrain.ravel()
    assert (after.contents[:, (kinds != COUNTER) & (kinds != POT)] == NOTHING).all()
    assert np.isin(after.contents[:, kinds == COUNTER], [NOTHING, ONION, DISH, SOUP]).all()
    pots = after.contents[:, kinds == POT]
    assert ((pots >= 0) & (pots <= READY) & (pots != SOUP_ONIONS)).all()  # the third onion's step is the first tick
    assert np.isin(after.held, [NOTHING, ONION, DISH, SOUP]).all()


test_things_lie_only_where_they_can = for_every_game(check_things_lie_only_where_they_can)


def check_full_pots_cook_to_the_end(layout, before, joint, after, events):
    """A full pot gains one tick and stops when ready; only a ready one can be emptied; onions never leave otherwise."""
    pots = layout.terrain.ravel() == POT
    old, new = before.contents[:, pots], after.contents[:, pots]
    cooking = (old >= SOUP_ONIONS) & (old < READY)
    np.testing.assert_array_equal(new[cooking], old[cooking] + 1)
    emptied = (old == READY) & (new != READY)
    np.testing.assert_array_equal(emptied.sum(axis=1), events.soup_taken.sum(axis=1))
    assert (new[old < SOUP_ONIONS] >= old[old < SOUP_ONIONS]).all()


test_full_pots_cook_to_the_end_and_wait = for_every_game(check_full_pots_cook_to_the_end)


def check_cooks_stay_apart_and_in_their_rooms(layout, before, joint, after, events):
    ordered = np.sort(after.cell, axis=1)
    assert (np.diff(ordered, axis=1) > 0).all()
    assert (layout.terrain.ravel()[after.cell] == layouts.FLOOR).all()
    np.testing.assert_array_equal(layout.room[after.cell], layout.room[before.cell])


test_cooks_never_share_a_cell_nor_leave_the_floor_nor_their_room = for_every_game(
    check_cooks_stay_apart_and_in_their_rooms
)


def check_each_action_is_one_event(layout, before, joint, after, events):
    """INTERACT is one deed or a fumble, STAY is stayed, and only a move moves or is blocked."""
    deeds = sum(getattr(events, name).astype(int) for name in game.DEEDS if name)
    np.testing.assert_array_equal(deeds + events.fumbled, joint == INTERACT)
    np.testing.assert_array_equal(events.stayed, joint == STAY)
    assert not ((events.moved | events.blocked) & (joint >= STAY)).any() and not (events.moved & events.blocked).any()
    assert not (events.dish_taken_useful & ~events.dish_taken).any()
    np.testing.assert_array_equal(events.moved, after.cell != before.cell)
    np.testing.assert_array_equal(after.facing, np.where(joint < STAY, joint, before.facing))
    free = ~events.blocked.any(axis=1)
    np.testing.assert_array_equal(after.cell[free], layout.next_cell[before.cell, joint][free])
    np.testing.assert_array_equal(after.cell[~free], before.cell[~free])
    np.testing.assert_array_equal(after.clock, before.clock + 1)


test_each_action_is_exactly_one_event = for_every_game(check_each_action_is_one_event)


def test_random_states_are_ones_that_play_can_reach():
    draw = jax.jit(jax.vmap(game.random_state, in_axes=(0, None)))
    keys = jax.random.split(jax.random.key(0), GAMES)
    for name in layouts.MAPS:
        layout = on_canvas(name, 3)
        state = jax.tree.map(np.asarray, draw(keys, layout._replace(stations=None, distance=None)))
        kinds = layout.terrain.ravel()
        on_counters, in_pots = state.contents[:, kinds == COUNTER], state.contents[:, kinds == POT]
        assert (np.diff(np.sort(state.cell, axis=1), axis=1) > 0).all()
        np.testing.assert_array_equal(layout.room[state.cell], np.tile(layout.room[layout.start], (GAMES, 1)))
        assert (state.contents[:, (kinds == COUNTER) & ~layout.touchable] == NOTHING).all()
        assert (state.contents[:, (kinds != COUNTER) & (kinds != POT)] == NOTHING).all()
        assert set(np.unique(state.held)) == {NOTHING, ONION, DISH, SOUP} == set(np.unique(on_counters))
        assert {0, 1, 2, READY} <= set(np.unique(in_pots)) and SOUP_ONIONS not in in_pots
        assert set(np.unique(state.facing)) == {0, 1, 2, 3}
