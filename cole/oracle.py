"""The trainer's box of COLE (Section 5.2): the objective J, teammates drawn by SUCG, and the test of a new strategy."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax import Array

from cole import graph as gg
from cole import partners, solver, trainer
from cole.graph import GameGraph
from cole.learning import Learners
from cole.population import Population
from cole.solver import EXPLORATION, Exploration
from cole.trainer import Company, Setup

LATE = 50  # the generation from which on the authors' rank test asks for less
LAST = jnp.iinfo(jnp.int32).max  # no strategy is born so late


@dataclass(frozen=True)
class Mixture:
    """Whom the learner meets, and how much that counts."""

    own: int = 1
    """a: the groups of a batch in which it meets itself; all others are b."""
    exploration: Exploration = EXPLORATION
    """How SUCG pulls phi towards strategies seldom met."""
    per_draw: bool = False
    """Whether SUCG counts a visit at once, or after the update."""
    weighted: bool = False
    """Whether groups count by phi, as SUCG has it, and alpha, as J is printed, or all alike."""
    alpha: float = 1.0
    """Weight of the learner's payoff with itself in J."""
    pause: float = 0.0
    """Share of the partners' actions that are STAY instead."""
    err: float = 0.0
    """Share of the partners' actions that are random instead."""


@dataclass(frozen=True)
class RankTest:
    """Whether a strategy may join (eq:oracle_approx): its eta must be among the k lowest of the population."""

    k: int = 1
    """Passed if the rank is at most k."""
    newest: float = 0.0
    """If above 0, the authors' test instead: the most preferred strategy is among the newest, who are this share of the
    others, rounded down, and one more; from generation `LATE` on twice the share."""
    tries: int = 1
    """How many generations in a row may try: a strategy that fails stays out and learns on, the last of these joins all
    the same. With 1 the outcome of the test is only written down, unless `discard`."""
    discard: bool = False
    """Whether a strategy that fails stays out for ever."""


def oracle(
    key: Array,
    setup: Setup,
    learner: Learners,
    frozen: Population,
    phi: Array,
    visits: Array,
    share: Array,
    mixture: Mixture,
    updates: int,
) -> tuple[Learners, Array, dict[str, Array]]:
    """eq:oracle_approx without its test: updates that raise J. The learner [1, ...], visits [C], and what to log.

    It meets itself in a `share` of the groups, and teammates drawn by eq:SUCG in the rest.
    """
    absent = distraction(mixture, phi.shape[0])
    others = max(setup.batch.groups - mixture.own, 1) if mixture.per_draw else 0

    def one(carry: tuple[Learners, Array], key: Array):
        learner, visits = carry
        draw_key, key = jax.random.split(key)
        chances = teammates(draw_key, mixture, phi, visits, frozen.alive, others)
        counts = jnp.concatenate([jnp.full(1, mixture.alpha), chances]) if mixture.weighted else jnp.ones(1 + len(phi))
        company = Company(frozen, partners.ipi_mixture(chances, share), counts[None], distraction=absent)
        learner, log = trainer.update(key, setup, learner, company)
        met = jax.nn.one_hot(log["partner"][0] - 1, phi.shape[0])  # itself is -1, which is nobody's number
        return (learner, visits + jnp.sum(met, axis=0)), log | {"draws": jnp.sum(met, axis=0)[None]}

    (learner, after), log = jax.lax.scan(one, (learner, visits), jax.random.split(key, updates))
    draws = jnp.sum(log.pop("draws")[:, 0], axis=0)
    told = {name: jnp.mean(log[name]) for name in trainer.TOLD}
    effective = jnp.where(jnp.sum(draws) > 0, solver.effective_number(draws), 0.0)
    return learner, after, told | {"draws": draws, "effective_partners": effective}


def distraction(mixture: Mixture, count: int) -> Array | None:
    """[1 + count, 2]: how often the learner itself, never, and each of the population pause and err; None: nobody."""
    if trainer.never(mixture.pause) and trainer.never(mixture.err):
        return None
    return jnp.tile(jnp.array([mixture.pause, mixture.err]), (1 + count, 1)).at[0].set(0.0)


def teammates(key: Array, mixture: Mixture, phi: Array, visits: Array, alive: Array, count: int) -> Array:
    """Chances [C] of the next teammates by eq:SUCG; if `count` are drawn one by one, the shares of those drawn."""
    if not mixture.per_draw:
        return solver.sucg(phi, visits, alive, mixture.exploration)

    def draw(visits: Array, key: Array) -> tuple[Array, Array]:
        chances = solver.sucg(phi, visits, alive, mixture.exploration)
        met = jax.nn.one_hot(jax.random.categorical(key, jnp.log(chances)), phi.shape[0])
        return visits + met, met

    return jnp.mean(jax.lax.scan(draw, visits, jax.random.split(key, count))[1], axis=0)


def rank_test(test: RankTest, graph: GameGraph, grown: Population, slot: Array) -> tuple[Array, dict[str, Array]]:
    """R(eta(s_{t+1})) <= k, or the authors' test; and the numbers behind it."""
    chosen = gg.preferred(gg.payoff(graph), graph.alive, grown.born)
    eta = gg.preference_centrality(chosen, graph.alive)
    place = gg.rank(eta, graph.alive)[slot]
    passed = place <= test.k
    if test.newest > 0:
        share = jnp.where(grown.born[slot] >= LATE, 2 * test.newest, test.newest)
        later = jnp.sum(grown.alive & (grown.born > jnp.min(jnp.where(best(eta, grown), grown.born, LAST))))
        passed = later <= jnp.floor(share * (jnp.sum(graph.alive) - 1) + 1e-4) + 1  # 0.1 * 10 must be 1
    return passed, {"eta": eta[slot], "rank": place, "passed": passed}


def given_up(test: RankTest, failures: Array) -> Array:
    """Whether a strategy joins that has failed, as the last of so many in a row."""
    return (failures >= test.tries) & (not test.discard)


def best(eta: Array, grown: Population) -> Array:
    """[C]: who has the lowest eta."""
    return grown.alive & (eta == jnp.min(jnp.where(grown.alive, eta, jnp.inf)))


def most_preferred(eta: Array, grown: Population) -> Array:
    """The slot of the lowest eta; among equals the youngest."""
    return jnp.argmax(jnp.where(best(eta, grown), grown.born, -LAST))


def objective_J(phi: Array, graph: GameGraph, slot: Array, alpha: float) -> dict[str, Array]:
    """eq:obj estimated from the payoff matrix: J_c = sum of phi(p) w(s, p), J_i = w(s, s); and what else it shows."""
    w = gg.payoff(graph)
    sigma = solver.unpopularity(w, graph.alive)
    others = graph.alive & (jnp.arange(phi.shape[0]) != slot)
    phi = jnp.where(others, phi, 0.0)  # who has just left its slot to the newcomer is not met again
    j_c, j_i = jnp.sum(phi * w[slot]) / jnp.maximum(jnp.sum(phi), 1e-8), w[slot, slot]
    with_others = jnp.sum(jnp.where(others, w[slot], 0.0)) / jnp.maximum(jnp.sum(others), 1)
    ratio = jnp.max(sigma) / jnp.min(jnp.where(graph.alive, sigma, jnp.inf))
    told = {"J": j_c + alpha * j_i, "J_c": j_c, "J_i": j_i, "return_with_population": with_others}
    return told | {"return_with_itself": j_i, "payoff_row": w[slot], "sigma_ratio": ratio}
