"""Time of a cross-play: 10 agents of one kitchen, every ordered pair, 100 games each. One JSON line per kitchen.

The agents' parameters are fresh ones with normal noise added, so that they act, though not well: a game costs the same
whatever is cooked in it. The second call has another seed and nothing left to compile.

    python bench/crossplay.py --layout cramped_room --agents 10 --episodes 100
"""

import argparse
import json
import time

import jax
import numpy as np
from timing import as_in_runs

from cole.evaluate import players
from cole.evaluate.crossplay import Setting, crossplay, games_at_once
from cole.kitchen import layouts, views
from cole.policy import network, store


def agents(layout: layouts.Layout, count: int, view: str = "grid") -> list[players.Player]:
    """Players with random networks."""
    height, width = layout.terrain.shape
    shape = (width, height, views.CODED[view].table.shape[1])
    fresh = jax.device_get(jax.jit(lambda key: network.init(key, shape))(jax.random.key(0)))
    random = np.random.default_rng(0)
    found = []
    for seed in range(count):
        params = jax.tree.map(lambda x: x + 0.1 * random.standard_normal(x.shape, np.float32), fresh)
        found.append(players.of_agent(store.Agent(params, store.new_card(layout, view, "noise", seed=seed))))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layout", nargs="+", default=["cramped_room"], choices=list(layouts.MAPS))
    parser.add_argument("--agents", type=int, default=10)
    parser.add_argument("--episodes", type=int, default=100)
    parser.add_argument("--batch", type=int, help="games at once; by default what suits the device")
    args = parser.parse_args()
    as_in_runs()
    for name in args.layout:
        layout, seconds = layouts.load(name), []
        playing = agents(layout, args.agents)
        for seed in range(2):
            begin = time.perf_counter()
            result = crossplay(playing, layout, Setting(args.episodes, seed), at_once=args.batch)
            seconds.append(time.perf_counter() - begin)
        games = result.computed * args.episodes
        line = {"bench": "crossplay", "layout": name, "agents": args.agents, "pairs": result.computed, "games": games}
        line |= {"with_compilation_s": round(seconds[0], 2), "without_s": round(seconds[1], 2)}
        line |= {"games_per_s": round(games / seconds[1], 1), "env_steps_per_s": round(games * 400 / seconds[1])}
        line |= {"at_once": args.batch or games_at_once(), "mean_return": round(float(result.mean.mean()), 3)}
        print(json.dumps(line | {"device": jax.devices()[0].device_kind, "jax": jax.__version__}), flush=True)


if __name__ == "__main__":
    main()
