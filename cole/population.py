"""The frozen strategies: a fixed number of slots, some of them alive, so that a growing population compiles once."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array


class Population(NamedTuple):
    """C slots."""

    params: Any  # [C, ...] each
    alive: Array  # [C] bool
    born: Array  # [C] int32: the generation a strategy was added in; meaningless in a dead slot


def empty(params: Any, capacity: int) -> Population:
    """Room for `capacity` strategies like `params`, which may be only described, and nobody in it."""
    slots = jax.tree.map(lambda x: jnp.zeros((capacity, *x.shape), x.dtype), params)
    return Population(slots, jnp.zeros(capacity, bool), jnp.zeros(capacity, jnp.int32))


def free_slot(population: Population) -> Array:
    """The first dead slot; 0 if there is none, so make room first."""
    return jnp.argmin(population.alive)


def add(population: Population, slot: Array | int, params: Any, generation: Array | int) -> Population:
    """A strategy moves into a slot; whoever was there is gone."""
    return Population(
        jax.tree.map(lambda slots, new: slots.at[slot].set(new), population.params, params),
        population.alive.at[slot].set(True),
        population.born.at[slot].set(generation),
    )


def make_room(key: Array, population: Population, earliest: int = 10) -> tuple[Population, Array]:
    """App. F: if every slot is taken, one of the `earliest` strategies, drawn at random, is removed; and its slot.

    Where a slot is free already, nobody is removed and that slot is given.
    """
    age_order = jnp.argsort(jnp.where(population.alive, population.born, jnp.iinfo(jnp.int32).max), stable=True)
    drawn = age_order[jax.random.randint(key, (), 0, earliest)]
    full = jnp.all(population.alive)
    slot = jnp.where(full, drawn, free_slot(population))
    return population._replace(alive=population.alive.at[slot].set(False)), slot
