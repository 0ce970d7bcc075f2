"""The views against the golden encodings: not one number may differ."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from golden_data import load, states

from cole.errors import UserError
from cole.kitchen import game, layouts, views


def both_seats(view, layout, batch):
    """[n, 2, ...]: a view of every state from each seat."""
    seats = jnp.arange(2)
    return np.asarray(jax.jit(jax.vmap(lambda s: jax.vmap(lambda seat: view(layout, s, seat))(seats)))(batch))


@pytest.mark.parametrize(("view", "golden"), [("grid2019", "enc20"), ("grid26", "enc26"), ("features", "feat62")])
@pytest.mark.parametrize("name", layouts.MAPS)
def test_no_number_of_a_golden_view_differs(name, view, golden, tell):
    layout, data = layouts.load(name), load(name)
    ours = both_seats(views.VIEWS[view], layout, states(layout, data, "enc_"))
    tell(f"golden views, {view}, {name}: {ours.size:,} numbers compared, {(ours != data[golden]).sum()} differ")
    assert ours.shape == data[golden].shape
    assert (ours == data[golden]).all()
    assert len(np.unique(ours)) > 2


@pytest.mark.parametrize("name", layouts.MAPS)
def test_grid_differs_from_2019_exactly_by_the_hidden_objects(name):
    layout, data = layouts.load(name), load(name)
    batch = states(layout, data, "enc_")
    ours, theirs = both_seats(views.grid, layout, batch).astype(int), data["enc20"].astype(int)
    same = (ours == theirs).all(axis=(1, 2, 3, 4))
    assert (same == (data["enc_hidden"] == 0)).all()
    # A hidden pot (shown by its onions, channel 15) or thing on a counter (17-19) is one object each.
    missing = (ours != theirs)[..., [15, 17, 18, 19]].sum(axis=(2, 3, 4))
    assert (missing == data["enc_hidden"][:, None]).all()
    assert (theirs[ours != theirs] == 0).all()
    assert 0 < same.sum() < len(same)


def test_views_of_two_seats_refuse_other_kitchens():
    layout = layouts.parse("XXPXX\nO1 2O\nX 3 X\nXDXSX")
    state = game.reset(layout)
    assert views.grid(layout, state, 2).shape == (5, 4, 20)
    for view in (views.grid2019, views.grid26, views.features):
        with pytest.raises(UserError, match="two seats only"):
            view(layout, state, 0)


def test_grid_sums_the_other_cooks():
    layout = layouts.parse("XXPXX\nO1 2O\nX 3 X\nXDXSX")
    view = np.asarray(views.grid(layout, game.reset(layout), 2))
    assert view[2, 2, 0] == 1 and view[..., 0].sum() == 1
    assert view[1, 1, 1] == 1 and view[3, 1, 1] == 1 and view[..., 1].sum() == 2
    assert view[..., 6].sum() == 2  # both others face north


def test_features_of_a_wide_kitchen_do_not_wrap():
    layout = layouts.parse(f"{'X' * 200}\nO1{' ' * 195}2 S\n{'X' * 98}PD{'X' * 100}")
    way = np.asarray(views.features(layout, game.reset(layout), 0))
    assert way[23:25].tolist() == [198, 0]  # to the hatch
    assert way[58:60].tolist() == [196, 0]  # to the other cook


def test_a_lone_cook_sees_nobody():
    layout = layouts.parse("XXPXX\nO1  O\nX   X\nXDXSX")
    view = np.asarray(views.grid(layout, game.reset(layout), 0))
    assert view[..., 1].sum() == 0 and view[..., 6:10].sum() == 0
