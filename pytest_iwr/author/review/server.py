"""The local page of a review: whoever has its token, from its own origin."""

import json
import secrets
from http import HTTPStatus
from pathlib import Path

from pydantic import Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.types import Receive, Scope, Send

from pytest_iwr.author.review.session import DECISIONS, Decision, Session
from pytest_iwr.errors import IwrError
from pytest_iwr.records import Box, Record
from pytest_iwr.report.show.files import is_here, refusal

_HERE = Path(__file__).parent
_STATIC = {
    "": (_HERE / "review.html", "text/html; charset=utf-8"),
    "review.js": (_HERE / "review.js", "text/javascript; charset=utf-8"),
    "review.css": (_HERE / "review.css", "text/css; charset=utf-8"),
}
_HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "content-security-policy": "default-src 'none'; script-src 'self'; "
    "style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
}
_MOST_BYTES = 100_000
"""Of what is posted."""


class Posted(Record):
    """What the page sends with a decision."""

    boxes: tuple[Box, ...] = Field(default=(), max_length=50)
    """Regions to be masked, in pixels of the page's picture."""


class Desk:
    """An ASGI application around a session."""

    def __init__(self, session: Session) -> None:
        """Draw the token that every address holds."""
        self.token = secrets.token_urlsafe(24)
        self._session = session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        answer = await self._answer(Request(scope, receive))
        answer.headers.update(_HEADERS)
        await answer(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        if not is_here(request):
            return refusal(HTTPStatus.FORBIDDEN)
        first, slash, rest = request.scope["path"].removeprefix("/").partition("/")
        is_known = secrets.compare_digest(first.encode(), self.token.encode())
        if not (is_known and slash):
            return refusal(HTTPStatus.NOT_FOUND)
        match request.method, rest.split("/"):
            case ("GET", [name]) if name in _STATIC:
                file, kind = _STATIC[name]
                return FileResponse(file, headers={"content-type": kind})
            case ("GET", ["cases.json"]):
                return JSONResponse(self._session.describe())
            case ("GET", [number, "reference" | "shot" | "diff" as which]):
                return self._picture(number, which)
            case ("POST", [number, action]):
                return await self._decide(request, number, action)
            case _:
                return refusal(HTTPStatus.NOT_FOUND)

    def _picture(self, number: str, which: str) -> Response:
        case = self._session.cases[_index(number, len(self._session.cases))]
        path = {"reference": case.reference, "shot": case.shot}.get(which, case.diff)
        if path is None or not path.is_file():
            return refusal(HTTPStatus.NOT_FOUND)
        return FileResponse(path, headers={"content-type": "image/png"})

    async def _decide(self, request: Request, number: str, action: str) -> Response:
        """Do what a person has decided, and nobody else's page."""
        if request.headers.get("origin") != f"http://{request.headers['host']}":
            return refusal(HTTPStatus.FORBIDDEN)
        if request.headers.get("content-type") != "application/json":
            return refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > _MOST_BYTES:
                return refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        try:
            posted = Posted.model_validate_json(body or b"{}")
            index = _index(number, len(self._session.cases))
            await run_in_threadpool(self._carry_out, index, action, posted)
        except KeyError:
            return refusal(HTTPStatus.NOT_FOUND)
        except (IwrError, OSError, ValidationError, json.JSONDecodeError) as error:
            told = {"error": str(error), **self._session.progress()}
            return JSONResponse(told, HTTPStatus.CONFLICT)
        return JSONResponse(self._session.progress())

    def _carry_out(self, index: int, action: str, posted: Posted) -> None:
        if action == "undo":
            self._session.undo(index)
            return
        named: dict[str, Decision] = {name: name for name in DECISIONS}
        self._session.decide(index, named[action], posted.boxes)


def _index(number: str, count: int) -> int:
    """Give the index of a case. Raises KeyError where there is none."""
    if not (number.isascii() and number.isdigit() and int(number) < count):
        raise KeyError(number)
    return int(number)
