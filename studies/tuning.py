"""Which setting of COLE becomes `default`? The list and the score were written down before the first run of it.

The settings are ARMS below: shares of the partners' actions that pause or err, the ratio, the solver, its inversion and
temperature, the entropy, the initial population, random starts. Where the inversion is in question SUCG has c = 0,
since with c = 1 no phi makes a difference (docs/studies.md), and `uniform` is what they are to beat. The score of a
setting in a kitchen is the mean of two shares: what it earns with the cloned humans of the *train* split (`bc`, 5
clones), and what it earns with experts of ours it has never met (the 5 agents each of SP, PBT, FCP and MEP in `zoo/`),
both seats, each divided by the best of all settings there; over kitchens, the mean. `h_proxy`, of the test split, is
not looked at. The highest score wins; if the simpler of two lies within one standard error over seeds, the simpler
does: first one random network to begin with, then no random starts, then no error, then less pause, then 1:3, then
c = 1, then the solver of the paper, then an entropy of .02. What self-play founders learn comes on top of the budget.

    python studies/tuning.py --layouts cramped_room coordination_ring forced_coordination --seeds 3 --generations 30
"""

import json
import sys
from dataclasses import replace

import numpy as np
from side_by_side import Arm, agents_of, job_of, options_of, scores, train

from cole.cli import prepare_jax
from cole.evaluate.players import find
from cole.kitchen.layouts import MAPS
from cole.methods.cole import Solving
from cole.solver import LINEAR, SIGMA, SOFTMAX

WARM = replace(SOFTMAX, temperature=0.3)
SHAPLEY = Solving("shapley", SIGMA, LINEAR)
ARMS = {
    "as the paper: 1:3, no pause": Arm(SHAPLEY),
    "pause .5": Arm(SHAPLEY, pause=0.5),
    "pause .7": Arm(SHAPLEY, pause=0.7),
    "pause .35, err .15": Arm(SHAPLEY, pause=0.35, err=0.15),
    "0:4, pause .5": Arm(SHAPLEY, own=0, pause=0.5),
    "0:4, pause .35, err .15": Arm(SHAPLEY, own=0, pause=0.35, err=0.15),
    "2:2, pause .5": Arm(SHAPLEY, own=2, pause=0.5),
    "softmax, c 0, pause .5": Arm(Solving("shapley", SIGMA, SOFTMAX), pause=0.5, c=0.0),
    "softmax of temperature .3, c 0, pause .5": Arm(Solving("shapley", SIGMA, WARM), pause=0.5, c=0.0),
    "uniform, c 0, pause .5": Arm(Solving("uniform"), pause=0.5, c=0.0),
    "pause .5, entropy .05": Arm(SHAPLEY, pause=0.5, entropy=0.05),
    "pause .5, a quarter from random starts": Arm(SHAPLEY, pause=0.5, random_starts=0.25),
    "pause .5, five self-play founders": Arm(SHAPLEY, pause=0.5, founders=5),
    "0:4, pause .5, five founders": Arm(SHAPLEY, own=0, pause=0.5, founders=5),
    "0:4, pause .7, five founders": Arm(SHAPLEY, own=0, pause=0.7, founders=5),
    "pause .5, five founders, a quarter from random starts": Arm(SHAPLEY, pause=0.5, random_starts=0.25, founders=5),
}
EXPERTS = ("sp", "pbt", "fcp", "mep")


def shares(by_seed: np.ndarray) -> np.ndarray:
    """[arms, seeds]: scores [2, arms, seeds] with clones and with experts, each as a share of the best arm's mean."""
    best = by_seed.mean(axis=2).max(axis=1)
    return (by_seed / best[:, None, None]).mean(axis=0)


def main() -> None:
    parser = options_of(__doc__, seeds=3, episodes=20)
    parser.add_argument("--layouts", nargs="+", default=["cramped_room"], choices=list(MAPS))
    asked = parser.parse_args()
    prepare_jax()
    found = {}
    for layout in asked.layouts:
        job = job_of(asked, "tuning", layout, ARMS)
        train(job)
        if not asked.train_only:
            opposite = [find(["bc"], layout), find(EXPERTS, layout)]
            agents = [find([agents_of(job, number)]) for number in range(len(ARMS))]
            each = [[scores(one, some, asked.episodes).mean(axis=1) for one in agents] for some in opposite]
            found[layout] = np.array(each)  # [2, arms, seeds]
            print(json.dumps({"layout": layout, "by_seed": np.round(each, 2).tolist()}), file=sys.stderr, flush=True)
    if found:
        total = np.mean([shares(one) for one in found.values()], axis=0)  # [arms, seeds]
        heading = " | ".join(f"{layout}: bc / experts" for layout in found)
        print(f"| setting | {heading} | score |\n|---|{'---|' * len(found)}---|")
        for i, name in enumerate(ARMS):
            cells = " | ".join(f"{one[0, i].mean():.1f} / {one[1, i].mean():.1f}" for one in found.values())
            error = total[i].std(ddof=1) / total.shape[1] ** 0.5 if total.shape[1] > 1 else float("nan")
            print(f"| {name} | {cells} | {total[i].mean():.3f} ± {error:.3f} |")


if __name__ == "__main__":
    main()
