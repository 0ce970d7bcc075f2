"""Every verb of the command line as a record: its fields are the options, the sentence below each is its help.

Nothing heavy is imported here, so that `cole --help` answers at once.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import tyro


@dataclass(frozen=True)
class Watch:
    """Show a game in the terminal, of players, random or recorded, and save it as a picture, a page or a recording."""

    players: tyro.conf.Positional[tuple[str, ...]] = ()
    """Two agents (folders, or of the zoo) or cooks written by hand, the first in seat 0; by default random cooks."""
    layout: str | None = None
    """One of the five kitchens, or the path of a map file; by default that of the agents, or, for random
    cooks, the cramped room."""
    game: Path | None = None
    """A recorded game (JSON) to show instead of playing one; it brings its own kitchen."""
    seed: int = 0
    """Decides what is random in the game."""
    steps: int = 400
    """How long the game lasts."""
    random_start: bool = False
    """Random cooks begin in a random mid-game state instead of the opening."""
    speed: float = 12.0
    """Steps shown per second."""
    save: Path | None = None
    """Also write the game to this file: .html (with a slider), .gif, .svg (the last state) or .json (a recording)."""


@dataclass(frozen=True)
class ListLayouts:
    """List and draw the five kitchens."""


@dataclass(frozen=True)
class CheckLayout:
    """Check a map file and draw the kitchen."""

    file: tyro.conf.Positional[Path]
    """The map: space floor, X counter, P pot, O onions, D dishes, S serving hatch, 1 2 ... where each cook starts."""


@dataclass(frozen=True)
class Layouts:
    """List and draw the kitchens, or check a map of your own."""

    do: Annotated[
        Annotated[ListLayouts, tyro.conf.subcommand("list", prefix_name=False)]
        | Annotated[CheckLayout, tyro.conf.subcommand("check", prefix_name=False)],
        tyro.conf.arg(name=""),
    ] = field(default_factory=ListLayouts)


@dataclass(frozen=True)
class ShowAgent:
    """Say what an agent is: its kitchen, view and network, and how it was trained."""

    folder: tyro.conf.Positional[Path]
    """The agent: a folder with model.safetensors, config.json, README.md and SHA256SUMS."""


@dataclass(frozen=True)
class ImportAgent:
    """Bring in an agent that was published as tf.js weight files, such as those of 2019."""

    folder: tyro.conf.Positional[Path]
    """Where model.json lies, with its weights beside it."""
    layout: str
    """The kitchen it was trained in: one of the five, or the path of a map file."""
    out: Path | None = None
    """Folder to write the agent to; by default agents/ and the name of the folder it comes from."""
    view: Literal["grid", "grid2019"] = "grid2019"
    """What it was trained to see."""


@dataclass(frozen=True)
class TakeAgents:
    """Make agents of an earlier round of a finished run: where each seed earned most, as in 2019, or any round."""

    run: tyro.conf.Positional[Path]
    """The folder of the run."""
    round: str = "best"
    """`best`: the round in whose games of training a seed earned most (of PBT: all its learners together); or a number,
    counted from 0 as by `cole analyze`."""
    out: Path | None = None
    """Folder to write seed-0, seed-1, ... to; by default beside the run, with -best or -round-N behind its name."""
    games_after: int = 100
    """Games that each agent plays with itself, to say what it earns."""


@dataclass(frozen=True)
class ListAgents:
    """List the agents in a folder, by kitchen and method; by default those that come with the project."""

    folder: tyro.conf.Positional[Path | None] = None
    """Where agents lie, at any depth."""


@dataclass(frozen=True)
class PackAgents:
    """Put the agents of finished runs into a zoo: small files, with what they earned on their cards."""

    folders: tyro.conf.Positional[tuple[Path, ...]]
    """Runs, or folders with runs below them."""
    out: Path = Path("zoo")
    """The zoo: agents are written to LAYOUT/METHOD/seed-N in it."""
    evaluation: Path | None = None
    """Folder with the results of `cole evaluate` for these agents, such as `games` in that of a report."""
    methods: tuple[str, ...] = ()
    """Only these, as tables call them: SP, "COLE 1:3"."""


@dataclass(frozen=True)
class Agents:
    """List agents, show one, pack those of runs, take those of an earlier round, or bring in one of others."""

    do: Annotated[
        Annotated[ListAgents, tyro.conf.subcommand("list", prefix_name=False)]
        | Annotated[ShowAgent, tyro.conf.subcommand("show", prefix_name=False)]
        | Annotated[PackAgents, tyro.conf.subcommand("pack", prefix_name=False)]
        | Annotated[TakeAgents, tyro.conf.subcommand("take", prefix_name=False)]
        | Annotated[ImportAgent, tyro.conf.subcommand("import", prefix_name=False)],
        tyro.conf.arg(name=""),
    ] = field(default_factory=ListAgents)


@dataclass(frozen=True)
class ImportGames:
    """Turn recorded human games into one small file of arrays, after replaying every step of them."""

    source: tyro.conf.Positional[Path | None] = None
    """A folder of the page's recordings, or the folder or a file of the trials of 2019; by default those that the
    installed package overcooked-ai 1.1.0 carries."""
    out: Path = Path("human-games.npz")
    """The file to write."""
    split: Literal["train", "test", "both"] = "both"
    """Of the page's recordings: to clone partners to train with, partners to be judged with, or each in turn."""


@dataclass(frozen=True)
class TrainClones:
    """Clone people: bc from the train games, h_proxy from the test games, several seeds of each."""

    layouts: tyro.conf.Positional[tuple[str, ...]] = ()
    """Kitchens; by default all five."""
    splits: tuple[Literal["train", "test"], ...] = ("train", "test")
    """Which games to clone."""
    seed: int = 0
    """The first seed."""
    seeds: int = 5
    """How many seeds, counted up from the first."""
    games: Path | None = None
    """File of recorded games, as `cole human import` writes it; by default the games that come with the project."""
    out: Path = Path("clones")
    """The agents are written in here: layout/bc/seed-0 and so on."""
    epochs: int | None = None
    """Times the steps are gone through; by default 100, 120, 120, 90, 110 in the five kitchens."""
    games_after: int = 100
    """Games that each clone plays with itself, to say what it earns."""


@dataclass(frozen=True)
class ReplayGame:
    """Show a game that people played, and save it as a picture, a page or a recording."""

    layout: str = "cramped_room"
    """The kitchen."""
    split: Literal["train", "test"] = "train"
    """Which games."""
    number: int = 0
    """Which of them, counted from 0."""
    games: Path | None = None
    """File of recorded games; by default the games that come with the project."""
    speed: float = 12.0
    """Steps shown per second; people played at 6.7."""
    save: Path | None = None
    """Also write the game to this file: .html (with a slider), .gif, .svg (the last state) or .json (a recording)."""


@dataclass(frozen=True)
class HumanHabits:
    """Say what people earn in each kitchen, what they do all the time, and who does which part of the work."""

    games: Path | None = None
    """File of recorded games; by default the games that come with the project."""


@dataclass(frozen=True)
class Human:
    """The recorded human games: look at them, clone the people in them, bring in others."""

    do: Annotated[
        Annotated[HumanHabits, tyro.conf.subcommand("habits", prefix_name=False)]
        | Annotated[ReplayGame, tyro.conf.subcommand("replay", prefix_name=False)]
        | Annotated[TrainClones, tyro.conf.subcommand("train", prefix_name=False)]
        | Annotated[ImportGames, tyro.conf.subcommand("import", prefix_name=False)],
        tyro.conf.arg(name=""),
    ]


@dataclass(frozen=True)
class RunOptions:
    """Where a run happens and how it is kept."""

    layout: str = "cramped_room"
    """One of the five kitchens, or the path of a map file."""
    recipe: Literal["default", "paper", "authors"] = "default"
    """Whose settings: ours; those of the paper's text; those of its authors' code."""
    size: Literal["full", "quick", "matched"] = "full"
    """How much of it: the recipe's own budget, minutes on a laptop, or as many environment steps as all others."""
    seed: int = 0
    """The first seed."""
    seeds: int = 1
    """How many seeds, counted up from the first; they learn side by side in one program."""
    name: str | None = None
    """What the run is called; by default recipe, size, the ratio of COLE or the partners of a best response,
    and seeds."""
    runs: Path = Path("runs")
    """The run's folder is made in here: layout/method/name."""
    resume: bool = False
    """Go on with the run of this name."""
    every: int | None = None
    """Rounds between two checkpoints; by default as many as take ten seconds, or twenty times as long as it takes to
    write one."""
    breakdown: bool = False
    """Afterwards measure what each part of a round takes, and keep it as breakdown.json; COLE only."""
    games_after: int = 100
    """Games that each finished agent plays with itself, to say what it reached."""
    track: tuple[Literal["wandb", "tensorboard"], ...] = ()
    """Also send the log there; the run's own log.jsonl is always written."""


@dataclass(frozen=True)
class LearningOptions:
    """Numbers of the learner; those left out are the recipe's."""

    games: int | None = None
    """Games of each group in one update."""
    minibatches: int | None = None
    """Parts the samples of an update are divided into."""
    epochs: int | None = None
    """Times the samples of an update are gone through."""
    rate: float | None = None
    """Adam's step at the beginning."""
    rate_end: float | None = None
    """Adam's step at the end; in between it changes in a straight line."""
    clip: float | None = None
    """How far the probability ratio may be from 1, and the value from its old one."""
    clip_value: bool | None = None
    """Whether the value's change is clipped too."""
    discount: float | None = None
    """Gamma, from 0 to 1."""
    trace: float | None = None
    """Lambda of the advantages, from 0 to 1."""
    value: float | None = None
    """Weight of the value loss."""
    entropy: float | None = None
    """Weight of the entropy bonus at the beginning."""
    entropy_end: float | None = None
    """Weight of the entropy bonus at the end."""
    gradient: float | None = None
    """Largest norm of a gradient."""
    random_starts: float | None = None
    """Share of the games that begin in a random mid-game state, from 0 to 1."""
    shaped_until: float | None = None
    """Environment steps after which the shaping of rewards has faded."""
    shaping: Literal["own", "team"] | None = None
    """Whether a cook is paid shaping for what it does itself, or for what either cook does, as in 2019."""
    view: Literal["grid", "grid2019"] | None = None
    """What cooks see: everything, or what those of 2019 saw."""
    precision: Literal["auto", "single", "half"] = "auto"
    """Matrix products in float32 or bfloat16; auto: bfloat16 on a GPU."""


Run = tyro.conf.OmitArgPrefixes[RunOptions]
Learning = tyro.conf.OmitArgPrefixes[LearningOptions]


@dataclass(frozen=True)
class TrainSP:
    """Self-play: one learner meets itself. Fast to train, and the rival that every method has to beat."""

    run: Run = field(default_factory=RunOptions)
    learning: Learning = field(default_factory=LearningOptions)
    steps: int | None = None
    """Environment steps of each seed."""
    both_seats: bool | None = None
    """Learn from both seats instead of one."""


@dataclass(frozen=True)
class MixtureOptions:
    """Whom the learner meets, and how much that counts; what is left out is the recipe's."""

    ratio: str = "1:3"
    """a:b, the groups of a batch with the learner itself and with members of the population; several such as 0:4,1:3
    learn in one program, which suits a GPU, and become a run each."""
    weighted: bool | None = None
    """Whether groups count by phi and alpha, as J is printed, or all alike."""
    alpha: float | None = None
    """Weight of the payoff with itself in J."""
    explore: float | None = None
    """c of SUCG: how much strategies seldom met are preferred."""
    bonus: Literal["printed", "normalised"] | None = None
    """SUCG's bonus as printed, or divided by its norm."""
    reset_visits: bool | None = None
    """Whether SUCG counts visits anew in every generation."""
    per_draw: bool | None = None
    """Whether SUCG counts a visit at once, or after the update."""
    pause: float | None = None
    """Share of the partners' actions that are STAY instead, from 0 to 1."""
    err: float | None = None
    """Share of the partners' actions that are random instead, from 0 to 1."""
    distraction_by_game: bool | None = None
    """Whether each game draws its partner's share of pauses and errors anew, up to these."""


@dataclass(frozen=True)
class PopulationOptions:
    """How the population is judged and grows; what is left out is the recipe's."""

    solver: Literal["shapley", "shapley_sampled", "authors", "returns", "uniform", "worst"] | None = None
    """What makes phi, the chance of meeting each strategy, from the payoff matrix."""
    sigma: Literal["reciprocal", "softmax", "one"] | None = None
    """How the weighted PageRank becomes sigma, the unpopularity of a strategy."""
    inversion: Literal["linear", "softmax"] | None = None
    """How a low Shapley value becomes a high phi."""
    temperature: float | None = None
    """Temperature of the softmax of --inversion and of --sigma."""
    permutations: int | None = None
    """Of the solvers that sample."""
    capacity: int | None = None
    """Strategies there is room for; then one of the earliest leaves."""
    earliest: int | None = None
    """Among how many of the earliest."""
    episodes: int | None = None
    """Games of each ordered pair in the payoff matrix."""
    refresh: int | None = None
    """Every so many generations one member's payoffs are played once more; 0: never."""
    k: int | None = None
    """The rank test is passed by the k most preferred."""
    newest: float | None = None
    """If above 0, the authors' test instead: the most preferred is among this share of the newest."""
    tries: int | None = None
    """Trainings before the test is given up; with 1 its outcome is only written down, unless --discard."""
    discard: bool | None = None
    """Whether a strategy that never passed stays out of the population."""
    warmup: int | None = None
    """Generations of pure self-play at the beginning."""
    founders: int | None = None
    """Learners of independent self-play whose strategies are there from the start."""
    founder_snapshots: int | None = None
    """Strategies that each of these leaves."""
    founder_updates: int | None = None
    """Updates that each of these learns."""
    initial: tuple[Path, ...] = ()
    """Agents (folders) that are there from the start; the learner goes on from the last."""
    fresh_ego: bool | None = None
    """Whether each generation starts from a new network."""
    publish: Literal["last", "preferred", "payoff"] | None = None
    """Which strategy becomes the agent: the last, the most preferred, or that of the best mean payoff."""


@dataclass(frozen=True)
class TrainCole:
    """COLE: a population grows by strategies that its members prefer to cook with."""

    run: Run = field(default_factory=RunOptions)
    learning: Learning = field(default_factory=LearningOptions)
    mixture: tyro.conf.OmitArgPrefixes[MixtureOptions] = field(default_factory=MixtureOptions)
    population: tyro.conf.OmitArgPrefixes[PopulationOptions] = field(default_factory=PopulationOptions)
    generations: int | None = None
    """How many strategies join, one after the other."""
    updates: int | None = None
    """Updates of each generation."""


@dataclass(frozen=True)
class Train:
    """Train agents, by one of many methods: `cole train --help` lists them."""


@dataclass(frozen=True)
class Runs:
    """List runs: how far they are, what they reached, and which are at work, stopped, finished or damaged."""

    folder: tyro.conf.Positional[Path] = Path("runs")
    """Where the runs are."""


@dataclass(frozen=True)
class Doctor:
    """Say what this installation has, and what is missing."""


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


@dataclass(frozen=True)
class Play:
    """Open the page: cook with an agent or another person, watch agents, look into populations."""

    host: str = "127.0.0.1"
    """The address to listen at; 0.0.0.0 lets others in, see --allow."""
    port: int = 8000
    """The port; if it is taken, the next one that is free. 0: any."""
    runs: tuple[Path, ...] = (Path("runs"),)
    """Folders with runs, whose agents and populations are on offer."""
    layout: tuple[Path, ...] = ()
    """Maps of your own, beside the five kitchens."""
    crossplay: tuple[Path, ...] = ()
    """Cross-play matrices (CSV) to look into; by default those in folders crossplay-* here."""
    games: Path = Path("games")
    """Where games are kept whose people agree to it."""
    allow: tuple[str, ...] = ()
    """Names by which browsers may call this server, beside localhost and --host."""
    open: bool = True
    """Whether to open a browser."""


Verb = (
    Annotated[Train, tyro.conf.subcommand("train")]
    | Annotated[Watch, tyro.conf.subcommand("watch")]
    | Annotated[Play, tyro.conf.subcommand("play")]
    | Annotated[Layouts, tyro.conf.subcommand("layouts")]
    | Annotated[Agents, tyro.conf.subcommand("agents")]
    | Annotated[Human, tyro.conf.subcommand("human")]
    | Annotated[Crossplay, tyro.conf.subcommand("crossplay")]
    | Annotated[Evaluate, tyro.conf.subcommand("evaluate")]
    | Annotated[Report, tyro.conf.subcommand("report")]
    | Annotated[Reproduce, tyro.conf.subcommand("reproduce")]
    | Annotated[Analyze, tyro.conf.subcommand("analyze")]
    | Annotated[Runs, tyro.conf.subcommand("runs")]
    | Annotated[Doctor, tyro.conf.subcommand("doctor")]
)
