"""The server of a process: one port on loopback, many sites, each by its token."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import quote

from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from pytest_iwr.errors import IwrError
from pytest_iwr.loopback import Loopback
from pytest_iwr.records import Site
from pytest_iwr.serve.answer import Answers


@dataclass(frozen=True)
class Served:
    """A site while it is served."""

    url: str
    """The address of its entry page."""
    answers: Answers

    def missing(self) -> tuple[str, ...]:
        """Give the paths that were asked for and not found, sorted.

        Without queries, decoded. `/favicon.ico` is left out: browsers ask for it by
        themselves.
        """
        return self.answers.missing()


class Server:
    """Serves sites on 127.0.0.1, from a thread of its own, on a port of its own.

    Each site has an origin of its own, `http://<token>.localhost:<port>`; the token
    cannot be guessed and is known only while the site is served. A request with any
    other host, or for another port, gets 404.
    """

    def __init__(self) -> None:
        self._sites: dict[bytes, Answers] = {}
        self._loopback = Loopback(self._dispatch, name="iwr-serve")

    def start(self) -> None:
        """Listen on a free port; returns once requests are answered."""
        self._loopback.start()

    def close(self) -> None:
        """End all connections at once and the thread; may be called again."""
        self._loopback.close()

    def __enter__(self) -> Self:
        """Start."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    @contextmanager
    def serve(self, site: Site, assets: Path | None) -> Iterator[Served]:
        """Serve a site and the task's assets until the context ends.

        Raises IwrError where the server was not started.
        """
        if not self._loopback.is_started:
            raise IwrError(f"{site.folder}: the server is not started. Call `start()`.")
        host = f"{secrets.token_hex(16)}.localhost:{self._loopback.port}"
        answers = Answers(Path(site.folder), assets)
        self._sites[host.encode()] = answers
        path = "" if site.entry == "index.html" else quote(site.entry)
        try:
            yield Served(f"http://{host}/{path}", answers)
        finally:
            del self._sites[host.encode()]

    async def _dispatch(self, scope: Scope, receive: Receive, send: Send) -> None:
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        answers = self._sites.get(hosts[0].lower()) if len(hosts) == 1 else None
        app = answers or PlainTextResponse("Not Found", 404)
        await app(scope, receive, send)
