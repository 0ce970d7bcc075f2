"""A method as the command line sees it: its options, and what makes a program of them."""

from collections.abc import Callable
from typing import Any, NamedTuple

from cole.kitchen.layouts import Layout
from cole.program import Program


class Ready(NamedTuple):
    """A run that could begin; everything is checked and nothing compiled."""

    setting: Any  # everything that decides it beside kitchen and seeds, with fields `view` and `half`
    program: Program
    called: str = ""  # what its name has beside recipe, size and seeds
    beside: dict[str, Any] = {}  # what else decides it, as JSON: the agents it begins with
    notice: str = ""  # what the user should know before it begins
    parts: tuple[Any, ...] = ()  # the options of each run, where these are several in one program (see `together`)


class Method(NamedTuple):
    """One way to train agents."""

    options: type  # a frozen dataclass with `run`, `learning` and the method's own fields; its docstring is the help
    prepare: Callable[[Any, Layout], Ready]  # (options, kitchen) -> Ready, or a sentence
