"""Speed of COLE's generations and of their parts: one JSON line per figure.

The parts are those of `cole.phases`; `cole train cole --breakdown` keeps the same figures beside a run.

    python bench/generation.py --layout cramped_room --seeds 1 5 --recipe paper
"""

import argparse
import json
from itertools import product

import jax
from timing import as_in_runs, measure

from cole import numbers, paper, phases
from cole.kitchen import layouts
from cole.methods import cole


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layout", nargs="+", default=["cramped_room"], choices=list(layouts.MAPS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--recipe", choices=numbers.RECIPES, default="paper")
    parser.add_argument("--size", choices=numbers.SIZES, default="full")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--budget", type=float, default=20.0, help="stop repeating after so many seconds per figure")
    args = parser.parse_args()
    as_in_runs()
    about = {"device": jax.devices()[0].device_kind, "jax": jax.__version__, "recipe": args.recipe, "size": args.size}
    for name, seeds in product(args.layout, args.seeds):
        setting = paper.cole_(args.recipe, name, args.size)._replace(half=jax.default_backend() == "gpu")
        steps = setting.updates * setting.batch.groups * setting.batch.games * setting.batch.steps
        layout = layouts.load(name)
        for what, (run, times) in phases.parts(layout, setting, cole.program(layout, setting), seeds).items():
            _, seconds, *_ = measure(run, args.repeats, args.budget)
            line = {"bench": "generation", "layout": name, "seeds": seeds, "what": what, "ms": round(1e3 * seconds, 3)}
            line |= {"ms_per_generation": round(1e3 * seconds * times, 3)}
            if what == "generation":
                line |= {"env_steps_per_s": round(seeds * steps / seconds)}
                line |= {"run_s_without_compilation": round(setting.generations * seconds, 1)}
            print(json.dumps(line | about), flush=True)


if __name__ == "__main__":
    main()
