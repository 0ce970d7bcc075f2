"""How figures look: one column wide, letters of 6 points or more, colour-blind safe, the same bytes every time."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize, PowerNorm
from matplotlib.figure import Figure

WIDTH = 3.3  # inches, one column
FONT = 6.5  # points
STYLE: dict[Any, Any] = {
    "font.size": FONT,
    "axes.titlesize": 7,
    "axes.linewidth": 0.5,
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
    "xtick.major.size": 2,
    "ytick.major.size": 2,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "cole",
}
HIGH_IS_DARK, LOW_IS_DARK = mpl.colormaps["cividis_r"], mpl.colormaps["cividis"]
NEWEST = "#d55e00"  # vermillion of the Okabe-Ito palette


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Writes figure as PDF and SVG, the same bytes every time."""
    paths = [folder / f"{name}.pdf", folder / f"{name}.svg"]
    with mpl.rc_context(STYLE):
        figure.savefig(paths[0], metadata={"CreationDate": None})
        figure.savefig(paths[1], metadata={"Date": None})
    return paths


def new_figure(height: float) -> Figure:
    """A figure one column wide."""
    return Figure(figsize=(WIDTH, height), layout="constrained")


def ink(colour) -> str:
    """Black or white, whichever can be read on `colour`."""
    red, green, blue = colour[:3]
    return "black" if 0.3 * red + 0.59 * green + 0.11 * blue > 0.5 else "white"


def span(values: np.ndarray) -> Normalize:
    """The range of colours for `values`; a constant matrix gets one of width 1."""
    low, high = float(np.min(values)), float(np.max(values))
    return Normalize(low, high if high > low else low + 1.0)


def eta_colours(n: int) -> Normalize:
    """The range of colours for eta; in a crowd cubed, since most of many strategies have an eta close to 1."""
    return Normalize(0, 1) if n <= 12 else PowerNorm(3, 0, 1)


def short(value: float) -> str:
    """At most about five characters for a number written into a cell."""
    if abs(value) >= 1e4 or 0 < abs(value) < 0.01:
        return f"{value:.0e}"
    return f"{value:.3g}" if abs(value) >= 1 else f"{value:.2g}"


def colour_bar(figure: Figure, axes, norm: Normalize, colours, label: str, **where) -> None:
    """A colour bar beside one or several axes; a cubed one with ticks that keep apart."""
    ticks = [0, 0.5, 0.7, 0.8, 0.9, 1] if isinstance(norm, PowerNorm) else None
    figure.colorbar(ScalarMappable(norm, colours), ax=axes, label=label, ticks=ticks, **where)


def colour_bar_below(figure: Figure, axes, norm: Normalize, colours, label: str, aspect: float = 20) -> None:
    """A horizontal colour bar under one or several axes."""
    colour_bar(figure, axes, norm, colours, label, orientation="horizontal", shrink=0.8, aspect=aspect, pad=0.01)
