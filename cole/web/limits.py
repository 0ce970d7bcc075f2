"""What the page allows, every limit in one place."""

from typing import NamedTuple


class Limits(NamedTuple):
    """Times in seconds, sizes in bytes."""

    games: int = 64  # in all
    games_per_address: int = 8
    sockets_per_address: int = 32
    frame: int = 1024  # of what a browser sends over its socket
    frames_per_second: int = 30  # of one socket; those beyond are dropped
    dropped: int = 60  # frames of one socket before it is closed
    outbox: int = 64  # messages a socket may lag behind before it is closed
    away: float = 30.0  # a socket that drops may come back for so long
    wait: float = 600.0  # for a second person
    pause: float = 600.0
    rest: float = 600.0  # after the end of a game, for a rematch
    body: int = 200_000  # of a request
    jobs: int = 8  # that wait for the one thread that plays, draws and analyses on request
    recorded: int = 10_000  # games kept in the folder
    names: int = 200  # letters of any text in a frame


LIMITS = Limits()

# What a browser may ask of a game: least and most.
TICK = (100, 400)  # milliseconds
STEPS = (10, 2000)
COUNTDOWN = (0, 10)  # seconds

CONSENT = (
    "If you agree, this game is kept on the computer that runs this page: the kitchen, the actions of both cooks, "
    "who the partner was, and the hour. No name, no address and nothing else about you. You can delete it at any time."
)
