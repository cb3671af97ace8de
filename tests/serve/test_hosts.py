"""Whose page it is, is proven by the host."""

import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from http.client import HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pytest_iwr.serve import Served, Server

Ask = Callable[..., HTTPResponse]
Connect = Callable[[str], socket.socket]
Serve = Callable[..., AbstractContextManager[Served]]

WORKER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit
from pytest_iwr.records import Site
from pytest_iwr.serve import Server

def get(url):
    where = urlsplit(url)
    connection = HTTPConnection("127.0.0.1", where.port, timeout=30)
    connection.request("GET", "/", headers={"Host": where.netloc})
    body = connection.getresponse().read()
    connection.close()
    return body

def is_own(name):
    folder = Path(sys.argv[1], name)
    folder.mkdir(parents=True)
    (folder / "index.html").write_text(str(folder))
    site = Site(folder=str(folder), sha256="", origin="")
    with server.serve(site, None) as hosted:
        return {get(hosted.url) for _ in range(5)} == {str(folder).encode()}

with Server() as server, ThreadPoolExecutor(8) as pool:
    print(all(pool.map(is_own, [f"page-{n}" for n in range(24)])))
"""
"""A process that serves 24 sites at once and says whether each got its own."""


@pytest.mark.parametrize(
    "host",
    (
        "127.0.0.1:{port}",
        "localhost:{port}",
        "{other}.localhost:{port}",
        "{token}.localhost",
        "{token}.localhost:1",
        "{token}:{port}",
        "x.{token}.localhost:{port}",
        "{token}.localhost.:{port}",
        "{token}.localhost:{port}, evil",
        "evil.example",
        "",
    ),
)
def test_unknown_host_gets_404(served: Served, host: str, ask: Ask) -> None:
    """Only the token's own host and port give the page."""
    where = urlsplit(served.url)
    token = str(where.hostname).partition(".")[0]
    named = host.format(token=token, port=where.port, other="0" * 32)
    for method in ("GET", "POST"):
        assert ask(served.url, "/", host=named, method=method).status == 404


def test_host_may_be_in_capitals(served: Served, ask: Ask) -> None:
    """Host names have no letter case."""
    host = urlsplit(served.url).netloc.upper()
    assert ask(served.url, "/", host=host).status == 200


def test_token_ends_with_its_context(
    serve: Serve, folder: Path, ask: Ask, connect: Connect
) -> None:
    """Afterwards the address is unknown, on open connections, too."""
    with serve(folder) as hosted:
        host = urlsplit(hosted.url).netloc
        request = f"HEAD / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
        wire = connect(hosted.url)
        wire.sendall(request)
        assert wire.recv(65536).startswith(b"HTTP/1.1 200")
    with wire:
        wire.sendall(request)
        assert wire.recv(65536).startswith(b"HTTP/1.1 404")
    assert ask(hosted.url, "/").status == 404


def test_same_folder_gets_new_token(serve: Serve, folder: Path, ask: Ask) -> None:
    """Two items never share an origin, so they never share storage."""
    with serve(folder) as one, serve(folder) as two:
        assert urlsplit(one.url).netloc != urlsplit(two.url).netloc
        assert ask(one.url, "/x").status == 404
        assert (one.missing(), two.missing()) == (("/x",), ())


def test_two_servers_answer_for_their_own(folder: Path, ask: Ask, serve: Serve) -> None:
    """Servers have ports of their own, and know no token of another."""
    with (
        Server() as one,
        Server() as two,
        serve(folder, on=one) as hosted,
        serve(folder, on=two) as other,
    ):
        assert urlsplit(hosted.url).port != urlsplit(other.url).port
        host = urlsplit(hosted.url).netloc
        assert ask(other.url, "/", host=host).status == 404


def test_processes_at_once_never_mix(tmp_path: Path) -> None:
    """Many processes and threads serve at once; each page is its own."""
    workers = [
        subprocess.Popen(  # our own script
            [sys.executable, "-W", "error", "-c", WORKER, str(tmp_path / str(number))],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for number in range(3)
    ]
    assert [w.communicate(timeout=60)[0] for w in workers] == [b"True\n"] * 3


def test_only_loopback_is_bound(served: Served) -> None:
    """The port is closed on the machine's other addresses."""
    port = urlsplit(served.url).port
    with pytest.raises(OSError, match=r"refused|assign|timed out"):
        socket.create_connection(("127.0.0.2", port), timeout=5)
