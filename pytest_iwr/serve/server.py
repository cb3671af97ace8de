"""The server of a process: one port on loopback, many sites, each by its token."""

import logging
import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import quote

import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pytest_iwr.errors import IwrError
from pytest_iwr.records import Site
from pytest_iwr.serve.answer import Answers

_START_S = 30.0
"""Longest wait for the thread to listen."""


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
        self._port = 0
        self._uvicorn: _Uvicorn | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Listen on a free port; returns once requests are answered."""
        _be_quiet()
        listening = _listen()
        self._port = listening.getsockname()[1]
        self._uvicorn = _Uvicorn(self._dispatch)
        self._thread = threading.Thread(
            target=self._uvicorn.run, args=([listening],), name="iwr-serve", daemon=True
        )
        self._thread.start()
        if not self._uvicorn.is_ready.wait(_START_S):
            raise IwrError(
                f"127.0.0.1:{self._port}: the server of pages does not answer after "
                f"{_START_S:.0f} s. Run again; see that the machine is not out of "
                "memory or processes."
            )

    def close(self) -> None:
        """End all connections at once and the thread; may be called again."""
        if self._uvicorn is not None and self._thread is not None:
            self._uvicorn.should_exit = True
            self._thread.join()
        self._uvicorn = self._thread = None

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
        if self._uvicorn is None:
            raise IwrError(f"{site.folder}: the server is not started. Call `start()`.")
        host = f"{secrets.token_hex(16)}.localhost:{self._port}"
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


class _Uvicorn(uvicorn.Server):
    """Uvicorn, with an event for its start and an end that waits for nobody."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                interface="asgi3",
                http="h11",
                ws="none",
                loop="asyncio",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=1,
            )
        )
        self.is_ready = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_ready.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await super().shutdown(sockets)


def _listen() -> socket.socket:
    """Take a free port of 127.0.0.1.

    With the protocol spelled out: only then does asyncio send small packets at once
    (TCP_NODELAY), else each answer waits 40 ms for the client's kernel.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen(512)
    return listening


def _be_quiet() -> None:
    """Keep what broken clients do from the last resort of `logging`, stderr."""
    logger = logging.getLogger("uvicorn")
    if not any(isinstance(h, logging.NullHandler) for h in logger.handlers):
        logger.addHandler(logging.NullHandler())
