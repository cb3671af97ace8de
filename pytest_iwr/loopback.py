"""An ASGI application on a port of 127.0.0.1, run by uvicorn in a thread of its own."""

import logging
import socket
import threading
from typing import Self

import uvicorn
from starlette.types import ASGIApp

from pytest_iwr.errors import IwrError

_START_S = 30.0
"""Longest wait for the thread to listen."""


class Loopback:
    """Serves an application on 127.0.0.1 while its context is open."""

    def __init__(
        self, app: ASGIApp, *, name: str, port: int = 0, grace_s: int = 1
    ) -> None:
        """Prepare; nothing listens yet.

        `name` is the thread's, and what an error calls the server; `port` 0 takes a
        free one; `grace_s` is how long answers may go on once `close` was called,
        although nobody can read them any more.
        """
        self._app = app
        self._name = name
        self._wanted = port
        self._grace_s = grace_s
        self._port = 0
        self._uvicorn: _Uvicorn | None = None
        self._thread: threading.Thread | None = None

    @property
    def is_started(self) -> bool:
        """Tell whether `start` was called, and `close` not yet."""
        return self._uvicorn is not None

    @property
    def port(self) -> int:
        """The port that it listens on; 0 before it is started."""
        return self._port

    def start(self) -> None:
        """Listen; returns once requests are answered.

        Raises IwrError where the port is taken, or nothing answers.
        """
        _be_quiet()
        listening = _listen(self._wanted, self._name)
        self._port = listening.getsockname()[1]
        self._uvicorn = _Uvicorn(self._app, self._grace_s)
        self._thread = threading.Thread(
            target=self._uvicorn.run, args=([listening],), name=self._name, daemon=True
        )
        self._thread.start()
        if not self._uvicorn.is_ready.wait(_START_S):
            raise IwrError(
                f"127.0.0.1:{self._port}: {self._name} does not answer after "
                f"{_START_S:.0f} s. Run again; see that the machine is not out of "
                "memory or processes."
            )

    def close(self) -> None:
        """End all connections at once and the thread; may be called again."""
        if self._uvicorn is not None and self._thread is not None:
            self._uvicorn.should_exit = True
            self._thread.join()
        self._uvicorn = self._thread = None

    def hang_up(self, client: tuple[str, int]) -> None:
        """Close the connection of a client at once; for the application's own thread.

        `client` is its address, as the application's scope names it.
        """
        if self._uvicorn is not None:
            for connection in list(self._uvicorn.server_state.connections):
                transport = connection.transport
                if transport.get_extra_info("peername") == client:
                    transport.abort()

    def __enter__(self) -> Self:
        """Start."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()


class _Uvicorn(uvicorn.Server):
    """Uvicorn, with an event for its start and an end that waits for nobody."""

    def __init__(self, app: ASGIApp, grace_s: int) -> None:
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
                # Longer than clients keep one: who closes first must be the client,
                # else it sends its next request on a connection that is gone.
                timeout_keep_alive=75,
                timeout_graceful_shutdown=grace_s,
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


def _listen(port: int, name: str) -> socket.socket:
    """Take a port of 127.0.0.1.

    With the protocol spelled out: only then does asyncio send small packets at once
    (TCP_NODELAY), else each answer waits 40 ms for the client's kernel.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if port:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except OSError as error:
        listening.close()
        raise IwrError(
            f"127.0.0.1:{port}: {name} cannot listen: {error.strerror}. Choose another"
            " port, or 0 for a free one."
        ) from error
    listening.listen(512)
    return listening


def _be_quiet() -> None:
    """Keep what broken clients do from the last resort of `logging`, stderr."""
    logger = logging.getLogger("uvicorn")
    if not any(isinstance(h, logging.NullHandler) for h in logger.handlers):
        logger.addHandler(logging.NullHandler())
