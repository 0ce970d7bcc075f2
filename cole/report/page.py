"""The report as one HTML page that needs nothing else: pictures, tables and films are in it, and it asks no network."""

import base64
import io
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
from matplotlib.figure import Figure

from cole import __version__
from cole.report import formats
from cole.report.bars import LARGER
from cole.report.tables import Runs, Table

GENERATOR = "cole report"


class Section(NamedTuple):
    """A chapter of the page."""

    name: str  # its anchor
    title: str
    parts: list[str]  # HTML


class Words(NamedTuple):
    """What stands above the chapters."""

    title: str
    lead: str  # what is compared
    points: list[str]  # what came of it
    command: str  # what makes the page again


def page(words: Words, sections: Sequence[Section]) -> str:
    """All of it; a list of the chapters comes first."""
    blanks = {
        "title": escape(words.title),
        "lead": escape(words.lead),
        "points": "\n".join(f"<li>{escape(point)}</li>" for point in words.points),
        "contents": "\n".join(f'<li><a href="#{one.name}">{escape(one.title)}</a></li>' for one in sections),
        "sections": "\n".join(map(_section, sections)),
        "command": escape(words.command),
        "version": escape(__version__),
        "generator": GENERATOR,
    }
    template = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
    # One pass over the page, so that nothing in a blank is taken for a blank.
    return re.sub(r"\{\{(\w+)\}\}", lambda blank: blanks[blank[1]], template)


def _section(one: Section) -> str:
    return (
        f'<section class="chapter" id="{one.name}"><h2>{escape(one.title)}</h2>\n' + "\n".join(one.parts) + "</section>"
    )


def text(*sentences: str) -> str:
    """A paragraph."""
    return f"<p>{escape(' '.join(sentences))}</p>"


def heading(words: str) -> str:
    """Of a part of a chapter."""
    return f"<h3>{escape(words)}</h3>"


def table(one: Table, numbers: dict[str, int]) -> str:
    """A table, and below it what made it; runs are called by their numbers in the list at the end."""
    return formats.html(one, origin(one.commands, one.runs, numbers))


def origin(commands: Sequence[str], runs: Sequence[Runs], numbers: dict[str, int]) -> str:
    """What made something: a command, and links to the runs."""
    each = [f"{escape(label)} {', '.join(_link(numbers[one]) for one in folders)}" for label, folders in runs]
    code = "<br>".join(f"<code>{escape(command)}</code>" for command in commands)
    return f'<p class="origin">{code}' + (f"<br>runs: {'; '.join(each)}" if each else "") + "</p>"


def _link(number: int) -> str:
    return f'<a href="#run-{number}">{number}</a>'


def pictures(each: Sequence[str], below: str = "") -> str:
    """Figures side by side where there is room, else one below the other."""
    return f'<div class="pictures">{"".join(each)}</div>{below}'


def picture(svg: bytes, alt: str, caption: str = "", broad: bool = False) -> str:
    """A figure; as an image, nothing in it can run or ask for anything. A broad one has a line of its own."""
    data = base64.b64encode(svg).decode()
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    kind = f' class="broad" role="region" aria-label="{escape(alt.split(":")[0])}" tabindex="0"' if broad else ""
    return f'<figure{kind}><img src="data:image/svg+xml;base64,{data}" alt="{escape(alt)}">{below}</figure>'


def svg_of(figure: Figure) -> bytes:
    """A drawing as SVG, the same bytes every time."""
    file = io.BytesIO()
    with mpl.rc_context(LARGER):
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def film(html: str, ratio: float, title: str) -> str:
    """A game that plays, in a frame of its own: its keys and names are then its own as well."""
    inside = html.replace("&", "&amp;").replace("'", "&#39;")
    frame = f'<iframe title="{escape(title)}" sandbox="allow-scripts" loading="lazy" srcdoc=\'{inside}\'></iframe>'
    return f'<div class="film"><div class="screen" style="--ratio:{ratio:.4f}">{frame}</div></div>'
