"""What agents earn with the human proxy, in either seat: `python studies/human_proxy.py FOLDER... [--episodes 20]`.

One line of JSON a folder: the mean over its agents and the five proxies of its kitchen, and the standard error over
agents.
"""

import argparse
import json

from cole.evaluate import cache, players
from cole.evaluate.pairs import Setting
from cole.evaluate.proxy import by_seat, with_proxy


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folders", nargs="+", help="folders of agents or of finished runs")
    asked.add_argument("--proxy", default="h_proxy", help="who sits opposite: a name of the zoo or a folder")
    asked.add_argument("--episodes", type=int, default=20, help="games of each pair in each seat")
    options = asked.parse_args()
    for folder in options.folders:
        agents = players.find([folder])
        layout, kitchen = players.kitchen_of(agents)
        proxies = players.find([options.proxy], kitchen)
        result = with_proxy(agents, proxies, layout, Setting(options.episodes), known=cache.home())
        mean, error = by_seat(result)
        line = {"kitchen": kitchen, "folder": folder, "agents": len(agents), "proxies": len(proxies)}
        line |= {"episodes": options.episodes, "seat 0": round(mean[0], 1), "seat 1": round(mean[1], 1)}
        print(json.dumps(line | {"error": [round(e, 1) for e in error]}), flush=True)


if __name__ == "__main__":
    main()
