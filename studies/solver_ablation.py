"""Does the solver matter? COLE 1:3 with each of them, judged by partners it has never met.

All solvers learn side by side in one program, from the same first networks: which one makes phi is data. The judges are
self-play agents of other seeds, plain and from random starts, and the scripted cooks; every COLE agent plays both seats
with each. Prints a Markdown table of interquartile means over seeds and judges with 95 % bootstrap intervals, and the
same by kind of judge. The learner is that of `default`, the partners do not pause. What has been trained is not trained
again.

    python studies/solver_ablation.py --layout cramped_room --seeds 5 --generations 50
"""

import argparse
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from cole import options, paper, run, runfolder
from cole.evaluate import pairs
from cole.evaluate.crossplay import as_played, games_at_once
from cole.evaluate.players import Player, cook, find, kitchen_of
from cole.evaluate.stats import interquartile_mean, interval
from cole.kitchen import layouts
from cole.methods import cole
from cole.oracle import Mixture
from cole.policy import store
from cole.program import Program
from cole.solver import LINEAR, SIGMA, SOFTMAX, Sigma

ARMS = {
    "shapley": cole.Solving("shapley", SIGMA, LINEAR),
    "shapley, softmax": cole.Solving("shapley", SIGMA, SOFTMAX),
    "shapley_sampled (200)": cole.Solving("shapley_sampled", SIGMA, LINEAR, 200),
    "authors": cole.Solving("authors", SIGMA, SOFTMAX, 200),
    "returns": cole.Solving("returns", SIGMA, LINEAR),
    "uniform": cole.Solving("uniform"),
    "sigma = 1": cole.Solving("shapley", Sigma("one"), LINEAR),
}
JUDGES = {"self-play": ["--seed", "100"], "self-play, random starts": ["--seed", "200", "--random-starts", "1.0"]}
COOKS = ("greedy_cook", "random", "stay")
APART = 1000  # seeds of one solver and of the next; the first networks are those of the rest


def setting_of(asked: argparse.Namespace) -> cole.Setting:
    """The default recipe without pauses, with as many generations as are asked for."""
    setting = paper.cole_("default", asked.layout, asked.size)
    generations = asked.generations or setting.generations
    return setting._replace(
        mixture=Mixture(),
        shaped_until=setting.shaped_until * generations / setting.generations,
        generations=generations,
        half=options.half("auto"),
    )


def program(layout: layouts.Layout, setting: cole.Setting, seeds: int) -> Program:
    """COLE with every solver: seeds [arms * seeds]."""
    kitchen, solvers = cole.kitchen_for(layout, setting), [arm.solver() for arm in ARMS.values()]
    alone, arms = cole.program(layout, setting), jnp.repeat(jnp.arange(len(ARMS)), seeds)

    def generation(state: cole.State, arm: jax.Array, t: jax.Array) -> Any:
        return cole.generation(kitchen._replace(solve=partial(jax.lax.switch, arm, solvers)), state, t)

    every = jax.jit(jax.vmap(generation, in_axes=(0, 0, None)), donate_argnums=0)
    return alone._replace(
        start=lambda seeds: alone.start(seeds % APART),
        advance=lambda state, done: every(state, arms, jnp.int32(done)),
        strategies=None,
    )


def train(asked: argparse.Namespace) -> Path:
    """The folder with the agents of every solver: agents/NUMBER-OF-SOLVER/seed-N."""
    layout, setting = layouts.load(asked.layout), setting_of(asked)
    folder = asked.runs / asked.layout / "solver_ablation" / f"{asked.size}-{setting.generations}"
    seeds = [arm * APART + seed for arm in range(len(ARMS)) for seed in range(asked.seeds)]

    def publish(params: Any, steps: list[int]) -> None:
        for i, seed in enumerate(seeds):
            facts = {"seed": seed % APART, "steps": steps[i], "name": asked.layout}
            card = store.new_card(layout, setting.view, "cole", training={"solver": list(ARMS)[seed // APART]}, **facts)
            mine = jax.tree.map(lambda x, i=i: np.asarray(x[i]), params)
            place = folder / runfolder.AGENTS / str(seed // APART) / f"seed-{seed % APART}"
            store.save(place, store.Agent(mine, card))

    config = {"layout": asked.layout, "arms": list(ARMS), "size": asked.size, "generations": setting.generations}
    how = {"resume": True, "every": None, "publish": publish}
    for report in run.carry_out(program(layout, setting, asked.seeds), folder, config, seeds, **how):
        by_arm = report.log["return"][:, -1].reshape(len(ARMS), -1).mean(axis=1)
        print(report.round, by_arm.round(1).tolist(), f"{report.seconds:.2f} s", file=sys.stderr, flush=True)
    return folder


def judge(number: int, more: list[str], asked: argparse.Namespace) -> Path:
    """Self-play agents, trained if they are not there yet."""
    command = ["train", "sp", "--layout", asked.layout, "--runs", str(asked.runs), "--name", f"judges-{number}"]
    command += ["--seeds", str(asked.seeds), "--size", asked.size, "--resume", *more]
    subprocess.run([sys.executable, "-m", "cole.cli", *command], check=True, stdout=sys.stderr)
    return asked.runs / asked.layout / "sp" / f"judges-{number}"


def scores(agents: list[Player], judges: list[Player], episodes: int) -> np.ndarray:
    """[agents, judges]: mean return over both seats."""
    layout, _ = kitchen_of(agents)
    both = [pair for agent in agents for judge in judges for pair in ((agent, judge), (judge, agent))]
    played = pairs.play_pairs(layout, both, pairs.Setting(episodes), games_at_once())
    found = {(a.identity, b.identity): as_played(counts).returns.mean() for (a, b), counts in played}
    each = [[(a.identity, b.identity) for b in judges] for a in agents]
    return np.array([[(found[a, b] + found[b, a]) / 2 for a, b in row] for row in each])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layout", default="cramped_room", choices=list(layouts.MAPS))
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--size", default="full", choices=("full", "quick"))
    parser.add_argument("--generations", type=int, help="by default the paper's")
    parser.add_argument("--episodes", type=int, default=50, help="games of each pair in each seat")
    parser.add_argument("--train-only", action="store_true", help="leave the table for later")
    asked = parser.parse_args()
    folder = train(asked)
    if asked.train_only:
        return
    judges = {kind: find([judge(i, more, asked)]) for i, (kind, more) in enumerate(JUDGES.items())}
    judges["scripted cooks"] = [cook(name) for name in COOKS]
    print(f"| solver | all judges | {' | '.join(judges)} |\n|---|---|{'---|' * len(judges)}")
    for number, name in enumerate(ARMS):
        agents = find([folder / runfolder.AGENTS / str(number)])
        table = [scores(agents, some, asked.episodes) for some in judges.values()]
        low, high = interval(np.concatenate(table, axis=1))
        total = f"{interquartile_mean(np.concatenate(table, axis=1)):.1f} ({low:.1f} to {high:.1f})"
        by_kind = " | ".join(f"{interquartile_mean(part):.1f}" for part in table)
        print(f"| {name} | {total} | {by_kind} |", flush=True)


if __name__ == "__main__":
    main()
