"""`cole human`: the recorded human games, what people do in them, and clones of these people."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import jax
import numpy as np
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from cole import options, rollout
from cole.config.people import Human, HumanHabits, ImportGames, ReplayGame, TrainClones
from cole.errors import UserError
from cole.human import bc, convert, data, habits, recorded
from cole.human.bc import Clone, Trained
from cole.human.habits import Habits
from cole.kitchen import layouts
from cole.kitchen.trajectory import Trajectory
from cole.policy import cloned, store
from cole.verbs import watch


def run(config: Human) -> int:
    """Does what was asked for."""
    console = Console(highlight=False)
    asked = config.do
    if isinstance(asked, ReplayGame):
        return watch.present(lambda: chosen_game(asked), asked)
    if isinstance(asked, ImportGames):
        for line in import_games(asked):
            console.print(line, markup=False, soft_wrap=True)
    elif isinstance(asked, TrainClones):
        train(asked, console)
    else:
        show_habits(asked, console)
    return 0


def import_games(asked: ImportGames) -> list[str]:
    """Writes the file and says what is in it."""
    left_out = 0
    if asked.source and recorded.is_folder_of_games(asked.source):
        games, left_out = recorded.convert(asked.source, asked.split)
    else:
        games = convert.convert(asked.source)
    said = [data.summary(games), f"all {data.verify(games):,} steps replayed without a difference"]
    if left_out:
        said.append(f"{left_out} games left out: nobody played them, or their kitchen is not one of the five")
    data.save(asked.out, games)
    return [*said, f"saved {asked.out}"]


def chosen_game(asked: ReplayGame) -> Trajectory:
    """The trajectory of one of the games."""
    games = data.load(asked.games)
    found = data.select(games, asked.layout, asked.split)
    if not found:
        raise UserError(f"there are no recorded human games of {asked.layout} in the split {asked.split}")
    if not 0 <= asked.number < len(found):
        raise UserError(f"--number must be a whole number from 0 to {len(found) - 1}, not {asked.number}")
    return data.trajectory(games, found[asked.number])


def show_habits(asked: HumanHabits, console: Console) -> None:
    """A table of all kitchens."""
    games = data.load(asked.games)
    console.print(data.summary(games), markup=False)
    played = [name for name in games.kitchens.tolist() if any(data.select(games, name, split) for split in data.SPLITS)]
    widths = {"return": 7, "first": 6, "stay %": 7, "pot": 9, "plate": 9, "serve": 9, "blocked": 9}

    def line(first: str, figures: Iterable[str]) -> None:
        cells = zip(figures, widths.values(), strict=True)
        console.print(
            f"{first:<22}" + "".join(f"{cell:>{width}}" for cell, width in cells), markup=False, soft_wrap=True
        )

    console.print()
    line("kitchen", widths)
    for name in played:
        line(name, habits_row(habits.of_kitchen(games, name)))
    console.print("return per 400 steps and in the first 400; the rest by seat 0/1, events per 400")


def habits_row(found: Habits) -> list[str]:
    """The figures of one kitchen."""
    events = found.events
    kinds = (events.onion_in_pot, events.soup_taken, events.soup_served, events.blocked)
    return [
        f"{found.returns.mean():.0f}",
        f"{found.opening.mean():.0f}",
        "/".join(f"{100 * share:.0f}" for share in found.actions[:, layouts.STAY]),
        *("/".join(f"{count:.1f}" for count in np.asarray(kind)) for kind in kinds),
    ]


def train(asked: TrainClones, console: Console) -> None:
    """Trains the clones, lets each play with itself, writes them and says what they reach."""
    options.whole("seeds", asked.seeds, 1, 1000)
    options.whole("seed", asked.seed, 0, 2**31)
    options.games_after(asked.games_after)
    if asked.epochs is not None:
        options.whole("epochs", asked.epochs, 1, 10**5)
    if not asked.splits:
        raise UserError("--splits must be train, test or both of them")
    games = data.load(asked.games)
    kitchens, splits = dict.fromkeys(asked.layouts or layouts.MAPS), dict.fromkeys(asked.splits)  # each of them once
    seeds = range(asked.seed, asked.seed + asked.seeds)
    clones = [Clone(kitchen, split, seed) for kitchen in kitchens for split in splits for seed in seeds]
    for clone in clones:
        bc.check_known(games, clone.kitchen, clone.split)
    with progress(console) as show:
        trained = bc.train(games, clones, asked.epochs, show)
    by_clone = np.concatenate([with_itself(kitchen, clones, trained, asked.games_after) for kitchen in kitchens])
    for i, clone in enumerate(clones):
        save(asked, clone, i, trained, by_clone[i])
    console.print(report(clones, trained, by_clone))
    console.print(
        "accuracy on held-out steps and on the other split; return of 400 steps, mean over seeds (least to most)"
    )
    console.print(f"saved {len(clones)} agents in {asked.out}", markup=False, soft_wrap=True)


def with_itself(kitchen: str, clones: list[Clone], trained: Trained, games: int) -> np.ndarray:
    """[clones of the kitchen, games] what each earns with a copy of itself."""
    layout, policy = layouts.load(kitchen), cloned.cloned()
    mine = [i for i, clone in enumerate(clones) if clone.kitchen == kitchen]
    keys = jax.vmap(jax.random.key)(np.array([clones[i].seed + 10**6 for i in mine], np.uint32))
    params = jax.tree.map(lambda x: x[np.array(mine)], trained.params)
    play = jax.vmap(lambda key, one: rollout.returns_with_itself(key, layout, policy, one, games))
    return np.asarray(jax.jit(play)(keys, params))


def save(asked: TrainClones, clone: Clone, i: int, trained: Trained, returns: np.ndarray) -> None:
    """One clone as an agent, with what it reaches on its card."""
    training = {
        "games": f"human, {clone.split} split" + (f" of {asked.games.name}" if asked.games else ""),
        "learned_from": trained.learned[i],
        "epochs": asked.epochs or bc.EPOCHS[clone.kitchen],
        "batch": bc.BATCH,
        "rate": bc.RATE,
        "accuracy_held_out": round(float(trained.held_out[i]), 4),
        "accuracy_other_split": None if np.isnan(trained.other[i]) else round(float(trained.other[i]), 4),
        "return": round(float(returns.mean()), 2),
        "return_error": round(float(returns.std(ddof=1) / len(returns) ** 0.5), 2) if len(returns) > 1 else None,
    }
    method = bc.METHODS[clone.split]
    card = store.new_card(layouts.load(clone.kitchen), cloned.VIEW, method, seed=clone.seed, steps=0, training=training)
    mine = jax.tree.map(lambda x: np.asarray(x[i]), trained.params)
    store.save(asked.out / clone.kitchen / method / f"seed-{clone.seed}", store.Agent(mine, card))


def report(clones: list[Clone], trained: Trained, returns: np.ndarray) -> Table:
    """A line for each kitchen and split."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("kitchen", "clone", "held out", "other split", "with itself"):
        table.add_column(heading, no_wrap=True)
    for kitchen, split in dict.fromkeys((clone.kitchen, clone.split) for clone in clones):
        rows = [i for i, clone in enumerate(clones) if (clone.kitchen, clone.split) == (kitchen, split)]
        each = returns[rows].mean(axis=1)
        right = [f"{np.mean(share[rows]):.3f}" for share in (trained.held_out, trained.other)]
        table.add_row(kitchen, bc.METHODS[split], *right, f"{each.mean():.1f} ({each.min():.1f} to {each.max():.1f})")
    return table


@contextmanager
def progress(console: Console) -> Iterator[Callable[[int, int], None]]:
    """What shows the epochs done: a bar where there is a terminal."""
    columns = (TextColumn("cloning"), BarColumn(), TextColumn("{task.completed} of {task.total} epochs"))
    with Progress(
        *columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, epochs: bar.update(task, total=epochs, completed=done)
