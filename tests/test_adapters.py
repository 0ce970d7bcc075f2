"""The doors to other libraries pass those libraries' own checks, and behind each door is the same game."""

import builtins
import sys
from importlib import import_module

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cole.errors import UserError
from cole.kitchen import adapters, draw, game, layouts, views
from cole.kitchen.adapters import turns
from cole.kitchen.game import SHAPED, SPARSE, Events
from cole.kitchen.layouts import EAST, INTERACT, NORTH, SOUTH, STAY, WEST

HORIZON = 40
AGENTS = ["agent_0", "agent_1"]

# Their checks import all of PettingZoo's example games, and one of those warns about the way it is imported.
pettingzoo_imports = pytest.mark.filterwarnings("ignore:The old environment creation API:DeprecationWarning")

# Seat 0 of cramped_room puts three onions into the pot, waits, takes a dish and then the soup, and serves it.
SOUP = [WEST, NORTH, *[WEST, INTERACT, EAST, NORTH, INTERACT] * 3, SOUTH, WEST, SOUTH, INTERACT]
SOUP += [STAY] * 15 + [NORTH, EAST, NORTH, INTERACT, SOUTH, EAST, SOUTH, INTERACT]


def parallel(**options):
    return adapters.pettingzoo_env("cramped_room", **{"horizon": HORIZON} | options)


def single(**options):
    return adapters.gymnasium_env("cramped_room", **{"horizon": HORIZON} | options)


def marl(**options):
    return adapters.jaxmarl_env("cramped_room", **{"horizon": HORIZON} | options)


def stays(observation, rng):
    return STAY


step, grid = jax.jit(game.step), jax.jit(views.grid)


# PettingZoo


@pettingzoo_imports
def test_pettingzoos_own_check_passes():
    from pettingzoo.test import parallel_api_test

    parallel_api_test(parallel(), num_cycles=3 * HORIZON)
    parallel_api_test(adapters.pettingzoo_env("cramped_room", view="features", horizon=7), num_cycles=20)


@pettingzoo_imports
def test_pettingzoos_own_seed_check_passes():
    from pettingzoo.test import parallel_seed_test

    parallel_seed_test(lambda: parallel(random_start=True), num_cycles=HORIZON)


@pettingzoo_imports
def test_pettingzoos_own_check_of_taking_turns_passes_after_its_conversion():
    from pettingzoo.test import api_test
    from pettingzoo.utils.conversions import parallel_to_aec

    api_test(parallel_to_aec(parallel()), num_cycles=2 * HORIZON)


def test_parallel_seats_play_our_game():
    env, layout = parallel(horizon=len(SOUP)), layouts.load("cramped_room")
    observations, _ = env.reset(seed=0)
    state, rewards, shaped = game.reset(layout), [], []
    for action in SOUP:
        for seat, agent in enumerate(AGENTS):
            np.testing.assert_array_equal(observations[agent], grid(layout, state, seat))
            assert env.observation_space(agent).contains(observations[agent])
        state, _ = step(layout, state, jnp.array([action, STAY]))
        observations, reward, terminated, truncated, infos = env.step({"agent_0": action, "agent_1": STAY})
        rewards.append(reward)
        shaped.append([infos[agent]["shaped_reward"] for agent in AGENTS])
    assert [r["agent_0"] for r in rewards] == [0.0] * (len(SOUP) - 1) + [20.0] and rewards[-1]["agent_1"] == 20.0
    assert np.sum(shaped, axis=0).tolist() == [3 * 3 + 3 + 5, 0]
    assert infos["agent_0"]["events"]["soup_served"] and not infos["agent_1"]["events"]["soup_served"]
    assert infos["agent_1"]["score"] == 20.0
    assert truncated == {"agent_0": True, "agent_1": True} and not any(terminated.values()) and env.agents == []


def test_reward_weights_and_random_starts_are_heard():
    env = parallel(weights=Events(stayed=-0.5), random_start=True)
    first, _ = env.reset(seed=1)
    again, _ = env.reset(seed=1)
    other, _ = env.reset(seed=2)
    assert np.array_equal(first["agent_0"], again["agent_0"]) and not np.array_equal(first["agent_0"], other["agent_0"])
    _, reward, *_ = env.step({"agent_0": STAY, "agent_1": STAY})
    assert reward == {"agent_0": -1.0, "agent_1": -1.0}


def test_a_parallel_step_without_an_episode_or_an_action_is_refused():
    env = parallel()
    with pytest.raises(UserError, match="call reset first"):
        env.step({})
    env.reset()
    with pytest.raises(UserError, match="no action for agent_1"):
        env.step({"agent_0": STAY})
    for bad in (6, -1, 1.5, None, [0, 1]):
        with pytest.raises(UserError, match="the action of agent_1 is"):
            env.step({"agent_0": STAY, "agent_1": bad})


# Gymnasium


@pytest.mark.parametrize("options", [{}, {"seat": 1, "view": "features"}, {"random_start": True, "view": "grid26"}])
def test_gymnasiums_own_check_passes(options):
    from gymnasium.utils.env_checker import check_env

    # Without a registered name their check cannot build the environment again in each render mode, and says so.
    check_env(single(**options), skip_render_check=True)


def test_a_seat_is_drawn_for_each_episode_or_fixed():
    env = single()
    seats = [env.reset(seed=3 if i == 0 else None)[1]["seat"] for i in range(20)]
    assert set(seats) == {0, 1}
    assert {single(seat=1).reset(seed=i)[1]["seat"] for i in range(5)} == {1}


@pytest.mark.parametrize("seat", [0, 1])
def test_the_partner_sees_its_own_view_and_its_action_counts(seat):
    layout, seen = layouts.load("cramped_room"), []

    def mirror(observation, rng):
        seen.append(observation)
        return NORTH

    env = single(seat=seat, partner=mirror, partner_view="features")
    env.reset(seed=0)
    observation, *_ = env.step(STAY)
    np.testing.assert_array_equal(seen, [views.features(layout, game.reset(layout), 1 - seat)])
    joint = [NORTH, NORTH]
    joint[seat] = STAY
    state, _ = step(layout, game.reset(layout), jnp.array(joint))
    np.testing.assert_array_equal(observation, grid(layout, state, seat))


def test_the_single_seat_is_rewarded_for_the_team_and_truncated_at_the_horizon():
    env = single(seat=0, partner=stays, horizon=len(SOUP))
    env.reset()
    results = [env.step(action) for action in SOUP]
    assert [reward for _, reward, *_ in results] == [0.0] * (len(SOUP) - 1) + [20.0]
    assert [truncated for _, _, _, truncated, _ in results] == [False] * (len(SOUP) - 1) + [True]
    assert not any(terminated for _, _, terminated, _, _ in results)
    assert sum(info["shaped_reward"] for *_, info in results) == 17.0


def test_a_partner_with_a_memory_is_told_of_each_new_episode():
    class Counting:
        episodes = 0

        def reset(self):
            self.episodes += 1

        def __call__(self, observation, rng):
            return STAY

    partner = Counting()
    env = single(partner=partner)
    env.reset()
    env.reset()
    assert partner.episodes == 2


def test_one_partner_holds_all_other_seats():
    asked = []
    layout = layouts.parse("XXPXXX\nO1 3 O\nX   2X\nXDXSXX")
    env = adapters.gymnasium_env(layout, seat=1, partner=lambda seen, rng: asked.append(seen) or STAY)
    env.reset()
    env.step(STAY)
    state = game.reset(layout)
    np.testing.assert_array_equal(asked, [grid(layout, state, 0), grid(layout, state, 2)])


def test_a_cook_can_be_alone():
    env = adapters.gymnasium_env(layouts.parse("XXPXX\nO 1 O\nXDXSX"), partner=None)
    env.reset()
    assert env.step(WEST)[4]["events"]["moved"]


# JaxMARL. Version 0.2.0 carries no check of its own: its wrappers and the habits of its learners stand in for one.


@pytest.fixture
def wrappers():
    """JaxMARL's wrappers."""
    return import_module("jaxmarl.wrappers.baselines")


@pytest.mark.slow
def test_jaxmarls_log_wrapper_counts_whole_episodes_under_vmap_and_scan(wrappers):
    """And what its learners rely on: shaping comes by agent, and all else in info has a row per agent."""
    env, games = wrappers.LogWrapper(marl(horizon=len(SOUP))), 3

    @jax.jit
    @jax.vmap
    def play(key):
        def step(state, action):
            seen, state, reward, done, info = env.step(key, state, {"agent_0": action, "agent_1": jnp.int32(STAY)})
            return state, (seen, reward, done, info)

        return jax.lax.scan(step, env.reset(key)[1], jnp.tile(jnp.array(SOUP), 2))

    state, (seen, reward, done, info) = play(jax.random.split(jax.random.key(0), games))
    ends = [len(SOUP) - 1, 2 * len(SOUP) - 1]
    assert np.flatnonzero(reward["agent_1"][0]).tolist() == np.flatnonzero(done["__all__"][0]).tolist() == ends
    assert (state.env_state.game.clock == 0).all()  # the next episode has begun by itself
    shaped = info.pop("shaped_reward")
    assert shaped["agent_0"].sum(axis=1).tolist() == [34.0] * games and not shaped["agent_1"].any()
    assert jax.tree.map(jnp.shape, jax.tree.map(jnp.add, reward, shaped)) == dict.fromkeys(
        AGENTS, done["agent_0"].shape
    )
    assert all(leaf.shape == (games, len(SOUP) * 2, 2) for leaf in jax.tree.leaves(info))
    assert (info["returned_episode_returns"][:, -1] == 20.0).all()
    assert (info["returned_episode_lengths"][:, -1] == len(SOUP)).all()
    assert seen["agent_0"].shape[2:] == env.observation_space("agent_0").shape and seen["agent_0"].dtype == jnp.uint8
    assert all(env.observation_space(agent).contains(seen[agent]) for agent in AGENTS)


@pytest.mark.slow
def test_jaxmarls_rollout_manager_takes_random_actions(wrappers):
    env = marl()
    manager, key = wrappers.CTRolloutManager(env, batch_size=4), jax.random.key(0)
    observations, state = manager.batch_reset(key)
    size = int(np.prod(env.obs_shape))
    assert observations["agent_0"].shape == (4, size + 2) and observations["__all__"].shape == (4, 2 * size)
    for _ in range(3):
        actions = {agent: manager.batch_sample(key, agent) for agent in env.agents}
        observations, state, reward, done, _ = manager.batch_step(key, state, actions)
    assert reward["__all__"].shape == done["__all__"].shape == (4,)
    assert manager.get_valid_actions(state)["agent_0"].shape == (4, turns.ACTIONS)
    assert state.step.tolist() == [3] * 4


def test_jaxmarl_is_told_who_plays_and_what_may_be_done():
    env = marl()
    assert env.agent_classes == {"cook": AGENTS} and env.num_agents == 2 and env.action_space("agent_1").n == 6
    assert env.get_avail_actions(None)["agent_1"].tolist() == [True] * 6 and env.max_steps == HORIZON


def test_all_three_doors_lead_to_the_same_game():
    rng = np.random.default_rng(5)
    environments = parallel(), single(seat=0, partner=lambda seen, rng: next(theirs)), marl()
    first, _ = environments[0].reset()
    environments[1].reset()
    observations, state = environments[2].reset(jax.random.key(0))
    np.testing.assert_array_equal(first["agent_0"], observations["agent_0"])
    joint = rng.integers(0, 6, (HORIZON - 1, 2))
    theirs = iter(joint[:, 1].tolist())
    for mine, other in joint.tolist():
        a, *_ = environments[0].step({"agent_0": mine, "agent_1": other})
        b, *_ = environments[1].step(mine)
        actions = {"agent_0": jnp.int32(mine), "agent_1": jnp.int32(other)}
        observations, state, *_ = environments[2].step(jax.random.key(0), state, actions)
        np.testing.assert_array_equal(a["agent_0"], b)
        np.testing.assert_array_equal(a["agent_0"], observations["agent_0"])
        np.testing.assert_array_equal(a["agent_1"], observations["agent_1"])


# What all share


@pytest.mark.parametrize("make", [parallel, single])
def test_pictures_are_those_of_draw(make):
    layout = layouts.load("cramped_room")
    env = make(render_mode="ansi")
    env.reset()
    assert env.render() == draw.text(layout, game.reset(layout), 0, HORIZON)
    env = make(render_mode="rgb_array")
    env.reset()
    image = env.render()
    assert image.dtype == np.uint8 and image.ndim == 3 and image.shape[2] == 3 and image.std() > 0
    env = make()
    env.reset()
    assert env.render() is None
    with pytest.raises(UserError, match="no render mode 'human'"):
        make(render_mode="human")


@pytest.mark.parametrize("make", [parallel, single, marl])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"view": "pixels"}, "no view called pixels; the views are grid,"),
        ({"horizon": 0}, "horizon is 0"),
        ({"horizon": 2.5}, "horizon is 2.5"),
        ({"weights": {"soup_served": 20}}, r"weights must be a cole\.kitchen\.game\.Events"),
    ],
)
def test_options_that_make_no_sense_are_refused(make, options, message):
    with pytest.raises(UserError, match=message):
        make(**options)


def test_kitchens_seats_and_views_that_do_not_exist_are_refused():
    with pytest.raises(UserError, match="no kitchen or map file"):
        adapters.pettingzoo_env("cramped_rom")
    with pytest.raises(UserError, match="the seats of this kitchen are 0 to 1"):
        single(seat=2)
    three = layouts.parse("XXPXXX\nO1 3 O\nX   2X\nXDXSXX")
    with pytest.raises(UserError, match="the view features exists for two seats only"):
        adapters.jaxmarl_env(three, view="features")
    with pytest.raises(UserError, match="the view features exists for two seats only"):
        adapters.gymnasium_env(three, partner_view="features")


def test_a_map_file_and_a_view_of_ones_own_are_welcome(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("XXPXX\nO 1 O\nXDXSX")
    env = adapters.pettingzoo_env(file, view=lambda layout, state, seat: state.cell[seat][None])
    observations, _ = env.reset()
    assert observations["agent_0"].tolist() == [7] and env.observation_space("agent_0").shape == (1,)


@pytest.mark.parametrize(("library", "make"), [("pettingzoo", parallel), ("gymnasium", single), ("jaxmarl", marl)])
def test_a_missing_library_is_told_with_the_extra_that_brings_it(library, make, monkeypatch):
    for name in [n for n in sys.modules if n.split(".")[0] == library or n.startswith("cole.kitchen.adapters.")]:
        if name != "cole.kitchen.adapters.turns":
            monkeypatch.delitem(sys.modules, name)
    plain = builtins.__import__

    def no_library(name, *args, **kwargs):
        if name.split(".")[0] == library:
            raise ModuleNotFoundError(f"No module named {library!r}", name=library)
        return plain(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", no_library)
    with pytest.raises(UserError, match=rf"No module named '{library}'; this needs the extra `adapters`"):
        make()


def test_the_26_channel_view_counts_down_to_the_horizon_of_the_options():
    env = parallel(view="grid26", horizon=41)
    urgent = [env.reset()[0]["agent_0"][..., 25]]
    urgent += [env.step({"agent_0": STAY, "agent_1": STAY})[0]["agent_0"][..., 25] for _ in range(2)]
    assert [np.unique(layer).tolist() for layer in urgent] == [[0], [0], [1]]


def test_the_default_reward_is_the_sparse_one():
    assert turns.prepare("cramped_room").weights == SPARSE != SHAPED


def test_between_episodes_there_is_nothing_to_step_or_draw():
    alone, all_seats = adapters.gymnasium_env("cramped_room", horizon=1), adapters.pettingzoo_env("cramped_room")
    for too_early in (lambda: alone.step(STAY), alone.render, all_seats.render):
        with pytest.raises(UserError, match="call reset first"):
            too_early()
    alone.reset()
    alone.step(STAY)
    with pytest.raises(UserError, match="call reset first"):
        alone.step(STAY)


def test_options_of_other_libraries_types_are_taken_or_refused():
    assert adapters.gymnasium_env("cramped_room", horizon=np.int64(5)).setup.horizon == 5
    with pytest.raises(UserError, match="no view called"):
        adapters.gymnasium_env("cramped_room", view=["grid"])
