"""The answer to one request for one site."""

import re
import threading
from http import HTTPStatus
from pathlib import Path
from urllib.parse import unquote

import anyio.to_thread
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.types import Receive, Scope, Send

from pytest_iwr.serve.files import Asked, Folder, content_type, find_file, read_path

PLACEHOLDER = "__PLACEHOLDER_ASSETS_BASE_DIR__"
"""What a page writes for the folder of the task's assets."""
MOUNT = ".iwr-assets"
"""Where that folder is served; no page can own it, hidden names are not served."""

_PLACEHOLDER = re.compile(
    # `./`, `../` and `/` before it are dropped: `//.iwr-assets/` would be a host.
    rb"(?:(?<![\w.:/-])(?:\.{0,2}/)+)?" + PLACEHOLDER.encode()
)
_REPLACED = frozenset(
    {
        "application/json",
        "application/manifest+json",
        "application/xhtml+xml",
        "application/xml",
        "image/svg+xml",
    }
)
"""Types besides `text/*` in which the placeholder is replaced."""
_RANGE = re.compile(r"bytes=(?:(\d{1,18})-(\d{1,18})?|-\d{1,18})", re.ASCII)
_UNASKED = "/favicon.ico"
"""Browsers ask for it by themselves, so its absence says nothing about a page."""


class Answers:
    """An ASGI application: one site with the task's assets, and what it missed.

    A path is looked up in the site's folder; below `/.iwr-assets/` in the task's
    assets. `/assets/NAME` that the site does not have is looked up in the assets,
    too: pages often name that folder by its usual name, and the pictures are the
    same. An unknown path is a 404, navigations included: a site that routes by
    path answers for the paths that it has files for.
    """

    def __init__(self, folder: Path, assets: Path | None) -> None:
        """Serve `folder`; `assets` None: the task has none."""
        self._folder = folder
        self._assets = assets
        self._missing: set[str] = set()
        self._lock = threading.Lock()

    def missing(self) -> tuple[str, ...]:
        """Give the paths that were asked for and not found, sorted."""
        with self._lock:
            return tuple(sorted(self._missing))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope)
        if request.method not in {"GET", "HEAD"}:
            answer = _refusal(405, {"allow": "GET, HEAD"})
        else:
            answer = await self._found(request)
        answer.headers["cache-control"] = "no-store"
        answer.headers["x-content-type-options"] = "nosniff"
        await answer(scope, receive, send)

    async def _found(self, request: Request) -> Response:
        raw: bytes = request.scope["raw_path"]
        asked = read_path(raw, reserved=MOUNT)
        found = None if asked is None else self._find(asked)
        if asked is None or found is None:
            self._note(raw)
            return _refusal(404)
        if found is Folder.WITHOUT_SLASH:
            query = request.url.query
            target = f"{asked.encoded}/?{query}" if query else f"{asked.encoded}/"
            return RedirectResponse(target, status_code=307)
        return await _file(found, request)

    def _find(self, asked: Asked) -> Path | Folder | None:
        mounted = asked.below(MOUNT)
        if mounted is not None:
            return self._find_asset(mounted)
        named = asked.below("assets")
        found = find_file(self._folder, asked)
        return self._find_asset(named) if found is None and named else found

    def _find_asset(self, asked: Asked) -> Path | Folder | None:
        return None if self._assets is None else find_file(self._assets, asked)

    def _note(self, raw: bytes) -> None:
        path = unquote(raw.decode("ascii", "replace"))
        if path != _UNASKED:
            with self._lock:
                self._missing.add(path)


async def _file(path: Path, request: Request) -> Response:
    """Give a file's bytes, or the asked range of them.

    Text is said to be UTF-8 only where it is, so that a page in another encoding
    keeps the word. A Range header counts on files without the placeholder, and
    where it is malformed or names several ranges it is ignored.
    """
    kind = content_type(path)
    if kind.startswith("text/") or kind in _REPLACED:
        body = await anyio.to_thread.run_sync(path.read_bytes)
        headers = {"content-type": _with_charset(kind, body)}
        if PLACEHOLDER.encode() in body:
            return Response(_PLACEHOLDER.sub(b"/" + MOUNT.encode(), body), 200, headers)
    else:
        headers = {"content-type": kind}
    if not _is_range(request):
        del MutableHeaders(scope=request.scope)["range"]
    return FileResponse(path, 200, headers)


def _with_charset(kind: str, body: bytes) -> str:
    if not kind.startswith("text/"):
        return kind
    try:
        body.decode()
    except UnicodeDecodeError:
        return kind
    return f"{kind}; charset=utf-8"


def _is_range(request: Request) -> bool:
    asked = _RANGE.fullmatch(request.headers.get("range", "").strip())
    if asked is None or request.method != "GET":
        return False
    first, last = asked.groups()
    return last is None or int(first) <= int(last)


def _refusal(status: int, headers: dict[str, str] | None = None) -> Response:
    return PlainTextResponse(HTTPStatus(status).phrase, status, headers)
