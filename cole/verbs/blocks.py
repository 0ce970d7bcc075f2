"""`cole evaluate blocks A B`: how long two cooks stand in each other's way, and pictures of the longest such moment."""

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cole import sealed
from cole.config.judging import EvaluateBlocks
from cole.errors import UserError
from cole.evaluate.behaviour import STEP, Behaviour, Block, blocks, observe, play, summary
from cole.evaluate.crossplay import Setting, check
from cole.evaluate.pairs import Pair
from cole.evaluate.players import COOKS, as_players, kitchen_of
from cole.kitchen import draw, film, trajectory
from cole.kitchen.game import State
from cole.kitchen.layouts import Layout
from cole.kitchen.trajectory import Trajectory
from cole.report.comparison import file_names
from cole.report.folders import refuse_unless

AROUND = 15  # steps of a clip before and after the block
MOST_GAMES, MOST_MOMENTS = 40, 5  # lines of the two lists on the screen
GAMES = "games.csv"
DEEDS = ("potted", "dishes", "plated", "served", "stayed", "idle", "blocked", "held_up")  # its columns by seat
TEAM = ("returns", "hindered", "blocks", "longest", "start")  # and of the team
HEADER = ("game", "seat", "player", "partner", *DEEDS, *(f"team_{name}" for name in TEAM))
PICTURES = ("clip.html", "clip.gif", "start.svg", "middle.svg", "end.svg", "game.json")


class Games(NamedTuple):
    """The games of a pair in one order of the seats. E games, T steps, S seats."""

    pair: Pair  # the first in seat 0, the second in all others
    actions: np.ndarray  # [E, T, S]
    done: Behaviour


class Moment(NamedTuple):
    """A block, and where it was."""

    block: Block
    games: Games
    number: int  # of the game


def run(config: EvaluateBlocks) -> int:
    """Plays, prints who was blocked when, shows the longest block and writes its clip."""
    setting = Setting(config.episodes, config.seed, config.greedy)
    check(setting, None)
    if config.least < 1:
        raise UserError(f"--least must be at least 1, not {config.least}")
    first, second = pair_of(config)
    layout, kitchen = kitchen_of([first, second], config.layout)
    folder = config.out or Path("blocks-" + file_names([kitchen])[kitchen])
    check_folder(folder)
    orders = {(one.identity, two.identity): (one, two) for one, two in ((first, second), (second, first))}
    played = [played_by(layout, pair, setting) for pair in orders.values()]  # with a copy of itself one order is both
    moments = find_moments(layout, played, config.least)
    console = Console(highlight=False)
    console.print(f"A is {first.name}, B is {second.name}", markup=False, soft_wrap=True)
    console.print(games_table(played, kitchen))
    for games in played:
        console.print(in_words(games), markup=False, soft_wrap=True)
    show(console, layout, moments, config.least)
    for path in save(folder, layout, played, moments):
        console.print(f"saved {path}", markup=False, soft_wrap=True)
    return 0


def pair_of(config: EvaluateBlocks) -> Pair:
    """The two players; a folder that holds several agents is none."""
    found = as_players(config.players, config.layout)
    if len(found) != 2:
        named = ", ".join(player.name for player in found)
        raise UserError(f"name two players, agents or {', '.join(COOKS)}: these are {len(found)}, {named}")
    return found[0], found[1]


def played_by(layout: Layout, pair: Pair, setting: Setting) -> Games:
    actions = play(layout, pair, setting)
    return Games(pair, actions, observe(layout, actions))


def find_moments(layout: Layout, played: Sequence[Games], least: int) -> list[Moment]:
    """All blocks of at least so many steps, the longest first."""
    found = []
    for games in played:
        for number in np.flatnonzero(games.done.longest >= least).tolist():
            states, events = trajectory.replay(Trajectory(layout, games.actions[number]))
            long = [block for block in blocks(states.cell[:-1], events.blocked) if block.length >= least]
            found += [Moment(block, games, number) for block in long]
    return sorted(found, key=lambda moment: -moment.block.length)


# What is printed


def seats(pair: Pair) -> str:
    return f"{pair[0].name}, {pair[1].name}"


def seconds(steps: float) -> str:
    return f"{STEP * steps:.1f} s"


def games_table(played: Sequence[Games], kitchen: str) -> Table:
    """A line for each game, or for those with the longest blocks if there are many; A is the first of the two."""
    every = [(games, number) for games in played for number in range(len(games.actions))]
    if len(every) > MOST_GAMES:
        every = sorted(every, key=lambda one: -one[0].done.longest[one[1]])[:MOST_GAMES]
    total = sum(len(games.actions) for games in played)
    some = f"; the {MOST_GAMES} with the longest blocks of {total} games" if total > MOST_GAMES else ""
    caption = Text(f"in {kitchen}, {STEP * 1000:.0f} ms a step{some}", "table.caption")
    table = Table(caption=caption, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("game", "seats", "return", "blocked steps", "blocks", "longest", "at step", "lasts"):
        table.add_column(heading, justify="right")
    for games, number in every:
        done, order = games.done, "A, B" if games is played[0] else "B, A"
        figures = [f"{done.returns[number]:.0f}", str(done.hindered[number]), str(done.blocks[number])]
        longest = int(done.longest[number])
        when = [str(longest), str(done.start[number]), seconds(longest)] if longest else ["0", "-", "-"]
        table.add_row(str(number), order, *figures, *when)
    return table


def in_words(games: Games) -> str:
    """What the pair did on average, seat 0 / seat 1."""
    mean = summary(games.done)
    by_seat = {"potted": mean.potted, "plated": mean.plated, "served": mean.served}
    deeds = ", ".join(f"{name} {_slashed(counts, '.1f')}" for name, counts in by_seat.items())
    times = f"idle {_slashed(100 * mean.idle, '.0f')} %, blocked {_slashed(100 * mean.blocked, '.0f')} %"
    ends = f"longest block of a game {mean.longest:.1f} steps ({seconds(mean.longest)})"
    return f"{seats(games.pair)}: return {mean.returns:.1f}, {deeds}, {times}, {ends}"


def _slashed(numbers: np.ndarray, form: str) -> str:
    return " / ".join(format(number, form) for number in numbers)


def moment_in_words(moment: Moment) -> str:
    """Where and when, and who was blocked how often."""
    block, games, number = moment
    names = [games.pair[min(seat, 1)].name for seat in range(len(block.blocked))]
    who = ", ".join(f"{name} blocked in {steps}" for name, steps in zip(names, block.blocked, strict=True))
    when = f"steps {block.start} to {block.start + block.length - 1}"
    return f"{block.length} steps ({seconds(block.length)}): game {number} of {seats(games.pair)}, {when}; {who}"


def show(console: Console, layout: Layout, moments: Sequence[Moment], least: int) -> None:
    """The longest blocks in a line each, and the kitchen at start, middle and end of the longest."""
    if not moments:
        console.print(f"no block of at least {least} steps ({seconds(least)})")
        return
    more = f", the longest {MOST_MOMENTS}" if len(moments) > MOST_MOMENTS else ""
    console.print(f"\nblocks of at least {least} steps ({seconds(least)}): {len(moments)}{more}")
    for moment in moments[:MOST_MOMENTS]:
        console.print(f"  {moment_in_words(moment)}", markup=False, soft_wrap=True)
    one, other = moments[0].games.pair
    others = "2" if len(layout.start) == 2 else f"2 to {len(layout.start)}"
    console.print(f"\nthe longest: cook 1 is {one.name}, cook {others} {other.name}", markup=False, soft_wrap=True)
    states, scores = replayed(layout, moments[0])
    for name, at in frames(moments[0].block).items():
        picture = draw.text(layout, states[at], scores[at], len(states) - 1, rich=True)
        console.print(f"\n{name}: {picture}", soft_wrap=True)


# What is written


def frames(block: Block) -> dict[str, int]:
    """The states that show a block: before its first step, in its middle, and after its last step."""
    return {"start": block.start, "middle": block.start + block.length // 2, "end": block.start + block.length}


def replayed(layout: Layout, moment: Moment) -> tuple[list[State], np.ndarray]:
    """The states of the game, [T + 1], and the score at each."""
    states, events = trajectory.replay(Trajectory(layout, moment.games.actions[moment.number]))
    return film.listed(states), film.running_score(trajectory.rewards(events))


def check_folder(folder: Path) -> None:
    """Refuses a folder that has something in it, but no result of this verb."""
    refuse_unless(folder, lambda: _is_ours(folder / GAMES), "result of blocks")


def _is_ours(table: Path) -> bool:
    return table.is_file() and table.read_bytes().startswith(",".join(HEADER).encode())


def save(folder: Path, layout: Layout, played: Sequence[Games], moments: Sequence[Moment]) -> list[Path]:
    """Writes the table of all games, and the pictures of the longest block; those of an earlier call go."""
    files: dict[str, Callable[[Path], object]] = {GAMES: lambda path: sealed.write_file(path, as_csv(played).encode())}
    files |= pictures(layout, moments[0]) if moments else {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in PICTURES:
            (folder / name).unlink(missing_ok=True)
        for name, write in files.items():
            write(folder / name)
    except OSError as error:
        raise UserError(f"{error.filename or folder} cannot be written: {error.strerror or error}") from None
    return [folder / name for name in files]


def pictures(layout: Layout, moment: Moment) -> dict[str, Callable[[Path], object]]:
    """What writes each of PICTURES."""
    states, scores = replayed(layout, moment)
    block, horizon = moment.block, len(states) - 1
    clip = slice(max(0, block.start - AROUND), block.start + block.length + AROUND + 1)
    title = f"{seats(moment.games.pair)}: {block.length} steps in each other's way"
    whole = Trajectory(layout, moment.games.actions[moment.number])

    def still(at: int) -> Callable[[Path], object]:
        return lambda path: path.write_text(draw.svg(layout, states[at], scores[at], horizon), "utf-8")

    moving = (layout, states[clip], scores[clip])
    return {
        "clip.html": lambda path: path.write_text(film.html(*moving, title=title, horizon=horizon), "utf-8"),
        "clip.gif": lambda path: path.write_bytes(film.gif(*moving, horizon=horizon, seconds=STEP)),
        **{f"{name}.svg": still(at) for name, at in frames(block).items()},
        "game.json": lambda path: trajectory.save(path, whole),
    }


def as_csv(played: Sequence[Games]) -> str:
    """A line for each game and seat."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(HEADER)
    for pair, actions, done in played:
        for number, seat in np.ndindex(len(actions), actions.shape[2]):
            players = [pair[min(seat, 1)].name, pair[1 if seat == 0 else 0].name]
            own = [getattr(done, name)[number, seat] for name in DEEDS]
            lines.writerow([number, seat, *players, *own, *(getattr(done, name)[number] for name in TEAM)])
    return text.getvalue()
