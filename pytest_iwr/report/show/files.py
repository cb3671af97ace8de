"""Answers with files of a folder, whole or in part, to this machine only."""

from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from pytest_iwr.serve.files import Asked, Folder, content_type, find_file, read_path

HOSTS = frozenset({"127.0.0.1", "localhost"})
"""Another name for this address is a web site's way around the browser's rules."""

Special = Callable[[Request, Asked, Path], Response | None]
"""Gives another answer than the file itself, `None` for the file."""
Rules = Callable[[Asked], dict[str, str]]
"""Gives further headers for a path."""


class Files:
    """An ASGI application: the files below a folder, nothing else, read only."""

    def __init__(self, folder: Path, rules: Rules, special: Special) -> None:
        """Serve `folder`; links that lead out of it and hidden names are not found."""
        self._folder = folder
        self._rules = rules
        self._special = special

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        answer = self._answer(Request(scope))
        answer.headers.setdefault("cache-control", "no-cache")
        answer.headers["x-content-type-options"] = "nosniff"
        answer.headers["cross-origin-resource-policy"] = "same-origin"
        answer.headers["referrer-policy"] = "no-referrer"
        await answer(scope, receive, send)

    def _answer(self, request: Request) -> Response:
        if not is_here(request):
            return refusal(403)
        if request.method not in {"GET", "HEAD"}:
            return refusal(405, {"allow": "GET, HEAD"})
        asked = read_path(request.scope["raw_path"])
        found = None if asked is None else find_file(self._folder, asked)
        if asked is None or found is None:
            return refusal(404)
        if found is Folder.WITHOUT_SLASH:
            return Response(None, 307, {"location": f"{asked.encoded}/"})
        special = self._special(request, asked, found)
        if special is not None:
            return special
        kind = content_type(found)
        text = kind.startswith("text/") or kind == "application/json"
        headers = {"content-type": f"{kind}; charset=utf-8" if text else kind}
        return FileResponse(found, 200, headers | self._rules(asked))


def is_here(request: Request) -> bool:
    """Tell whether a request names this machine as such."""
    hosts = request.headers.getlist("host")
    return len(hosts) == 1 and hosts[0].partition(":")[0].lower() in HOSTS


def refusal(status: int, headers: dict[str, str] | None = None) -> Response:
    """Give an answer that is nothing but a status."""
    return PlainTextResponse(HTTPStatus(status).phrase, status, headers)
