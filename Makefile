# Everything a developer does, by one word each. `make` alone lists them.

PYTHON ?= python3
BIN := .venv/bin
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
CONSTRAINTS := constraints-$(VERSION).txt

.PHONY: help setup demo play chromium test test-slow lint types format bench pictures clean

help:  ## list what can be made
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*##/\t/' | expand -t 12

setup: .venv/ready  ## make .venv with the pinned versions of everything

.venv/ready: pyproject.toml constraints-3.11.txt constraints-3.12.txt
	@test -f $(CONSTRAINTS) || { echo "cole needs Python 3.11 or 3.12, $(PYTHON) is $(VERSION): make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint $(CONSTRAINTS) pip
	$(BIN)/python -m pip install --quiet --constraint $(CONSTRAINTS) --build-constraint $(CONSTRAINTS) --editable '.[dev]'
	@touch $@

DEMO := runs/cramped_room
DEMO_COLE := $(DEMO)/cole/demo

# Whatever is done already is not done again: a demo that was stopped goes on where it was.
demo: setup  ## train self-play and COLE in one kitchen, let them play with others, see how COLE learned (3 to 8 minutes)
	$(BIN)/cole train sp --layout cramped_room --size quick --resume
	$(BIN)/cole train cole --layout cramped_room --size quick --generations 20 --name demo --resume
	$(BIN)/cole crossplay $(DEMO) cole-1to3-default/seed-0 h_proxy/seed-0 greedy_cook random --episodes 10 --out crossplay-cramped_room
	$(BIN)/cole analyze $(DEMO_COLE) --count 12
	$(BIN)/cole report $(DEMO) --baselines SP --episodes 20 --episodes-proxy 10 --out report --open
	@echo
	@echo 'agents            $(DEMO)/*/*/agents (a page about each: README.md)'
	@echo 'who earns what    crossplay-cramped_room/payoff.csv, crossplay.json'
	@echo 'how COLE learned  $(DEMO_COLE)/analysis/*.pdf'
	@echo 'all on one page   report/index.html'
	@echo 'all runs          $(BIN)/cole runs'

play: setup  ## open the page: cook with agents, watch them, look into populations
	$(BIN)/cole play

# Browser tests need a browser; without one they are skipped, and their number is told.
chromium:
	@command -v chromium >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	  && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } \
	  >/dev/null 2>&1 || echo 'no chromium: tests in a browser will be skipped'

test: setup chromium  ## run the tests (minutes on two cores)
	$(BIN)/python -m pytest -n auto --dist loadfile

test-slow: setup  ## run the tests that take long
	$(BIN)/python -m pytest -m slow

lint: setup  ## check style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup  ## check types
	$(BIN)/pyright

format: setup  ## put the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup  ## measure speed; one JSON line per figure
	$(BIN)/python bench/kitchen.py
	$(BIN)/python bench/solver.py

pictures: setup  ## draw the pictures of docs/ again
	$(BIN)/python docs/make_pictures.py
	$(BIN)/python docs/make_figures.py
	$(BIN)/python docs/make_overview.py
	$(BIN)/python docs/make_results.py

clean:  ## remove the virtual environment and caches
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
