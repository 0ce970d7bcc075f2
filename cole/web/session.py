"""A game as others see it: who is in it, what they are told, and how long it waits for whom.

Whoever speaks to a session (see `lobby`) changes its records and calls `stir`; everything else happens in its one task
(see `course`), so that nothing is ever half done.
"""

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import numpy as np

from cole.evaluate.players import Player
from cole.kitchen.game import State
from cole.kitchen.layouts import STAY, Layout
from cole.web import cooking, scenes
from cole.web.cooking import Kitchen, Thought
from cole.web.frames import PERSON, New
from cole.web.limits import Limits
from cole.web.outbox import Outbox, say


@dataclass
class Person:
    """Somebody in a seat."""

    seat: int
    token: str  # brings the same person back
    browser: str | None  # as `guards` knows it; the token is worth nothing in another
    outbox: Outbox | None  # None while the socket is away
    consent: bool
    thoughts: bool
    since: float = 0.0  # when the socket was lost, or the pause began
    action: int = STAY
    paused: bool = False
    again: bool = False
    held: str | None = None  # why the clock stands still, as this person was last told


@dataclass
class Session:
    """A game, or several with the same people."""

    asked: New
    layout: Layout
    player: Player | None  # the partner; None: another person
    address: str
    limits: Limits
    invite: str | None = None
    people: list[Person] = field(default_factory=list)
    left: bool = False  # whether somebody has
    phase: str = "waiting"  # then counting, cooking, over, closed
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    kitchen: Kitchen | None = None  # once it is compiled
    state: State | None = None
    thought: Thought | None = None
    score: int = 0
    count: int = 0  # seconds the countdown has left
    actions: list[np.ndarray] = field(default_factory=list)
    ended: dict[str, Any] | None = None
    late: list[float] = field(default_factory=list)  # seconds by which each tick came after its deadline


# Waiting


def stir(session: Session) -> None:
    """Something has changed that the session may be waiting for."""
    session.changed.set()


async def news(session: Session, until: float, patient: bool = False) -> None:
    """Waits until something changes, or for so long; a patient one goes on waiting unless somebody has left."""
    while (left := until - monotonic()) > 0:
        session.changed.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(session.changed.wait(), left)
        if not patient or session.left:
            return


async def clear(session: Session) -> str | None:
    """Waits while somebody is away or has paused, and tells all; why the game has to end, if it has to."""
    while standing(session) and not over(session):
        tell_pauses(session)
        await news(session, min(patience(session)))
    tell_pauses(session)
    return over(session)


def standing(session: Session) -> bool:
    """Whether the clock has to stand still."""
    return session.left or any(person.paused or not person.outbox for person in session.people)


def over(session: Session) -> str | None:
    """Why the game cannot go on."""
    if session.left:
        return "left"
    return "gone" if away_too_long(session) else None


def away_too_long(session: Session) -> bool:
    """Whether somebody has been away, or has paused, for longer than is waited."""
    return min(patience(session), default=float("inf")) <= monotonic()


def patience(session: Session) -> list[float]:
    """Until when each of those is waited for who are away or have paused; nobody else is."""
    limits = session.limits
    away = [person.since + limits.away for person in session.people if not person.outbox]
    paused = [person.since + limits.pause for person in session.people if person.outbox and person.paused]
    return [*away, *paused, float("inf")]


# What people are told


def tell(session: Session, frame: dict[str, Any]) -> None:
    """Everybody the same."""
    for person in session.people:
        say(person.outbox, frame)


def tell_pauses(session: Session) -> None:
    """Whoever does not know yet that the clock stands still or goes on, and why."""
    for person in session.people:
        why = reason(session, person)
        if person.outbox and why != person.held:
            say(person.outbox, {"type": "paused", "on": why is not None, "why": why or person.held})
            person.held = why


def reason(session: Session, person: Person) -> str | None:
    """Why the clock stands still, as this person sees it."""
    others = [other for other in session.people if other is not person]
    if person.paused:
        return "you"
    if any(not other.outbox for other in others):
        return "connection"
    return "partner" if any(other.paused for other in others) else None


def welcome(session: Session, person: Person) -> dict[str, Any]:
    """What a person needs to know when it comes in, or back."""
    seats = {other.seat for other in session.people}
    names = ["another person" if seat in seats else partner_name(session) for seat in range(len(session.layout.start))]
    names[person.seat] = "you"
    return {
        "type": "welcome",
        "token": person.token,
        "seat": person.seat,
        "kitchen": scenes.kitchen(session.asked.kitchen, session.layout),
        "players": names,
        "tick": session.asked.tick,
        "steps": session.asked.steps,
        "invite": session.invite,
    }


def catch_up(session: Session, person: Person) -> None:
    """Tells a person who has come back all it needs to go on."""
    say(person.outbox, welcome(session, person))
    if session.phase == "waiting" and len(session.people) < wanted(session):
        say(person.outbox, {"type": "waiting"})
    if session.state is not None:
        say(person.outbox, state_frame(session, person, []))
    if session.phase == "counting":
        say(person.outbox, {"type": "countdown", "seconds": session.count})
    if session.phase == "over" and session.ended:
        say(person.outbox, session.ended)


def state_frame(session: Session, person: Person, events: list[list[Any]]) -> str:
    """The state, and for whoever wants to see it what the partner is about to do."""
    assert session.state is not None
    seen = scenes.state(session.layout, session.state, session.score, session.asked.steps)
    frame = {"type": "state", **seen, "events": events}
    if person.thoughts and session.kitchen and session.thought:
        frame["thoughts"] = cooking.shown(session.kitchen, session.thought)
    return json.dumps(frame, separators=(",", ":"))


def wanted(session: Session) -> int:
    """How many people there should be."""
    return 1 if session.player else 2


def partner_name(session: Session) -> str:
    return session.player.name if session.player else PERSON
