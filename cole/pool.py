"""Two stages that several methods share: a pool of learners leaves snapshots, then one learner, the ego, meets these.

A method says what the pool is paid for, which snapshots are kept, and how often the ego meets each of them. Shapes: N
learners of the pool, S + 1 snapshots of each, C partners of the ego.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from cole import learning, objectives, partners, population, trainer
from cole.kitchen.layouts import Layout
from cole.learning import Batch, Learners
from cole.objectives import Objective
from cole.policy import network
from cole.policy.policy import Policy, neural
from cole.population import Population
from cole.ppo import Hyper, between
from cole.program import Program, of_each
from cole.trainer import Company, Setup


class Setting(NamedTuple):
    """Everything that decides a run, beside kitchen, seeds and method."""

    hyper: Hyper  # at the beginning of each stage
    hyper_end: Hyper
    batch: Batch  # of either stage; its groups are for the ego's partners
    learners: int  # N
    rounds: int  # of the pool
    ego_rounds: int
    updates: int  # of a round
    shaped_until: float  # environment steps of the pool after which the shaping of rewards has faded
    ego_shaped_until: float
    snapshots: int = 10  # S: evenly over the pool's rounds, beside the one before the first
    both_seats: bool = False  # whether the pool, which meets only itself, learns from both seats
    view: str = "grid"
    half: bool = False


class Plan(NamedTuple):
    """What a method decides."""

    objective: Callable[[Objective, Policy], Objective]  # (the team's, the learners' policy) -> the pool's
    choose: Callable[[Array, Setup, Learners, Array], Array]  # (key, setup, pool, returns [N, S + 1] of the snapshots)
    # -> which snapshots [C], as n * (S + 1) + s
    rule: Callable[[Array], Array]  # returns [C] with each partner so far -> chances [C] of meeting it
    meeting: Callable[[int], Array] = jnp.arange  # N -> [N]: whom each learner of the pool meets
    tastes: Callable[[Array, int], Any] = lambda key, count: ()  # (key, N) -> what the objective wants to know of each


class State(NamedTuple):
    """What changes; one seed."""

    key: Array
    pool: Learners  # [N, ...]
    snapshots: Any  # [N, S + 1, ...] each
    returns: Array  # [N, S + 1] of learners with themselves when the snapshot was taken
    frozen: Population  # [C]
    scores: Array  # [C] what the ego earned with each lately; 0 before they met
    ego: Learners  # [1, ...]


def program(layout: Layout, setting: Setting, plan: Plan) -> Program:
    """Both stages in one kitchen."""
    shape, policy = network.shape_of(layout, setting.view), neural(layout, setting.view, half=setting.half)
    games = setting.batch.groups * setting.batch.games  # in one group: a learner of the pool has a single partner
    alone = replace(setting.batch, groups=1, games=games, both_seats=setting.both_seats)
    team = partial(objectives.team, shaping=setting.batch.shaping)
    pool = Setup(layout, policy, plan.objective(team(setting.shaped_until), policy), alone)
    ego = Setup(layout, policy, team(setting.ego_shaped_until), setting.batch)
    each = setting.updates * ego.env_steps()

    def pool_of(key: Array) -> Learners:
        init_key, taste_key = jax.random.split(key)
        params = jax.vmap(lambda k: network.init(k, shape))(jax.random.split(init_key, setting.learners))
        return learning.fresh(params, setting.hyper, plan.tastes(taste_key, setting.learners))

    key, nothing = jax.random.key(0), jnp.zeros((setting.learners, setting.snapshots + 1))
    chosen = jax.eval_shape(lambda: plan.choose(key, pool, pool_of(key), nothing))

    def start(seed: Array) -> State:
        key, pool_key, ego_key = jax.random.split(jax.random.key(seed), 3)
        members, mine = pool_of(pool_key), network.init(ego_key, shape)
        slots = jax.tree.map(lambda x: jnp.zeros((x.shape[0], nothing.shape[1], *x.shape[1:])), members.params)
        slots = jax.tree.map(lambda all, first: all.at[:, 0].set(first), slots, members.params)
        frozen = population.empty(mine, chosen.shape[0])
        ego = learning.fresh(jax.tree.map(lambda x: x[None], mine), setting.hyper)
        return State(key, members, slots, nothing, frozen, jnp.zeros(chosen.shape), ego)

    stages = [
        jax.jit(of_each(stage, (0, None)), donate_argnums=0)
        for stage in (
            lambda state, done: pool_round(setting, pool, plan, state, done),
            lambda state, done: ego_round(setting, ego, plan, state, done),
        )
    ]
    settle = jax.jit(of_each(lambda state: settled(plan, pool, state)), donate_argnums=0)

    def advance(state: State, done: int) -> tuple[State, dict[str, Array]]:
        if done == setting.rounds:
            state = settle(state)
        stage, first = (stages[0], 0) if done < setting.rounds else (stages[1], setting.rounds)
        return stage(state, jnp.int32(done - first))

    @jax.jit
    def agents(state: State) -> Any:
        return jax.tree.map(lambda x: x[:, 0], state.ego.params)

    return Program(
        rounds=setting.rounds + setting.ego_rounds,
        env_steps=each,
        start=jax.jit(of_each(start)),
        advance=advance,
        agents=agents,
        strategies=agents,
        steps=lambda state: state.ego.steps[:, 0],
        kept_from=setting.rounds,
        changes=(setting.rounds,),
        all_steps=(setting.learners * setting.rounds + setting.ego_rounds) * each,
    )


def pool_round(setting: Setting, setup: Setup, plan: Plan, state: State, done: Array) -> tuple[State, dict[str, Array]]:
    """Every learner of the pool meets itself, or whom the plan says; the snapshot of this part is taken anew."""
    hyper = between(setting.hyper, setting.hyper_end, done / max(setting.rounds - 1, 1))
    nobody = population.empty(jax.tree.map(lambda x: x[0], state.pool.params), 0)
    phi = jnp.eye(setting.learners)[plan.meeting(setting.learners)]
    company = Company(nobody, phi, jnp.ones_like(phi))
    key = jax.random.fold_in(state.key, done)
    pool, log = trainer.train(key, setup, learning.tuned(state.pool, hyper), company, setting.updates)
    slot = 1 + done * setting.snapshots // setting.rounds
    returns = jnp.mean(log["return"], axis=0)
    snapshots = jax.tree.map(lambda all, new: all.at[:, slot].set(new), state.snapshots, pool.params)
    told = {name: jnp.mean(log[name], axis=1) for name in trainer.TOLD} | {"return_by_learner": log["return"]}
    state = state._replace(pool=pool, snapshots=snapshots, returns=state.returns.at[:, slot].set(returns))
    return state, told


def settled(plan: Plan, setup: Setup, state: State) -> State:
    """The chosen snapshots as the ego's partners."""
    chosen = plan.choose(jax.random.fold_in(state.key, 2**31 - 1), setup, state.pool, state.returns)
    in_a_row = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), state.snapshots)
    params = jax.tree.map(lambda x: x[chosen], in_a_row)
    there = jnp.ones(chosen.shape, bool)
    return state._replace(frozen=Population(params, there, jnp.arange(chosen.shape[0], dtype=jnp.int32)))


def ego_round(setting: Setting, setup: Setup, plan: Plan, state: State, done: Array) -> tuple[State, dict[str, Array]]:
    """The ego meets its partners by the method's rule."""
    hyper = between(setting.hyper, setting.hyper_end, done / max(setting.ego_rounds - 1, 1))
    chances = plan.rule(state.scores)
    phi = partners.ipi_mixture(chances, 0.0)
    company = Company(state.frozen, phi, jnp.ones_like(phi))
    key = jax.random.fold_in(state.key, setting.rounds + done)
    ego, log = trainer.train(key, setup, learning.tuned(state.ego, hyper), company, setting.updates)
    scores, draws = recent(state.scores, log["partner"][:, 0] - 1, log["return_by_group"][:, 0])
    told = {name: log[name][:, 0] for name in trainer.TOLD}
    each = {"chances": chances, "draws": draws, "scores": scores}
    told |= {name: jnp.tile(values[None], (setting.updates, 1)) for name, values in each.items()}
    return state._replace(ego=ego, scores=scores), told


def recent(scores: Array, met: Array, returns: Array) -> tuple[Array, Array]:
    """Scores [C], those of partners met [U, G] now half the old and half the mean of returns [U, G]; and draws [C]."""
    who = jax.nn.one_hot(met.ravel(), scores.shape[0])
    draws = jnp.sum(who, axis=0)
    mean = jnp.matmul(returns.ravel(), who, precision=jax.lax.Precision.HIGHEST) / jnp.maximum(draws, 1)
    blended = jnp.where(scores == 0, mean, (scores + mean) / 2)
    return jnp.where(draws > 0, blended, scores), draws


def all_alike(scores: Array) -> Array:
    """The rule of meeting every partner as often."""
    return jnp.full(scores.shape, 1.0 / scores.shape[0])


def half_return(returns: Array) -> Array:
    """[N]: which snapshot [N, S + 1] of each learner has a return closest to half of its last one."""
    return jnp.argmin(jnp.abs(returns - returns[:, -1:] / 2), axis=1)


def first_half_last(key: Array, setup: Setup, pool: Learners, returns: Array) -> Array:
    """[3 N]: of each learner the snapshot before it learned anything, the one half-way in return, and the last."""
    count, slots = returns.shape
    which = jnp.stack(
        [jnp.zeros(count, jnp.int32), half_return(returns), jnp.full(count, slots - 1, jnp.int32)], axis=1
    )
    return (jnp.arange(count)[:, None] * slots + which).ravel()
