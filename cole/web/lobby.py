"""Who is in which game: seats people at new games, as guests or where they were, and hands on what they say."""

import asyncio
import logging
import secrets
from collections import Counter, deque
from dataclasses import dataclass, field
from time import monotonic

from cole.errors import UserError
from cole.kitchen.layouts import STAY
from cole.web import catalogue, frames
from cole.web.catalogue import Catalogue
from cole.web.course import Keep, Warm, live
from cole.web.frames import PERSON, Frame
from cole.web.limits import Limits
from cole.web.outbox import Outbox, refuse, say
from cole.web.session import Person, Session, catch_up, stir, welcome

RESTING = 4  # times as many sessions as games: those over, whose people may want another
LATE = 100_000  # ticks whose punctuality is remembered
LOG = logging.getLogger("cole.web")


@dataclass
class Visitor:
    """A socket, and the seat it has."""

    outbox: Outbox
    address: str
    browser: str | None
    session: Session | None = None
    person: Person | None = None


@dataclass
class Lobby:
    """All sessions of the server."""

    catalogue: Catalogue
    limits: Limits
    warm: Warm
    keep: Keep
    sessions: dict[asyncio.Task, Session] = field(default_factory=dict)
    tokens: dict[str, tuple[Session, Person]] = field(default_factory=dict)
    invites: dict[str, Session] = field(default_factory=dict)
    sockets: Counter = field(default_factory=Counter)  # by address
    late: deque[float] = field(default_factory=lambda: deque(maxlen=LATE))  # of ticks of games that are over


def hear(lobby: Lobby, visitor: Visitor, frame: Frame) -> None:
    """Does what a frame asks for, or refuses it with a sentence."""
    match frame:
        case frames.New():
            new(lobby, visitor, frame)
        case frames.Join():
            join(lobby, visitor, frame)
        case frames.Return():
            come_back(lobby, visitor, frame.token)
        case _:
            act(visitor, frame)


def new(lobby: Lobby, visitor: Visitor, asked: frames.New) -> None:
    """Opens a session."""
    layout = catalogue.kitchen(lobby.catalogue, asked.kitchen)
    if asked.seat >= len(layout.start):
        raise UserError(f"new: seat: this kitchen has {len(layout.start)} seats, counted from 0")
    if asked.partner == PERSON and len(layout.start) != 2:
        raise UserError("two people can cook together in kitchens of two seats only")
    player = None if asked.partner == PERSON else catalogue.player(lobby.catalogue, asked.partner, layout)
    leave(visitor, told=False)
    check_room(lobby, visitor.address)
    invite = None if player else secrets.token_urlsafe(9)
    session = Session(asked, layout, player, visitor.address, lobby.limits, invite)
    seat(lobby, visitor, session, asked.seat, asked.consent, asked.thoughts)
    if invite:
        lobby.invites[invite] = session
        say(visitor.outbox, {"type": "waiting"})
    task = asyncio.get_running_loop().create_task(live(session, lobby.warm, lobby.keep))
    lobby.sessions[task] = session
    task.add_done_callback(lambda done: forget(lobby, done))


def check_room(lobby: Lobby, address: str) -> None:
    """Refuses a game too many."""
    going = [session for session in lobby.sessions.values() if session.phase != "over" and not session.left]
    if len(going) >= lobby.limits.games or len(lobby.sessions) >= RESTING * lobby.limits.games:
        raise UserError("all kitchens are taken: try again in a few minutes")
    if sum(session.address == address for session in going) >= lobby.limits.games_per_address:
        raise UserError(f"there are {lobby.limits.games_per_address} games from your address already: leave one first")


def join(lobby: Lobby, visitor: Visitor, asked: frames.Join) -> None:
    """Takes the second seat; an invitation is good for one person."""
    session = lobby.invites.get(asked.invite)
    if session is None or session is visitor.session:
        raise UserError("this invitation is not good, or no longer")
    leave(visitor, told=False)
    del lobby.invites[asked.invite]
    session.invite = None
    seat(lobby, visitor, session, 1 - session.people[0].seat, asked.consent, False)


def seat(lobby: Lobby, visitor: Visitor, session: Session, number: int, consent: bool, thoughts: bool) -> None:
    """A person in a seat, who can come back to it."""
    person = Person(number, secrets.token_urlsafe(16), visitor.browser, visitor.outbox, consent, thoughts)
    session.people.append(person)
    lobby.tokens[person.token] = (session, person)
    visitor.session, visitor.person = session, person
    say(visitor.outbox, welcome(session, person))
    stir(session)


def come_back(lobby: Lobby, visitor: Visitor, token: str) -> None:
    """The seat one had; a socket that still seems to be there is replaced, as after a reload of the page."""
    session, person = lobby.tokens.get(token, (None, None))
    if session is None or person is None or person.browser != visitor.browser:
        raise UserError("this game is over, or not yours")
    if visitor.person is not person:
        leave(visitor, told=False)
    if person.outbox and person.outbox is not visitor.outbox:
        refuse(person.outbox, "you came back in another window", fatal=True)
    person.outbox, person.paused, person.held = visitor.outbox, False, None
    visitor.session, visitor.person = session, person
    catch_up(session, person)
    stir(session)


def act(visitor: Visitor, frame: Frame) -> None:
    """What somebody in a game does."""
    session, person = visitor.session, visitor.person
    if session is None or person is None or session.phase == "closed":
        raise UserError("you are in no game")
    match frame:
        case frames.Act():
            person.action = frame.action
            return  # nobody waits for that: a tick takes what it finds
        case frames.Pause():
            person.paused, person.since = frame.on, monotonic()
        case frames.Thoughts():
            person.thoughts = frame.on
        case frames.Again():
            again(session, person)
        case frames.Leave():
            leave(visitor)
    stir(session)


def again(session: Session, person: Person) -> None:
    """One wants a rematch, and the others hear of it."""
    if session.phase != "over":
        raise UserError("the game is not over yet")
    person.again = True
    for other in session.people:
        if not other.again:
            say(person.outbox, {"type": "waiting"})
            say(other.outbox, {"type": "again"})


def leave(visitor: Visitor, told: bool = True) -> None:
    """Ends the game one is in, if any, and the socket is free for another; `told`: it still hears of the end."""
    if visitor.session and visitor.person:
        visitor.session.left = True
        if not told:
            visitor.person.outbox = None
        stir(visitor.session)
    visitor.session = visitor.person = None


def lost(visitor: Visitor) -> None:
    """The socket has gone; its seat is kept for a while."""
    person, session = visitor.person, visitor.session
    if person and session and person.outbox is visitor.outbox:
        person.outbox, person.since, person.action = None, monotonic(), STAY
        stir(session)


def forget(lobby: Lobby, task: asyncio.Task) -> None:
    """Clears up after a session."""
    session = lobby.sessions.pop(task)
    lobby.late.extend(session.late)
    for person in session.people:
        lobby.tokens.pop(person.token, None)
    if session.invite:
        lobby.invites.pop(session.invite, None)
    if not task.cancelled() and (error := task.exception()):
        LOG.error("a game failed", exc_info=error)
        for person in session.people:
            refuse(person.outbox, "this game failed: please report what you did", fatal=True)


async def close(lobby: Lobby) -> None:
    """Ends all games, and keeps those that are to be kept."""
    tasks = list(lobby.sessions)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
