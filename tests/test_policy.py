"""Policies: what a network sees, how an action is drawn, and how a policy errs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cole.kitchen import game, layouts, views
from cole.policy import network
from cole.policy import policy as module
from cole.policy.policy import NOISE, neural, perturbed, random, sample


@pytest.mark.parametrize("name", layouts.MAPS)
@pytest.mark.parametrize("view", ["grid", "grid2019"])
def test_folding_constant_inputs_changes_nothing(name, view):
    layout = layouts.load(name)
    height, width = layout.terrain.shape
    params = jax.jit(lambda key: jax.tree.map(lambda x: x + 0.05, network.init(key, (width, height, 20))))(
        jax.random.key(0)
    )
    policy = neural(layout, view, half=False)
    keys = jax.random.split(jax.random.key(1), 32)
    states = jax.jit(jax.vmap(lambda key: game.random_state(key, layout, anywhere=True)))(keys)
    seen = jax.jit(jax.vmap(lambda state: policy.view(layout, state, 1)))(states)
    whole = jax.jit(jax.vmap(lambda state: views.VIEWS[view](layout, state, 1)))(states)
    layers = jax.jit(policy.prepare)(params)
    assert layers[0][0].shape[0] < whole[0].size / 2
    learning, plain = jax.jit(policy.evaluate)(params, seen), jax.jit(network.apply)(params, whole)
    acting = jax.jit(jax.vmap(policy.act, in_axes=(None, 0, None, None)))(layers, seen, (), jnp.full(NOISE, 0.5))
    for folded in (learning, (acting.logits, acting.value)):
        for ours, theirs in zip(folded, plain, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("act, learn", [("columns", "blocks"), ("columns", "whole"), ("whole", "columns")])
def test_how_networks_compute_while_they_act_or_learn_makes_no_difference(monkeypatch, act, learn):
    monkeypatch.setitem(module.WAYS, "cpu", module.Ways(act, learn))
    layout = layouts.load("cramped_room")
    policy = neural(layout)

    @jax.jit
    def both(key):
        params, seen = network.init(key, (5, 4, 20)), policy.view(layout, game.reset(layout), 0)
        act = policy.act(policy.prepare(params), seen, (), jnp.full(NOISE, 0.5))
        return act, policy.evaluate(params, seen[None])

    act, (logits, value) = both(jax.random.key(0))
    np.testing.assert_allclose(act.logits, logits[0], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(act.value, value[0], rtol=1e-4, atol=1e-6)


def test_bfloat16_products_are_close_and_so_are_their_gradients():
    layout = layouts.load("cramped_room")
    params = jax.jit(lambda key: network.init(key, (5, 4, 20)))(jax.random.key(0))
    params["logits"] = jax.tree.map(lambda x: 100.0 * x, params["logits"])
    keys = jax.random.split(jax.random.key(1), 64)
    states = jax.jit(jax.vmap(lambda key: game.random_state(key, layout)))(keys)

    def outcome(params, half):
        policy = neural(layout, half=half)
        seen = jax.vmap(lambda state: policy.view(layout, state, 0))(states)
        logits, value = policy.evaluate(params, seen)
        return jnp.mean(logits[:, 0]) + jnp.mean(value**2)

    compiled = jax.jit(jax.value_and_grad(outcome), static_argnums=1)
    plain, half = (compiled(params, half) for half in (False, True))
    np.testing.assert_allclose(half[0], plain[0], rtol=0.05)
    for name in params:
        ours, theirs = np.ravel(half[1][name]["w"]), np.ravel(plain[1][name]["w"])
        assert np.corrcoef(ours, theirs)[0, 1] > 0.99, name
        assert not np.array_equal(ours, theirs), name


def test_actions_are_drawn_from_the_softmax():
    logits = jnp.log(jnp.array([0.5, 0.25, 0.15, 0.06, 0.03, 0.01]))
    noise = jax.random.uniform(jax.random.key(0), (40_000, NOISE))
    drawn = jax.vmap(lambda n: sample(logits, n))(noise)
    np.testing.assert_allclose(np.bincount(drawn, minlength=6) / len(drawn), jnp.exp(logits), atol=0.01)


def test_a_perturbed_policy_errs_as_often_as_it_is_told_to():
    stubborn = random()._replace(act=lambda *_: random().act((), None, (), jnp.array([0.0, 0, 0, 1, 0, 0, 0, 0])))
    noise = jax.random.uniform(jax.random.key(0), (20_000, NOISE))

    def actions(policy):
        return np.asarray(jax.vmap(lambda n: policy.act((), None, (), n).action)(noise))

    assert set(actions(stubborn)) == {3}
    pausing = actions(perturbed(stubborn, 0.3, layouts.STAY))
    assert set(pausing) == {3, layouts.STAY}
    assert abs((pausing == layouts.STAY).mean() - 0.3) < 0.02
    erring = actions(perturbed(stubborn, 0.6))
    shares = np.bincount(erring, minlength=6) / len(erring)
    np.testing.assert_allclose(shares, [0.1, 0.1, 0.1, 0.5, 0.1, 0.1], atol=0.02)
