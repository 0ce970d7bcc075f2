"""Data flows one way: each room imports only what stands below it, and every new room must be entered here."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "cole"

# Room -> the rooms of `cole` it may import. A room is a top-level module or folder; a folder may import itself.
MAY_IMPORT = {
    "errors": set(),
    "config": set(),
    "kitchen": {"errors"},
    "human": {"errors", "kitchen", "policy"},
    "sealed": {"errors"},
    "policy": {"errors", "kitchen", "sealed"},
    "rollout": {"kitchen", "policy"},
    "program": set(),
    "rehearsal": {"program"},
    "ppo": set(),
    "population": set(),
    "partners": set(),
    "objectives": {"kitchen", "policy", "ppo", "rollout"},
    "learning": {"policy", "ppo", "rollout"},
    "trainer": {"kitchen", "learning", "objectives", "partners", "policy", "population", "program", "rollout"},
    "pagerank": set(),
    "graph": {"pagerank"},
    "coalition": {"graph", "pagerank"},
    "solver": {"coalition", "graph", "pagerank"},
    "simulator": {"graph", "kitchen", "policy", "population", "rollout"},
    "oracle": {"graph", "learning", "partners", "population", "solver", "trainer"},
    "pool": {"kitchen", "learning", "objectives", "partners", "policy", "population", "ppo", "program", "trainer"},
    "solo": {"kitchen", "learning", "objectives", "partners", "policy", "population", "ppo", "program", "trainer"},
    "stages": {"config", "errors", "evaluate", "kitchen", "numbers", "options", "pool", "solo"},
    "methods": {
        "config",
        "errors",
        "evaluate",
        "graph",
        "kitchen",
        "method",
        "numbers",
        "objectives",
        "options",
        "oracle",
        "partners",
        "policy",
        "pool",
        "population",
        "ppo",
        "program",
        "rollout",
        "simulator",
        "solo",
        "solver",
        "stages",
        "learning",
        "trainer",
    },
    "method": {"kitchen", "program"},
    "numbers": {"errors", "kitchen", "learning", "ppo"},
    "options": {"config", "errors", "kitchen", "learning", "ppo", "runfolder"},
    "paper": {"kitchen", "learning", "methods", "numbers", "oracle", "ppo", "solver"},
    "phases": {"kitchen", "learning", "methods", "oracle", "partners", "ppo", "program", "simulator", "trainer"},
    "settings": {
        "together",
        "config",
        "errors",
        "kitchen",
        "method",
        "methods",
        "options",
        "oracle",
        "paper",
        "phases",
        "policy",
        "solver",
    },
    "menu": {"config", "method", "methods", "settings"},
    "evaluate": {"errors", "journal", "kitchen", "policy", "rollout", "runfolder", "sealed"},
    "report": {"coalition", "errors", "evaluate", "graph", "kitchen", "sealed", "solver", "__init__"},
    "web": {
        "errors",
        "evaluate",
        "graph",
        "human",
        "journal",
        "kitchen",
        "policy",
        "report",
        "runfolder",
        "sealed",
        "__init__",
    },
    "checkpoint": {"errors", "sealed"},
    "journal": {"errors", "program"},
    "runfolder": {"errors", "program", "sealed", "__init__"},
    "run": {"checkpoint", "errors", "journal", "program", "runfolder", "sealed"},
    "together": {"errors", "journal", "program", "runfolder", "sealed"},
    "trackers": {"errors", "journal"},
    "campaign": {"checkpoint", "errors", "evaluate", "kitchen", "runfolder"},
    "bundles": {"campaign", "kitchen", "runfolder", "together"},
    "zoo": {"errors", "evaluate", "policy", "report", "runfolder"},
    "verbs": {
        "bundles",
        "together",
        "api",
        "campaign",
        "checkpoint",
        "coalition",
        "config",
        "errors",
        "evaluate",
        "graph",
        "human",
        "journal",
        "kitchen",
        "menu",
        "options",
        "policy",
        "program",
        "rehearsal",
        "report",
        "rollout",
        "run",
        "runfolder",
        "sealed",
        "solver",
        "trackers",
        "web",
        "zoo",
        "__init__",
    },
    "api": {"errors", "evaluate", "graph", "kitchen", "report", "solver"},
    "cli": {"config", "errors", "verbs", "__init__"},
    "__init__": set(),
}

# Inside the kitchen, too: the rules know nothing of what is seen, drawn or stored.
KITCHEN_ORDER = ["layouts", "game", "symmetries", "views", "shapes", "sprites", "draw", "pixels", "film", "trajectory"]
KITCHEN_ORDER += ["overcooked_states", "overcooked_ai", "adapters"]


def imports(file: Path) -> set[str]:
    """The modules of `cole` a file imports, as dotted names."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            found |= {f"{node.module}.{name.name}" for name in node.names}
    return {name for name in found if name.split(".")[0] == "cole"}


def files() -> list[str]:
    return sorted(str(file.relative_to(ROOT)) for file in ROOT.rglob("*.py"))


def room(name: str) -> str:
    """cole.kitchen.game.State -> kitchen; cole.__version__ -> __init__."""
    top = name.split(".")[1] if "." in name else "__init__"
    return top if (ROOT / top).is_dir() or (ROOT / f"{top}.py").exists() else "__init__"


@pytest.mark.parametrize("file", files())
def test_a_room_imports_only_what_stands_below_it(file):
    own = file.split("/")[0].removesuffix(".py")
    assert own in MAY_IMPORT, f"the room {own} is new: say in MAY_IMPORT what it may import"
    upward = {name for name in imports(ROOT / file) if room(name) not in MAY_IMPORT[own] | {own}}
    assert not upward, f"{file} imports {upward}"


def test_no_two_rooms_import_each_other():
    done: set[str] = set()
    while ready := [name for name, below in MAY_IMPORT.items() if name not in done and below <= done]:
        done |= set(ready)
    assert done == set(MAY_IMPORT)


@pytest.mark.parametrize("file", [name for name in files() if name.startswith("kitchen/")])
def test_inside_the_kitchen_nothing_looks_up(file):
    own = file.split("/")[1].removesuffix(".py")
    if own == "__init__":
        assert not imports(ROOT / file)
        return
    names = [name.removeprefix("cole.kitchen.").split(".")[0] for name in imports(ROOT / file) if "kitchen" in name]
    allowed = KITCHEN_ORDER[: KITCHEN_ORDER.index(own) + 1]
    assert set(names) <= set(allowed), f"{file} imports {set(names) - set(allowed)}"


def test_the_rules_need_only_jax_and_numpy():
    for file in ("kitchen/layouts.py", "kitchen/game.py", "kitchen/views.py"):
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        tops = {n.module.split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module}
        tops |= {name.name.split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.Import) for name in n.names}
        assert tops <= {"jax", "numpy", "cole", "collections", "itertools", "pathlib", "typing"}, file
