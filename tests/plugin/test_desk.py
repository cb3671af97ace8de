"""The desk: each page is made once, and only for those who know the run's key."""

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client
from multiprocessing.process import current_process
from pathlib import Path

import pytest

from pytest_iwr.errors import EndpointError
from pytest_iwr.load import load
from pytest_iwr.plugin.desk import Address, Desk, RemoteDesk, Wanted
from pytest_iwr.records import NoPage, Page, Task
from tests.limits import no_files_left

TASK = """iwr: 1
id: shop
steps:
  - press: F1
    say: Press a key
"""


class Maker:
    """Makes no pages, and counts how often it was asked."""

    def __init__(self) -> None:
        """Start with nothing; `fails` is what to raise instead."""
        self.asked: list[tuple[str, str, int]] = []
        self.fails: Exception | None = None
        self.may_end = threading.Event()
        self.may_end.set()

    def page(self, task: Task, model: str, epoch: int) -> Page:
        """Give no page, once that is allowed."""
        self.asked.append((task.id, model, epoch))
        assert self.may_end.wait(30)
        if self.fails is not None:
            raise self.fails
        return NoPage(kind="refused", reason=f"{task.id} {model} {epoch}")


@pytest.fixture
def maker() -> Maker:
    """Give who makes the pages."""
    return Maker()


@pytest.fixture
def desk(maker: Maker) -> Iterator[Desk]:
    """Give a desk with two threads."""
    desk = Desk(lambda: maker, threads=2)
    yield desk
    desk.close()


@pytest.fixture
def task(tmp_path: Path) -> Task:
    """Give a task."""
    file = tmp_path / "task.iwr.yaml"
    file.write_text(TASK, encoding="utf-8")
    return load(file)


def test_page_travels_to_a_worker(desk: Desk, task: Task) -> None:
    """A worker gets the record that the maker has given."""
    page = RemoteDesk(desk.listen()).page(task, "gpt-5", 2)
    assert page == NoPage(kind="refused", reason="shop gpt-5 2")


def test_error_travels_to_a_worker(desk: Desk, maker: Maker, task: Task) -> None:
    """A worker gets the error that the maker has raised, of its own class."""
    maker.fails = EndpointError("gpt-5: it is down")
    with pytest.raises(EndpointError, match="it is down"):
        RemoteDesk(desk.listen()).page(task, "gpt-5", 1)


def test_many_ask_and_one_is_made(desk: Desk, maker: Maker, task: Task) -> None:
    """All who ask for a page get the one that is being made."""
    maker.may_end.clear()
    remote = RemoteDesk(desk.listen())
    with ThreadPoolExecutor(8) as pool:
        pages = [pool.submit(remote.page, task, "gpt-5", 1) for _ in range(8)]
        maker.may_end.set()
        assert len({page.result().model_dump_json() for page in pages}) == 1
    assert maker.asked == [("shop", "gpt-5", 1)]


def test_failure_is_tried_again_by_who_asks_again(
    desk: Desk, maker: Maker, task: Task
) -> None:
    """A test that is run again after a failure of the endpoint gets a new chance."""
    maker.fails = EndpointError("it is down")
    with pytest.raises(EndpointError):
        desk.page(task, "gpt-5", 1)
    maker.fails = None
    assert isinstance(desk.page(task, "gpt-5", 1), NoPage)


def test_nothing_is_made_ahead_before_begin(
    desk: Desk, maker: Maker, task: Task
) -> None:
    """What is expected is made once the first test needs pages of ours."""
    desk.expect([Wanted(task.path, "shop", "gpt-5", epoch) for epoch in (1, 2)])
    assert desk.counts.wanted == 0
    desk.begin()
    desk.page(task, "gpt-5", 1)
    desk.page(task, "gpt-5", 2)
    assert sorted(maker.asked) == [("shop", "gpt-5", 1), ("shop", "gpt-5", 2)]
    assert desk.counts == (2, 0, 2, 0)


def test_stranger_gets_nothing_and_others_still_do(desk: Desk, task: Task) -> None:
    """A program without the key of the run is turned away."""
    address = desk.listen()
    with pytest.raises((AuthenticationError, ConnectionError, EOFError)):
        Client(address.socket, "AF_UNIX", b"guessed")
    assert isinstance(RemoteDesk(address).page(task, "gpt-5", 1), NoPage)


def test_garbage_of_a_stranger_keeps_nobody_waiting(desk: Desk, task: Task) -> None:
    """What is no message at all ends that one connection."""
    address = desk.listen()
    with _connected(address) as stranger:
        stranger.sendall(b"\x7f" * 64)
        assert isinstance(RemoteDesk(address).page(task, "gpt-5", 1), NoPage)


def test_silent_stranger_keeps_nobody_waiting(desk: Desk, task: Task) -> None:
    """Who connects and says nothing is waited for, but by nobody else."""
    address = desk.listen()
    with _connected(address):
        assert isinstance(RemoteDesk(address).page(task, "gpt-5", 1), NoPage)


def test_desk_out_of_files_goes_on_once_there_are_some(desk: Desk) -> None:
    """A worker that comes meanwhile is answered then, and not left waiting."""
    address = desk.listen()
    first, worker = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    with first, worker:
        with no_files_left():
            first.connect(address.socket)  # may get the file of who waits for it
            worker.settimeout(0.3)
            worker.connect(address.socket)
            with pytest.raises(TimeoutError):
                worker.recv(1)  # there is no file for the other end of it
        worker.settimeout(20)
        assert worker.recv(1)


def _connected(address: Address) -> socket.socket:
    connected = socket.socket(socket.AF_UNIX)
    connected.settimeout(20)
    connected.connect(address.socket)
    return connected


def test_long_temporary_folder_is_no_obstacle(
    desk: Desk, task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers reach the desk where the path of `TMPDIR` is too long for a socket."""
    long = tmp_path / ("long" * 30)
    long.mkdir()
    monkeypatch.delitem(current_process()._config, "tempdir", raising=False)  # type: ignore[attr-defined]
    monkeypatch.setattr("tempfile.tempdir", str(long))
    assert isinstance(RemoteDesk(desk.listen()).page(task, "gpt-5", 1), NoPage)


def test_what_cannot_be_opened_is_said_each_time(task: Task) -> None:
    """All pages lack the same, and each says what."""

    def fails() -> Maker:
        raise EndpointError("no gateway")

    desk = Desk(fails, threads=1)
    for epoch in (1, 2):
        with pytest.raises(EndpointError, match="no gateway"):
            desk.page(task, "gpt-5", epoch)
    desk.close()
