"""The rules against the golden transitions of the 2019 game, and by hand where a rule is easily lost."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from golden_data import load, states

from cole.kitchen import game, layouts
from cole.kitchen.layouts import EAST, INTERACT, NORTH, SOUTH, STAY, WEST


@pytest.mark.parametrize("name", layouts.MAPS)
def test_every_golden_transition_is_reproduced(name, tell):
    layout, data = layouts.load(name), load(name)
    before, expected = states(layout, data), states(layout, data, "next_")
    actions = jnp.asarray(data["action"], jnp.int32)
    after, events = jax.jit(jax.vmap(lambda s, a: game.step(layout, s, a)))(before, actions)
    wrong = np.zeros(len(actions), bool)
    for field in ("cell", "facing", "held", "contents"):
        wrong |= (np.asarray(getattr(after, field)) != getattr(expected, field)).any(axis=1)
    sparse, shaped = game.reward(game.SPARSE, events), game.reward(game.SHAPED, events)
    wrong |= (np.asarray(sparse) != data["sparse_by_player"]).any(axis=1)
    wrong |= (np.asarray(shaped) != data["shaped_by_player"]).any(axis=1)
    wrong |= np.asarray(sparse).sum(axis=1) != data["sparse"]
    wrong |= np.asarray(shaped).sum(axis=1) != data["shaped"]
    tell(f"golden transitions, {name}: {len(wrong):,} compared, {wrong.sum()} mismatches")
    assert not wrong.any()
    assert data["sparse"].sum() > 0 and data["shaped"].sum() > 0


@pytest.mark.parametrize("name", layouts.MAPS)
def test_events_happen_in_the_steps_the_golden_data_names(name):
    layout, data = layouts.load(name), load(name)
    step = jax.jit(jax.vmap(lambda s, a: game.step(layout, s, a)))
    _, events = step(states(layout, data), jnp.asarray(data["action"], jnp.int32))
    clash = (data["event_bits"] & sum(1 << data["event_names"].tolist().index(kind) for kind in CLASHES)) > 0
    assert (np.asarray(events.blocked).any(axis=1) == clash).all()
    for kind, ours in SAME_EVENT.items():
        theirs = (data["event_bits"] >> data["event_names"].tolist().index(kind)) & 1 > 0
        happened = np.any([np.asarray(getattr(events, field)).any(axis=1) for field in ours], axis=0)
        assert (happened == theirs).all(), kind
        assert theirs.any(), kind


# Names of the golden data -> ours; theirs are of a step, ours of a seat.
SAME_EVENT = {
    "delivery": ["soup_served"],
    "soup_taken_from_pot": ["soup_taken"],
    "onion_into_pot": ["onion_in_pot"],
    "dish_shaping_paid": ["dish_taken_useful"],
    "put_on_counter": ["onion_put", "dish_put", "soup_put"],
    "take_from_counter": ["onion_lifted", "dish_lifted", "soup_lifted"],
}
CLASHES = ("swap_attempt", "both_move_to_same_free_cell", "move_into_unmoving_player")


@pytest.mark.parametrize("name", layouts.MAPS)
def test_the_opening_is_that_of_the_map(name):
    layout, data = layouts.load(name), load(name)
    state = game.reset(layout)
    width = layout.terrain.shape[1]
    assert [(int(c) % width, int(c) // width) for c in state.cell] == [tuple(p) for p in data["start_pos"].tolist()]
    assert (state.facing == NORTH).all() and (state.held == game.NOTHING).all() and (state.contents == 0).all()


# A corridor: seat 0 stands under the pot, seat 1 right of it.
#   XPXXX
#   O12 X
#   XDXSX
CORRIDOR = layouts.parse("XPXXX\nO12 X\nXDXSX")
POT, LEFT, MIDDLE, RIGHT = 1, 6, 7, 8


def play(state, *joint_actions):
    """The states after each joint action, and all events, on the corridor."""
    states, happened = [], []
    for actions in joint_actions:
        state, events = STEP(state, jnp.array(actions))
        states.append(state)
        happened.append(events)
    return states, happened


STEP = jax.jit(lambda state, actions: game.step(CORRIDOR, state, actions))


def corridor(cell=(LEFT, MIDDLE), facing=(NORTH, NORTH), held=(0, 0), contents=None):
    inside = np.zeros(15, np.int8)
    for where, what in (contents or {}).items():
        inside[where] = what
    fields = (np.array(cell, np.int32), np.array(facing, np.int8), np.array(held, np.int8), inside, np.int32(0))
    return jax.tree.map(jnp.asarray, game.State(*fields))


def test_the_third_onion_starts_twenty_ticks_and_then_a_dish_takes_the_soup():
    before = corridor(held=(game.ONION, 0), contents={POT: 2})
    (full, *_), (potted, *_) = play(before, (INTERACT, STAY))
    assert potted.onion_in_pot.tolist() == [True, False]
    assert int(full.contents[POT]) == game.SOUP_ONIONS + 1  # one tick already at the end of that step
    waiting, _ = play(full._replace(held=jnp.array([game.DISH, 0], jnp.int8)), *[(STAY, STAY)] * 18)
    assert int(waiting[-1].contents[POT]) == game.READY - 1
    (tried, taken), (_, events) = play(waiting[-1], (INTERACT, STAY), (INTERACT, STAY))
    assert tried.held.tolist() == [game.DISH, 0]  # the soup got ready at the end of this step, a tick too late
    assert taken.held.tolist() == [game.SOUP, 0]
    assert int(taken.contents[POT]) == 0
    assert events.soup_taken.tolist() == [True, False]


def test_fewer_than_three_onions_never_cook_and_a_ready_soup_never_burns():
    states, _ = play(corridor(contents={POT: 2}), *[(STAY, STAY)] * 3)
    assert int(states[-1].contents[POT]) == 2
    states, _ = play(corridor(contents={POT: game.READY}), *[(STAY, STAY)] * 3)
    assert int(states[-1].contents[POT]) == game.READY


def test_a_full_pot_refuses_an_onion_and_a_hatch_accepts_only_soup():
    (after,), (events,) = play(corridor(held=(game.ONION, 0), contents={POT: game.READY}), (INTERACT, STAY))
    assert after.held.tolist() == [game.ONION, 0]
    assert events.fumbled.tolist() == [True, False]
    for item, served in ((game.ONION, False), (game.DISH, False), (game.SOUP, True)):
        hatch = corridor(cell=(LEFT, RIGHT), facing=(NORTH, SOUTH), held=(0, item))
        (after,), (events,) = play(hatch, (STAY, INTERACT))
        assert events.soup_served.tolist() == [False, served]
        assert after.held.tolist() == [0, 0 if served else item]
        assert game.reward(game.SPARSE, events).tolist() == [0.0, 20.0 * served]


def test_cooks_that_meet_or_swap_keep_their_cells_but_turn():
    (swap,), (events,) = play(corridor(), (EAST, WEST))
    assert swap.cell.tolist() == [LEFT, MIDDLE]
    assert swap.facing.tolist() == [EAST, WEST]
    assert events.blocked.tolist() == [True, True]
    (meet,), (events,) = play(corridor(cell=(LEFT, RIGHT)), (EAST, WEST))
    assert meet.cell.tolist() == [LEFT, RIGHT]
    (into,), (events,) = play(corridor(), (EAST, STAY))
    assert into.cell.tolist() == [LEFT, MIDDLE]
    assert events.blocked.tolist() == [True, False]
    (follow,), (events,) = play(corridor(), (EAST, EAST))
    assert follow.cell.tolist() == [MIDDLE, RIGHT]
    assert events.moved.tolist() == [True, True]


def test_seat_0_acts_first_and_seat_1_finds_what_it_left():
    # Both face the counter between them: seat 0 puts an onion there, seat 1 lifts it in the same step.
    layout = layouts.parse("XXXOXXX\nX1X2  X\nXPXDSXX")
    counter = 1 * 7 + 2
    opening = game.reset(layout)
    before = opening._replace(facing=jnp.array([EAST, WEST], jnp.int8), held=jnp.array([game.ONION, 0], jnp.int8))
    after, events = game.step(layout, before, jnp.array([INTERACT, INTERACT]))
    assert after.held.tolist() == [0, game.ONION]
    assert int(after.contents[counter]) == 0
    assert events.onion_put.tolist() == [True, False]
    assert events.onion_lifted.tolist() == [False, True]
    # The other way round seat 0 comes too early: it finds nothing.
    before = before._replace(held=jnp.array([0, game.ONION], jnp.int8))
    after, _ = game.step(layout, before, jnp.array([INTERACT, INTERACT]))
    assert after.held.tolist() == [0, 0]
    assert int(after.contents[counter]) == game.ONION


@pytest.mark.parametrize(
    ("other", "contents", "useful"),
    [
        (game.NOTHING, {POT: 1}, True),
        (game.NOTHING, {}, False),  # no pot holds anything
        (game.DISH, {POT: game.READY}, False),  # one pot, and the other cook has a dish already
        (game.SOUP, {POT: 5}, True),
        (game.NOTHING, {POT: 1, 2: game.DISH}, False),  # a dish lies on a counter
        (game.NOTHING, {POT: 1, 2: game.ONION}, True),
    ],
)
def test_a_dish_is_useful_while_busy_pots_outnumber_dishes(other, contents, useful):
    before = corridor(facing=(SOUTH, NORTH), held=(0, other), contents=contents)
    _, (events,) = play(before, (INTERACT, STAY))
    assert events.dish_taken.tolist() == [True, False]
    assert events.dish_taken_useful.tolist() == [useful, False]
    assert game.reward(game.SHAPED, events).tolist() == [3.0 * useful, 0.0]


def test_a_second_onion_in_the_pot_is_counted_from_the_start_of_the_step():
    # Seat 0 fills an empty pot and seat 1 takes a dish in the same step: the pot was empty when the step began.
    layout = layouts.parse("XXPXX\nO1 2O\nXSXDX")
    before = game.reset(layout)._replace(
        cell=jnp.array([7, 8], jnp.int32),
        facing=jnp.array([NORTH, SOUTH], jnp.int8),
        held=jnp.array([game.ONION, 0], jnp.int8),
    )
    _, events = game.step(layout, before, jnp.array([INTERACT, INTERACT]))
    assert events.onion_in_pot.tolist() == [True, False]
    assert events.dish_taken.tolist() == [False, True]
    assert events.dish_taken_useful.tolist() == [False, False]


def test_random_states_stay_where_play_can_reach():
    layout = layouts.load("forced_coordination")
    keys = jax.random.split(jax.random.key(3), 512)
    states = jax.jit(jax.vmap(lambda key: game.random_state(key, layout)))(keys)
    rooms = layout.room[np.asarray(states.cell)]
    assert (rooms == layout.room[layout.start][None]).all()
    assert (np.asarray(states.contents)[:, ~layout.touchable] == 0).all()
    for values in (states.held, states.facing):
        assert set(np.unique(values)) == {0, 1, 2, 3}
    pots = np.asarray(states.contents)[:, layout.terrain.ravel() == layouts.POT]
    assert set(np.unique(pots)) == {0, 1, 2, *range(4, game.READY + 1)}
    anywhere = jax.jit(jax.vmap(lambda key: game.random_state(key, layout, anywhere=True)))(keys)
    assert set(np.unique(layout.room[np.asarray(anywhere.cell)[:, 0]])) == {0, 1}
    assert (np.asarray(anywhere.contents)[:, ~layout.touchable] != 0).any()
    assert (anywhere.cell[:, 0] != anywhere.cell[:, 1]).all()


def test_a_state_takes_a_few_dozen_bytes():
    sizes = {name: sum(field.nbytes for field in game.reset(layouts.load(name))) for name in layouts.MAPS}
    assert (min(sizes.values()), max(sizes.values())) == (36, 61)
