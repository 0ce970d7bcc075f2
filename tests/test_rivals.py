"""The parts rivals are made of, on hand-made cases whose value is known."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cole import learning, objectives, partners, pool, population, ppo, rollout, solo, trainer
from cole.config.training import LearningOptions, RunOptions
from cole.errors import UserError
from cole.kitchen import game, layouts
from cole.kitchen.layouts import EAST, INTERACT, NORTH, SOUTH, STAY, WEST
from cole.kitchen.symmetries import moved, symmetries
from cole.menu import METHODS
from cole.methods import best_response, e3t, hsp, op, pbt, ppo_bc
from cole.numbers import MATCHED, RECIPES
from cole.objectives import Objective
from cole.policy import foreseeing
from cole.policy.policy import NOISE, Policy, neural, perturbed, random
from cole.ppo import Hyper
from cole.stages import StageOptions

SMALL = layouts.parse("XPXX\nO12X\nXDSX")
TWINS = layouts.parse("XXPXX\nO1 2O\nXDSDX")  # its mirror swaps the cooks


def fixed() -> Policy:
    """A policy whose parameters are its action probabilities, whatever it sees."""

    def evaluate(params, seen):
        return jnp.tile(jnp.log(params)[None], (seen.shape[0], 1)), jnp.zeros(seen.shape[0])

    return random()._replace(evaluate=evaluate)


def game_of(actions) -> rollout.Rollout:
    """A game of which only the learner's actions matter."""
    steps = len(actions)
    events = game.Events(*(jnp.zeros((steps, 2)) for _ in game.Events._fields))
    return rollout.Rollout(jnp.zeros((steps, 1)), jnp.array(actions)[:, None], events, game.reset(SMALL))


def games_of(*actions) -> rollout.Rollout:
    """One game [L, 1, 1] of each learner."""
    each = [jax.tree.map(lambda x: jnp.asarray(x)[None, None], game_of(one)) for one in actions]
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *each)


NOTHING = Objective(lambda rollout, learner: jnp.zeros(rollout.action.shape))
P = jnp.array([0.5, 0.1, 0.1, 0.1, 0.1, 0.1])
Q = jnp.array([0.1, 0.5, 0.1, 0.1, 0.1, 0.1])


def test_population_entropy_pays_the_surprise_of_the_mean_policy():
    """The mean of P and Q gives .3 to actions 0 and 1 and .1 to all others."""
    among = objectives.with_population_entropy(NOTHING, fixed(), alpha=2.0).among
    paid = among(jnp.stack([P, Q]), games_of([0, 1, 5], [5, 5, 0]))
    assert paid.shape == (2, 1, 1, 3, 1)
    np.testing.assert_allclose(paid[:, 0, 0, :, 0], -2 * np.log([[0.3, 0.3, 0.1], [0.1, 0.1, 0.3]]), rtol=1e-5)


def test_a_population_of_one_kind_is_paid_its_own_entropy():
    among = objectives.with_population_entropy(NOTHING, fixed(), alpha=1.0).among
    paid = among(jnp.stack([P, P, P]), games_of([0, 3], [3, 0], [0, 0]))
    np.testing.assert_allclose(paid[:, 0, 0, :, 0], -np.log([[0.5, 0.1], [0.1, 0.5], [0.5, 0.5]]), rtol=1e-5)


def test_who_stands_beside_a_population_neither_counts_in_its_entropy_nor_is_paid():
    """Q stands beside two that play P: action 0 then has .5 in the mean policy, and not .37."""
    among = objectives.with_population_entropy(NOTHING, fixed(), alpha=1.0, beside=1).among
    paid = among(jnp.stack([Q, P, P]), games_of([0, 1], [0, 1], [1, 0]))
    np.testing.assert_allclose(paid[:, 0, 0, :, 0], -np.log([[1, 1], [0.5, 0.1], [0.1, 0.5]]), rtol=1e-5)


@pytest.mark.parametrize("discount", [0.0, 0.5, 1.0])
def test_trajectories_of_equal_policies_do_not_diverge(discount):
    each = jnp.log(jnp.array([[0.5, 0.1, 0.1], [0.5, 0.1, 0.1]]))
    np.testing.assert_allclose(objectives.divergence(each[0], each, discount), np.zeros(3), atol=1e-6)


def test_divergence_without_discount_compares_single_steps():
    """The owner gives .5 and .1, the other .1 and .1: log(.5 / .3) and log(.1 / .1)."""
    each = jnp.log(jnp.array([[0.5, 0.1], [0.1, 0.1]]))
    np.testing.assert_allclose(objectives.divergence(each[0], each, 0.0), [np.log(0.5 / 0.3), 0], atol=1e-6)


def test_divergence_with_discount_1_compares_whole_trajectories():
    """.5 x .4 = .2 against .1 x .2 = .02, whose mean is .11, at every step."""
    each = jnp.log(jnp.array([[0.5, 0.4], [0.1, 0.2]]))
    np.testing.assert_allclose(objectives.divergence(each[0], each, 1.0), [np.log(0.2 / 0.11)] * 2, rtol=1e-5)


def test_divergence_with_discount_half_counts_neighbours_half():
    each = np.log([[0.5, 0.4], [0.1, 0.2]])
    delta = np.stack([each[:, 0] + each[:, 1] / 2, each[:, 1] + each[:, 0] / 2], axis=1)
    expected = delta[1] - np.log(np.exp(delta).mean(axis=0))
    found = objectives.divergence(jnp.array(each[1], jnp.float32), jnp.array(each, jnp.float32), 0.5)
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_diversity_pays_the_learner_whose_trajectory_it_is():
    """P plays 0, to which it gives .5 and the mean .3; Q is paid log(.1 / .3) for the same."""
    among = objectives.with_trajectory_diversity(NOTHING, fixed(), 2.0, 0.0).among
    paid = among(jnp.stack([P, Q]), games_of([0, 1], [0, 0]))
    assert paid.shape == (2, 1, 1, 2, 1)
    shares = np.array([[0.5 / 0.3, 0.1 / 0.3], [0.1 / 0.3, 0.1 / 0.3]])
    np.testing.assert_allclose(paid[:, 0, 0, :, 0], 2 * np.log(shares), rtol=1e-5)


def test_diversity_counts_the_steps_before_and_after_by_the_discount():
    """P plays 0 and 1: half a step counts as its root, so that both find .5 r(.1) against .1 r(.5), and the reverse."""
    among = objectives.with_trajectory_diversity(NOTHING, fixed(), 2.0, 0.5).among
    paid = among(jnp.stack([P, Q]), games_of([0, 1], [0, 0]))
    likely, unlikely = 0.5 * 0.1**0.5, 0.1 * 0.5**0.5
    mean = (likely + unlikely) / 2
    np.testing.assert_allclose(paid[0, 0, 0, :, 0], 2 * np.log([likely / mean, unlikely / mean]), rtol=1e-5)


def test_that_reward_has_the_gradient_of_the_divergence():
    """Exactly, by summing over all actions of one step: the policy gradient of the reward is that of the divergence."""
    start = jax.random.normal(jax.random.key(0), (3, 6))

    def jensen_shannon(logits):
        p = jax.nn.softmax(logits)
        return jnp.mean(jnp.sum(p * (jnp.log(p) - jnp.log(jnp.mean(p, axis=0))[None]), axis=1))

    def paid(logits):
        """What PPO follows: rewards as they are, times the chance of earning them."""
        fixed_now = jax.nn.log_softmax(start)
        rewards = jnp.stack(
            [
                jnp.stack([objectives.divergence(own[a, None], fixed_now[:, a, None], 0.0)[0] for a in range(6)])
                for own in fixed_now
            ]
        )
        return jnp.mean(jnp.sum(jax.nn.softmax(logits) * rewards, axis=1))

    np.testing.assert_allclose(jax.grad(paid)(start), jax.grad(jensen_shannon)(start), atol=1e-6)


def test_for_whole_trajectories_that_holds_where_actions_lead_to_other_states_too():
    """Two steps of two actions, the second in a state that the first decides; all four trajectories, discount 1."""
    start = jax.random.normal(jax.random.key(0), (3, 3, 2))  # learners, states, actions
    every = [(a, b) for a in range(2) for b in range(2)]

    def logs(logits):
        """[L, 4, 2]: how likely each learner finds both steps of each trajectory."""
        p = jax.nn.log_softmax(logits)
        return jnp.stack([jnp.stack([p[:, 0, a], p[:, 1 + a, b]], axis=1) for a, b in every], axis=1)

    def jensen_shannon(logits):
        whole = logs(logits).sum(axis=2)
        return jnp.mean(jnp.sum(jnp.exp(whole) * (whole - jnp.log(jnp.mean(jnp.exp(whole), axis=0))[None]), axis=1))

    fixed_now = logs(start)
    rewards = [
        [objectives.divergence(fixed_now[i, t], fixed_now[:, t], 1.0).mean() for t in range(4)] for i in range(3)
    ]

    def paid(logits):
        return jnp.mean(jnp.sum(jnp.exp(logs(logits).sum(axis=2)) * jnp.array(rewards), axis=1))

    np.testing.assert_allclose(jax.grad(paid)(start), jax.grad(jensen_shannon)(start), atol=1e-6)


def test_the_hardest_partner_has_the_highest_rank_to_the_power():
    """Returns 30, 10, 20 have ranks 1, 3, 2 of 1 / return; cubed 1, 27, 8 of 36."""
    np.testing.assert_allclose(
        partners.hardest_first(jnp.array([30.0, 10.0, 20.0])), np.array([1, 27, 8]) / 36, rtol=1e-6
    )
    np.testing.assert_allclose(partners.hardest_first(jnp.array([30.0, 10.0, 20.0]), 0.0), [1 / 3] * 3, rtol=1e-6)


def test_partners_of_equal_returns_share_a_rank_and_the_next_one_follows_it():
    """Returns 5, 0, 9, 0, 5 have ranks 2, 3, 1, 3, 2; where all are equal, as at first, all are met alike."""
    found = partners.hardest_first(jnp.array([5.0, 0.0, 9.0, 0.0, 5.0]))
    np.testing.assert_allclose(found, np.array([8, 27, 1, 27, 8]) / 71, rtol=1e-6)
    np.testing.assert_allclose(partners.hardest_first(jnp.zeros(15)), [1 / 15] * 15, rtol=1e-6)


def test_the_half_way_snapshot_is_the_one_closest_in_return():
    returns = jnp.array([[0.0, 10, 60, 90, 100], [0, 1, 2, 90, 20]])
    assert pool.half_return(returns).tolist() == [2, 2]  # 60 is nearest to 50; 2 to 10, before 1
    assert pool.first_half_last(None, None, None, returns).tolist() == [0, 2, 4, 5, 7, 9]


def test_recent_scores_are_half_old_half_new_and_the_first_counts_whole():
    scores, draws = pool.recent(
        jnp.array([0.0, 40.0, 7.0]), jnp.array([[0, 1], [1, 0]]), jnp.array([[10.0, 20], [40, 30]])
    )
    np.testing.assert_allclose(scores, [20.0, 35.0, 7.0])
    assert draws.tolist() == [2, 2, 0]


# ------------------------------------------------------------------------------------------------------------- PBT


def three_learners() -> learning.Learners:
    params = {"w": jnp.arange(6.0).reshape(3, 2)}
    learners = learning.fresh(params, Hyper(rate=jnp.array([0.1, 0.2, 0.3]), epochs=5.0))
    moments = jax.tree.map(
        lambda x: x + jnp.arange(3).reshape((3,) + (1,) * (x.ndim - 1)).astype(x.dtype), learners.optimiser
    )
    return learners._replace(optimiser=moments, steps=jnp.array([1.0, 2.0, 3.0]))


def test_the_worst_becomes_the_best_with_its_memory_of_adam():
    before = three_learners()
    after = pbt.exploited(jax.random.key(0), before, jnp.array([5.0, 1.0, 9.0]), 8)
    for name in ("params", "optimiser"):
        for new, old in zip(jax.tree.leaves(getattr(after, name)), jax.tree.leaves(getattr(before, name)), strict=True):
            np.testing.assert_array_equal(new[1], old[2])
            np.testing.assert_array_equal(new[jnp.array([0, 2])], old[jnp.array([0, 2])])
    assert after.steps.tolist() == before.steps.tolist()


def test_only_the_numbers_that_may_change_do_and_by_a_quarter():
    old = Hyper(*(jnp.float32(x) for x in Hyper(rate=0.01, trace=0.9, entropy=0.02, epochs=4.0)))
    seen = {name: set() for name in Hyper._fields}
    for seed in range(60):
        new = pbt.mutated(jax.random.key(seed), old, 8)
        for name in Hyper._fields:
            seen[name].add(round(float(getattr(new, name) / getattr(old, name)), 3))
    for name in Hyper._fields:
        if name == "trace":
            assert seen[name] == {1.0, round(0.95 / 0.9, 3), round(0.85 / 0.9, 3)}
        else:
            assert seen[name] == ({0.75, 1.0, 1.25} if name in pbt.MUTATED else {1.0})


def test_each_learner_goes_through_its_samples_as_often_as_its_own_epochs_say():
    """Of two minibatches an epoch, learners of 0.1, 1, 1.4 and 9 epochs take 1, 2, 3 and all 4, and log their means."""
    step = lambda total, part: (total + part, {"seen": part})  # noqa: E731
    parts = jnp.array([1.0, 2.0, 4.0, 8.0])
    turns = jnp.array([1, 2, 3, 4])
    after, log = jax.vmap(lambda n: learning.first_turns(step, jnp.zeros(()), parts, n))(turns)
    assert after.tolist() == [1.0, 3.0, 7.0, 15.0]
    np.testing.assert_allclose(log["seen"], [1.0, 1.5, 7 / 3, 15 / 4], rtol=1e-6)

    policy = fixed()._replace(
        evaluate=lambda p, seen: (jnp.tile(p["w"][None], (seen.shape[0], 1)), jnp.zeros(seen.shape[0]))
    )
    count = 8
    samples = ppo.Samples(
        jnp.zeros((count, 1)),
        jnp.arange(count) % 6,
        *(jnp.zeros(count) for _ in range(2)),
        jnp.arange(8.0),
        jnp.zeros(count),
        jnp.ones(count),
    )
    batch = learning.Batch(groups=1, games=1, minibatches=2, epochs=2, own_epochs=True)
    learners = learning.fresh({"w": jnp.ones((5, 6))}, Hyper(rate=0.1, epochs=jnp.array([0.1, 1.0, 1.4, 1.5, 9.0])))

    def learned(learner: learning.Learners):
        return learning.improve(jax.random.key(0), policy, learner, samples, batch)[0].optimiser.count

    assert jax.vmap(learned)(learners).tolist() == [1, 2, 3, 3, 4]  # steps of Adam


# ------------------------------------------------------------------------------------------------------ Other-Play


@pytest.mark.parametrize("name", layouts.MAPS)
def test_none_of_the_five_kitchens_has_a_symmetry(name):
    assert symmetries(layouts.load(name)) == []


def test_a_mirror_that_swaps_the_cooks_is_found_and_moves_everything():
    [mirror] = symmetries(TWINS)
    assert mirror.action.tolist() == [NORTH, SOUTH, WEST, EAST, STAY, INTERACT]
    state = game.reset(TWINS)._replace(facing=jnp.array([EAST, NORTH], jnp.int8))
    seen = moved(mirror, state)
    assert seen.cell.tolist() == state.cell.tolist()[::-1] and seen.facing.tolist() == [WEST, NORTH]
    again = moved(mirror, seen)
    assert all(np.array_equal(a, b) for a, b in zip(again, state, strict=True))


@pytest.mark.parametrize("actions", [[0, 2], [3, 5], [1, 1]])
def test_the_rules_do_not_notice_a_symmetry(actions):
    [mirror] = symmetries(TWINS)
    state = game.random_state(jax.random.key(5), TWINS)
    joint = jnp.array(actions)
    after = moved(mirror, game.step(TWINS, state, joint)[0])
    mirrored = game.step(TWINS, moved(mirror, state), jnp.asarray(mirror.action)[joint])[0]
    assert all(np.array_equal(a, b) for a, b in zip(after, mirrored, strict=True))


def test_a_square_kitchen_may_be_the_same_across_its_diagonal():
    assert symmetries(layouts.parse("XPPPX\nO1  D\nO   D\nO  2D\nXSSSX")) == []  # every side has things of its own
    [diagonal] = symmetries(layouts.parse("XPODX\nP1  S\nO 2 S\nD   S\nXSSSX"))
    assert diagonal.action.tolist() == [WEST, EAST, SOUTH, NORTH, STAY, INTERACT]
    assert diagonal.to[1] == 5  # the pot in the first row is that of the first column


def test_the_partner_acts_in_its_own_world_and_keeps_it_for_a_game():
    east = random()._replace(
        view=lambda layout, state, seat: state.facing[seat],
        act=lambda params, seen, memory, noise: (
            random().act(params, seen, memory, noise)._replace(action=jnp.int32(EAST))
        ),
    )
    partner = op.through(east, symmetries(TWINS))
    seen = partner.view(TWINS, game.reset(TWINS), 0)
    done = []
    for first in (0.2, 0.8):  # the draw: no mirror, mirror
        memory, game_ = partner.memory(), []
        for noise in (first, 0.2, 0.8):
            act = partner.act((), seen, memory, jnp.full(NOISE, noise))
            memory = act.memory
            game_.append(int(act.action))
        done.append(game_)
    assert done == [[EAST] * 3, [WEST] * 3]


def test_other_play_says_when_a_kitchen_has_no_symmetry():
    ready = op.prepare(op.Options(run=RunOptions(size="quick")), layouts.load("cramped_room"))
    assert ready.notice == "this kitchen has no symmetry, so Other-Play is self-play here"
    assert op.prepare(op.Options(run=RunOptions(size="quick")), TWINS).notice == ""


# ------------------------------------------------------------------------------------------------------------ E3T


def test_the_guess_sees_both_cooks_and_remembers_five_states():
    policy = foreseeing.foreseeing(SMALL)
    state = game.reset(SMALL)
    seen = policy.view(SMALL, state, 1)
    # Oneself at (2, 1), the other at (1, 1), both facing north with empty hands.
    assert seen.cooks.tolist() == [2, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0]
    prepared = jax.jit(lambda key: policy.prepare(foreseeing.init(key, SMALL)))(jax.random.key(0))
    act, past = jax.jit(policy.act), policy.memory()
    for _ in range(2):
        past = act(prepared, seen, past, jnp.full(NOISE, 0.5)).memory
    assert past[:2].tolist() == [seen.cooks.tolist()] * 2 and not past[2:].any()


def test_the_guess_is_six_more_inputs_of_the_last_layer():
    policy, plain = foreseeing.foreseeing(SMALL), neural(SMALL)
    params = jax.jit(lambda key: foreseeing.init(key, SMALL))(jax.random.key(0))
    seen, past = policy.view(SMALL, game.reset(SMALL), 0), policy.memory()
    looked = jax.tree.map(lambda x: x[None], (seen, past))
    evaluate = jax.jit(policy.evaluate)
    logits, value = evaluate(params, looked)
    own, worth = jax.jit(plain.evaluate)(params, seen.grid[None])
    np.testing.assert_allclose(logits, own, atol=1e-6)  # at first it changes nothing
    params["mixed"]["w"] = jnp.ones((6, 7)).at[:, 6].set(2.0)  # probabilities have sum 1
    logits, value = evaluate(params, looked)
    np.testing.assert_allclose(logits, own + 1, atol=1e-5)
    np.testing.assert_allclose(value, worth + 2, atol=1e-5)


def test_what_partners_did_is_recorded_and_learned_and_ppo_leaves_the_guess_alone():
    policy = foreseeing.foreseeing(SMALL)
    partner = perturbed(policy, 1.0, INTERACT)  # always does the same
    setup = trainer.Setup(
        SMALL,
        policy,
        objectives.team(1.0)._replace(aside=e3t.surprise),
        learning.Batch(1, 2, 20, 2, 4),
        partner=partner,
    )
    params = jax.tree.map(lambda x: x[None], foreseeing.init(jax.random.key(0), SMALL))
    nobody = population.empty(jax.tree.map(lambda x: x[0], params), 0)
    company = trainer.Company(nobody, jnp.ones((1, 1)), jnp.ones((1, 1)))
    update = jax.jit(lambda key, learners: trainer.update(key, setup, learners, company))
    learners, losses = learning.fresh(params, Hyper(rate=1e-2, gradient=10.0)), []
    for step in range(4):
        learners, log = update(jax.random.key(step), learners)
        losses.append(float(log["aside"][0]))
    assert losses[-1] < losses[0] / 3

    def decided(small):
        looked = jax.tree.map(lambda x: x[None], (policy.view(SMALL, game.reset(SMALL), 0), policy.memory()))
        mine = jax.tree.map(lambda x: x[0], learners.params) | {"guess1": small}
        return jnp.sum(policy.evaluate(mine, looked)[0] ** 2)

    assert not jax.grad(decided)(jax.tree.map(lambda x: x[0], learners.params["guess1"]))["w"].any()


# ------------------------------------------------------------------------------------------------------------ HSP


def test_biased_learners_are_paid_by_their_taste_and_mates_by_the_team():
    events = game.Events(*(jnp.zeros((1, 2)) for _ in game.Events._fields))
    events = events._replace(onion_put=jnp.array([[2.0, 5.0]]), soup_served=jnp.array([[0.0, 1.0]]))
    played = rollout.Rollout(jnp.zeros((1, 1)), jnp.zeros((1, 1)), events, game.reset(SMALL))
    weights = jnp.zeros(len(game.Events._fields)).at[game.Events._fields.index("onion_put")].set(3.0)
    reward = hsp.by_taste(objectives.team(1.0)).reward
    for role, expected in ((hsp.BIASED, 6.0), (hsp.MATE, 20.0)):
        learner = learning.Learners((), (), Hyper(0.1), jnp.array(9.0), hsp.Taste(weights, jnp.int32(role)))
        np.testing.assert_allclose(reward(played, learner), [[expected]])


def test_pairs_neither_count_in_the_entropy_of_the_pool_nor_are_paid_for_it():
    """One pair plays Q, two learners of the pool P: their action 0 has .5 in the mean policy, and not .3."""
    objective = hsp.plan(pairs=1, kept=1, alpha=1.0).objective(objectives.team(1.0), fixed())
    paid = objective.among(jnp.stack([Q, Q, P, P]), games_of([0], [0], [0], [1]))
    np.testing.assert_allclose(paid[:, 0, 0, 0, 0], [0, 0, -np.log(0.5), -np.log(0.1)], rtol=1e-5)


def test_pairs_meet_each_other_and_the_rest_meet_themselves():
    assert hsp.meeting(2, 5).tolist() == [2, 3, 0, 1, 4]


def test_tastes_are_drawn_from_the_stated_set():
    tastes = hsp.tastes(20, jax.random.key(0), 45)
    assert tastes.role.tolist() == [hsp.BIASED] * 20 + [hsp.MATE] * 20 + [hsp.POOL] * 5
    for i, name in enumerate(game.Events._fields):
        drawn = set(tastes.weights[:20, i].tolist())
        assert drawn == set(hsp.TASTES[name]) if name in hsp.TASTES else drawn == {0.0}


def test_the_selection_begins_with_the_oddest_and_goes_on_with_whoever_is_farthest_from_all_chosen():
    """On a line: 0, 1, 2, 10, 11. From the mean, 4.8, 11 is farthest; from 11, 0; then 2, 2 from 0 and 9 from 11."""
    counts = jnp.array([0.0, 1.0, 2.0, 10.0, 11.0])[:, None]
    assert hsp.diverse(counts, 3).tolist() == [4, 0, 2]


# --------------------------------------------------------------------------------------------- guests and budgets


def test_self_play_counts_wholly_at_first_and_not_at_all_at_last():
    setting = ppo_bc.prepare(ppo_bc.Options(), layouts.load("cramped_room")).setting
    share = [float(solo.share_alone(setting, jnp.float32(steps))) for steps in (0, 5e5, 1.75e6, 3e6, 8e6)]
    np.testing.assert_allclose(share, [1, 1, 0.5, 0, 0], atol=1e-6)
    forced = ppo_bc.prepare(ppo_bc.Options(), layouts.load("forced_coordination")).setting
    assert float(solo.share_alone(forced, jnp.float32(0))) == 0.0


def test_clones_get_all_games_when_self_play_is_over():
    """Ten groups of three games: five with itself and five with clones at first, ten with clones at last."""
    ready = ppo_bc.prepare(ppo_bc.Options(), layouts.load("cramped_room"))
    assert (ready.setting.batch.groups, ready.setting.guest_groups, ready.setting.batch.games) == (5, 5, 3)
    assert ready.program.env_steps == ready.setting.updates * 10 * 3 * 400


@pytest.mark.parametrize("learners", [2, 4, 7])
def test_any_number_of_learners_divides_its_samples(learners):
    setting = pbt.prepare(pbt.Options(learners=learners), layouts.load("cramped_room")).setting
    assert setting.batch.groups == learners


def test_a_best_response_without_self_play_meets_nobody_but_its_partners():
    asked = best_response.Options(partner=("h_proxy", "stay"), self_play=False)
    setting = best_response.prepare(asked, layouts.load("cramped_room")).setting
    assert setting.batch.groups == 0 and setting.guest_groups == 5 and setting.batch.games == 3


@pytest.mark.parametrize("size", ["full", "quick"])
@pytest.mark.parametrize("partners", [1, 2, 3, 4])
def test_a_best_response_goes_over_from_itself_to_its_partners_in_batches_of_one_size(partners, size):
    names = ("h_proxy", "stay", "random", "greedy_cook")[:partners]
    layout, asked = layouts.load("cramped_room"), best_response.Options(run=RunOptions(size=size), partner=names)
    ready = best_response.prepare(asked, layout)
    setting, state = ready.setting, jax.eval_shape(ready.program.start, jax.ShapeDtypeStruct((1,), jnp.uint32))
    groups = {}
    for done in (0, setting.rounds - 1):
        _, log = jax.eval_shape(lambda state, done=done: ready.program.advance(state, done), state)
        groups[done] = log["partner"].shape[-1]
    assert len(set(groups.values())) == 1 and setting.batch.groups > 0
    guests = tuple(trainer.Guests(fixed(), setting.guest_groups) for _ in names)
    setup = trainer.Setup(layout, fixed(), objectives.team(1.0), setting.batch, guests)
    weights = solo.shares(jnp.ones((1, 1 + partners)), jnp.float32(0.25), setup)[0]
    count = jnp.array([setting.batch.groups] + [setting.guest_groups] * partners)
    np.testing.assert_allclose(weights * count, [0.25] + [0.75 / partners] * partners, rtol=1e-6)


def test_self_play_of_a_best_response_lasts_as_long_as_that_of_ppo_bc_in_half_as_many_steps_again():
    setting = best_response.prepare(best_response.Options(), layouts.load("cramped_room")).setting
    share = [float(solo.share_alone(setting, jnp.float32(steps))) for steps in (0, 0.75e6, 2.625e6, 4.5e6, 12e6)]
    np.testing.assert_allclose(share, [1, 1, 0.5, 0, 0], atol=1e-6)


@pytest.mark.parametrize(
    ("method", "given", "sentence"),
    [
        ("best_response", {"partner": ()}, "--partner must name at least one partner"),
        ("best_response", {"partner": ("nobody",)}, "there is no player 'nobody'"),
        ("mep", {"population_entropy": -1.0}, "--population-entropy must be a number at least 0, not -1.0"),
        ("mep", {"priority": -1.0}, "--priority must be a number at least 0, not -1.0"),
        ("trajedi", {"nearness": 1.5}, "--nearness must be a number at least 0 and at most 1, not 1.5"),
        ("pbt", {"learners": 1}, "--learners must be a whole number from 2 to 100, not 1"),
        ("ppo_bc", {"partner": ()}, "--partner must name at least one partner"),
        ("fcp", {"learning": LearningOptions(shaped_until=-5.0)}, "--shaped-until must be a number above 0, not -5.0"),
        ("pbt", {"learning": LearningOptions(shaped_until=0.0)}, "--shaped-until must be a number above 0, not 0.0"),
        ("pbt", {"learning": LearningOptions(rate_end=0.0)}, "PBT changes its numbers by itself"),
        (
            "fcp",
            {"run": RunOptions(size="matched"), "stages": StageOptions(ego_steps=10**6)},
            "--size matched says how many steps there are",
        ),
        ("pbt", {"selection": 0}, "--selection must be a whole number from 1 to 1000, not 0"),
        ("op", {"steps": 3}, "--steps must be at least"),
    ],
)
def test_what_a_rival_cannot_do_is_refused_by_name(method, given, sentence):
    with pytest.raises(UserError, match=sentence):
        METHODS[method].prepare(METHODS[method].options(**given), layouts.load("cramped_room"))


@pytest.mark.parametrize("method", [ppo_bc, best_response])
def test_there_are_no_cloned_humans_of_another_kitchen(method):
    with pytest.raises(UserError, match="no human games of this kitchen, so no clones; the cooks greedy_cook"):
        method.prepare(method.Options(), SMALL)


@pytest.mark.parametrize("name", ["cramped_room", "forced_coordination"])
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("method", METHODS)
def test_matched_runs_have_the_budget_of_cole(method, recipe, name):
    asked = METHODS[method].options(run=RunOptions(layout=name, recipe=recipe, size="matched"))
    _, program, *_ = METHODS[method].prepare(asked, layouts.load(name))
    spent = program.all_steps or program.rounds * program.env_steps
    assert 0.93 * MATCHED[name] <= spent <= MATCHED[name]


@pytest.mark.parametrize("method", [name for name in METHODS if name not in ("cole", "fcp", "mep", "trajedi", "hsp")])
def test_matched_runs_cannot_be_made_longer(method):
    asked = METHODS[method].options(run=RunOptions(size="matched"), steps=10**6)
    with pytest.raises(UserError, match="--size matched says how many steps there are: leave --steps out"):
        METHODS[method].prepare(asked, layouts.load("cramped_room"))
