"""Who is drawn: certain shares, masks, and the population's slots."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cole import partners, population


@pytest.mark.parametrize(("own", "times"), [(0.0, 0), (0.25, 1), (0.5, 2), (0.75, 3), (1.0, 4)])
def test_a_share_of_m_in_four_is_drawn_m_times_for_certain(own, times):
    row = partners.ipi_mixture(jnp.array([0.7, 0.0, 0.3]), own)[0]
    drawn = jax.vmap(lambda key: partners.draw_groups(key, row, 4))(jax.random.split(jax.random.key(0), 200))
    assert ((np.asarray(drawn) == 0).sum(axis=1) == times).all()
    assert not (np.asarray(drawn) == 2).any()


def test_draws_follow_the_probabilities():
    row = jnp.array([0.1, 0.0, 0.6, 0.3])
    drawn = jax.vmap(lambda key: partners.draw_groups(key, row, 4))(jax.random.split(jax.random.key(1), 4000))
    shares = np.bincount(np.asarray(drawn).ravel(), minlength=4) / drawn.size
    np.testing.assert_allclose(shares, row, atol=0.01)


def test_rows_of_every_rule_are_distributions():
    alive = jnp.array([True, False, True])
    for rule in (partners.self_play, partners.among_learners):
        rows = rule(2, alive)
        assert rows.shape == (2, 5)
        np.testing.assert_allclose(rows.sum(axis=1), 1.0, rtol=1e-6)
    assert partners.self_play(2, alive).tolist() == [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]]


def test_a_strategy_added_to_the_population_is_there_and_the_others_stay():
    slots = population.empty({"w": jnp.zeros(2)}, 3)
    for generation, value in enumerate([5.0, 6.0]):
        slot = population.free_slot(slots)
        slots = population.add(slots, slot, {"w": jnp.full(2, value)}, generation)
    assert slots.params["w"][:, 0].tolist() == [5.0, 6.0, 0.0]
    assert slots.alive.tolist() == [True, True, False]
    assert slots.born[:2].tolist() == [0, 1]


def test_room_is_made_among_the_earliest_only_when_every_slot_is_taken():
    slots = population.empty({"w": jnp.zeros(())}, 4)
    for slot, born in enumerate([7, 3, 9, 5]):
        slots = population.add(slots, slot, {"w": jnp.float32(born)}, born)
    removed = {int(population.make_room(key, slots, earliest=2)[1]) for key in jax.random.split(jax.random.key(0), 40)}
    assert removed == {1, 3}  # born in generations 3 and 5
    emptied, slot = population.make_room(jax.random.key(0), slots, earliest=2)
    assert not emptied.alive[slot]
    assert int(emptied.alive.sum()) == 3
    again, free = population.make_room(jax.random.key(1), emptied, earliest=2)
    assert int(free) == int(slot)
    assert int(again.alive.sum()) == 3
