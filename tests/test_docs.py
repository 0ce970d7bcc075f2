"""Documentation: links lead somewhere, and the pages' tables are whole."""

import csv
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from cole.evaluate.stats import mean_and_error

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
LINK = re.compile(r"\]\(([^)\s]+)\)")


def prose(page: Path) -> str:
    """Without blocks of code and code in a line, where brackets are no links."""
    return re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Of a page's headings: lower case, without punctuation, with dashes for spaces."""
    titles = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_file_and_a_heading_that_are_there(page):
    for link in LINK.findall(prose(page)):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_row_of_a_table_has_as_many_cells_as_its_head(page):
    for table in re.findall(r"(?:^\|.*\n)+", prose(page), re.MULTILINE):
        counts = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(counts) == 1, table[:200]


def test_the_table_with_the_proxy_says_what_the_seeds_earned():
    earned = defaultdict[tuple[str, str], list[tuple[float, float]]](list)
    for line in csv.DictReader((ROOT / "docs" / "data" / "proxy.csv").read_text().splitlines()):
        earned[line["kitchen"], line["method"]].append((float(line["seat 0"]), float(line["seat 1"])))
    words = (ROOT / "docs" / "results.md").read_text("utf-8").split("## With the human proxy")[1]
    head, _, *lines = (line.strip("|\n").split("|") for line in re.findall(r"^\|.*\n", words, re.MULTILINE)[:20])
    table = {
        line[0].strip().replace("`", ""): dict(zip([cell.strip() for cell in head], line, strict=True))
        for line in lines
    }
    assert len(earned) == 35
    for (kitchen, method), seeds in earned.items():
        first, second = np.mean(seeds, axis=0)
        mean, error = mean_and_error(np.mean(seeds, axis=1))
        said = table[method][kitchen].replace("*", "").strip()
        assert said == f"{first:.0f} / {second:.0f}: {mean:.1f} ± {error:.1f}", (kitchen, method)
