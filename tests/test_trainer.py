"""The loop on the smallest kitchens: who plays, what is learned from, determinism, one compilation."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cole import learning, objectives, partners, population, rollout, trainer
from cole.kitchen import game, layouts
from cole.learning import Batch
from cole.methods import sp
from cole.policy import network
from cole.policy.policy import neural, perturbed, random
from cole.ppo import Hyper
from cole.program import Program

SMALL = layouts.parse("XPXX\nO12X\nXDSX")
SHAPE = (4, 3, 20)
BATCH = Batch(groups=2, games=2, steps=16, minibatches=2, epochs=2)
HYPER = Hyper(rate=1e-2, entropy=0.01)
SETTING = sp.Setting(HYPER, HYPER, BATCH, shaped_until=1e5, rounds=2, updates=2)


INIT = jax.jit(lambda key: network.init(key, SHAPE))


def params_of(seed: int) -> network.Params:
    return INIT(jax.random.key(seed))


def test_the_learner_takes_its_seat_and_the_partner_the_others():
    # The learner always goes east, the partner always interacts: only the learner's cook may turn east.
    def always(action):
        act = random().act
        return random()._replace(act=lambda *a: act(*a)._replace(action=jnp.int32(action)))

    chance = rollout.draw_chance(jax.random.key(0), SMALL, 3)
    for seat in range(2):
        played = rollout.play(
            SMALL, always(layouts.EAST), (), always(layouts.INTERACT), (), seat, game.reset(SMALL), chance
        )
        assert played.last.facing[seat] == layouts.EAST
        assert played.last.facing[1 - seat] == layouts.NORTH
        assert played.action.tolist() == [[layouts.EAST]] * 3
        assert not played.events.fumbled[:, 0].any()  # the learner's events come first
        if seat == 1:  # seat 0, the partner, faces the pot with empty hands
            assert played.events.fumbled[:, 1].all()


def test_a_batched_pair_of_networks_plays_as_two_networks_one_by_one():
    policy = neural(SMALL, half=False)
    other = policy._replace(act=lambda *a: policy.act(*a))  # the same, but not known to be
    chance = rollout.draw_chance(jax.random.key(1), SMALL, 30)

    def played(partner):
        return jax.jit(lambda a, b: rollout.play(SMALL, policy, a, partner, b, 1, game.reset(SMALL), chance))

    games = [played(partner)(params_of(0), params_of(1)) for partner in (policy, other)]
    assert (games[0].action == games[1].action).all()
    assert all((a == b).all() for a, b in zip(games[0].last, games[1].last, strict=True))
    assert (games[0].seen == games[1].seen).all()


def test_from_so_many_partners_on_the_learner_is_multiplied_apart_to_no_other_effect(monkeypatch):
    setup = trainer.Setup(SMALL, neural(SMALL, half=False), objectives.team(1e5), BATCH)
    theirs = jax.tree.map(lambda *leaves: jnp.stack(leaves), params_of(1), params_of(2))
    kind, play, apart = trainer.Guests(setup.policy, 2), rollout.play, []

    def noted(*arguments, **options):
        apart.append(options["apart"])
        return play(*arguments, **options)

    monkeypatch.setattr(rollout, "play", noted)
    games = []
    for least in (3, 2):
        monkeypatch.setitem(rollout.APART, "cpu", least)
        played = jax.jit(lambda key: trainer.play_groups(key, setup, params_of(0), kind, theirs))
        games.append(played(jax.random.key(0)))
    assert apart == [False, True]
    assert (games[0].action == games[1].action).all() and (games[0].seen == games[1].seen).all()


def test_a_distracted_partner_pauses_and_errs_as_often_as_said_and_the_learner_never():
    stubborn = random()._replace(act=lambda *_: random().act((), None, (), jnp.array([0.0, 0, 0, 1, 0, 0, 0, 0])))
    chance = rollout.draw_chance(jax.random.key(0), SMALL, 6000)

    def actions(distraction):
        start = game.reset(SMALL)
        played = rollout.play(
            SMALL, stubborn, (), stubborn, (), 0, start, chance, record_all=True, distraction=jnp.array(distraction)
        )
        return np.asarray(played.action)  # [T, 2], the learner first

    pausing = actions([0.3, 0.0])
    assert set(pausing[:, 0]) == {3}
    np.testing.assert_allclose(np.bincount(pausing[:, 1], minlength=6) / 6000, [0, 0, 0, 0.7, 0.3, 0], atol=0.03)
    erring = actions([0.1, 0.6])
    np.testing.assert_allclose(np.bincount(erring[:, 1], minlength=6) / 6000, [0.1, 0.1, 0.1, 0.4, 0.2, 0.1], atol=0.03)


def test_only_the_members_of_the_population_are_distracted():
    """The learner stands still when it learns to; a partner that only pauses shows in the games with it alone."""
    policy = neural(SMALL)
    frozen = population.add(population.empty(params_of(0), 1), 0, params_of(1), 0)
    distraction = jnp.array([[0.0, 0.0], [1.0, 0.0]])
    setup = trainer.Setup(SMALL, policy, objectives.team(1e5), BATCH)
    candidates = jax.tree.map(lambda a, b: jnp.concatenate([a[None], b]), params_of(2), frozen.params)
    drawn, games = jax.jit(
        lambda key: trainer.play_all(key, setup, params_of(2), [candidates], jnp.array([0.5, 0.5]), distraction)
    )(jax.random.key(0))
    stayed = np.asarray(games.events.stayed).mean(axis=(1, 2))  # [G, S], the learner first
    assert drawn.tolist() == [0, 1]
    assert stayed[1, 1] == 1.0
    assert (stayed[[0, 0, 1], [0, 1, 0]] < 0.6).all()


def after(steps: float) -> learning.Learners:
    return learning.Learners((), (), HYPER, jnp.array(steps))


def test_the_team_is_paid_and_shaping_is_ones_own_and_fades():
    events = game.Events(*(jnp.zeros((1, 2)) for _ in game.Events._fields))
    events = events._replace(soup_served=jnp.array([[0.0, 1.0]]), onion_in_pot=jnp.array([[1.0, 0.0]]))
    played = rollout.Rollout(jnp.zeros((1, 2)), jnp.zeros((1, 2)), events, game.reset(SMALL))
    reward = objectives.team(100.0).reward
    np.testing.assert_allclose(reward(played, after(0.0)), [[23.0, 20.0]])
    np.testing.assert_allclose(reward(played, after(50.0)), [[21.5, 20.0]])
    np.testing.assert_allclose(reward(played, after(500.0)), [[20.0, 20.0]])
    alone = played._replace(action=jnp.zeros((1, 1)))
    np.testing.assert_allclose(reward(alone, after(0.0)), [[23.0]])


def test_shaping_of_the_team_is_paid_to_whoever_learns():
    """As in 2019: the onion that seat 1 puts into a pot is worth 3 to both, and to seat 0 where it learns alone."""
    events = game.Events(*(jnp.zeros((1, 2)) for _ in game.Events._fields))
    events = events._replace(onion_in_pot=jnp.array([[0.0, 1.0]]), soup_taken=jnp.array([[1.0, 0.0]]))
    played = rollout.Rollout(jnp.zeros((1, 2)), jnp.zeros((1, 2)), events, game.reset(SMALL))
    reward = objectives.team(100.0, shaping="team").reward
    np.testing.assert_allclose(reward(played, after(0.0)), [[8.0, 8.0]])
    np.testing.assert_allclose(reward(played, after(75.0)), [[2.0, 2.0]])
    np.testing.assert_allclose(reward(played._replace(action=jnp.zeros((1, 1))), after(0.0)), [[8.0]])


def test_what_is_paid_among_learners_comes_on_top_of_what_each_is_paid_for_its_games():
    """Two learners get 2 for going north: for games of their own, or among learners; or nothing for it."""
    team, policy = objectives.team(1e5), neural(SMALL, half=False)

    def north(rollout):
        return 2.0 * (rollout.action == layouts.NORTH)

    own = team._replace(reward=lambda one, learner: team.reward(one, learner) + north(one))
    params = jax.tree.map(lambda *leaves: jnp.stack(leaves), params_of(1), params_of(2))
    learners, nobody = learning.fresh(params, HYPER), population.empty(params_of(0), 0)
    company = trainer.Company(nobody, jnp.eye(2), jnp.ones((2, 2)))
    after = []
    for objective in (own, team._replace(among=lambda params, games: north(games)), team):
        setup = trainer.Setup(SMALL, policy, objective, BATCH)
        update = jax.jit(lambda learners, setup=setup: trainer.update(jax.random.key(0), setup, learners, company))
        after.append(update(learners)[0].params["dense1"]["w"])
    np.testing.assert_allclose(after[0], after[1], atol=1e-6)
    assert (jnp.max(jnp.abs(after[0] - after[2]), axis=(1, 2)) > 1e-3).all()


def test_partners_come_from_the_population_and_a_dead_slot_never_plays():
    policy = neural(SMALL, half=False)
    frozen = population.empty(params_of(0), 3)
    frozen = population.add(frozen, 1, params_of(1), 0)
    learners = learning.fresh(jax.tree.map(lambda x: x[None], params_of(2)), Hyper(rate=0.0))
    phi = partners.ipi_mixture(jnp.array([0.0, 1.0, 0.0]), 0.5)
    setup = trainer.Setup(SMALL, policy, objectives.team(1e5), BATCH)
    company = trainer.Company(frozen, phi, jnp.ones_like(phi))
    _, log = jax.jit(lambda learners: trainer.train(jax.random.key(0), setup, learners, company, 3))(learners)
    assert log["partner"].shape == (3, 1, 2)
    assert sorted(np.unique(log["partner"])) == [0, 2]  # itself, and slot 1 behind the one learner
    assert (np.sort(log["partner"], axis=2) == [0, 2]).all()


@pytest.mark.slow
def test_guests_get_their_groups_and_the_learner_learns_from_games_with_them():
    policy = neural(SMALL)
    nobody = population.empty(params_of(0), 0)
    learners = learning.fresh(jax.tree.map(lambda x: x[None], params_of(2)), Hyper(rate=1e-3))
    kinds = (trainer.Guests(random(), 1), trainer.Guests(perturbed(policy, 0.5), 3))
    theirs = ((), jax.vmap(INIT)(jax.random.split(jax.random.key(3), 2)))
    phi = jnp.array([[1.0, 1.0, 0.0, 1.0]])  # itself, the random one, and the second of two that err
    setup = trainer.Setup(SMALL, policy, objectives.team(1e5), BATCH, kinds)
    company = trainer.Company(nobody, phi, jnp.ones_like(phi), theirs)
    assert setup.env_steps() == (2 + 1 + 3) * 2 * 16
    after, log = jax.jit(lambda learners: trainer.train(jax.random.key(0), setup, learners, company, 1))(learners)
    assert log["partner"][0, 0].tolist() == [0, 0, 1, 3, 3, 3]
    assert int(after.steps[0]) == setup.env_steps()
    assert any((a != b).any() for a, b in zip(*map(jax.tree.leaves, (after.params, learners.params)), strict=True))


@pytest.fixture(scope="module")
def self_play() -> Program:
    return sp.program(SMALL, SETTING)


def trained(program: Program, seeds: list[int]):
    """The parameters [P, ...] after all rounds, and the last log."""
    state = program.start(jnp.array(seeds))
    for done in range(program.rounds):
        state, log = program.advance(state, done)
    return program.agents(state), log


@pytest.mark.slow
def test_a_run_is_decided_by_its_seed(self_play):
    first, again, other = (jax.tree.leaves(trained(self_play, [seed])[0]) for seed in (3, 3, 4))
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert any((a != b).any() for a, b in zip(first, other, strict=True))


@pytest.mark.slow
def test_a_seed_among_others_learns_what_it_learns_alone(self_play):
    alone, among = trained(self_play, [3])[0], trained(self_play, [0, 1, 2, 3, 4])[0]
    for a, b in zip(jax.tree.leaves(alone), jax.tree.leaves(among), strict=True):
        np.testing.assert_array_equal(a[0], b[3])  # on a CPU, where seeds learn one after the other


def test_a_whole_run_compiles_once(self_play, compiled):
    counts = []
    state = self_play.start(jnp.array([5, 6, 7]))
    for done in range(4):
        state, _ = self_play.advance(state, done)
        counts.append(len(compiled))
    assert counts[0] > 0
    assert counts[1:] == [counts[0]] * 3


@pytest.mark.parametrize("both_seats", [pytest.param(False, marks=pytest.mark.slow), True])
def test_learning_changes_the_policy_for_the_better(both_seats):
    """A bandit in disguise: paid for standing still, the learner soon stands still."""
    policy = neural(SMALL, half=False)
    stay = game.Events(stayed=1.0)
    learners = learning.fresh(jax.tree.map(lambda x: x[None], params_of(2)), Hyper(rate=3e-3, clip=0.2, gradient=0.5))
    nobody = population.empty(params_of(0), 0)
    phi = partners.self_play(1, nobody.alive)
    batch = Batch(groups=1, games=8, steps=32, minibatches=2, epochs=4, both_seats=both_seats)
    objective = objectives.team(1e9, sparse=game.Events(), shaped=stay)
    setup = trainer.Setup(SMALL, policy, objective, batch)
    company = trainer.Company(nobody, phi, jnp.ones_like(phi))
    learners, log = jax.jit(lambda learners: trainer.train(jax.random.key(0), setup, learners, company, 30))(learners)
    chance = rollout.draw_chance(jax.random.key(9), SMALL, 64)
    params = jax.tree.map(lambda x: x[0], learners.params)
    played = jax.jit(lambda p: rollout.play(SMALL, policy, p, policy, p, 0, game.reset(SMALL), chance))(params)
    assert float(played.events.stayed.mean()) > 0.8
    assert float(log["entropy"][-1, 0]) < float(log["entropy"][0, 0])


OFTEN = ("cramped_room",)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in OFTEN else pytest.mark.slow) for name in layouts.MAPS]
)
def test_the_loop_runs_in_every_kitchen(name):
    setting = SETTING._replace(batch=Batch(groups=1, games=2, steps=8, minibatches=2, epochs=1))
    program = sp.program(layouts.load(name), setting._replace(rounds=1, updates=1))
    params, log = trained(program, [0])
    assert program.env_steps == 16
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(params))
    assert {"return", "entropy", "kl", "value_loss", "gradient"} <= set(log)
    assert log["return"].shape == (1, 1)


def test_games_begin_in_the_opening_or_as_often_as_asked_somewhere_else():
    keys = jax.random.split(jax.random.key(0), 400)
    opening = game.reset(SMALL)
    for share in (0.0, 0.25):
        starts = jax.jit(jax.vmap(lambda key, share=share: trainer.start(key, SMALL, share)))(keys)
        same = [
            (np.asarray(a) == np.asarray(b)).reshape(400, -1).all(axis=1) for a, b in zip(starts, opening, strict=True)
        ]
        assert abs((~np.all(same, axis=0)).mean() - share) < 0.06
