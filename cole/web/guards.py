"""Who may speak to the server, how often, and what browsers are told to keep to."""

import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from time import monotonic
from urllib.parse import urlsplit

from cole.errors import UserError

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
BROWSER = "browser"  # the cookie: a random word, so that a stolen token is worth nothing elsewhere
WORD = re.compile(r"[\w-]{22}", re.ASCII)
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def hosts(host: str, allow: Iterable[str]) -> frozenset[str]:
    """The names by which the server may be called: those of this machine itself, and those given."""
    return frozenset(_bracketed(name.lower()) for name in (*LOOPBACK, host, *allow) if name)


def check(headers: Mapping[str, str], allowed: frozenset[str]) -> None:
    """Refuses a foreign Host, and whatever a page of another origin asks for."""
    host = headers.get("host", "").lower()
    if _name(host) not in allowed:
        raise UserError("this server does not answer to that name; `cole play --allow NAME` makes it")
    origin = headers.get("origin")
    if origin is not None and not _same(origin, host):
        raise UserError("requests from other pages are refused")
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        raise UserError("requests from other pages are refused")


def browser(cookies: Mapping[str, str]) -> str | None:
    """The word by which a browser is known again."""
    word = cookies.get(BROWSER, "")
    return word if WORD.fullmatch(word) else None


def new_browser() -> str:
    return secrets.token_urlsafe(16)


@dataclass
class Rate:
    """How often somebody may speak: so many times a second, and as many at once after a silence."""

    most: int
    left: float
    last: float


def rate(most: int) -> Rate:
    return Rate(most, most, monotonic())


def too_often(rate: Rate) -> bool:
    """Counts one more, and says whether it was too many."""
    now = monotonic()
    rate.left = min(rate.most, rate.left + (now - rate.last) * rate.most)
    rate.last = now
    if rate.left < 1:
        return True
    rate.left -= 1
    return False


def _same(origin: str, host: str) -> bool:
    try:
        parts = urlsplit(origin.lower())
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc == host


def _name(host: str) -> str:
    """Without the port."""
    return re.sub(r":\d{1,5}$", "", host)


def _bracketed(name: str) -> str:
    """IPv6 addresses stand in brackets."""
    try:
        return f"[{name}]" if ip_address(name).version == 6 else name
    except ValueError:
        return name
