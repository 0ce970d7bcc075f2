"""Our rules against overcooked-ai 1.1.0, played live: every field of the next state and both rewards of every seat.

Its usefulness of a dish exists for two seats only (it says no to any other number), so for three and four seats that
one term is left out of the shaped reward, and everything else is compared.
"""

from collections import Counter
from itertools import product

import jax
import numpy as np
import pytest
from hypothesis import given
from overcooked_2019 import ORDERS, Action, Overcooked2019, OvercookedGridworld, kitchen, to_ours, to_theirs
from strategies import GAMES, actions, kitchens, on_canvas, one, quickly, seeds, states, step, work

from cole.kitchen import game, layouts, views
from cole.kitchen.game import State
from cole.kitchen.layouts import Layout

RUN = 32  # steps of a run
SHAPED_WITHOUT_DISHES = game.SHAPED._replace(dish_taken_useful=0.0)


def compare_step(layout: Layout, reference: Overcooked2019, state: State, joint: np.ndarray) -> tuple[State, Counter]:
    """One step of a batch in both games. Returns ours and what was seen; the first difference fails."""
    after, events = step(layout, state, joint)
    shaping = game.SHAPED if len(layout.start) == 2 else SHAPED_WITHOUT_DISHES
    sparse, shaped = (np.asarray(game.reward(weights, events)) for weights in (game.SPARSE, shaping))
    for i in range(len(joint)):
        theirs, their_sparse, their_shaped = reference.play(to_theirs(layout, one(state, i)), joint[i])
        ours, expected = one(after, i), to_ours(layout, theirs)
        differs = [name for name in State._fields if not np.array_equal(getattr(ours, name), getattr(expected, name))]
        differs += ["sparse"] * (sparse[i].tolist() != their_sparse) + ["shaped"] * (shaped[i].tolist() != their_shaped)
        assert not differs, f"{differs} differ after {joint[i]} from {one(state, i)} in\n{layouts.to_text(layout)}"
    seen = {name: int(np.sum(happened)) for name, happened in events._asdict().items()}
    return after, Counter(seen, transitions=len(joint))


def compare_run(layout: Layout, seed: int, steps: int) -> Counter:
    """Several steps in a row from drawn states; the first without aim, then the cooks get to work."""
    rng, reference, seen = np.random.default_rng(seed), kitchen(layout), Counter()
    state = states(rng, layout)
    for number in range(steps):
        joint = work(rng, layout, state) if number else actions(rng, layout)
        state, news = compare_step(layout, reference, state, joint)
        seen += news
    return seen


def told(what: str, seen: Counter) -> str:
    return f"overcooked-ai 1.1.0, {what}: {seen['transitions']:,} transitions compared, 0 mismatches"


def assert_everything_happened(seen: Counter) -> None:
    """The comparison is worth little if something never happened in it."""
    assert all(seen[name] for name in game.Events._fields), seen


@pytest.mark.parametrize("name", layouts.MAPS)
def test_single_steps_in_the_papers_kitchens_equal_overcooked_ai(name, tell):
    layout, total = layouts.load(name), Counter()

    @quickly(max_examples=24)
    @given(seeds)
    def play(seed):
        total.update(compare_run(layout, seed, steps=1))

    play()
    tell(told(f"single steps, {name}", total))
    assert_everything_happened(total)


@pytest.mark.parametrize("name", layouts.MAPS)
def test_runs_in_the_papers_kitchens_equal_overcooked_ai(name, tell):
    layout, total = layouts.load(name), Counter()

    @quickly(max_examples=2)
    @given(seeds)
    def play(seed):
        total.update(compare_run(layout, seed, RUN))

    play()
    tell(told(f"runs of {RUN} steps, {name}", total))
    assert total["onion_taken"] and total["soup_served"] and total["moved"] and total["blocked"]


def test_every_way_dishes_can_change_within_a_step_equals_overcooked_ai(tell):
    """Seat 0 interacts with a pot, a counter or the dish dispenser, then seat 1 with another dispenser."""
    layout = layouts.parse("XPPDXXXXX\nX1 2XXXXX\nXDOSXXXXX\nXXXXXXXXX\nXXXXXXXXX")
    items, pots = range(game.SOUP + 1), (0, 1, game.READY)
    facings = (layouts.NORTH, layouts.WEST, layouts.SOUTH)
    cases = np.array(list(product(facings, items, (game.NOTHING, game.DISH), items, (0, game.DISH), pots, pots)))
    contents = np.zeros((len(cases), layout.terrain.size), np.int8)
    contents[:, [9, 13, 1, 2]] = cases[:, 3:]  # the counter beside seat 0, another one, the two pots
    state = State(
        cell=np.tile(layout.start, (len(cases), 1)),
        facing=np.stack([cases[:, 0], np.full(len(cases), layouts.NORTH)], axis=1).astype(np.int8),
        held=cases[:, 1:3].astype(np.int8),
        contents=contents,
        clock=np.zeros(len(cases), np.int32),
    )
    reference, joint, total = kitchen(layout), np.full((GAMES, 2), layouts.INTERACT, np.int32), Counter()
    for first in range(0, len(cases), GAMES):
        total.update(compare_step(layout, reference, State(*(f[first : first + GAMES] for f in state)), joint)[1])
    tell(told("dishes", total))
    assert total["transitions"] == len(cases) and 0 < total["dish_taken_useful"] < total["dish_taken"]


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_generated_kitchens_equal_overcooked_ai(seats, tell):
    total = Counter()

    @quickly(max_examples=25)
    @given(kitchens(seats), seeds)
    def play(layout, seed):
        total.update(compare_run(layout, seed, steps=2))

    play()
    tell(told(f"generated kitchens, seats: {seats}", total))
    assert total["soup_served"] and total["soup_taken"] and total["onion_in_pot"]


@pytest.mark.parametrize("seats", [1, 3, 4])
def test_more_or_fewer_cooks_in_the_papers_kitchens_equal_overcooked_ai(seats, tell):
    total = Counter()
    for name in layouts.MAPS:
        total += compare_run(on_canvas(name, seats), seed=seats, steps=6)
    tell(told(f"the five kitchens, seats: {seats}", total))
    assert total["soup_served"] and total["soup_taken"] and total["onion_in_pot"]


see = jax.jit(
    jax.vmap(lambda layout, s: jax.vmap(lambda seat: views.grid26(layout, s, seat))(np.arange(2)), in_axes=(None, 0))
)


@pytest.mark.parametrize("name", layouts.MAPS)
def test_the_26_channel_view_equals_overcooked_ai(name, tell):
    layout, reference = on_canvas(name, 2), kitchen(on_canvas(name, 2))
    urgent = 0
    for seed in range(4):
        state = states(np.random.default_rng(seed), layout)
        ours = np.asarray(see(layout._replace(stations=None, distance=None), state))
        for i in range(GAMES):
            theirs = reference.encode(to_theirs(layout, one(state, i)), horizon=game.HORIZON)
            np.testing.assert_array_equal(ours[i], theirs)
        urgent += (ours[..., 25] == 1).all(axis=(1, 2, 3)).sum()
    tell(f"overcooked-ai 1.1.0, 26-channel views, {name}: {2 * GAMES * 4:,} compared, 0 mismatches")
    assert urgent


def test_a_state_survives_the_way_to_overcooked_ai_and_back():
    layout = on_canvas("counter_circuit", 3)
    state = states(np.random.default_rng(0), layout)
    for i in range(GAMES):
        back = to_ours(layout, to_theirs(layout, one(state, i)))
        assert all(np.array_equal(a, b) for a, b in zip(back, one(state, i), strict=True))


def test_the_comparison_would_see_a_pot_that_waits_for_a_press():
    layout = layouts.load("cramped_room")
    pot = 2
    state = jax.tree.map(np.array, game.reset(layout))
    state = state._replace(cell=np.array([pot + 5, pot + 11]), held=np.array([game.ONION, game.NOTHING]))
    state.contents[pot] = game.SOUP_ONIONS - 1
    before, reference = to_theirs(layout, state), kitchen(layout)
    after, _, _ = reference.play(before, [layouts.INTERACT, layouts.STAY])
    assert to_ours(layout, after).contents[pot] == game.SOUP_ONIONS + 1
    plain = OvercookedGridworld(reference.terrain_mtx, reference.start_player_positions, start_all_orders=ORDERS)
    after, _ = plain.get_state_transition(before, (Action.INTERACT, Action.STAY))
    with pytest.raises(ValueError, match="does not cook by the rule of 2019"):
        to_ours(layout, after)
