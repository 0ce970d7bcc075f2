"""The files of the page: `page/` and nothing outside of it."""

import re
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from cole.web import guards
from cole.web.refusals import Missing

PAGE = Path(__file__).with_name("page")
NAME = re.compile(r"(?:[\w-]+/)*[\w-]+\.(\w+)", re.ASCII)
TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "json": "application/json",
}


async def index(request: Request) -> Response:
    """The page itself, and a random word by which its browser is known again."""
    answer = file("index.html")
    if guards.browser(request.cookies) is None:
        answer.set_cookie(guards.BROWSER, guards.new_browser(), httponly=True, samesite="strict")
    return answer


async def page_file(request: Request) -> Response:
    """One of its modules, styles and icons."""
    return file(request.path_params["file"])


def file(name: str) -> Response:
    """A file of the page, and of nowhere else."""
    match = NAME.fullmatch(name)
    path = PAGE / name if match else PAGE
    if not match or match[1] not in TYPES or not path.is_file() or path.resolve() != PAGE.resolve() / name:
        raise Missing("there is no such file")
    return Response(path.read_bytes(), media_type=TYPES[match[1]], headers={"Cache-Control": "no-cache"})
