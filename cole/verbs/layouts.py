"""`cole layouts`: the kitchens, listed and drawn; `cole layouts check FILE`: is this a kitchen one can cook in?"""

import numpy as np
from rich.console import Console

from cole.config.cooking import CheckLayout, Layouts
from cole.kitchen import draw, game, layouts


def run(config: Layouts) -> int:
    """Prints every kitchen, or the one in the file after checking it."""
    console = Console(highlight=False)
    if isinstance(config.do, CheckLayout):
        layout = layouts.load(config.do.file)
        console.print(f"{config.do.file}: a good kitchen, {about(layout)}", markup=False, soft_wrap=True)
        show(console, layout)
        return 0
    for name in layouts.MAPS:
        layout = layouts.load(name)
        console.print(f"[bold]{name}[/bold], {about(layout)}")
        show(console, layout)
    return 0


def about(layout: layouts.Layout) -> str:
    """Size, seats, pots and rooms in words."""
    height, width = layout.terrain.shape
    rooms = len(set(layout.room[layout.start].tolist()))
    pots = int((layout.terrain == layouts.POT).sum())
    counted = [(len(layout.start), "seat"), (pots, "pot"), (rooms, "room")]
    return f"{width} x {height}, " + ", ".join(f"{n} {word}{'s' * (n > 1)}" for n, word in counted)


def show(console: Console, layout: layouts.Layout) -> None:
    """The opening as text."""
    state = draw.as_numpy(game.reset(layout)._replace(clock=np.int32(0)))
    console.print(draw.text(layout, state, rich=True), soft_wrap=True)
    console.print()
