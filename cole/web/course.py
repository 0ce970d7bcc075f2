"""The course of a session, as one task: it waits for its people, counts down, ticks, is kept, begins anew."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any

import numpy as np

from cole.errors import UserError
from cole.evaluate.players import Player
from cole.kitchen import game
from cole.kitchen.game import Events
from cole.kitchen.layouts import STAY, Layout
from cole.kitchen.trajectory import Trajectory
from cole.web import cooking
from cole.web.cooking import Kitchen
from cole.web.frames import PERSON
from cole.web.outbox import refuse, say
from cole.web.recordings import Note, hour
from cole.web.session import (
    Session,
    away_too_long,
    clear,
    news,
    over,
    partner_name,
    patience,
    standing,
    state_frame,
    tell,
    wanted,
    welcome,
)

TOLD = ("soup_served", "soup_taken", "onion_in_pot", "dish_taken", "onion_taken")  # events the page may show

Warm = Callable[[Layout, Player | None, int], Awaitable[Kitchen]]
Keep = Callable[[Trajectory, Note], Awaitable[str | None]]


async def live(session: Session, warm: Warm, keep: Keep) -> None:
    """The whole life of a session."""
    try:
        if await everybody_here(session):
            session.kitchen = await warm(session.layout, session.player, session.people[0].seat)
            while await one_game(session, session.kitchen, keep):
                pass
    except UserError as error:
        for person in session.people:
            refuse(person.outbox, str(error))
    finally:
        session.phase = "closed"


async def everybody_here(session: Session) -> bool:
    """Waits for the second person, if there is to be one."""
    until = monotonic() + session.limits.wait
    while len(session.people) < wanted(session):
        if away_too_long(session) or session.left:
            return False
        if monotonic() >= until:
            raise UserError("nobody came to cook with you")
        await news(session, min(until, *patience(session)))
    return True


async def one_game(session: Session, kitchen: Kitchen, keep: Keep) -> bool:
    """Plays from the opening to the end, and says whether there is to be another game."""
    chance, rematch_now = np.random.default_rng(), session.ended is not None
    session.state, session.score, session.actions, session.ended = kitchen.opening, 0, [], None
    session.thought = cooking.first_thought(kitchen, session.state, chance)
    session.phase = "counting"
    for person in session.people:
        person.action, person.again = STAY, False
        if rematch_now:
            say(person.outbox, welcome(session, person))
        say(person.outbox, state_frame(session, person, []))
    try:
        why = await countdown(session) or await cook(session, kitchen, chance)
    except asyncio.CancelledError:  # the server ends: what was played is kept
        why = "left"
    await end(session, why, keep)
    return why == "time" and await rematch(session)


async def end(session: Session, why: str, keep: Keep) -> None:
    """Keeps the game and tells everybody."""
    id = await kept(session, keep)
    session.ended = {"type": "end", "score": session.score, "steps": len(session.actions), "game": id, "why": why}
    session.phase = "over"
    tell(session, session.ended)


async def countdown(session: Session) -> str | None:
    """Every second of it; why the game ended already, if it did."""
    for seconds in range(session.asked.countdown, 0, -1):
        session.count = seconds
        if why := await clear(session):
            return why
        tell(session, {"type": "countdown", "seconds": seconds})
        await news(session, monotonic() + 1.0, patient=True)
    return await clear(session)


async def cook(session: Session, kitchen: Kitchen, chance: np.random.Generator) -> str:
    """The ticks; why they ended. A tick that comes late does not make the next one late."""
    session.phase = "cooking"
    period = session.asked.tick / 1000
    due = monotonic() + period
    while len(session.actions) < session.asked.steps:
        if standing(session):
            if why := await clear(session):
                return why
            due = monotonic() + period
        await asyncio.sleep(due - monotonic())
        if not standing(session):
            session.late.append(monotonic() - due)
            tick(session, kitchen, chance)
            due = max(due + period, monotonic())
    return "time"


def tick(session: Session, kitchen: Kitchen, chance: np.random.Generator) -> None:
    """Everybody acts at once; then the partner thinks about what it sees."""
    assert session.state is not None
    keys = {person.seat: person.action for person in session.people}
    session.state, events, actions = cooking.advance(kitchen, session.state, session.thought, keys)
    session.actions.append(actions)
    session.score += int(np.sum(events.soup_served)) * int(game.SPARSE.soup_served)
    session.thought = cooking.next_thought(kitchen, session.state, session.thought, chance)
    happened = told(events)
    for person in session.people:
        person.action = STAY
        say(person.outbox, state_frame(session, person, happened))


def told(events: Events) -> list[list[Any]]:
    """[seat, what it did] for the deeds one may want to see."""
    fields = events._asdict()
    return [[int(seat), name] for name in TOLD for seat in np.flatnonzero(np.asarray(fields[name]))]


async def kept(session: Session, keep: Keep) -> str | None:
    """The id of the recording, if all people agreed to one and something was played."""
    if not session.actions or not all(person.consent for person in session.people):
        return None
    played = Trajectory(session.layout, np.array(session.actions, np.int8))
    seats = sorted(person.seat for person in session.people)
    names = [PERSON if seat in seats else partner_name(session) for seat in range(len(session.layout.start))]
    note = Note(seats, names, session.asked.kitchen, hour(), session.asked.tick, session.score, len(session.actions))
    return await keep(played, note)


async def rematch(session: Session) -> bool:
    """Whether everybody wants one, before anybody leaves or all have rested long enough."""
    until = monotonic() + session.limits.rest
    while monotonic() < until and not over(session):
        if all(person.again for person in session.people):
            return True
        await news(session, min(until, *patience(session)))
    for person in session.people if len(session.people) > 1 else ():
        refuse(person.outbox, "there will be no rematch: the other person has gone")
    return False
