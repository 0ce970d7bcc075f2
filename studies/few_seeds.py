"""How often intervals of few seeds miss what they should hold, and how often the exact test finds what is not there.

Two methods that are alike: returns of n seeds each in some kitchens, normally distributed, once and again. One JSON
line for each size; an interval or a test of 5 % should err in one of twenty.

    python studies/few_seeds.py --repeats 2000
"""

import argparse
import json
from itertools import product

import numpy as np

from cole.evaluate import stats


def rates(seeds: int, kitchens: int, repeats: int) -> dict[str, float]:
    """Shares of the repeats in which each rule errs."""
    draw = np.random.default_rng([seeds, kitchens])
    missed, tested, off = [], [], []
    for _ in range(repeats):
        x, y = draw.normal(size=(2, seeds, kitchens))
        found = stats.probability_of_improvement(x, y, draws=1000)
        missed.append(not found.low <= 0.5 <= found.high)
        tested.append(found.decided())
        low, high = stats.interval(x, draws=1000)
        off.append(not low <= 0 <= high)
    return {
        "chance_interval": float(np.mean(missed)),
        "iqm_interval": float(np.mean(off)),
        "test": float(np.mean(tested)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=2000)
    args = parser.parse_args()
    for seeds, kitchens in product((5, 10), (1, 5)):
        found = {name: round(rate, 3) for name, rate in rates(seeds, kitchens, args.repeats).items()}
        line = {"study": "few_seeds", "seeds": seeds, "kitchens": kitchens, "repeats": args.repeats}
        print(json.dumps(line | found), flush=True)


if __name__ == "__main__":
    main()
