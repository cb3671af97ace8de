"""A running server, a site on disk, and requests as raw bytes."""

import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from http.client import HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pytest_iwr.records import Site
from pytest_iwr.serve import Served, Server

Serve = Callable[..., AbstractContextManager[Served]]


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Give a running server, as a worker has one."""
    with Server() as running:
        yield running


@pytest.fixture(scope="session")
def serve(server: Server) -> Serve:
    """Give a context: `serve(folder, assets=, entry=, on=)`."""

    def open_(
        folder: Path,
        assets: Path | None = None,
        entry: str = "index.html",
        on: Server = server,
    ) -> AbstractContextManager[Served]:
        site = Site(folder=str(folder), entry=entry, sha256="0" * 64, origin="a test")
        return on.serve(site, assets)

    return open_


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a page's folder, with siblings that must stay secret."""
    made = tmp_path / "site"
    made.mkdir()
    (made / "index.html").write_text("<title>Entry</title>", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("SECRET")
    (tmp_path / "site-leak").mkdir()
    (tmp_path / "site-leak" / "secret.txt").write_text("SECRET")
    return made


@pytest.fixture
def assets(tmp_path: Path) -> Path:
    """Give a task's assets."""
    made = tmp_path / "task-assets"
    made.mkdir()
    (made / "asset_001.png").write_bytes(b"\x89PNG one")
    return made


@pytest.fixture
def served(serve: Serve, folder: Path, assets: Path) -> Iterator[Served]:
    """Serve the folder and the assets."""
    with serve(folder, assets) as hosted:
        yield hosted


@pytest.fixture(scope="session")
def connect() -> Callable[[str], socket.socket]:
    """Give an opener of connections to the port of a URL."""

    def open_(url: str) -> socket.socket:
        port = urlsplit(url).port
        assert port is not None
        return socket.create_connection(("127.0.0.1", port), timeout=10)

    return open_


@pytest.fixture(scope="session")
def ask(connect: Callable[[str], socket.socket]) -> Callable[..., HTTPResponse]:
    """Give an asker: `ask(url, target, method=, host=, range_=)`.

    The target goes over the wire exactly as written; `host` None is the URL's own.
    """

    def send(
        url: str,
        target: str,
        *,
        method: str = "GET",
        host: str | None = None,
        range_: str | None = None,
    ) -> HTTPResponse:
        named = urlsplit(url).netloc if host is None else host
        lines = [f"{method} {target} HTTP/1.1", f"Host: {named}", "Connection: close"]
        lines += [] if range_ is None else [f"Range: {range_}"]
        with connect(url) as wire:
            wire.sendall("\r\n".join([*lines, "", ""]).encode("latin-1"))
            reply = HTTPResponse(wire, method=method)
            reply.begin()
        return reply

    return send
