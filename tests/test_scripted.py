"""Scripted cooks: single decisions in positions set by hand, and whole games in every kitchen beside every partner."""

from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cole import rollout
from cole.kitchen import game, layouts
from cole.kitchen.game import DISH, HORIZON, NOTHING, ONION, READY, SOUP
from cole.kitchen.layouts import COUNTER, EAST, INTERACT, NORTH, SOUTH, STAY, UNREACHABLE, WEST
from cole.policy.policy import NOISE, Policy, random
from cole.policy.scripted import chef, greedy_cook, supplier

THREE_COOKS = str(Path(__file__).parents[1] / "examples/three_cooks.txt")
GAMES = 5
STANDS_STILL, ERRS_ABOUT, COOKS = range(3)


def short(value: str | int) -> str:
    """The name of a kitchen, or a number, in the name of a test."""
    return Path(str(value)).stem


def any_partner(cook: Policy) -> Policy:
    """A cook whose parameters say which partner it plays, so that one compiled program plays all of them."""

    def act(which, seen, memory, noise):
        own = cook.act((), seen, memory, noise)
        other = random().act((), seen, (), noise).action
        return own._replace(action=jnp.stack([jnp.int32(STAY), other, own.action])[which])

    return cook._replace(act=act)


@lru_cache
def played(name: str) -> SimpleNamespace:
    """Soups [partner, seat, game] of a scripted cook in each seat; the last game repeats the first."""
    layout = layouts.load(name)
    player = any_partner(greedy_cook(layout))

    def soups(which, seat, key):
        chance = rollout.draw_chance(key, layout, HORIZON)
        lived = rollout.play(layout, player, COOKS, player, which, seat, game.reset(layout), chance)
        return jnp.sum(lived.events.soup_served), jnp.sum(lived.action * jnp.arange(1, HORIZON + 1)[:, None])

    # One game with everything that varies as data, batched once: nested batches take longer to trace.
    shape = (3, len(layout.start), GAMES)
    which, seat, number = (jnp.asarray(index.ravel()) for index in np.indices(shape))
    keys = jax.random.split(jax.random.key(0), GAMES)[number % (GAMES - 1)]
    count, traces = jax.jit(jax.vmap(soups))(which, seat, keys)
    return SimpleNamespace(soups=np.asarray(count).reshape(shape), traces=np.asarray(traces).reshape(shape))


def can_do_the_job_alone(name: str, seat: int) -> bool:
    """Whether a cook reaches one of everything while all others stay where they start."""
    layout = layouts.load(name)
    terrain = layout.terrain.copy()
    terrain.ravel()[np.delete(layout.start, seat)] = COUNTER
    alone = layouts.build(terrain, layout.start[[seat]])
    reached = alone.distance[alone.start[0], NORTH] < UNREACHABLE
    return set(terrain.ravel()[alone.stations[reached]]) == {
        layouts.POT,
        layouts.ONIONS,
        layouts.DISHES,
        layouts.SERVING,
    }


SEATS = [(name, seat) for name in layouts.MAPS for seat in (0, 1)] + [(THREE_COOKS, seat) for seat in range(3)]
LONG = ("asymmetric_advantages", "coordination_ring")  # to compile: `make test-slow` has them
ALONE = [(name, seat) for name, seat in SEATS if can_do_the_job_alone(name, seat)]


def test_where_a_partner_who_stays_at_its_start_leaves_one_cook_a_job():
    impossible = set(SEATS) - set(ALONE)
    assert impossible == {
        ("cramped_room", 1),  # the partner stands before the dishes
        ("coordination_ring", 0),  # again
        ("forced_coordination", 0),
        ("forced_coordination", 1),
        *((THREE_COOKS, seat) for seat in range(3)),  # one stands before the dishes, one before the hatch
    }


def by_length(cases):
    """The cases of kitchens in LONG marked as slow."""
    return [pytest.param(*case, marks=pytest.mark.slow if case[0] in LONG else ()) for case in cases]


@pytest.mark.parametrize("name, seat", by_length(ALONE), ids=short)
def test_one_cook_serves_beside_a_partner_who_stands_still(name, seat):
    assert played(name).soups[STANDS_STILL, seat].min() >= 5


@pytest.mark.parametrize("name, seat", by_length(p for p in SEATS if p[0] != "forced_coordination"), ids=short)
def test_one_cook_serves_beside_partners_who_err_about(name, seat):
    assert played(name).soups[ERRS_ABOUT, seat].min() >= 3


@pytest.mark.parametrize(
    "name, least",
    by_length(
        {
            "cramped_room": 9,
            "asymmetric_advantages": 18,
            "coordination_ring": 11,
            "forced_coordination": 13,
            "counter_circuit": 6,
            THREE_COOKS: 13,
        }.items()
    ),
    ids=short,
)
def test_scripted_cooks_work_together(name, least):
    assert played(name).soups[COOKS].min() >= least


def test_the_same_chance_gives_the_same_game_and_other_chance_another():
    traces = played("coordination_ring").traces[ERRS_ABOUT]
    assert (traces[:, 0] == traces[:, -1]).all()
    assert len(set(traces[0, :-1].tolist())) > 1


def test_supplier_and_chef_share_the_work_over_the_counter():
    layout = layouts.load("counter_circuit")

    def events(key):
        chance = rollout.draw_chance(key, layout, HORIZON)
        lived = rollout.play(layout, supplier(layout), (), chef(layout), (), 0, game.reset(layout), chance)
        return jax.tree.map(lambda field: jnp.sum(field, 0), lived.events)

    done = jax.jit(jax.vmap(events))(jax.random.split(jax.random.key(0), 4))
    assert done.soup_served.sum(1).min() >= 8
    assert not done.onion_in_pot[:, 0].any() and not done.soup_taken[:, 0].any()
    assert not done.onion_taken[:, 1].any() and not done.dish_taken[:, 1].any()


@lru_cache
def decide(name: str):
    """(state, steps the other has stood still) -> what the cook in seat 0 does, and its logits."""
    layout = layouts.load(name)
    cook = greedy_cook(layout)

    def act(state, still):
        seen = cook.view(layout, state, 0)
        memory = cook.memory()._replace(cell=seen[:2], still=jnp.stack([0, still]))
        done = cook.act((), seen, memory, jnp.full(NOISE, 0.7))
        return done.action, done.logits

    return jax.jit(act)


def action(name: str, own: tuple, other: tuple, things: dict | None = None, still: int = 0) -> int:
    """What seat 0 does. own, other: x, y, facing, held; things: (x, y) -> contents."""
    layout = layouts.load(name)
    width = layout.terrain.shape[1]
    contents = np.zeros(layout.terrain.size, np.int8)
    for (x, y), inside in (things or {}).items():
        contents[y * width + x] = inside
    cells = jnp.array([cook[1] * width + cook[0] for cook in (own, other)], jnp.int32)
    facing, held = (jnp.array([cook[i] for cook in (own, other)], jnp.int8) for i in (2, 3))
    state = game.State(cells, facing, held, jnp.asarray(contents), jnp.int32(0))
    return int(decide(name)(state, jnp.int32(still))[0])


# cramped_room   XXPXX   pot (2, 0), onions (0, 1) and (4, 1), dishes (1, 3), hatch (3, 3)
#                O   O
#                X   X
#                XDXSX
CORNER = (3, 1, NORTH, NOTHING)
POT = (2, 0)


@pytest.mark.parametrize(
    "own, other, things, expected",
    [
        pytest.param((1, 1, WEST, NOTHING), CORNER, {}, INTERACT, id="takes an onion"),
        pytest.param((1, 1, WEST, ONION), CORNER, {}, EAST, id="carries it to the pot"),
        pytest.param((2, 1, EAST, ONION), CORNER, {}, NORTH, id="turns to the pot"),
        pytest.param((2, 1, NORTH, ONION), CORNER, {POT: 2}, INTERACT, id="fills the pot"),
        pytest.param((1, 1, NORTH, NOTHING), CORNER, {(1, 0): ONION}, INTERACT, id="uses an onion on a counter"),
        pytest.param((1, 2, SOUTH, NOTHING), CORNER, {POT: READY}, INTERACT, id="takes a dish when a soup is ready"),
        pytest.param((1, 2, WEST, NOTHING), CORNER, {POT: READY, (0, 2): DISH}, INTERACT, id="takes it from a counter"),
        pytest.param((2, 1, NORTH, DISH), CORNER, {POT: READY}, INTERACT, id="plates the soup"),
        pytest.param((2, 2, EAST, DISH), CORNER, {POT: READY - 9}, STAY, id="waits aside for the soup"),
        pytest.param((2, 1, NORTH, DISH), CORNER, {POT: READY - 9}, SOUTH, id="waits not before the pot"),
        pytest.param((3, 2, SOUTH, SOUP), CORNER, {}, INTERACT, id="serves"),
        pytest.param((1, 1, NORTH, ONION), CORNER, {POT: READY}, INTERACT, id="puts an onion down to fetch a dish"),
        pytest.param((1, 2, WEST, DISH), CORNER, {POT: 1}, INTERACT, id="puts a dish down to fetch onions"),
        pytest.param((1, 2, WEST, NOTHING), CORNER, {(0, 2): SOUP}, INTERACT, id="picks up a soup"),
    ],
)
def test_in_a_position_the_cook(own, other, things, expected):
    assert action("cramped_room", own, other, things) == expected


def test_no_second_dish_is_fetched_for_one_pot():
    before_dishes, soup = (1, 2, SOUTH, NOTHING), {POT: READY}
    assert action("cramped_room", before_dishes, (2, 2, NORTH, DISH), soup) != INTERACT
    assert action("cramped_room", before_dishes, (2, 2, NORTH, ONION), soup) == INTERACT


def test_a_moving_partner_is_followed_and_a_still_one_walked_around():
    to_dishes, ahead, soups = (5, 1, WEST, NOTHING), (4, 1, WEST, NOTHING), {(3, 0): READY, (4, 0): READY}
    assert action("counter_circuit", to_dishes, ahead, soups, still=0) == WEST
    assert action("counter_circuit", to_dishes, ahead, soups, still=5) == EAST


def test_the_logits_say_what_it_does():
    layout = layouts.load("cramped_room")
    chosen, logits = decide("cramped_room")(game.reset(layout), jnp.int32(0))
    assert jax.nn.softmax(logits)[chosen] > 0.99
