"""Behaviour cloning: which steps are learned from, that they are learned, and the clones that come with the project."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cole.errors import UserError
from cole.evaluate import players
from cole.human import bc, data, habits
from cole.human.bc import Clone, Samples
from cole.kitchen import layouts, views
from cole.kitchen.game import State
from cole.policy import cloned


@pytest.fixture(scope="module")
def games():
    return data.load()


@pytest.fixture(scope="module")
def small(games):
    """The games of forced coordination only, cut to 100 steps each."""
    chosen = [i for split in data.SPLITS for i in data.select(games, "forced_coordination", split)]
    return cut(games, chosen, 100)


def cut(games, chosen, length):
    starts = np.cumsum(games.steps) - games.steps
    done = np.concatenate([starts[i] + np.arange(length) for i in chosen])
    seen = np.concatenate([starts[i] + i + np.arange(length + 1) for i in chosen])
    return games._replace(
        **{name: getattr(games, name)[chosen] for name in ("split", "kitchen", "pair", "round", "people")},
        **{name: getattr(games, name)[seen] for name in ("cell", "facing", "held", "contents")},
        **{name: getattr(games, name)[done] for name in ("action", "reward")},
        steps=np.full(len(chosen), length, np.int32),
    )


def test_every_step_of_both_people_is_a_sample(small):
    found = bc.samples(small, "forced_coordination", "test")
    assert found.features.shape == (6 * 100 * 2, 62) and found.action.shape == (1200,)
    one = data.recording(small, data.select(small, "forced_coordination", "test")[1])
    for step, seat in ((0, 0), (37, 1), (99, 0)):
        state = State._make(jnp.asarray(field[step]) for field in one.states)
        row = 2 * (100 + step) + seat
        np.testing.assert_array_equal(found.features[row], views.features(one.layout, state, seat))
        assert found.action[row] == one.actions[step, seat]


def test_seats_that_people_did_not_have_are_left_out(small):
    chosen = data.select(small, "forced_coordination", "train")
    people = small.people.copy()
    people[chosen[0], 1] = False
    some = bc.samples(small._replace(people=people), "forced_coordination", "train")
    assert len(some.action) == (2 * len(chosen) - 1) * 100
    np.testing.assert_array_equal(some.action[:100], data.recording(small, chosen[0]).actions[:, 0])


def test_a_kitchen_nobody_played_in_offers_the_scripted_cooks(games):
    with pytest.raises(UserError, match=r"no recorded human games of zoo_cafe .* greedy_cook, supplier and chef"):
        bc.samples(games, "zoo_cafe", "train")


def a_table(count, seed=0):
    """Steps in which the action follows from the features: the largest of the first six."""
    features = np.random.default_rng(seed).integers(-4, 5, (count, 62)).astype(np.int16)
    return Samples(features, np.argmax(features[:, :6] + np.linspace(0, 0.5, 6), axis=1).astype(np.int32))


CLONES = [Clone("cramped_room", "train", 0), Clone("cramped_room", "train", 1), Clone("coordination_ring", "test", 0)]


def test_a_part_of_the_steps_is_held_out_by_the_clones_seed():
    tables = {("cramped_room", "train"): a_table(200), ("coordination_ring", "test"): a_table(100)}
    lesson = bc.lesson_of(tables, CLONES)
    assert lesson.learns.tolist() == [170, 170, 85] and lesson.epochs.tolist() == [100, 100, 120]
    for i, rows in enumerate((range(200), range(200), range(200, 300))):
        assert sorted(lesson.order[i, : len(rows)].tolist()) == list(rows)
    assert set(lesson.order[0, 170:200].tolist()) != set(lesson.order[1, 170:200].tolist())


def learn(lesson, clones, epochs):
    keys = jax.vmap(jax.random.key)(jnp.array([clone.seed for clone in clones], jnp.uint32))
    params = jax.vmap(cloned.init)(keys)
    adam = jax.vmap(bc.ADAM.init)(params)
    for done in range(epochs):
        params, adam = bc.epoch(lesson, keys, params, adam, jnp.int32(done))
    return params


def test_clones_learn_what_was_done_and_stop_when_their_epochs_are_over():
    tables = {("cramped_room", "train"): a_table(2000), ("coordination_ring", "test"): a_table(640, seed=1)}
    lesson = bc.lesson_of(tables, CLONES)._replace(epochs=jnp.array([12, 12, 2]))
    after = learn(lesson, CLONES, 12)
    early = learn(lesson, CLONES, 2)
    mine = jax.tree.map(lambda x: x[0], after)
    held_out = np.asarray(lesson.order[0, 1700:2000])
    table = tables["cramped_room", "train"]
    assert bc.accuracy(mine, table.features[held_out], table.action[held_out]) > 0.6  # chance is 1 in 6
    last = jax.tree.leaves(jax.tree.map(lambda a, b: bool(jnp.array_equal(a[2], b[2])), after, early))
    assert all(last)
    assert not bool(jnp.array_equal(after["logits"]["w"][0], early["logits"]["w"][0]))


def test_what_a_clone_learns_does_not_depend_on_who_else_learns():
    tables = {("cramped_room", "train"): a_table(640), ("coordination_ring", "test"): a_table(300, seed=1)}
    together = learn(bc.lesson_of(tables, CLONES), CLONES, 2)
    alone = learn(bc.lesson_of({k: t for k, t in tables.items() if "test" in k}, CLONES[2:]), CLONES[2:], 2)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a[2], b[0], atol=1e-5), together, alone)


def test_accuracy_is_the_share_of_likeliest_actions_that_were_done():
    params = jax.tree.map(jnp.zeros_like, cloned.init(jax.random.key(0)))
    params["logits"]["b"] = jnp.array([0.0, 0, 0, 0, 1, 0])
    assert bc.accuracy(params, np.zeros((4, 62), np.int16), np.array([4, 4, 0, 5])) == 0.5


@pytest.mark.parametrize("kitchen", layouts.MAPS)
def test_five_clones_of_each_kind_come_with_the_project(kitchen):
    for method in bc.METHODS.values():
        found = players.find([method], kitchen)
        assert [player.name for player in found] == [f"{method}/seed-{seed}" for seed in range(5)]
        assert all(player.agent.card.layout == kitchen and player.kind == cloned.VIEW for player in found)
        assert len({player.identity for player in found}) == 5


def test_the_accuracy_on_the_card_of_a_clone_is_what_it_reaches(games):
    [player] = players.find(["h_proxy/seed-0"], "forced_coordination")
    unseen = bc.samples(games, "forced_coordination", "train")
    right = bc.accuracy(player.params, unseen.features, unseen.action)
    assert abs(right - player.agent.card.training["accuracy_other_split"]) < 1e-3


def test_habits_of_people_in_forced_coordination(games):
    """Seat 0 has the pots and the hatch, seat 1 onions and dishes: so one cooks and serves, the other hands over."""
    found = habits.of_kitchen(games, "forced_coordination")
    assert found.games == 12 and found.steps == 7151 + 7224
    assert found.events.onion_taken[0] == found.events.dish_taken[0] == 0
    assert found.events.onion_in_pot[1] == found.events.soup_served[1] == 0
    np.testing.assert_allclose(found.actions.sum(axis=1), 1)
    earned = sum(
        data.recording(games, i).rewards.sum()
        for s in data.SPLITS
        for i in data.select(games, "forced_coordination", s)
    )
    assert found.events.soup_served.sum() * 20 == pytest.approx(400 * earned / found.steps)
