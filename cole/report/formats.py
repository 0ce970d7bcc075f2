"""A table as Markdown, LaTeX, CSV and HTML."""

import csv
import io
import math
from collections.abc import Sequence
from html import escape

from cole.report.tables import Row, Table

ESCAPES = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",  # after \\ it would be taken for a length
    "±": r"$\pm$",
    "\N{EN DASH}": "--",
    "\N{DAGGER}": r"$^\dagger$",
    "\N{MULTIPLICATION SIGN}": r"$\times$",
    "\N{RIGHTWARDS ARROW}": r"$\to$",
}
NUMBERS = ("value", "error", "low", "high")


def markdown(table: Table) -> str:
    """With its title above, and below it what it means and what made it."""
    rows = [[*row.keys, *(_starred(cell.text, cell.best) for cell in row.cells)] for row in table.rows]
    aligned = [*("---" for _ in table.keys), *("---:" for _ in table.columns)]
    lines = [_pipes([*table.keys, *table.columns]), "|" + "|".join(aligned) + "|", *map(_pipes, rows)]
    below = [*([table.about] if table.about else []), *table.notes, *(f"`{line}`" for line in origins(table))]
    return "\n".join([f"### {table.title}", "", *lines, "", "  \n".join(below), ""])


def latex(table: Table) -> str:
    """For `\\usepackage{booktabs}`; the command that made it stands above in a comment."""
    comments = [f"% {line}" for made in origins(table) for line in made.splitlines()]
    head = " & ".join(map(tex, [*table.keys, *table.columns]))
    rows = [f"{_tex_row(row)} \\\\" for row in table.rows]
    below = " ".join(map(tex, [table.about, *table.notes])).strip()
    return "\n".join(
        [
            *comments,
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{tex(table.title)}}}",
            rf"\label{{tab:{tex_label(table.name)}}}",
            rf"\begin{{tabular}}{{{'l' * len(table.keys)}{'r' * len(table.columns)}}}",
            r"\toprule",
            rf"{head} \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            *([rf"\par\smallskip{{\footnotesize {below}\par}}"] if below else []),
            r"\end{table}",
            "",
        ]
    )


def as_csv(table: Table) -> str:
    """A line for each cell, with all digits; an empty field where there is no number."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow([*(key or "row" for key in table.keys), "column", *NUMBERS, "lacks"])
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            numbers = [_digits(getattr(cell, name)) for name in NUMBERS]
            lines.writerow([*row.keys, column, *numbers, "; ".join(cell.lacks)])
    return text.getvalue()


def html(table: Table, below: str = "") -> str:
    """In a box of its own that scrolls sideways; `below` is HTML that stands under it."""
    head = "".join(f'<th scope="col">{escape(key)}</th>' for key in table.keys)
    head += "".join(f'<th scope="col" class="number">{escape(column)}</th>' for column in table.columns)
    body = "\n".join(map(_html_row, table.rows))
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in table.notes)
    about = f"<p>{escape(table.about)}</p>" if table.about else ""
    return (
        f'<section class="table" id="{escape(table.name)}"><h3>{escape(table.title)}</h3>{about}'
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(table.title)}">'
        f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>{notes}{below}</section>"
    )


def origins(table: Table) -> list[str]:
    """What made it, a line each: the commands, then the runs of every method."""
    return [*table.commands, *(f"{label}: {', '.join(folders)}" for label, folders in table.runs)]


def tex(text: str) -> str:
    """Plain text as LaTeX wants it."""
    return "".join(ESCAPES.get(character, character) for character in text)


def tex_label(name: str) -> str:
    """A name of letters, digits and - alone; a letter that is not of ASCII becomes its number."""
    return "".join(f"{ord(c):x}" if c.isalnum() and not c.isascii() else c if c.isalnum() else "-" for c in name)


def _tex_row(row: Row) -> str:
    cells = [rf"\textbf{{{tex(cell.text)}}}" if cell.best else tex(cell.text) for cell in row.cells]
    return " & ".join([*map(tex, row.keys), *cells])


def _html_row(row: Row) -> str:
    heads = "".join(f'<th scope="row">{escape(key)}</th>' for key in row.keys)
    cells = "".join(
        f"<td><strong>{escape(cell.text)}</strong></td>" if cell.best else f"<td>{escape(cell.text)}</td>"
        for cell in row.cells
    )
    return f"<tr{' class=soft' if row.soft else ''}>{heads}{cells}</tr>"


def _pipes(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _starred(text: str, best: bool) -> str:
    return f"**{text}**" if best else text


def _digits(value: float) -> str:
    return f"{value:.9g}" if math.isfinite(value) else ""
