"""Pictures of a whole game: an animated GIF, and one HTML file with a slider.

A game is its states, as a list or as one State with a leading time axis [T+1, ...], and the score at each of them.
"""

import json
import re
from collections.abc import Iterator, Sequence
from html import escape
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from cole.kitchen import draw, pixels
from cole.kitchen.game import HORIZON, State
from cole.kitchen.layouts import Layout, name_of
from cole.kitchen.shapes import CELL
from cole.kitchen.sprites import Sprite

Game = State | Sequence[State]
Scores = Sequence[float] | np.ndarray | None

COLOURS = 128  # of a GIF's palette: the pictures are flat, so more would cost bytes and show nothing
LAST_SECONDS = 1.5  # the end of a GIF stands still for a moment before it starts over


def running_score(rewards: np.ndarray) -> np.ndarray:
    """The score at every state [T+1] from the reward of every step, [T] of the team or [T, S] of its seats."""
    team = np.asarray(rewards)
    team = team.sum(axis=1) if team.ndim == 2 else team
    return np.concatenate([[0], np.cumsum(team)])


def listed(game: Game) -> list[State]:
    """The states of a game one by one, on the host."""
    if not isinstance(game, State):
        return [draw.as_numpy(state) for state in game]
    whole = draw.as_numpy(game)
    return [State(*fields) for fields in zip(*whole, strict=True)]


def frames(
    layout: Layout, game: Game, scores: Scores = None, horizon: int = HORIZON, cell: int = 48
) -> Iterator[Image.Image]:
    """Every state in pixels."""
    empty = pixels.empty_kitchen(layout, cell)
    for state, score in _with_scores(game, scores):
        yield pixels.paint(empty, layout, state, score, horizon, cell)


def _with_scores(game: Game, scores: Scores) -> list[tuple[State, float]]:
    states = listed(game)
    scores = np.zeros(len(states)) if scores is None else np.asarray(scores)
    if len(scores) != len(states) or not states:
        raise ValueError(f"a game needs one score per state: {len(states)} states, {len(scores)} scores")
    return list(zip(states, (float(score) for score in scores), strict=True))


def gif(
    layout: Layout,
    game: Game,
    scores: Scores = None,
    *,
    horizon: int = HORIZON,
    cell: int = 48,
    seconds: float = 0.12,
) -> bytes:
    """The game as an animated GIF that loops, `seconds` to a step."""
    pictures = list(frames(layout, game, scores, horizon, cell))
    palette = _palette(pictures)
    # One palette for all and no dithering: unchanged pixels stay equal, and the file holds only what moves.
    flat = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    step = max(20, round(seconds * 100) * 10)
    durations = [step] * (len(flat) - 1) + [max(step, int(LAST_SECONDS * 1000))]
    file = BytesIO()
    flat[0].save(file, "GIF", save_all=True, append_images=flat[1:], duration=durations, loop=0, optimize=True)
    return file.getvalue()


def _palette(pictures: list[Image.Image]) -> Image.Image:
    """Half of it the most common colours, exactly; half spread over all the others, for edges and small things."""
    chosen = pictures[:: max(1, len(pictures) // 48)]
    sheet = Image.new("RGB", (chosen[0].width, chosen[0].height * len(chosen)))
    for row, picture in enumerate(chosen):
        sheet.paste(picture, (0, row * picture.height))
    counted = sorted(sheet.getcolors(sheet.width * sheet.height) or [], reverse=True)
    common = np.array([colour for _, colour in counted[: COLOURS // 2]]).ravel().tolist()
    spread = sheet.quantize(COLOURS // 2, method=Image.Quantize.MAXCOVERAGE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette(common + spread)
    return palette


def html(
    layout: Layout,
    game: Game,
    scores: Scores = None,
    *,
    title: str | None = None,
    horizon: int = HORIZON,
) -> str:
    """The game as one HTML file that plays without a network: every sprite once, and where each is at each step."""
    height, width = layout.terrain.shape
    data, cast = _recorded(layout, _with_scores(game, scores))
    blanks = {
        "title": escape(title or (name_of(layout) or "kitchen").replace("_", " ")),
        "size": f"{width * CELL} {height * CELL}",
        "ratio": f"{width / height:.4f}",
        "font": draw.FONT,
        "last": str(len(data["frames"]) - 1),
        "sprites": "\n".join(f'<g id="s{n}">{draw.svg_shapes(sprite.shapes)}</g>' for n, sprite in enumerate(cast)),
        "kitchen": "\n".join([draw.svg_shapes((draw.board(layout),)), *map(draw.svg_placed, draw.kitchen(layout))]),
        "data": json.dumps(data | {"horizon": horizon}, separators=(",", ":")).replace("<", "\\u003c"),
    }
    # One pass over the page, so that nothing in a blank is taken for a blank.
    page = Path(__file__).with_name("film.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda blank: blanks[blank[1]], page)


def _recorded(layout: Layout, history: list[tuple[State, float]]) -> tuple[dict, list[Sprite]]:
    """What the page's script needs to know of the game, and the sprites that occur in it."""
    numbers: dict[Sprite, int] = {}
    data = {
        "frames": [_where(layout, state, numbers) for state, _ in history],
        "clocks": [int(state.clock) for state, _ in history],
        "scores": [int(score) if score == int(score) else score for _, score in history],
        "names": [sprite.name for sprite in numbers],
        "seats": len(layout.start),
        "width": layout.terrain.shape[1],
        "cell": CELL,
    }
    return data, list(numbers)


def _where(layout: Layout, state: State, numbers: dict[Sprite, int]) -> list[int]:
    """Sprite number and cell of every cook in seat order, then of every pot and item; new sprites get a number."""
    width = layout.terrain.shape[1]
    placed = draw.cooks(layout, state) + draw.pots_and_items(layout, state)
    return [n for x, y, sprite in placed for n in (numbers.setdefault(sprite, len(numbers)), y * width + x)]
