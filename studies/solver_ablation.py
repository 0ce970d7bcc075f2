"""Does the solver matter? COLE 1:3 with each of them, judged by partners it has never met.

The learner is that of `default`, the partners do not pause. The judges are self-play agents of other seeds, plain and
from random starts, and the scripted cooks; every COLE agent plays both seats with each. Prints a Markdown table of
the mean over judges of each agent, of these the interquartile mean over seeds with a 95 % bootstrap interval, and the
same by kind of judge.

    python studies/solver_ablation.py --layout cramped_room --seeds 5 --generations 50
"""

import argparse
from pathlib import Path

import numpy as np
from judges import judges
from side_by_side import Arm, Job, agents_of, scores, train

from cole.cli import prepare_jax
from cole.evaluate.players import cook, find
from cole.evaluate.stats import interquartile_mean, interval
from cole.kitchen.layouts import MAPS
from cole.methods.cole import Solving
from cole.solver import LINEAR, SIGMA, SOFTMAX, Sigma

ARMS = {
    "shapley": Arm(Solving("shapley", SIGMA, LINEAR)),
    "shapley, softmax": Arm(Solving("shapley", SIGMA, SOFTMAX)),
    "shapley_sampled (200)": Arm(Solving("shapley_sampled", SIGMA, LINEAR, 200)),
    "authors": Arm(Solving("authors", SIGMA, SOFTMAX, 200)),
    "returns": Arm(Solving("returns", SIGMA, LINEAR)),
    "uniform": Arm(Solving("uniform")),
    "sigma = 1": Arm(Solving("shapley", Sigma("one"), LINEAR)),
}
COOKS = ("greedy_cook", "random", "stay")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layout", default="cramped_room", choices=list(MAPS))
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--size", default="full", choices=("full", "quick"))
    parser.add_argument("--generations", type=int, help="by default the paper's")
    parser.add_argument("--episodes", type=int, default=50, help="games of each pair in each seat")
    parser.add_argument("--train-only", action="store_true", help="leave the table for later")
    asked = parser.parse_args()
    prepare_jax()
    folder = asked.runs / asked.layout / "solver_ablation" / f"{asked.size}-{asked.generations or 'all'}"
    job = Job(ARMS, asked.layout, asked.seeds, asked.generations, asked.size, folder)
    train(job)
    if asked.train_only:
        return
    opposite = judges(asked.runs, asked.layout, asked.size) | {"scripted cooks": [cook(name) for name in COOKS]}
    print(f"| solver | all judges | {' | '.join(opposite)} |\n|---|---|{'---|' * len(opposite)}")
    for number, name in enumerate(ARMS):
        table = [scores(find([agents_of(job, number)]), some, asked.episodes) for some in opposite.values()]
        whole = np.concatenate(table, axis=1).mean(axis=1, keepdims=True)  # one agent meets all judges: seeds are drawn
        low, high = interval(whole)
        by_kind = " | ".join(f"{interquartile_mean(part.mean(axis=1)):.1f}" for part in table)
        print(f"| {name} | {interquartile_mean(whole):.1f} ({low:.1f} to {high:.1f}) | {by_kind} |", flush=True)


if __name__ == "__main__":
    main()
