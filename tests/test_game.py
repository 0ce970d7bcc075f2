"""The rules against the golden transitions of the 2019 game, and by hand where a rule is easily lost."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from golden_data import load, states

from cole.kitchen import game, layouts
from cole.kitchen.layouts import NORTH


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
def test_the_opening_is_that_of_the_map(name):
    layout, data = layouts.load(name), load(name)
    state = game.reset(layout)
    width = layout.terrain.shape[1]
    assert [(int(c) % width, int(c) // width) for c in state.cell] == [tuple(p) for p in data["start_pos"].tolist()]
    assert (state.facing == NORTH).all() and (state.held == game.NOTHING).all() and (state.contents == 0).all()
