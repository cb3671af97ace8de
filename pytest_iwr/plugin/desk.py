"""The desk: each page is made once, in the controller, and handed to whoever asks.

Workers ask over a local socket that only this user can open, with a key of the run.
"""

from __future__ import annotations

import json
import secrets
import tempfile
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import AuthenticationError
from multiprocessing.connection import (
    Client,
    Connection,
    Listener,
    answer_challenge,
    deliver_challenge,
)
from queue import SimpleQueue
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from pytest_iwr.records import Page, Task

_THREADS = "iwr-desk"
_PAUSE_S = 0.1
"""Before a worker is listened to again where that failed: no files were left, say."""
_WAITING = 128
"""Workers whose connection is not taken yet."""


class Maker(Protocol):
    """Makes pages; called from many threads at once."""

    def page(self, task: Task, model: str, epoch: int) -> Page:
        """Make the page of one model for one task; raises an IwrError."""
        ...


class Wanted(NamedTuple):
    """A page that a selected test will ask for."""

    path: str
    """The file of the task."""
    task: str
    """Its id; a file may hold many."""
    model: str
    epoch: int


class Counts(NamedTuple):
    """How far the pages of a run are."""

    wanted: int
    """Known so far: asked for, or to be made ahead."""
    running: int
    done: int
    failed: int


@dataclass(frozen=True)
class Address:
    """Where a desk is reached, as text for a worker."""

    socket: str
    key: str


class Desk:
    """Makes pages ahead of the tests that want them, each of them once."""

    def __init__(self, open_maker: Callable[[], Maker], *, threads: int) -> None:
        """Know how the maker is opened: at the first need, as it may cost.

        At most `threads` pages are made at a time.
        """
        self._open_maker = open_maker
        self._maker: Maker | None = None
        self._fault: Exception | None = None
        self._crew = _Crew(threads)
        self._lock = threading.Lock()
        self._pages: dict[Wanted, Future[Page]] = {}
        self._ahead: list[Wanted] = []
        self._counted = {"running": 0, "done": 0, "failed": 0}
        self._reception: _Reception | None = None
        self._has_begun = False
        self._key = secrets.token_hex(32)

    def expect(self, wanted: Iterable[Wanted]) -> None:
        """Know what will be asked for; it is made ahead once `begin` was called."""
        with self._lock:
            known = set(self._ahead)
            self._ahead += [page for page in wanted if page not in known]
            has_begun = self._has_begun
        if has_begun:
            self.begin()

    def begin(self) -> None:
        """Make ahead what is expected; called when a test first needs pages of ours."""
        with self._lock:
            self._has_begun = True
            ahead = list(self._ahead)
        for wanted in ahead:
            self._start(wanted, None)

    def page(self, task: Task, model: str, epoch: int) -> Page:
        """Give a page, once it is made; raises the IwrError that prevented it.

        Whoever asks again after a failure has it tried again.
        """
        wanted = Wanted(task.path, task.id, model, epoch)
        future = self._start(wanted, task)
        try:
            return future.result()
        except BaseException:
            with self._lock:
                if self._pages.get(wanted) is future and future.done():
                    del self._pages[wanted]
            raise

    @property
    def counts(self) -> Counts:
        """How far the pages are."""
        with self._lock:
            ahead = set(self._ahead) if self._has_begun else set()
            wanted = len(ahead | self._pages.keys())
            return Counts(wanted, **self._counted)

    def listen(self) -> Address:
        """Let workers ask from now on."""
        if self._reception is None:
            self._reception = _Reception(self, _listener(), self._key.encode())
            target = self._reception.receive
            threading.Thread(target=target, name=_THREADS, daemon=True).start()
        return Address(str(self._reception.listener.address), self._key)

    def close(self) -> None:
        """Make nothing more; what is being made is not waited for."""
        if self._reception is not None:
            self._reception.close()
            self._reception = None
        with self._lock:
            futures = list(self._pages.values())
        for future in futures:
            future.cancel()

    def _start(self, wanted: Wanted, task: Task | None) -> Future[Page]:
        with self._lock:
            future = self._pages.get(wanted)
            if future is None:
                future = self._pages[wanted] = Future()
                self._crew.take(partial(self._fulfil, future, wanted, task))
            return future

    def _fulfil(self, future: Future[Page], wanted: Wanted, task: Task | None) -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            page = self._make(wanted, task)
        except BaseException as error:  # noqa: BLE001 - whoever waits gets it
            future.set_exception(error)
        else:
            future.set_result(page)

    def _make(self, wanted: Wanted, task: Task | None) -> Page:
        with self._lock:
            self._counted["running"] += 1
        outcome = "failed"
        try:
            page = self._opened().page(
                task or _load(wanted.path, wanted.task), wanted.model, wanted.epoch
            )
            outcome = "done"
            return page
        finally:
            with self._lock:
                self._counted["running"] -= 1
                self._counted[outcome] += 1

    def _opened(self) -> Maker:
        with self._lock:
            if self._fault is not None:
                raise self._fault
            if self._maker is None:
                try:
                    self._maker = self._open_maker()
                except Exception as error:
                    self._fault = error  # it is what all pages lack
                    raise
            return self._maker


class _Crew:
    """Threads that end with the process, whatever they are at.

    Those of a `ThreadPoolExecutor` are waited for at the end, and a model may take
    ten minutes.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._threads = 0
        self._work: SimpleQueue[Callable[[], None]] = SimpleQueue()

    def take(self, work: Callable[[], None]) -> None:
        """Do some work as soon as a thread is free; called with a lock held."""
        self._work.put(work)
        if self._threads < self._size:
            self._threads += 1
            threading.Thread(target=self._run, name=_THREADS, daemon=True).start()

    def _run(self) -> None:
        while True:
            self._work.get()()


class RemoteDesk:
    """In a worker: the desk of the controller."""

    def __init__(self, address: Address) -> None:
        """Know where it is."""
        self._address = address

    def begin(self) -> None:
        """Let the desk make ahead what is expected."""
        self._ask({"do": "begin"})

    def page(self, task: Task, model: str, epoch: int) -> Page:
        """Give a page, once it is made; raises the IwrError that prevented it."""
        from pytest_iwr import errors, records  # noqa: PLC0415 - they are loaded

        told = self._ask(
            {
                "do": "page",
                "task": task.model_dump(mode="json", by_alias=True),
                "model": model,
                "epoch": epoch,
            }
        )
        if "error" in told:
            kind: type[errors.IwrError] = getattr(errors, told["error"])
            raise kind(told["message"])
        page: Page = getattr(records, told["kind"]).model_validate(told["page"])
        return page

    def _ask(self, question: dict[str, object]) -> dict[str, str]:
        from pytest_iwr.errors import IwrError  # noqa: PLC0415 - it is loaded

        address = self._address
        try:
            with Client(address.socket, "AF_UNIX", address.key.encode()) as asked:
                asked.send_bytes(json.dumps(question).encode())
                told: dict[str, str] = json.loads(asked.recv_bytes())
                return told
        except (OSError, EOFError) as error:
            raise IwrError(
                "the process that makes the pages is gone. Run again; finished pages "
                "are kept in the cache."
            ) from error


@dataclass(frozen=True)
class _Reception:
    """Takes what workers ask, each in a thread of its own."""

    desk: Desk
    listener: Listener
    key: bytes
    is_closed: threading.Event = field(default_factory=threading.Event)

    def receive(self) -> None:
        """Answer until it is closed, whatever goes wrong with one worker.

        Else all others would wait for ever.
        """
        while not self.is_closed.is_set():
            try:
                connection = self.listener.accept()
            except OSError:
                self.is_closed.wait(_PAUSE_S)
                continue
            answering = threading.Thread(
                target=self._answer, args=[connection], name=_THREADS, daemon=True
            )
            try:
                answering.start()
            except RuntimeError:  # no thread is left
                connection.close()  # which the worker notices

    def close(self) -> None:
        """Listen to nobody any more."""
        self.is_closed.set()
        self.listener.close()

    def _answer(self, connection: Connection) -> None:
        """Answer one worker; a stranger, and one that was killed, get nothing."""
        strange = (OSError, EOFError, AuthenticationError, AssertionError)
        with connection, suppress(*strange):
            deliver_challenge(connection, self.key)
            answer_challenge(connection, self.key)
            question = json.loads(connection.recv_bytes())
            connection.send_bytes(json.dumps(self._tell(question)).encode())

    def _tell(self, question: dict[str, object]) -> dict[str, object]:
        from pytest_iwr.records import Task  # noqa: PLC0415 - they are loaded

        if question["do"] == "begin":
            self.desk.begin()
            return {}
        task = Task.model_validate(question["task"])
        try:
            page = self.desk.page(
                task, str(question["model"]), int(str(question["epoch"]))
            )
        except Exception as error:  # noqa: BLE001 - the worker has to know
            return _told_error(error)
        return {"kind": type(page).__name__, "page": page.model_dump(mode="json")}


def _listener() -> Listener:
    """Listen in a folder that only this user can open."""
    try:
        return Listener(family="AF_UNIX", backlog=_WAITING)
    except OSError:  # the path of the user's temporary folder is too long for a socket
        folder = tempfile.mkdtemp(prefix="iwr-", dir="/tmp")
        return Listener(f"{folder}/desk", "AF_UNIX", backlog=_WAITING)


def _told_error(error: Exception) -> dict[str, object]:
    from pytest_iwr.errors import IwrError, TaskError  # noqa: PLC0415 - loaded

    if isinstance(error, IwrError) and not isinstance(error, TaskError):
        return {"error": type(error).__name__, "message": str(error)}
    return {"error": "IwrError", "message": f"{type(error).__name__}: {error}"}


def _load(path: str, task_id: str) -> Task:
    from pathlib import Path  # noqa: PLC0415 - when first needed

    from pytest_iwr.load import load_named  # noqa: PLC0415 - when first needed

    return load_named(Path(path), task_id)
