"""Measures the solvers on one CPU core: time, agreement with the exact Shapley value, how many partners phi leaves.

`python bench/solver.py [--largest N] [--patient]` prints one JSON line per figure. Where 200 permutations take many
minutes four are measured instead, unless `--patient` asks for all. Payoffs for times and correlations are uniform
random, as in no population but as hard to estimate as any; those for partners are `snapshots`, with four members of
fifty whom nobody can work with.
"""

import argparse
import json
import os
import time
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from cole import solver as so
from cole.coalition import shapley_exact, shapley_sampled
from cole.graph import graph_of_payoffs
from cole.report.examples import incompatible_members, snapshots

SIZES = (10, 50, 200, 1000)
DRAWS = 30  # of a generation: 10 inner updates with three partners each


def exact_score(key, graph):
    """The graphic Shapley value, closed form."""
    del key
    return shapley_exact(so.pair_values(so.scaled_payoff(graph), graph.alive), graph.alive)


def sampled_score(key, graph, permutations):
    """The graphic Shapley value, Algorithm 2."""
    return shapley_sampled(key, so.pair_values(so.scaled_payoff(graph), graph.alive), graph.alive, permutations)


def authors_score(key, graph, permutations):
    """The authors' Shapley estimate, on the same symmetrised payoffs."""
    return so.authors_shapley(key, so.scaled_payoff(graph), graph.alive, permutations)


SCORES = {
    "exact": exact_score,
    "algorithm 2, 200": partial(sampled_score, permutations=200),
    "algorithm 2, 20000": partial(sampled_score, permutations=20_000),
    "authors, 200": partial(authors_score, permutations=200),
}
TOO_SLOW = {("authors, 200", 1000): ("authors, 4", partial(authors_score, permutations=4))}


def timed(function, *arguments, least: float = 0.3) -> tuple[jax.Array, float, float, int]:
    """Result, seconds to compile, median seconds of a call, number of calls: at least one and `least` seconds."""
    start = time.perf_counter()
    compiled = jax.jit(function).lower(*arguments).compile()
    compiling, calls = time.perf_counter() - start, []
    while sum(calls) < least and len(calls) < 1000:
        start = time.perf_counter()
        result = jax.block_until_ready(compiled(*arguments))
        calls.append(time.perf_counter() - start)
    return result, compiling, float(np.median(calls)), len(calls)


def measure_times(largest: int, patient: bool) -> None:
    """Time and correlation with the exact value, by method and size; `patient` leaves nothing out as too slow."""
    for n in (size for size in SIZES if size <= largest):
        graph = graph_of_payoffs(np.random.default_rng(0).uniform(0, 200, (n, n)))
        exact = exact_score(None, graph)
        for name, score in SCORES.items():
            if not patient:
                name, score = TOO_SLOW.get((name, n), (name, score))
            found, compiling, seconds, calls = timed(score, jax.random.key(1), graph)
            correlation = float(np.corrcoef(found, exact)[0, 1])
            line = {"solver": name, "n": n, "ms": round(1e3 * seconds, 3), "calls": calls}
            print(
                json.dumps({**line, "compile_s": round(compiling, 2), "correlation": round(correlation, 5)}), flush=True
            )


def drawn_in_a_generation(key, phi, alive, exploration):
    """[C] mean probability over the draws of a generation that starts without visits."""

    def draw(visits, key):
        p = so.sucg(phi, visits, alive, exploration)
        return visits.at[jax.random.choice(key, len(phi), p=p)].add(1), p

    _, drawn = jax.lax.scan(draw, jnp.zeros(len(phi), int), jax.random.split(key, DRAWS))
    return jnp.mean(drawn, axis=0)


def partners_of(phi, odd) -> dict:
    """Effective number, largest over smallest, and mass on the incompatible members."""
    phi = np.asarray(phi)
    ratio = float(phi.max() / phi.min()) if phi.min() > 0 else float("nan")
    number = float(so.effective_number(jnp.asarray(phi)))
    return {"effective": number, "max_over_min": ratio, "mass_on_incompatible": float(phi[odd].sum())}


def measure_partners(seeds: int = 5, n: int = 50) -> None:
    """What each inversion makes of the population with four incompatible members, mean over seeds."""
    solvers = {
        "shapley, linear (paper)": so.shapley,
        "shapley, softmax 0.1": partial(so.shapley, inversion=so.SOFTMAX),
        "shapley, softmax 1": partial(so.shapley, inversion=so.Inversion("softmax", 1.0)),
        "shapley, sigma = 1, softmax 0.1": partial(so.shapley, sigma=so.NO_SIGMA, inversion=so.SOFTMAX),
        "shapley, sigma softmax": partial(so.shapley, sigma=so.SOFTMAX_SIGMA, inversion=so.SOFTMAX),
        "authors, softmax 0.1": so.authors,
        "authors without clipping": partial(so.authors, clip=False),
        "returns, linear": so.returns,
        "returns, softmax 0.1": partial(so.returns, inversion=so.SOFTMAX),
        "uniform": so.uniform,
        "worst": so.worst,
    }
    explorations = {
        "": None,
        "SUCG printed, c = 1": so.Exploration(),
        "SUCG printed, c = 0.01": so.Exploration(c=0.01),
        "SUCG authors, c = 1": so.Exploration(bonus="normalised", reset=True),
    }
    for name, solver in solvers.items():
        for exploration_name, exploration in explorations.items():
            rows = []
            for seed in range(seeds):
                key = jax.random.key(seed)
                graph = graph_of_payoffs(snapshots(seed, n))
                phi = solver(key, graph)
                if exploration:
                    phi = drawn_in_a_generation(key, phi, graph.alive, exploration)
                rows.append(partners_of(phi, incompatible_members(n)))
            mean = {key: round(float(np.mean([row[key] for row in rows])), 3) for key in rows[0]}
            mean = {key: value if np.isfinite(value) else None for key, value in mean.items()}
            print(json.dumps({"phi": name, "then": exploration_name, "n": n, **mean}), flush=True)


def measure_sigma(n_sizes=(10, 50)) -> None:
    """How far sigma as printed tells strategies apart, and whether it matters for the Shapley value."""
    for n in n_sizes:
        graph = graph_of_payoffs(snapshots(0, n))
        w = so.scaled_payoff(graph)
        sigma = so.unpopularity(w, graph.alive)
        ones = shapley_exact(so.pair_values(w, graph.alive, so.NO_SIGMA), graph.alive)
        correlation = float(np.corrcoef(exact_score(None, graph), ones)[0, 1])
        line = {"sigma": "printed", "n": n, "max_over_min": round(float(sigma.max() / sigma.min()), 4)}
        print(json.dumps({**line, "correlation_with_sigma_1": round(correlation, 6)}), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=1000, help="largest population")
    parser.add_argument("--patient", action="store_true", help="200 permutations of `authors` at any size (minutes)")
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # one core, before jax counts them at its first use
    measure_sigma()
    measure_partners()
    measure_times(options.largest, options.patient)
