"""Figures 4 and 5 of an evaluation as pictures: a file for each kitchen and figure, as the report page has them.

python studies/bars.py report/games --out docs/figures
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
from claims import read
from matplotlib.figure import Figure

from cole.evaluate import proxy
from cole.report import bars
from cole.report.comparison import kitchen_title
from cole.report.published import IN_FIGURE_5, RATIOS
from cole.report.style import STYLE

FIGURES = {"figure5": IN_FIGURE_5, "figure4": RATIOS}


def drawn(evaluation: Path) -> Iterator[tuple[str, Figure]]:
    """Name and picture of each; a method that nobody evaluated is left out, and so is a figure of a single one."""
    for kitchen, one in read(evaluation).proxy.items():
        rows, palette = proxy.rows(one), bars.colours([*one.labels, *IN_FIGURE_5, *RATIOS])
        for name, wanted in FIGURES.items():
            labels = [label for label in wanted if label in one.labels]
            if len(labels) > 1:
                yield f"{name}_{kitchen}", bars.chart(kitchen_title(kitchen), rows, labels, palette)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("evaluation", type=Path)
    parser.add_argument("--out", type=Path, default=Path("docs/figures"))
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    for name, figure in drawn(asked.evaluation):
        with mpl.rc_context(STYLE):
            figure.savefig(asked.out / f"{name}.svg", metadata={"Date": None})
        print(asked.out / f"{name}.svg")


if __name__ == "__main__":
    main()
