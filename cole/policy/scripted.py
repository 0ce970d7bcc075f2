"""Cooks written by hand: each follows a recipe, a short list of errands of which it runs the first that makes sense.

A cook without parameters, made for one kitchen, for any number of seats. It is never told who the others are: it sees
what they hold and where they stand, trusts them for a while, and walks around those who do not move.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from cole.kitchen.game import DISH, NOTHING, ONION, READY, SOUP, SOUP_ONIONS, State
from cole.kitchen.layouts import COUNTER, DISHES, INTERACT, ONIONS, POT, SERVING, STAY, Layout
from cole.policy.policy import ACTIONS, Act, Policy
from cole.policy.routes import COOKING, FAR, SUPPLIES, WALL, WHOLE_JOB, Routes, routes

STILL = 3  # steps without a move after which a cook counts as a piece of the kitchen
DETOUR = 8  # steps for which a cook that was stuck takes all others for pieces of the kitchen
PATIENCE = 10  # steps without an errand after which it no longer trusts that the others will use what they hold
DOUBT = 40  # and it trusts them again when so many have passed
AHEAD = 3  # onions a supplier lays out in advance
CERTAIN = 10.0  # the logit of the action it takes; the others have 0


class Memory(NamedTuple):
    """What a cook remembers of the last step. S seats, its own first."""

    cell: Array  # [S] int32: the number of a floor cell; -1 before the game
    still: Array  # [S] int32: steps without a move
    before: Array  # [] int32: its own cell the step before that
    walked: Array  # [] bool: it tried to leave its cell
    detour: Array  # [] int32: steps left of a detour
    patience: Array  # [] int32: steps without an errand; from PATIENCE to DOUBT the steps of distrust


class Scene(NamedTuple):
    """The kitchen as a cook sees it. S seats, its own first; Q things."""

    cell: Array  # [S]: the number of a floor cell
    facing: Array  # [S]
    held: Array  # [S]
    inside: Array  # [Q]: the item on a counter, onions and ticks of a pot


def greedy_cook(layout: Layout) -> Policy:
    """A cook for any seat: it does what its room allows, and passes on over counters what only others can use."""
    return _cook(layout, WHOLE_JOB)


def supplier(layout: Layout) -> Policy:
    """A cook that only lays out onions and dishes on counters, even where it could cook."""
    return _cook(layout, SUPPLIES)


def chef(layout: Layout) -> Policy:
    """A cook that never goes to a dispenser: it fills pots, plates and serves with what it finds on counters."""
    return _cook(layout, COOKING)


def _cook(layout: Layout, duties: tuple[int, ...]) -> Policy:
    known, seats = routes(layout, duties), len(layout.start)

    def view(layout: Layout, state: State, seat: int | Array) -> Array:
        """[3*S + Q] int32: where cooks stand, face and what they hold, its own first; what is in every thing."""
        cooks = jnp.stack([_row(known.floor, state.cell), *(x.astype(jnp.int32) for x in (state.facing, state.held))])
        return jnp.concatenate([jnp.roll(cooks, -seat, 1).ravel(), state.contents[known.things].astype(jnp.int32)])

    def memory() -> Memory:
        nowhere, zero = jnp.full(seats, -1, jnp.int32), jnp.zeros((), jnp.int32)
        return Memory(nowhere, jnp.zeros_like(nowhere), nowhere[0], zero > 0, zero, zero)

    def act(params, seen: Array, memory: Memory, noise: Array) -> Act:
        scene = Scene(seen[:seats], seen[seats : 2 * seats], seen[2 * seats : 3 * seats], seen[3 * seats :])
        action, memory = _decide(known, scene, memory, noise)
        return Act(action, CERTAIN * (jnp.arange(ACTIONS) == action), jnp.zeros(()), memory)

    return Policy(view, act, memory)


def _decide(known: Routes, scene: Scene, memory: Memory, noise: Array) -> tuple[Array, Memory]:
    """One action. Chance enters only where cooks are in each other's way: one of them must give in."""
    still = jnp.where(scene.cell == memory.cell, memory.still + 1, 0)
    blocked = memory.walked & (still[0] > 0)
    pacing = (scene.cell[0] == memory.before) & (still[0] == 0)  # to and fro, as two do who mirror each other
    gives_in = noise[0] < 0.5
    stuck = (blocked | pacing) & gives_in
    detour = jnp.where(blocked & gives_in, DETOUR, jnp.maximum(memory.detour - 1, 0))

    here = scene.cell[0]
    ways = _ways(known, scene, (still[1:] >= STILL) | (detour > 0))
    faced = _row(known.faced, here, scene.facing[0])
    away = jnp.where(jnp.arange(len(known.things)) == faced, 0, jnp.min(ways, 0))
    goal, found = _errand(known, scene, away, memory.patience < PATIENCE)

    ahead = _row(known.onto, here)
    taken = jnp.any(ahead[:, None] == scene.cell[None, 1:], 1)
    open_ = (ahead != here) & ~taken
    sidestep = jnp.where(jnp.any(open_), jnp.argmax(jnp.where(open_, noise[1:5], -1.0)), STAY)
    go = jnp.argmin(ways[:, goal])
    barred = taken[go] & (stuck | (ways[go, goal] >= WALL))
    go = jnp.where(barred, sidestep, jnp.where(stuck, STAY, go))
    wait, in_the_way = _aside(known, here, ahead, open_)
    wait = jnp.where(in_the_way & gives_in, sidestep, wait)
    action = jnp.where(found, jnp.where(away[goal] == 0, INTERACT, go), wait).astype(jnp.int32)

    cooking = (known.kind == POT) & (scene.inside >= SOUP_ONIONS) & (scene.inside < READY)
    content = (found | jnp.any(cooking)) & (memory.patience < PATIENCE)
    patience = jnp.where(content, 0, (memory.patience + 1) % DOUBT)
    walked = jnp.any((jnp.arange(4) == action) & (ahead != here))
    return action, Memory(scene.cell, still, memory.cell[0], walked, detour, patience)


def _row(table: np.ndarray, *index: Array) -> Array:
    """table[index] without the checks of an ordinary index: where a cook stands is never out of bounds."""
    return jnp.asarray(table).at[index].get(mode="promise_in_bounds", wrap_negative_indices=False)


def _ways(known: Routes, scene: Scene, wall: Array) -> Array:
    """[4, Q]: actions until each thing is faced if the first is to go north, south, east, west.

    Of several other cooks [S-1] the one most in the way counts.
    """
    here, nobody = scene.cell[0], len(known.onto)
    ways = _row(known.ways[0, nobody], here)
    for other, hard in zip(scene.cell[1:], wall, strict=True):
        ways = jnp.maximum(ways, _row(known.ways, hard.astype(jnp.int32), other, here))
    return ways.astype(jnp.int32)


def _aside(known: Routes, here: Array, ahead: Array, open_: Array) -> tuple[Array, Array]:
    """The step towards a place where one is in nobody's way, or STAY; and whether one is left standing in the way."""
    after, now = jnp.where(open_, _row(known.aside, ahead), FAR), _row(known.aside, here)
    nearer = jnp.min(after) < now
    return jnp.where(nearer, jnp.argmin(after), STAY), ~nearer & (now > 0)


class Facts(NamedTuple):
    """What the recipe asks about. [Q] bool each: things the cook may use; [] bool: wishes."""

    hatch: Array
    free: Array  # counters with nothing on them
    soup: Array  # soups lying on counters, but not where they were laid out for others
    pass_soup: Array  # free counters from which someone nearer its use can take it
    pass_dish: Array
    pass_onion: Array
    filling: Array  # pots that lack onions
    full: Array
    in_time: Array  # full pots that will be ready when the cook gets there
    onions: Array  # where to take an onion
    dishes: Array
    jam: Array  # counters between rooms, if none is free
    dish_due: Array  # who fetches a dish now comes just in time, and nobody else holds one
    dish_wanted: Array  # some pot will need a dish, and nobody else holds one
    onion_wanted: Array
    lay_onion: Array  # one more onion may be laid out for others
    cooks: Array  # this cook uses onions itself


def _errand(known: Routes, scene: Scene, away: Array, trust: Array) -> tuple[Array, Array]:
    """The thing to go to and use, and whether there is one: the first line of the recipe that makes sense.

    `away` [Q] is how far each thing is.
    """
    see = _facts(known, scene, away, trust)
    none, onion, dish, soup = (scene.held[0] == item for item in (NOTHING, ONION, DISH, SOUP))
    none_full = ~jnp.any(see.full)
    to_hatch, to_pot = jnp.asarray(known.to_hatch), jnp.asarray(known.to_pot)
    to_filling, to_full = _onward(known, see.filling), _onward(known, see.full)
    near = jnp.zeros_like(away)
    private = jnp.asarray(WALL // 2 * known.shared)  # rather not where things change hands
    fuller = -2 * scene.inside

    recipe = [  # if ..., then go to the nearest of ..., counting also ...
        (soup, see.hatch, near),
        (soup, see.pass_soup, to_hatch),
        (dish, see.in_time, near),
        (dish, see.pass_dish, to_pot),
        (dish & see.cooks & none_full, see.free, private),
        (onion, see.filling, fuller),
        (onion & see.lay_onion, see.pass_onion, to_pot),
        (onion & see.dish_wanted, see.free, private),
        (none, see.soup, near),
        (none & see.dish_due, see.dishes, to_full),
        (none & see.onion_wanted, see.onions, to_filling),
        (none & see.dish_wanted, see.dishes, to_full),
        (none & see.dish_wanted & see.cooks, see.jam & (scene.inside == ONION), near),
        (none & see.onion_wanted & see.cooks, see.jam & (scene.inside == DISH), near),
        (none & see.cooks & ~none_full & jnp.any(see.free), see.onions, to_full),  # for the next soup
    ]
    when, where, onward = (jnp.stack(column) for column in zip(*recipe, strict=True))
    reached = where & (away < WALL)[None, :]
    sensible = when & jnp.any(reached, 1)
    goals = jnp.argmin(jnp.where(reached, away[None, :] + onward, FAR), 1)
    first = jnp.argmax(sensible)
    return goals[first], sensible[first]


def _onward(known: Routes, places: Array) -> Array:
    """[Q]: the way from each thing to the nearest of some places."""
    return jnp.min(jnp.where(places[None, :], known.between, WALL), 1)


def _facts(known: Routes, scene: Scene, away: Array, trust: Array) -> Facts:
    inside, kind = scene.inside, jnp.asarray(known.kind)
    duty, passing, own_level = (_row(x, scene.cell[0]) for x in (known.duty, known.passing, known.own_level))
    nearer_use = _row(known.level, scene.cell[1:]) <= own_level[None, :]  # [S-1, 4]

    def lies(item: int) -> Array:
        return duty & (kind == COUNTER) & (inside == item)

    def source(item: int, dispenser: int) -> Array:
        return (duty & (kind == dispenser) | lies(item) & ~passing[item]) & (own_level[item] < FAR)

    def trusted(item: int) -> Array:
        """How many others hold an item that they are trusted to use, or to pass on."""
        return jnp.sum((scene.held[1:] == item) & nearer_use[:, item] & trust)

    # The pots this cook fills; one without pots of its own supplies all.
    pot = (kind == POT) & (duty | (own_level[ONION] > 0))
    filling, full = pot & (inside < SOUP_ONIONS), pot & (inside >= SOUP_ONIONS)
    missing = jnp.sum(jnp.where(filling, SOUP_ONIONS - inside, 0))
    ticks_left = READY - inside
    onions, dishes = source(ONION, ONIONS), source(DISH, DISHES)
    via_dish = jnp.min(jnp.where(dishes[:, None], away[:, None] + known.between, FAR), 0)
    dishes_held, onions_held = trusted(DISH), trusted(ONION)

    # Of the places where things are laid out for others one is kept for a dish, unless a pot awaits the onions.
    places = jnp.sum(passing[ONION])
    onions_laid, dishes_laid = jnp.sum(lies(ONION) & passing[ONION]), jnp.sum(lies(DISH) & passing[DISH])
    lay_onion = (onions_laid < jnp.minimum(places - 1, AHEAD)) | (missing > onions_held + onions_laid)
    begun = jnp.where(places > 1, pot & (inside > 0), full)
    lay_dish = (dishes_laid == 0) & (jnp.sum(begun) > dishes_held)

    free, shared = lies(NOTHING), duty & known.shared
    return Facts(
        hatch=duty & (kind == SERVING),
        free=free,
        soup=lies(SOUP) & ~passing[SOUP],
        pass_soup=free & passing[SOUP],
        pass_dish=free & passing[DISH],
        pass_onion=free & passing[ONION],
        filling=filling & duty,
        full=full & duty,
        in_time=full & duty & (ticks_left <= away),
        onions=onions,
        dishes=dishes,
        jam=shared & ~jnp.any(shared & free),
        dish_due=jnp.where(own_level[DISH] > 0, lay_dish, jnp.sum(full & (ticks_left <= via_dish)) > dishes_held),
        dish_wanted=jnp.where(own_level[DISH] > 0, lay_dish, jnp.sum(full) > dishes_held),
        onion_wanted=jnp.where(own_level[ONION] > 0, lay_onion, missing > onions_held),
        lay_onion=lay_onion,
        cooks=own_level[ONION] == 0,
    )
