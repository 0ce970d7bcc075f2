"""The cloned policy: its network, what it sees, and the rule that gets it unstuck, worked by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import toy_agents as toy

from cole import rollout
from cole.errors import UserError
from cole.kitchen import game, layouts, views
from cole.kitchen.layouts import EAST, INTERACT, NORTH, STAY
from cole.policy import cloned, store
from cole.policy.cloned import Memory
from cole.policy.policy import NOISE

ROOM = layouts.load("cramped_room")


def memory(poses, actions):
    return Memory(jnp.array(poses, jnp.int32), jnp.array(actions, jnp.int32))


def params_that_want(action, much=50.0):
    """Parameters whose logits are 0 but for one action."""
    zeros = jax.tree.map(jnp.zeros_like, cloned.init(jax.random.key(0)))
    zeros["logits"]["b"] = zeros["logits"]["b"].at[action].set(much)
    return zeros


def test_the_network_is_two_layers_of_64_tanh():
    params = jax.tree.map(np.asarray, cloned.init(jax.random.key(1)))
    features = np.random.default_rng(0).integers(-5, 6, (7, 62)).astype(np.int16)
    x = np.tanh(features @ params["dense1"]["w"] + params["dense1"]["b"])
    x = np.tanh(x @ params["dense2"]["w"] + params["dense2"]["b"])
    expected = x @ params["logits"]["w"] + params["logits"]["b"]
    np.testing.assert_allclose([cloned.logits(params, row) for row in features], expected, atol=1e-5)
    assert sum(x.size for x in jax.tree.leaves(params)) == 62 * 64 + 64 + 64 * 64 + 64 + 64 * 6 + 6


@pytest.mark.parametrize("seat", [0, 1])
def test_it_sees_the_features_and_its_own_pose(seat):
    state = game.random_state(jax.random.key(3), ROOM)
    seen = cloned.view(ROOM, state, seat)
    np.testing.assert_array_equal(seen[:62], views.features(ROOM, state, seat))
    assert int(seen[62]) == 4 * int(state.cell[seat]) + int(state.facing[seat])


def test_who_is_stuck_does_none_of_its_last_three_actions():
    """p = (.1, .2, .3, .1, .2, .1); after STAY, STAY, NORTH in one pose the rest is divided by 1 - .1 - .2."""
    p = np.array([0.1, 0.2, 0.3, 0.1, 0.2, 0.1])
    freed = jax.nn.softmax(cloned.unstuck(jnp.log(p), jnp.int32(9), memory([9, 9, 9], [STAY, STAY, NORTH])))
    np.testing.assert_allclose(freed, [0, 0.2 / 0.7, 0.3 / 0.7, 0.1 / 0.7, 0, 0.1 / 0.7], atol=1e-6)


@pytest.mark.parametrize("poses", [[9, 9, 8], [8, 9, 9], [-1, -1, -1], [9, 9, -1]])
def test_who_has_moved_or_turned_or_just_begun_is_not_stuck(poses):
    p = jnp.log(jnp.array([0.1, 0.2, 0.3, 0.1, 0.2, 0.1]))
    np.testing.assert_array_equal(cloned.unstuck(p, jnp.int32(9), memory(poses, [STAY, STAY, NORTH])), p)


def test_who_would_always_stay_does_something_else_at_the_fourth_state():
    policy = cloned.cloned()
    noise = jnp.full(NOISE, 0.5)
    seen, remembered, done = jnp.zeros(63, jnp.int16), policy.memory(), []
    for _ in range(8):
        act = policy.act(params_that_want(STAY), seen, remembered, noise)
        remembered = act.memory
        done.append(int(act.action))
    # The fifth finds STAY, STAY and the way out among its last three, and so does another thing.
    assert done[:3] == [STAY] * 3
    assert done[3] != STAY and done[4] not in (STAY, done[3]) and done[5] not in (STAY, done[3], done[4])
    assert done[6] == STAY  # by now STAY is four actions ago


def test_turning_counts_as_getting_unstuck():
    policy, remembered = cloned.cloned(), cloned.cloned().memory()
    for facing in (NORTH, NORTH, NORTH, EAST, EAST):
        seen = jnp.zeros(63, jnp.int16).at[62].set(4 * 7 + facing)
        act = policy.act(params_that_want(INTERACT), seen, remembered, jnp.full(NOISE, 0.5))
        remembered = act.memory
        assert int(act.action) == INTERACT


def test_it_plays_whole_games_by_drawing_and_the_same_again():
    policy, params = cloned.cloned(), params_that_want(STAY, 1.0)
    chance = rollout.draw_chance(jax.random.key(0), ROOM, 30)
    opening = game.reset(ROOM)
    one, same = (rollout.play(ROOM, policy, params, policy, params, 0, opening, chance, record_all=True) for _ in "ab")
    np.testing.assert_array_equal(one.action, same.action)
    assert len(set(np.asarray(one.action).ravel().tolist())) > 3


def test_a_clone_on_disk_comes_back_and_acts_the_same(tmp_path):
    agent = toy.agent(4, ROOM, view=cloned.VIEW, name="cramped_room")
    store.save(tmp_path / "clone", agent)
    again = store.load(tmp_path / "clone")
    assert again.card == agent.card and store.identity(again) == store.identity(agent)
    seen = cloned.view(ROOM, game.reset(ROOM), 1)
    noise, policy = jnp.linspace(0.1, 0.9, NOISE), store.policy_of(again)
    acts = [policy.act(policy.prepare(one.params), seen, policy.memory(), noise) for one in (agent, again)]
    np.testing.assert_array_equal(acts[0].logits, acts[1].logits)
    greedy = store.policy_of(again, greedy=True).act(again.params, seen, policy.memory(), noise)
    assert int(greedy.action) == int(jnp.argmax(greedy.logits))
    page = (tmp_path / "clone" / store.PAGE).read_text()
    assert "`features` and gives six logits" in page and "and a value" not in page


def test_a_clone_cannot_be_saved_for_a_kitchen_of_three():
    three = layouts.parse("XPXXX\nO12 X\nX 3 X\nXDSXX")
    with pytest.raises(UserError, match="for two seats only"):
        store.save("nowhere", toy.agent(0, three, view=cloned.VIEW))
