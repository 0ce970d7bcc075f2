"""What a browser may say over its socket: one JSON object a frame, read into a record or refused with a sentence."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from cole.errors import UserError
from cole.kitchen.layouts import INTERACT
from cole.kitchen.trajectory import record, show, whole
from cole.web.limits import COUNTDOWN, LIMITS, STEPS, TICK

PERSON = "person"  # as a partner: somebody else who is invited
MOST_SEATS = 9


class New(NamedTuple):
    """A new game."""

    kitchen: str
    partner: str  # a player's id, or PERSON
    seat: int = 0
    tick: int = 150  # milliseconds
    steps: int = 400
    consent: bool = False  # to being recorded
    thoughts: bool = False  # whether to show what the partner is about to do
    countdown: int = 3  # seconds


class Join(NamedTuple):
    """The second person."""

    invite: str
    consent: bool = False


class Return(NamedTuple):
    """The same person again, after its socket dropped."""

    token: str


class Act(NamedTuple):
    """What to do at the next tick; a later one takes its place."""

    action: int


class Pause(NamedTuple):
    """Stops the clock, or lets it go on."""

    on: bool


class Thoughts(NamedTuple):
    """Whether to show what the partner is about to do."""

    on: bool


class Again(NamedTuple):
    """A rematch."""


class Leave(NamedTuple):
    """The end of the game."""


Frame = New | Join | Return | Act | Pause | Thoughts | Again | Leave


def text(value: Any, where: str) -> str:
    """A short text."""
    if not isinstance(value, str) or len(value) > LIMITS.names:
        raise UserError(f"{where}: {show(value)} is not a text of at most {LIMITS.names} letters")
    return value


def switch(value: Any, where: str) -> bool:
    """true or false."""
    if not isinstance(value, bool):
        raise UserError(f"{where}: {show(value)} is neither true nor false")
    return value


def within(low: int, high: int) -> Callable[[Any, str], int]:
    """A whole number between limits."""
    return lambda value, where: whole(value, low, high, where)


CHECKS: dict[str, Callable[[Any, str], Any]] = {
    "kitchen": text,
    "partner": text,
    "invite": text,
    "token": text,
    "seat": within(0, MOST_SEATS - 1),
    "tick": within(*TICK),
    "steps": within(*STEPS),
    "countdown": within(*COUNTDOWN),
    "action": within(0, INTERACT),
    "consent": switch,
    "thoughts": switch,
    "on": switch,
}
KINDS: dict[str, type[Frame]] = {
    "new": New,
    "join": Join,
    "return": Return,
    "act": Act,
    "pause": Pause,
    "thoughts": Thoughts,
    "again": Again,
    "leave": Leave,
}


def read(content: str) -> Frame:
    """The frame in a text; whatever else it is, is refused."""
    value = strict_json(content)
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise UserError(f"a frame is an object whose type is one of {', '.join(KINDS)}")
    made = KINDS[kind]
    needed = set(made._fields) - made._field_defaults.keys()
    fields = record(value, kind, needed | {"type"}, set(made._fields))
    return made(**{name: CHECKS[name](given, f"{kind}: {name}") for name, given in fields.items() if name != "type"})


def strict_json(content: str | bytes) -> Any:
    """A JSON value as the standard has it, which knows neither NaN nor Infinity."""

    def refuse(constant: str) -> Any:
        raise ValueError(constant)

    try:
        return json.loads(content, parse_constant=refuse)
    except (ValueError, RecursionError):  # a broken text, NaN, a number of thousands of digits, endless nesting
        raise UserError("this is not JSON") from None
