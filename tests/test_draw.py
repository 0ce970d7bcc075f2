"""Pictures show every difference between two states, and are well-formed wherever they go."""

import io
import json
import re
import runpy
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from PIL import Image
from rich.text import Text

from cole.kitchen import draw, film, game, layouts, pixels, sprites
from cole.kitchen.layouts import COUNTER, FLOOR, POT

CRAMPED = layouts.load("cramped_room")
KINDS = CRAMPED.terrain.ravel()
POT_CELL, COUNTER_CELL = np.flatnonzero(KINDS == POT)[0], np.flatnonzero(KINDS == COUNTER)[0]
MIDDLE = draw.as_numpy(game.random_state(jax.random.key(7), CRAMPED))
CROWDED = layouts.parse("XXPXXXX\nO12345D\nX6789 S\nXXXXXXX")
CRAMPED_OF_FOUR = layouts.parse("XXPXX\nO 32O\nX1 4X\nXDXSX")
ALONE = layouts.parse("XPX\nO1S\nXDX")


def drawn_svg(layout, state, score=0):
    """The SVG less its words: what can be seen."""
    return re.sub(r"<title>.*</desc>| aria-label=\"[^\"]*\"", "", draw.svg(layout, state, score), flags=re.DOTALL)


def pixel_bytes(layout, state, score=0):
    return pixels.image(layout, state, score, cell=32).tobytes()


def with_entry(state, field, index, value):
    array = getattr(state, field).copy()
    array[index] = value
    return state._replace(**{field: array})


def states_that_differ(change):
    """MIDDLE with one field taking every value it can take."""
    free = [cell for cell in np.flatnonzero(KINDS == FLOOR) if cell != MIDDLE.cell[1]]
    entries = {
        "cell": ("cell", 0, free),
        "facing": ("facing", 0, range(4)),
        "held": ("held", 1, range(game.SOUP + 1)),
        "counter": ("contents", COUNTER_CELL, range(game.SOUP + 1)),
        "pot": ("contents", POT_CELL, range(game.READY + 1)),
    }
    if change == "clock":
        return [MIDDLE._replace(clock=np.int32(clock)) for clock in (0, 1, 10, 100, 399, 400)]
    if change == "swapped cooks":
        return [MIDDLE, MIDDLE._replace(cell=MIDDLE.cell[::-1])]
    field, index, values = entries[change]
    return [with_entry(MIDDLE, field, index, value) for value in values]


def walk(layout, steps, seed=0):
    """A game nobody played: everything moves at random, but all of it can be drawn."""
    chance = np.random.default_rng(seed)
    kinds, seats = layout.terrain.ravel(), len(layout.start)
    floor = np.flatnonzero(kinds == FLOOR)
    limit = np.select([kinds == COUNTER, kinds == POT], [game.SOUP + 1, game.READY + 1], 1)
    return game.State(
        cell=np.stack([chance.permutation(floor)[:seats] for _ in range(steps + 1)]),
        facing=chance.integers(0, 4, (steps + 1, seats)),
        held=chance.integers(0, 4, (steps + 1, seats)),
        contents=chance.integers(0, np.broadcast_to(limit, (steps + 1, kinds.size))),
        clock=np.arange(steps + 1),
    )


@pytest.mark.parametrize("picture", [draw.text, drawn_svg, pixel_bytes])
@pytest.mark.parametrize("change", ["cell", "facing", "held", "counter", "pot", "clock", "swapped cooks"])
def test_states_that_differ_in_one_thing_look_different(change, picture):
    states = states_that_differ(change)
    assert len({picture(CRAMPED, state) for state in states}) == len(states) > 1


@pytest.mark.parametrize("picture", [draw.text, drawn_svg, pixel_bytes])
def test_scores_look_different_and_the_same_state_looks_the_same(picture):
    assert len({picture(CRAMPED, MIDDLE, score) for score in (0, 20, 40, 3.5)}) == 4
    assert picture(CRAMPED, MIDDLE, 20) == picture(CRAMPED, jax.tree.map(jnp.asarray, MIDDLE), jnp.float32(20))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(some.integers(0, 10_000), some.integers(0, 10_000))
def test_two_random_states_share_a_picture_only_if_they_are_equal(one, other):
    layout = layouts.load("counter_circuit")
    a, b = (film.listed(walk(layout, 0, seed))[0] for seed in (one, other))
    for picture in (draw.text, drawn_svg, draw.describe):
        assert (picture(layout, a) == picture(layout, b)) == (one == other)


def test_every_cook_pot_and_item_has_a_look_and_a_name_of_its_own():
    cast = [sprites.cook(*pose) for pose in product(range(9), range(4), range(4))]
    cast += [sprites.pot(content) for content in range(game.READY + 1)] + [sprites.item(kind) for kind in (1, 2, 3)]
    assert len({sprite.name for sprite in cast}) == len({sprite.shapes for sprite in cast}) == len(cast)


def test_text_is_aligned_and_says_what_stands_where():
    state = game.State(np.array([6, 13]), np.array([0, 3]), np.array([1, 0]), np.zeros(20, int), np.int32(12))
    state = with_entry(with_entry(state, "contents", 2, 3 + 8), "contents", 17, game.DISH)
    assert draw.text(CRAMPED, state, 20).splitlines() == [
        "score 20   step 12/400",
        "",
        "X    X    P 12 X    X",
        "O    1^o  .    .    O",
        "X    .    .    2<   X",
        "X    D    X d  S    X",
    ]


def test_coloured_text_is_the_plain_text_once_the_colours_are_off():
    coloured = draw.text(CRAMPED, MIDDLE, 20, rich=True)
    plain = "\n".join(line.rstrip() for line in Text.from_markup(coloured).plain.splitlines())
    assert coloured != plain == draw.text(CRAMPED, MIDDLE, 20)


@pytest.mark.parametrize("name", layouts.MAPS)
def test_svg_is_sound_stands_alone_and_speaks(name):
    layout = layouts.load(name)
    source = draw.svg(layout, game.reset(layout), 20)
    root = ElementTree.fromstring(source)
    title, desc = root[0].text, root[1].text
    assert root.get("role") == "img" and root.get("aria-label") == title
    assert name.replace("_", " ") in title and "score 20, step 0 of 400" in title
    assert "cook 1 facing north at" in desc and "empty pot" in desc
    assert source.count("://") == 1 and "href" not in source and "<image" not in source


@pytest.mark.parametrize("layout", [ALONE, CRAMPED_OF_FOUR, CROWDED], ids=["one", "four", "nine"])
def test_any_number_of_seats_can_be_drawn(layout):
    seats = len(layout.start)
    state = game.reset(layout)
    words = ElementTree.fromstring(draw.svg(layout, state))[1].text
    assert all(f"cook {seat + 1} facing north" in words for seat in range(seats))
    assert all(f"{seat + 1}^" in draw.text(layout, state) for seat in range(seats))
    hats = [pixels.image(layout, state, cell=64).getcolors(1 << 20)]
    seen = {colour for _, colour in hats[0]}
    assert all(tuple(bytes.fromhex(colour[1:])) in seen for colour in sprites.SEAT_COLOURS[:seats])
    assert film.html(layout, [state]).count('<g id="s') == seats + 1


def test_a_cook_further_south_stands_in_front():
    below = with_entry(with_entry(MIDDLE, "cell", 0, 12), "cell", 1, 7)
    assert [placed.sprite.name[:6] for placed in draw.scene(CRAMPED, below)[-2:]] == ["cook 2", "cook 1"]


def test_pixels_have_the_shape_of_the_svg():
    width, height = draw.size(CRAMPED)
    assert pixels.image(CRAMPED, MIDDLE, cell=64).size == (width, height)
    assert pixels.image(CRAMPED, MIDDLE, cell=32).size == (width // 2, height // 2)


def test_a_gif_has_a_picture_per_state_and_rests_on_the_last():
    played = walk(CRAMPED, 12)
    with Image.open(io.BytesIO(film.gif(CRAMPED, played, seconds=0.2))) as animation:
        durations = []
        for step in range(animation.n_frames):
            animation.seek(step)
            durations.append(animation.info["duration"])
        assert animation.info["loop"] == 0
    assert durations == [200] * 12 + [1500]


def test_a_gif_keeps_the_colours():
    played = walk(CROWDED, 5)
    animation = Image.open(io.BytesIO(film.gif(CROWDED, played)))
    for step, picture in enumerate(film.frames(CROWDED, played)):
        animation.seek(step)
        off = np.abs(np.asarray(animation.convert("RGB"), int) - np.asarray(picture, int))
        assert off.max() < 48 and np.mean(off == 0) > 0.8  # large areas exactly


def test_a_list_of_states_and_a_state_with_a_time_axis_are_the_same_game():
    played, scores = walk(CRAMPED, 6), [0, 0, 20, 20, 20, 40, 40]
    on_device = jax.tree.map(jnp.asarray, played)
    for make in (film.gif, film.html):
        assert make(CRAMPED, film.listed(played), scores) == make(CRAMPED, on_device, np.array(scores))


def test_a_game_with_too_few_scores_is_refused():
    with pytest.raises(ValueError, match="3 states, 2 scores"):
        film.html(CRAMPED, walk(CRAMPED, 2), [0, 20])


def test_the_running_score_starts_at_nothing_and_adds_all_seats():
    assert film.running_score(np.array([0.0, 20.0, 0.0])).tolist() == [0, 0, 20, 20]
    assert film.running_score(np.array([[0, 0], [20, 20], [0, 20]])).tolist() == [0, 0, 40, 60]


def test_the_html_loads_nothing_and_escapes_its_title():
    page = film.html(CRAMPED, walk(CRAMPED, 3), title="</title><script>alert('{{data}}')</script>")
    assert "://" not in page and "src=" not in page and "@import" not in page and "url(" not in page
    assert set(re.findall(r'href="([^"]*)', page)) <= {"#s"}
    assert "<script>alert" not in page and page.count("&lt;script&gt;alert(&#x27;{{data}}&#x27;)") == 2
    assert "{{" not in page.replace("{{data}}&#x27;", "")


def test_the_html_holds_the_whole_game_in_little_room():
    played, scores = walk(CRAMPED, 400), np.arange(401) // 50 * 20
    page = film.html(CRAMPED, played, scores)
    data = json.loads(re.search(r'id="data">(.*?)</script>', page)[1])
    for step, state in enumerate(film.listed(played)):
        shown = zip(data["frames"][step][::2], data["frames"][step][1::2], strict=True)
        words = [f"{data['names'][n]} at column {cell % 5 + 1}, row {cell // 5 + 1}" for n, cell in shown]
        assert "; ".join(words) == draw.describe(CRAMPED, state)
    assert data["scores"] == scores.tolist() and data["clocks"] == list(range(401)) and data["seats"] == 2
    assert page.count('<g id="s') == len(data["names"])
    assert len(page) < 250_000


def test_the_pictures_in_the_docs_are_what_the_code_draws():
    docs = Path(__file__).parents[1] / "docs"
    made = runpy.run_path(str(docs / "make_pictures.py"))
    for name in layouts.MAPS:
        layout = layouts.load(name)
        state = made["arranged"](layout, *made["SCENES"][name])
        assert (docs / "pictures" / f"{name}.svg").read_text() == draw.svg(layout, state, score=40), "make pictures"
