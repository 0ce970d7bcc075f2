"""`cole report FOLDERS`: plays what the paper's two protocols want, and makes one page and many tables of it."""

import os
import shlex
import sys
import time
import webbrowser
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from rich.console import Console

from cole import sealed
from cole.config.judging import Report
from cole.errors import UserError
from cole.evaluate import crossplay, curves, experts, proxy
from cole.evaluate.lineup import Lineup, gather, layout_of, players_in
from cole.evaluate.pairs import Setting
from cole.evaluate.players import Player, kitchen_of
from cole.report import crossplay as crossplay_files
from cole.report import evaluation, formats, sections
from cole.report.comparison import Comparison, Matrix, file_names
from cole.report.evaluation import Games
from cole.report.folders import refuse_unless
from cole.report.page import GENERATOR, page
from cole.report.tables import Table
from cole.verbs.evaluate import expert_chances, expert_findings, proxy_chances, proxy_findings
from cole.verbs.games import Job, duration, play, say
from cole.verbs.pairings import matrix, pairings
from cole.verbs.processes import processes

INDEX, TABLES, GAMES, HISTORY = "index.html", "tables", "games", "history"
WRITERS = {"md": formats.markdown, "tex": formats.latex, "csv": formats.as_csv}


def run(config: Report) -> int:
    """Plays what is not known yet, and writes the folder."""
    began = time.monotonic()
    settings = Setting(config.episodes_proxy, config.seed), Setting(config.episodes, config.seed)
    for setting in settings:
        crossplay.check(setting, None)
    check_folder(config.out)
    lineup = gather(config.folders)
    console, notes = Console(highlight=False), Console(stderr=True, highlight=False)
    found, saved = compared(config, lineup, settings, notes)
    made = sections.all_tables(found)
    html = page(sections.head(found, command_of(config)), sections.chapters(found, made))
    for path in [*saved, *save_tables(config.out / TABLES, made), *save_page(config.out / INDEX, html)]:
        console.print(f"saved {path}", markup=False, soft_wrap=True)
    console.print(
        f"open {config.out / INDEX}; it took {duration(time.monotonic() - began)}", markup=False, soft_wrap=True
    )
    if config.open and has_screen():
        webbrowser.open((config.out / INDEX).resolve().as_uri())
    return 0


def has_screen() -> bool:
    """Whether a browser would have a window: without one, some take the terminal instead."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def command_of(config: Report) -> str:
    """What makes the page again: folders, and options that are not as usual."""
    words = ["cole", "report", *map(str, config.folders), *unusual(config, "proxy", "baselines", "ours")]
    for name in ("episodes_proxy", "episodes", "seed"):
        words += [f"--{name.replace('_', '-')}", str(getattr(config, name))]
    return shlex.join([*words, *unusual(config, "title"), *(["--history"] if config.history else [])])


def options_of(config: Report) -> dict[str, list[str]]:
    """By protocol: options of `cole evaluate` that are not as usual."""
    return {"proxy": unusual(config, "proxy", "ours"), "experts": unusual(config, "baselines", "ours")}


def unusual(config: Report, *names: str) -> list[str]:
    """Those of these options that are not as usual, each with its words."""
    usual = Report(())
    values = [(name, getattr(config, name)) for name in names if getattr(config, name) != getattr(usual, name)]
    return [word for name, value in values for word in (f"--{name}", *([value] if isinstance(value, str) else value))]


def played(
    config: Report, lineup: Lineup, settings: tuple[Setting, Setting], notes: Console
) -> tuple[list[proxy.WithProxy], list[Games], list[Games]]:
    """What methods earn with the proxies, the games of that, and those of everybody with everybody."""
    partners = {kitchen: proxy.proxies_of(kitchen, config.proxy) for kitchen in lineup.kitchens}
    partners = {kitchen: found for kitchen, found in partners.items() if found}
    for kitchen, found in partners.items():
        kitchen_of(found, layout_of(lineup, kitchen))
    agents = {kitchen: players_in(lineup, kitchen) for kitchen in lineup.kitchens}
    say(notes, f"{sum(map(len, agents.values()))} agents of {', '.join(lineup.labels)}; with the proxy:")
    first = [_job(lineup, kitchen, proxy.wanted_pairs(lineup, kitchen, partners[kitchen])) for kitchen in partners]
    beside = play(first, settings[0], notes) if first else []
    say(notes, "with each other:")
    second = [_job(lineup, kitchen, list(product(each, each))) for kitchen, each in agents.items()]
    games = play(second, settings[1], notes)
    with_proxy = [proxy.with_proxy(lineup, one.kitchen, partners[one.kitchen], one.found) for one in beside]
    return with_proxy, beside, games


def compared(
    config: Report, lineup: Lineup, settings: tuple[Setting, Setting], notes: Console
) -> tuple[Comparison, list[Path]]:
    """Everything the page is made of; the games are written on the way."""
    baselines = experts.baselines_of(lineup, config.baselines)  # refuses what is not clear before anything is played
    ours = experts.ours_of(lineup, baselines, config.ours)
    with_proxy, beside, games = played(config, lineup, settings, notes)
    with_experts = [experts.with_experts(lineup, one.kitchen, baselines, ours, one.found) for one in games]
    matrices = [matrix(lineup, one, settings[1]) for one in games]
    best = {one.kitchen: lineup.teams[one.kitchen, one.best] for one in with_proxy if one.best}
    say(notes, "the best and the worst pairing")
    found = Comparison(
        title=config.title,
        folders=[str(folder) for folder in config.folders],
        options=options_of(config),
        lineup=lineup,
        with_proxy=with_proxy,
        proxy_setting=settings[0],
        proxy_chances=proxy_chances(with_proxy, lineup.labels, experts.ours_of(lineup, (), config.ours)),
        experts=with_experts,
        baselines=baselines,
        ours=ours,
        setting=settings[1],
        expert_chances=expert_chances(with_experts, baselines, ours),
        matrices=matrices,
        pairings=[pairing for one in matrices for pairing in pairings(lineup, one, settings[1])],
        curves=curves.curves(lineup),
        processes=processes(lineup, config.out / HISTORY if config.history else None, notes),
        still_learning={kitchen: proxy.still_learning(team) for kitchen, team in best.items()},
    )
    return found, save_games(config.out / GAMES, found, beside, games)


def _job(lineup: Lineup, kitchen: str, pairs: list[tuple[Player, Player]]) -> Job:
    return Job(kitchen, layout_of(lineup, kitchen), pairs)


# What is written


def check_folder(folder: Path) -> None:
    """Refuses a folder with anything in it that no report, whole or half written, has."""

    def is_ours() -> bool:
        names = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
        is_page = INDEX not in names or GENERATOR.encode() in (folder / INDEX).read_bytes()[:1000]
        return is_page and names <= {INDEX, TABLES, GAMES, HISTORY}

    refuse_unless(folder, is_ours, "report")
    evaluation.check_folder(folder / GAMES)


def save_games(folder: Path, found: Comparison, beside: list[Games], games: list[Games]) -> list[Path]:
    """Every game: of the proxies, of the experts, and of everybody with everybody by kitchen."""
    lineup, saved = found.lineup, []
    if beside:
        whole = proxy.overall(lineup, found.with_proxy)
        told = proxy_findings(lineup, found.with_proxy, found.proxy_chances, whole)
        saved += evaluation.save(folder, told, lineup, found.proxy_setting, beside)
    wanted = [experts.wanted_pairs(lineup, one.kitchen, found.baselines, found.ours) for one in games]
    among = [one._replace(pairs=pairs) for one, pairs in zip(games, wanted, strict=True)]
    told = expert_findings(lineup, found.experts, found.baselines, found.expert_chances)
    saved += evaluation.save(folder, told, lineup, found.setting, among)
    names = file_names(lineup.kitchens)
    for one in found.matrices:
        saved += crossplay_files.save(folder / f"crossplay-{names[one.kitchen]}", named(one), one.kitchen)
    return saved


def named(one: Matrix) -> crossplay.CrossPlay:
    """The same, with players called as in the tables."""
    names = [f"{label} seed {seed}" for label, seed in zip(one.labels, one.seeds, strict=True)]
    players = [player._replace(name=name) for player, name in zip(one.played.players, names, strict=True)]
    return one.played._replace(players=players)


def save_tables(folder: Path, made: Sequence[Table]) -> list[Path]:
    """Each in three formats; those of an earlier report go."""
    files = {folder / f"{one.name}.{kind}": write(one) for one in made for kind, write in WRITERS.items()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in [path for kind in WRITERS for path in folder.glob(f"*.{kind}")]:
            old.unlink()
        for path, text in files.items():
            sealed.write_file(path, text.encode())
    except OSError as error:
        raise UserError(f"{error.filename or folder} cannot be written: {error.strerror or error}") from None
    return list(files)


def save_page(path: Path, html: str) -> list[Path]:
    try:
        sealed.write_file(path, html.encode())
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from None
    return [path]
