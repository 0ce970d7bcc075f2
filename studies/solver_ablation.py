"""Does the solver matter? COLE 1:3 with each of them, judged by partners it has never met.

The learner is that of `default`, the partners do not pause. The judges are self-play agents of other seeds, plain and
from random starts, and the scripted cooks; every COLE agent plays both seats with each. Prints a Markdown table of
the mean over judges of each agent, of these the interquartile mean over seeds with a 95 % bootstrap interval, and the
same by kind of judge.

    python studies/solver_ablation.py --layout cramped_room --seeds 5 --generations 50
"""

import numpy as np
from judges import judges
from side_by_side import Arm, agents_of, job_of, options_of, scores, train

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
    parser = options_of(__doc__, seeds=5, episodes=50)
    parser.add_argument("--layout", default="cramped_room", choices=list(MAPS))
    parser.add_argument("--c", type=float, default=1.0, help="of SUCG: 0 leaves the choice of partners to phi alone")
    asked = parser.parse_args()
    prepare_jax()
    study = "solver_ablation" + (f"-c{asked.c:g}" if asked.c != 1.0 else "")
    job = job_of(asked, study, asked.layout, {name: arm._replace(c=asked.c) for name, arm in ARMS.items()})
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
