"""Does the solver matter? COLE 1:3 with each of them, judged by partners it has never met.

Trains COLE with every solver, and the judges: self-play agents of other seeds, plain and from random starts. Every COLE
agent then plays both seats with every judge and with the scripted cooks. Prints a Markdown table of interquartile means
over seeds and judges with 95 % bootstrap intervals, and the same by kind of judge. What has been trained is not trained
again.

    python studies/solver_ablation.py --layout cramped_room --seeds 5
"""

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np

from cole.evaluate import pairs
from cole.evaluate.crossplay import as_played, games_at_once
from cole.evaluate.players import Player, cook, find, kitchen_of
from cole.evaluate.stats import interquartile_mean, interval

SOLVERS = {
    "shapley": ["--solver", "shapley"],
    "shapley, softmax": ["--solver", "shapley", "--inversion", "softmax"],
    "shapley_sampled (200)": ["--solver", "shapley_sampled", "--permutations", "200"],
    "authors": ["--solver", "authors", "--inversion", "softmax"],
    "returns": ["--solver", "returns"],
    "uniform": ["--solver", "uniform"],
    "sigma = 1": ["--solver", "shapley", "--sigma", "one"],
}
JUDGES = {"self-play": ["--seed", "100"], "self-play, random starts": ["--seed", "200", "--random-starts", "1.0"]}
COOKS = ("greedy_cook", "random", "stay")


def train(method: str, name: str, arguments: argparse.Namespace, more: list[str]) -> Path:
    """The run of this name, trained if it is not there yet."""
    command = ["train", method, "--layout", arguments.layout, "--runs", str(arguments.runs), "--name", name]
    command += ["--seeds", str(arguments.seeds), "--size", arguments.size, "--recipe", arguments.recipe, "--resume"]
    subprocess.run([sys.executable, "-m", "cole.cli", *command, *more], check=True, stdout=sys.stderr)
    return arguments.runs / arguments.layout / method / name


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
    parser.add_argument("--layout", default="cramped_room")
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--size", default="full", choices=("full", "quick"))
    parser.add_argument("--recipe", default="default", choices=("default", "paper", "authors"))
    parser.add_argument("--episodes", type=int, default=50, help="games of each pair in each seat")
    parser.add_argument("--solvers", nargs="+", default=list(SOLVERS), choices=list(SOLVERS))
    arguments = parser.parse_args()
    judges = {}
    for i, (kind, more) in enumerate(JUDGES.items()):
        judges[kind] = find([train("sp", f"judges-{i}", arguments, more)])
    judges["scripted cooks"] = [cook(name) for name in COOKS]
    print(f"| solver | all judges | {' | '.join(judges)} |\n|---|---|{'---|' * len(judges)}")
    for number, (name, more) in enumerate(SOLVERS.items()):
        if name in arguments.solvers:
            agents = find([train("cole", f"ablation-{number}", arguments, more)])
            table = [scores(agents, some, arguments.episodes) for some in judges.values()]
            low, high = interval(np.concatenate(table, axis=1))
            total = f"{interquartile_mean(np.concatenate(table, axis=1)):.1f} ({low:.1f} to {high:.1f})"
            print(
                f"| {name} | {total} | {' | '.join(f'{interquartile_mean(part):.1f}' for part in table)} |", flush=True
            )


if __name__ == "__main__":
    main()
