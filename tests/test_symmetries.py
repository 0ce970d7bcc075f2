"""Games that must be the same: mirrored, with seats reordered, on a larger map, compiled or not."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import GAMES, actions, everywhere, on_canvas, one, quickly, seeds, states, step

from cole.kitchen import game, layouts
from cole.kitchen.game import NOTHING, ONION, SOUP_ONIONS, Events, State
from cole.kitchen.layouts import COUNTER, EAST, INTERACT, NORTH, POT, SOUTH, STAY, WEST, Layout

SEATS = [1, 2, 3, 4]

LEFT_RIGHT = (1, np.array([NORTH, SOUTH, WEST, EAST, STAY, INTERACT]))  # the axis to flip, and what actions become
UP_DOWN = (0, np.array([SOUTH, NORTH, EAST, WEST, STAY, INTERACT]))


def mirrored_cells(layout: Layout, axis: int) -> np.ndarray:
    """[H*W] where each cell lies in the mirrored kitchen; a mirror undoes itself."""
    return np.flip(np.arange(layout.terrain.size).reshape(layout.terrain.shape), axis).ravel()


def mirror_state(layout: Layout, state: State, axis: int, action: np.ndarray) -> State:
    """The batch of states as seen in the mirror."""
    cells = mirrored_cells(layout, axis)
    return state._replace(
        cell=cells[state.cell].astype(np.int32),
        facing=action[state.facing].astype(np.int8),
        contents=state.contents[:, cells],
    )


@pytest.mark.parametrize("mirror", [LEFT_RIGHT, UP_DOWN], ids=["left-right", "up-down"])
@pytest.mark.parametrize("seats", SEATS)
def test_a_mirrored_kitchen_gives_the_mirrored_game(seats, mirror):
    axis, action = mirror

    @quickly(max_examples=12)
    @given(everywhere(seats), seeds)
    def draw(layout, seed):
        rng = np.random.default_rng(seed)
        state, joint = states(rng, layout), actions(rng, layout)
        twin = layouts.build(np.flip(layout.terrain, axis), mirrored_cells(layout, axis)[layout.start])
        after, events = step(layout, state, joint)
        twin_after, twin_events = step(twin, mirror_state(layout, state, axis, action), action[joint].astype(np.int32))
        assert_same(twin_after, mirror_state(layout, after, axis, action))
        assert_same(twin_events, events)

    draw()


def assert_same(left: tuple, right: tuple, games: np.ndarray | slice = slice(None)) -> None:
    for name, a, b in zip(left._fields, left, right, strict=True):
        np.testing.assert_array_equal(a[games], b[games], err_msg=name)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_seat_order_matters_only_at_a_shared_counter_or_pot_and_for_useful_dishes(seats):
    """Reordered seats play the reordered game, if no two of them INTERACT with the same counter or pot.

    `dish_taken_useful` counts dishes in hands and on counters as they change within the step, so it follows the seats
    only where a dish taken is the only thing that happens to dishes in that step.
    """
    shared = compared = useful = 0

    @quickly(max_examples=25)
    @given(everywhere(seats), seeds, st.permutations(range(seats)))
    def draw(layout, seed, order):
        nonlocal shared, compared, useful
        rng = np.random.default_rng(seed)
        state, joint = states(rng, layout), actions(rng, layout)
        after, events = step(layout, state, joint)
        moved = state._replace(cell=state.cell[:, order], facing=state.facing[:, order], held=state.held[:, order])
        got, got_events = step(layout._replace(start=layout.start[order]), moved, joint[:, order])
        expected = after._replace(cell=after.cell[:, order], facing=after.facing[:, order], held=after.held[:, order])
        expected_events = Events(*(event[:, order] for event in events))
        alone = ~_share_a_store(layout, state, joint)
        assert_same(got, expected, alone)
        never = np.zeros_like(events.moved)
        assert_same(*(e._replace(dish_taken_useful=never) for e in (got_events, expected_events)), alone)
        simple = alone & (_dish_deeds(events) <= 1)
        np.testing.assert_array_equal(got_events.dish_taken_useful[simple], expected_events.dish_taken_useful[simple])
        # Cooks move at once, so the order never matters for that.
        np.testing.assert_array_equal(got.cell, expected.cell)
        shared, compared = shared + (~alone).sum(), compared + alone.sum()
        useful += events.dish_taken_useful[simple].sum()

    draw()
    assert shared and compared and useful


def _share_a_store(layout: Layout, state: State, joint: np.ndarray) -> np.ndarray:
    """[games] whether two cooks INTERACT with one counter or pot; dispensers and hatches serve everybody."""
    faced = layout.faced[state.cell, state.facing]
    store = np.isin(layout.terrain.ravel()[faced], [COUNTER, POT]) & (joint == INTERACT)
    target = np.where(store, faced, -1 - np.arange(joint.shape[1]))
    return (np.diff(np.sort(target, axis=1), axis=1) == 0).any(axis=1)


def _dish_deeds(events: Events) -> np.ndarray:
    """[games] how many deeds changed the number of dishes in hands or on counters."""
    deeds = (events.dish_taken, events.dish_put, events.dish_lifted, events.soup_taken)
    return sum(deed.astype(int).sum(axis=1) for deed in deeds)


def test_of_two_cooks_with_the_third_onion_the_earlier_seat_is_served():
    """The exception is real: at a shared pot the order decides."""
    layout = layouts.parse("XXXXX\nX1P2X\nO   D\nXXSXX")
    state = game.reset(layout)._replace(facing=jnp.array([EAST, WEST]), held=jnp.array([ONION, ONION]))
    state = state._replace(contents=state.contents.at[7].set(SOUP_ONIONS - 1))
    after, events = game.step(layout, state, jnp.array([INTERACT, INTERACT]))
    assert events.onion_in_pot.tolist() == [True, False] and after.held.tolist() == [NOTHING, ONION]


@pytest.mark.parametrize("seats", SEATS)
def test_compiled_and_batched_steps_equal_plain_ones(seats):
    """jit(vmap(step)) against a Python loop over `step` with compilation switched off."""
    rng = np.random.default_rng(seats)
    for name in ("forced_coordination", "counter_circuit"):
        layout = on_canvas(name, seats)
        state, joint = states(rng, layout), actions(rng, layout)
        after, events = step(layout, state, joint)
        for i in range(3):
            with jax.disable_jit():
                plain, plain_events = game.step(layout, jax.tree.map(jnp.asarray, one(state, i)), jnp.asarray(joint[i]))
            for field, batched in zip((*plain, *plain_events), (*after, *events), strict=True):
                np.testing.assert_array_equal(np.asarray(field), batched[i])


@pytest.mark.parametrize("name", layouts.MAPS)
def test_counters_around_a_kitchen_change_nothing(name):
    """The premise of playing all kitchens on one canvas."""
    small, large = layouts.load(name), on_canvas(name, 2)
    width, rng = small.terrain.shape[1], np.random.default_rng(3)
    cells = np.arange(small.terrain.size) // width * large.terrain.shape[1] + np.arange(small.terrain.size) % width
    state, joint = states(rng, small), actions(rng, small)
    contents = np.zeros((GAMES, large.terrain.size), np.int8)
    contents[:, cells] = state.contents
    after, events = step(small, state, joint)
    wide_after, wide_events = step(
        large, state._replace(cell=cells[state.cell].astype(np.int32), contents=contents), joint
    )
    assert_same(wide_after._replace(contents=wide_after.contents[:, cells]), after._replace(cell=cells[after.cell]))
    assert_same(wide_events, events)
