"""Bad clients harm nobody, and closing waits for nobody."""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

import pytest

from pytest_iwr.errors import IwrError
from pytest_iwr.serve import Served, Server

Ask = Callable[..., HTTPResponse]
Connect = Callable[[str], socket.socket]
Serve = Callable[..., AbstractContextManager[Served]]
CLOSED_S = 1.0
"""Closing may take this long; 0.22 s measured, with clients that do not read."""
ANSWER_S = 0.02
"""A small answer may take this long, as a median; 1.4 ms measured on a machine with
five times the work it has cores for, 44 ms where packets wait for each other."""


def test_answers_come_at_once(served: Served) -> None:
    """On an open connection no answer waits for the client's kernel."""
    where = urlsplit(served.url)
    with closing(HTTPConnection("127.0.0.1", where.port, timeout=10)) as connection:
        times = []
        for _ in range(40):
            started = time.monotonic()
            connection.request("GET", "/", headers={"Host": where.netloc})
            assert connection.getresponse().read()
            times.append(time.monotonic() - started)
    assert median(times[20:]) < ANSWER_S


def test_slow_clients_block_nobody(
    served: Served, folder: Path, ask: Ask, connect: Connect
) -> None:
    """Hundred clients that stop in the middle leave the others their answers."""
    (folder / "big.mp4").write_bytes(bytes(8_000_000))
    host = urlsplit(served.url).netloc
    whole = f"GET /big.mp4 HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
    stuck = [connect(served.url) for _ in range(100)]
    for number, wire in enumerate(stuck):
        wire.sendall(whole if number % 2 else whole[:20])
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda _: ask(served.url, "/"), range(20)))
    assert {reply.status for reply in replies} == {200}
    for wire in stuck:
        wire.close()


def test_close_is_quick_and_leaves_no_thread(
    folder: Path, serve: Serve, connect: Connect
) -> None:
    """The server ends under clients that read nothing, and with all threads."""
    (folder / "big.mp4").write_bytes(bytes(8_000_000))
    before = set(threading.enumerate())
    server = Server()
    server.start()
    with serve(folder, on=server) as hosted:
        host = urlsplit(hosted.url).netloc
        wires = [connect(hosted.url) for _ in range(10)]
        for wire in wires:
            wire.sendall(f"GET /big.mp4 HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            wire.recv(1)
    started = time.monotonic()
    server.close()
    assert time.monotonic() - started < CLOSED_S
    left = set(threading.enumerate()) - before
    for thread in left:
        thread.join(CLOSED_S)
    assert not [thread for thread in left if thread.is_alive()]
    for wire in wires:
        wire.close()
    with pytest.raises(ConnectionRefusedError):
        connect(hosted.url)
    server.close()


def test_server_starts_again(folder: Path, ask: Ask, serve: Serve) -> None:
    """A closed server can be started anew, and says so when it is not."""
    server = Server()
    with pytest.raises(IwrError, match="not started"):
        serve(folder, on=server).__enter__()
    for _ in range(2):
        with server, serve(folder, on=server) as hosted:
            assert ask(hosted.url, "/").status == 200


def test_process_ends_without_close(folder: Path) -> None:
    """A server that nobody closed keeps no process alive, and says nothing."""
    script = "from pytest_iwr.serve import Server\nserver = Server()\nserver.start()\n"
    done = subprocess.run(  # our own script
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        cwd=folder,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
