"""What agents earn, and with whom: options of `cole crossplay`, `analyze`, `evaluate`, `report` and `reproduce`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro


@dataclass(frozen=True)
class Crossplay:
    """Let agents play with each other, every pair in both seats, and say what each of them earns with whom."""

    players: tyro.conf.Positional[tuple[str, ...]]
    """Folders of agents or of runs, agents of the zoo, or the cooks greedy_cook, supplier, chef, random, stay."""
    layout: str | None = None
    """One of the five kitchens, or the path of a map file; by default the one the agents were trained in."""
    episodes: int = 100
    """Games of each pair in each order of the seats."""
    seed: int = 0
    """Decides what is random in the games."""
    out: Path | None = None
    """Folder for payoff.csv and crossplay.json; by default crossplay- and the kitchen's name."""
    greedy: bool = False
    """Networks take their best action instead of drawing one."""
    fresh: bool = False
    """Play all pairs, also those whose games are known from before."""
    batch: int | None = None
    """Games played at once; by default 512 on a CPU, 16384 on an accelerator."""


@dataclass(frozen=True)
class Analyze:
    """Analyse a cross-play matrix, or how a run went: preference graph, centralities, Shapley values, phi, figures."""

    source: tyro.conf.Positional[Path]
    """CSV file with the payoff of each row strategy (first seat) with each column partner (second seat); or the
    folder of a run, whose strategies then play with each other afresh."""
    out: Path | None = None
    """Folder for the results; by default the file's name with -analysis, in the current folder, or analysis in that
    of the run."""
    count: int = 50
    """Of a run: at most so many of its strategies, evenly over its rounds."""
    episodes: int = 5
    """Of a run: games of each pair in each order of the seats."""
    seed: int | None = None
    """Of a run: which of its seeds; by default the first."""
    games_seed: int = 0
    """Of a run: decides what is random in the games."""
    seats: Literal["mean", "ordered"] = "mean"
    """Whether w(i, j) is the mean of both seats, or the row strategy in the first seat."""
    centrality: Literal["in_degree", "pagerank", "closeness"] = "in_degree"
    """Which centrality of the preference graph eta is made of."""
    sigma: Literal["reciprocal", "softmax", "one"] = "reciprocal"
    """How the weighted PageRank becomes sigma, the unpopularity of a strategy."""
    inversion: Literal["linear", "softmax"] = "linear"
    """How a low Shapley value becomes a high phi."""
    temperature: float = 0.1
    """Temperature of the softmax of --inversion and of --sigma."""
    figures: bool = True
    """Whether to draw figures (PDF and SVG)."""


@dataclass(frozen=True)
class EvaluateProxy:
    """Every method with the human proxy, in both seats, and with itself: Figures 4 and 5 of the paper as tables."""

    folders: tyro.conf.Positional[tuple[Path, ...]]
    """Runs, folders with runs below them (runs/cramped_room, runs), or folders of agents."""
    proxy: str = "h_proxy"
    """Who sits opposite: agents of the zoo by name, or a folder of agents."""
    ours: tuple[str, ...] = ("COLE",)
    """Methods that are held against all others; COLE with every ratio."""
    episodes: int = 20
    """Games of each agent with each proxy in each seat."""
    seed: int = 0
    """Decides what is random in the games."""
    out: Path = Path("evaluation")
    """Folder for proxy.csv, proxy-games.csv and proxy.json."""


@dataclass(frozen=True)
class EvaluateExperts:
    """Every method with the agents of all others: Table 1 of the paper, with the best seed of each and with all."""

    folders: tyro.conf.Positional[tuple[Path, ...]]
    """Runs, folders with runs below them (runs/cramped_room, runs), or folders of agents."""
    baselines: tuple[str, ...] = ("SP", "PBT", "FCP", "MEP")
    """Methods beside ours that are among the experts, by their labels; one without agents leaves a hole."""
    ours: tuple[str, ...] = ("COLE",)
    """Methods that are held against the baselines, a row of Table 1 each; COLE with every ratio."""
    episodes: int = 50
    """Games of each pair of agents in each order of the seats."""
    seed: int = 0
    """Decides what is random in the games."""
    out: Path = Path("evaluation")
    """Folder for experts.csv, experts-games.csv and experts.json."""


@dataclass(frozen=True)
class EvaluateBlocks:
    """Find the moments in which two cooks are in each other's way, and show the longest."""

    players: tyro.conf.Positional[tuple[str, str]]
    """Two agents (folders, or of the zoo), or cooks written by hand."""
    layout: str | None = None
    """One of the five kitchens, or the path of a map file; by default the one the agents were trained in."""
    episodes: int = 20
    """Games that are looked at, in each order of the seats."""
    seed: int = 0
    """Decides what is random in the games."""
    least: int = 10
    """Steps of the shortest block that is shown."""
    out: Path | None = None
    """Folder for clips; by default blocks- and the kitchen's name."""
    greedy: bool = False
    """Networks take their best action instead of drawing one."""


@dataclass(frozen=True)
class Evaluate:
    """Judge methods as the paper does: with the human proxy, with each other's agents, and by who blocks whom."""

    do: Annotated[
        Annotated[EvaluateProxy, tyro.conf.subcommand("proxy", prefix_name=False)]
        | Annotated[EvaluateExperts, tyro.conf.subcommand("experts", prefix_name=False)]
        | Annotated[EvaluateBlocks, tyro.conf.subcommand("blocks", prefix_name=False)],
        tyro.conf.arg(name=""),
    ]


@dataclass(frozen=True)
class Report:
    """Make one page of a whole comparison, with the paper's figures and tables, and the tables as files."""

    folders: tyro.conf.Positional[tuple[Path, ...]]
    """Runs, folders with runs below them (runs/cramped_room, runs), or folders of agents."""
    out: Path = Path("report")
    """Folder for index.html, tables/ (Markdown, LaTeX, CSV) and games/ (every game)."""
    title: str = "Zero-shot coordination in Overcooked"
    """What stands on top of the page."""
    proxy: str = "h_proxy"
    """The human proxy: agents of the zoo by name, or a folder of agents."""
    baselines: tuple[str, ...] = ("SP", "PBT", "FCP", "MEP")
    """Methods beside ours that are among the experts, by their labels; one without agents leaves a hole."""
    ours: tuple[str, ...] = ("COLE",)
    """Methods that are held against all others with the proxy, and against the baselines with experts; COLE with
    every ratio."""
    episodes_proxy: int = 20
    """Games of each agent with each proxy in each seat."""
    episodes: int = 50
    """Games of each pair of agents in each order of the seats."""
    seed: int = 0
    """Decides what is random in the games."""
    history: bool = False
    """Also let the strategies of runs play with each other (Figures 2 and 6), where `cole analyze` has not yet."""
    open: bool = False
    """Show the page in a browser, where there is a screen."""


@dataclass(frozen=True)
class Reproduce:
    """Train everything behind the paper's figures and tables, as far as it is not there yet, and write the report."""

    only: tuple[str, ...] = ()
    """Only these methods and kitchens, such as "COLE 1:3" FCP cramped_room, or single runs, such as
    "HSP in counter_circuit"; by default all."""
    dry_run: bool = False
    """Only say what there is to do, how long it takes, and how much disk it needs."""
    jobs: int = 1
    """Runs at a time: on one NVIDIA GPU two, so that one computes while the other compiles, and under its MPS only
    (nvidia-cuda-mps-control -d), without which they take longer than one after the other; more gain little."""
    minutes: float | None = None
    """After so many minutes begin nothing, and stop what is at work; the same command goes on later."""
    whole: bool = False
    """With --minutes: begin no run that cannot be finished by then, where an unfinished one would be lost."""
    have: Path | None = None
    """A folder of agents, such as a zoo, whose runs need not be done again; that these had full size is believed."""
    size: Literal["full", "quick"] = "full"
    """The recipes' own budgets, or minutes on a laptop each."""
    seeds: int = 5
    """Seeds of each run."""
    runs: Path = Path("runs")
    """Where the runs are."""
    out: Path = Path("report")
    """Where the report goes."""
    no_report: bool = False
    """Only train."""
