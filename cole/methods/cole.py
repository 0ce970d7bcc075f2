"""COLE, the open-ended loop (Section 5, Algorithm 1): a population grows by strategies its members prefer.

Pseudo-code, for each generation: complete the payoff matrix of the population; solve it for phi, who is hard to
cooperate with; train the learner with partners from phi and with itself; add it to the population.
Our choices, and the authors' where they differ from the paper, are fields of `Setting`; docs/paper.md has a row each.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from cole import graph as gg
from cole import learning, objectives, partners, population, simulator, solver, trainer
from cole.graph import GameGraph
from cole.kitchen.layouts import Layout
from cole.learning import Batch, Learners
from cole.oracle import Mixture, RankTest, given_up, most_preferred, objective_J, oracle, rank_test
from cole.policy import network
from cole.policy.policy import neural
from cole.population import Population
from cole.ppo import Hyper, between
from cole.program import Program, of_each
from cole.solver import LINEAR, SIGMA, Inversion, Sigma, Solver
from cole.trainer import Company, Setup

# The options of each solver.
TAKES = {
    "shapley": ("sigma", "inversion"),
    "shapley_sampled": ("sigma", "inversion", "permutations"),
    "authors": ("inversion", "permutations"),
    "returns": ("inversion",),
    "uniform": (),
    "worst": (),
}


@dataclass(frozen=True)
class Solving:
    """How phi comes from the game graph."""

    name: str = "shapley"
    """One of solver.SOLVERS."""
    sigma: Sigma = SIGMA
    inversion: Inversion = LINEAR
    permutations: int = 200
    """Of the solvers that sample."""

    def solver(self) -> Solver:
        """The solver, with those of these options it has."""
        return partial(solver.SOLVERS[self.name], **{name: getattr(self, name) for name in TAKES[self.name]})


@dataclass(frozen=True)
class Founders:
    """N_0, the population a run begins with; agents from disk are handed to `program`."""

    warmup: int = 10
    """Generations of pure self-play at the beginning, whose strategies join as all do."""
    self_play: int = 0
    """Learners of independent self-play whose strategies are there from the start."""
    snapshots: int = 3
    """Strategies that each of these leaves, evenly over its learning."""
    updates: int = 99
    """Updates that each of these learns, less what the snapshots do not divide; they are not in a run's steps."""


class Setting(NamedTuple):
    """Everything that decides a run, beside kitchen and seeds."""

    hyper: Hyper
    hyper_end: Hyper
    batch: Batch  # its groups are a + b
    mixture: Mixture  # a, and how partners are drawn and counted
    shaped_until: float
    generations: int
    updates: int = 10  # of a generation
    capacity: int = 50
    earliest: int = 10  # among whom one leaves a full population
    episodes: int = 5  # of each ordered pair
    refresh: int = 0  # every so many generations a member's payoffs are played once more; 0: never
    solving: Solving = Solving()
    test: RankTest = RankTest()
    founders: Founders = Founders()
    fresh_ego: bool = False  # whether each generation starts from a new network, at the first rate and fully shaped
    publish: Literal["last", "preferred", "payoff"] = "last"
    view: str = "grid"
    half: bool = False


class State(NamedTuple):
    """What changes; one seed."""

    key: Array
    learner: Learners  # [1, ...]: s_t, and Adam's memory of it
    population: Population  # N_t
    graph: GameGraph  # M_t
    visits: Array  # [C]: N(u) of eq:SUCG
    newest: Array  # slot of the strategy that joined last
    failures: Array  # generations since, whose strategies failed the rank test


class Kitchen(NamedTuple):
    """What a generation is compiled with."""

    setup: Setup
    setting: Setting
    solve: Solver
    init: Any  # key -> parameters


def program(layout: Layout, setting: Setting, initial: Any = None, own: Array | None = None) -> Program:
    """COLE in one kitchen, from one random network or from the strategies `initial` [n, ...].

    `own` [P]: a of the ratio a:b, where seeds differ in it.
    """
    kitchen = kitchen_for(layout, setting)
    by_seed = None if own is None else 0
    every_seed = jax.jit(of_each(partial(generation, kitchen), (0, None, by_seed)), donate_argnums=0)
    env_steps = setting.updates * kitchen.setup.env_steps()
    return Program(
        rounds=setting.generations,
        env_steps=env_steps,
        start=jax.jit(of_each(partial(found, kitchen, initial))),
        advance=lambda state, done: every_seed(state, jnp.int32(done), own),
        agents=jax.jit(of_each(partial(published, setting))),
        strategies=jax.jit(lambda state: jax.tree.map(lambda x: x[:, 0], state.learner.params)),
        steps=lambda state: state.learner.steps[:, 0],
        all_steps=setting.generations * env_steps if setting.fresh_ego else None,
    )


def kitchen_for(layout: Layout, setting: Setting) -> Kitchen:
    """The kitchen with the setting's learner and solver."""
    shape = network.shape_of(layout, setting.view)
    policy = neural(layout, setting.view, half=setting.half)
    setup = Setup(layout, policy, objectives.team(setting.shaped_until, shaping=setting.batch.shaping), setting.batch)
    return Kitchen(setup, setting, setting.solving.solver(), lambda key: network.init(key, shape))


def found(kitchen: Kitchen, initial: Any, seed: Array) -> State:
    """N_0 with its payoff matrix; the learner goes on from the strategy that joined last."""
    setting = kitchen.setting
    key, init_key, train_key, play_key = jax.random.split(jax.random.key(seed), 4)
    members = jax.tree.map(lambda x: x[None], kitchen.init(init_key)) if initial is None else initial
    if setting.founders.self_play:
        members = self_play_snapshots(train_key, kitchen)
    count = jax.tree.leaves(members)[0].shape[0]
    slots = population.empty(jax.tree.map(lambda x: x[0], members), setting.capacity)
    for slot in range(count):
        slots = population.add(slots, slot, jax.tree.map(lambda x, slot=slot: x[slot], members), slot - count)
    nothing = gg.empty_graph(setting.capacity)
    where = (kitchen.setup.layout, kitchen.setup.policy)
    matrix = simulator.complete_all(play_key, *where, slots, nothing, count, *games(setting))
    learner = learning.fresh(jax.tree.map(lambda x: x[-1:], members), setting.hyper)
    return State(key, learner, slots, matrix, jnp.zeros(setting.capacity), jnp.int32(count - 1), jnp.int32(0))


def games(setting: Setting) -> tuple[int, int]:
    """Episodes of each ordered pair, and their steps."""
    return setting.episodes, setting.batch.steps


def self_play_snapshots(key: Array, kitchen: Kitchen) -> Any:
    """Strategies [n, ...] of several learners that each met only themselves, the earliest first."""
    founders = kitchen.setting.founders
    init_key, key = jax.random.split(key)
    params = jax.vmap(kitchen.init)(jax.random.split(init_key, founders.self_play))
    learners = learning.fresh(params, kitchen.setting.hyper)
    nobody = population.empty(jax.tree.map(lambda x: x[0], params), 0)
    phi = partners.self_play(founders.self_play, nobody.alive)
    company = Company(nobody, phi, jnp.ones_like(phi))

    def learn(learners: Learners, key: Array) -> tuple[Learners, Any]:
        learners, _ = trainer.train(key, kitchen.setup, learners, company, founders.updates // founders.snapshots)
        return learners, learners.params

    _, snapshots = jax.lax.scan(learn, learners, jax.random.split(key, founders.snapshots))
    return jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), snapshots)


def generation(
    kitchen: Kitchen, state: State, t: Array, own: Array | int | None = None
) -> tuple[State, dict[str, Array]]:
    """One turn of Algorithm 1's loop, and what to log of it; `own` in the place of the setting's a of a:b."""
    setting, setup = kitchen.setting, kitchen.setup
    solve_key, train_key, room_key, refresh_key, init_key = jax.random.split(jax.random.fold_in(state.key, t), 5)

    # Step 1: the payoff matrix. Whoever joined last brought a row and a column (below); old ones may be played again.
    matrix = refreshed(refresh_key, kitchen, state, t) if setting.refresh else state.graph

    # Step 2: the cooperative incompatible distribution.
    phi = kitchen.solve(solve_key, matrix)

    # Step 3: approximate the local best-preferred strategy.
    if setting.fresh_ego:
        learner = learning.fresh(jax.tree.map(lambda x: x[None], kitchen.init(init_key)), setting.hyper)
    else:
        hyper = between(setting.hyper, setting.hyper_end, t / max(setting.generations - 1, 1))
        learner = learning.tuned(state.learner, hyper)
    room, slot = population.make_room(room_key, state.population, setting.earliest)
    visits = solver.visits_at_start(state.visits, setting.mixture.exploration)
    own = setting.mixture.own if own is None else own
    warm = t < setting.founders.warmup
    share = jnp.where(warm, 1.0, own / setting.batch.groups)
    train_key, play_key = jax.random.split(train_key)
    mixture = (state.population, phi, visits, share, setting.mixture)
    learner, visits, log = oracle(train_key, setup, learner, *mixture, setting.updates)

    # Step 4: expand the population; and step 1 of the next generation, which the rank test needs already.
    grown = population.add(room, slot, jax.tree.map(lambda x: x[0], learner.params), t)
    unknown = simulator.forget(matrix, slot)
    known = simulator.complete(play_key, setup.layout, setup.policy, grown, unknown, slot, *games(setting))
    passed, test = rank_test(setting.test, known, grown, slot)
    passed |= warm
    joins = passed | given_up(setting.test, state.failures + 1)
    log |= test | objective_J(phi, known, slot, setting.mixture.alpha)
    grown, known = jax.tree.map(lambda new, old: jnp.where(joins, new, old), (grown, known), (state.population, matrix))
    log |= {"joined": joins, "phi": phi, "slot": slot, "alive": jnp.sum(grown.alive)}
    # Only now: while the newcomer learned, the slot's visits were those of the member it replaces.
    visits = jnp.where(joins, visits.at[slot].set(0.0), visits)
    newest, failures = jnp.where(joins, slot, state.newest), jnp.where(joins, 0, state.failures + 1)
    after = State(state.key, learner, grown, known, visits, newest, failures)
    return after, jax.tree.map(lambda x: x[None], log)


def refreshed(key: Array, kitchen: Kitchen, state: State, t: Array) -> GameGraph:
    """The payoff matrix with more episodes of one member, every `refresh` generations."""
    setup, setting = kitchen.setup, kitchen.setting
    slot_key, key = jax.random.split(key)
    slot = jax.random.categorical(slot_key, jnp.where(state.graph.alive, 0.0, -jnp.inf))

    def play(graph: GameGraph) -> GameGraph:
        return simulator.complete(key, setup.layout, setup.policy, state.population, graph, slot, *games(setting))

    due = (t + 1) % setting.refresh == 0
    return jax.lax.cond(due, play, lambda graph: graph, state.graph)


def published(setting: Setting, state: State) -> Any:
    """The strategy that is handed out: the last that joined, the most preferred, or that of the best mean payoff."""
    w, alive = gg.payoff(state.graph), state.graph.alive
    slot = state.newest
    if setting.publish == "preferred":
        chosen = gg.preferred(w, alive, state.population.born)
        slot = most_preferred(gg.preference_centrality(chosen, alive), state.population)
    if setting.publish == "payoff":
        slot = jnp.argmax(jnp.where(alive, solver.mean_payoff(w, alive), -jnp.inf))
    return jax.tree.map(lambda x: x[slot], state.population.params)
