"""A Python callable of the user's: found by its name, and called for a page."""

import asyncio
import hashlib
import importlib
import inspect
import threading
import traceback
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from pytest_iwr.errors import EndpointError, IwrError, UsageError
from pytest_iwr.generate.request import PageRequest
from pytest_iwr.generate.site import MOST_BYTES, pack

_T = TypeVar("_T")


def find_callable(address: str) -> Callable[[PageRequest], object]:
    """Import `package.module:name`; raises UsageError with what went wrong."""
    module, _, name = address.partition(":")
    if not module or not name:
        raise UsageError(
            f"--iwr-generator={address}: no such product. Give package.module:callable "
            "or https://…."
        )
    future = _run(lambda: importlib.import_module(module))
    error = future.exception()
    if error is not None:
        raise UsageError(
            f"--iwr-generator={address}: {module} cannot be imported: {_last(error)}. "
            "Correct it, or add its folder to PYTHONPATH."
        ) from error
    found: object = future.result()
    for part in name.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        what = "there is no" if found is None else "not to be called:"
        raise UsageError(
            f"--iwr-generator={address}: {what} {name!r} in {module}. Correct the name."
        )
    return found


def call(
    function: Callable[[PageRequest], object], request: PageRequest, address: str
) -> bytes | None:
    """Have a page made; several files become a zip; `None`: there is no page.

    Raises EndpointError where the callable raises, or gives what is no page's shape.
    """
    future = _run(lambda: _finished(function(request)))
    error = future.exception()
    if isinstance(error, IwrError):
        raise error
    if error is not None:
        raise EndpointError(
            f"{address}: it failed for the task {request.task!r}: {_last(error)}. "
            "Correct it, and run again."
        ) from error
    return _content(future.result(), address)


def source_sha256(function: Callable[[PageRequest], object]) -> str:
    """Give the digest of the file that a callable is written in; empty without one.

    What that file imports is not in it.
    """
    held = function if inspect.isroutine(function) else type(function)
    try:
        file = inspect.getsourcefile(inspect.unwrap(held))
    except TypeError:
        file = None
    path = Path(file) if file else None
    if path is None or not path.is_file():
        return ""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _run(work: Callable[[], _T]) -> Future[_T]:
    """Do foreign work in a thread of its own; what it raises stays in the future.

    The thread ends with the process: a product that hangs must not hold up its end, as
    a thread of a `ThreadPoolExecutor` would.
    """
    future: Future[_T] = Future()

    def fulfil() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - whoever waits gets it
            future.set_exception(error)

    thread = threading.Thread(target=fulfil, name="iwr-product", daemon=True)
    thread.start()
    thread.join()
    return future


def _finished(made: object) -> object:
    """Wait for what is not there yet, in an event loop of its own."""
    if not inspect.isawaitable(made):
        return made

    async def finish(awaitable: Awaitable[object]) -> object:
        return await awaitable

    return asyncio.run(finish(made))


def _content(made: object, address: str) -> bytes | None:
    match made:
        case None:
            return None
        case str():
            return made.encode("utf-8", "replace")
        case bytes() | bytearray() | memoryview():
            return bytes(made)
        case Path():
            return _read(made, address)
        case Mapping():
            return _packed(made, address)
        case _:
            raise _odd(address, f"it gave a {type(made).__name__}")


def _read(path: Path, address: str) -> bytes:
    try:
        if not path.is_dir():
            return path.read_bytes()
        files: dict[str, bytes] = {}
        size = 0
        for file in sorted(path.rglob("*")):
            name = file.relative_to(path)
            is_hidden = any(part.startswith(".") for part in name.parts)
            if file.is_file() and not is_hidden:
                size += file.stat().st_size
                if size > MOST_BYTES:
                    raise _odd(address, f"{path} has more than {MOST_BYTES} bytes")
                files[name.as_posix()] = file.read_bytes()
        return pack(files)
    except OSError as error:
        raise _odd(address, f"{path} cannot be read: {error.strerror}") from error


def _packed(made: Mapping[object, object], address: str) -> bytes:
    files = {}
    for name, content in made.items():
        data = (
            content.encode("utf-8", "replace") if isinstance(content, str) else content
        )
        if not isinstance(name, str) or not isinstance(data, bytes):
            raise _odd(address, f"it gave no text or bytes as {name!r}")
        files[name] = data
    return pack(files)


def _odd(address: str, what: str) -> EndpointError:
    return EndpointError(
        f"{address}: {what}. Give HTML, a zip file's bytes, a path, files by name, or "
        "None where there is no page."
    )


def _last(error: BaseException) -> str:
    """Give the last line of a traceback, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return traceback.format_exception_only(error)[-1].strip() + where
