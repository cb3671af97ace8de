"""What products have answered, a page or none, kept by what it was made from."""

import hashlib
import json
import secrets
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import JsonValue, ValidationError

from pytest_iwr.errors import EndpointError
from pytest_iwr.records import NoPage

Mode = Literal["auto", "only", "refresh", "off"]
"""Ask for what is missing; never ask; ask anew and keep; neither read nor write."""

_PAGE, _NONE = "iwr-page-1", "iwr-none-1"


class Kept(NamedTuple):
    """An answer, and whether it was there already."""

    content: bytes | NoPage
    is_hit: bool


class PageCache:
    """A folder of answers, shared by runs; used from many threads at once."""

    def __init__(
        self,
        folder: Path,
        mode: Mode = "auto",
        warn: Callable[[str], None] | None = None,
    ) -> None:
        """`warn` is told about a file that is not as it was written: it is a miss."""
        self._folder = folder
        self._mode = mode
        self._warn = warn
        self._lock = threading.Lock()
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self.hits = 0
        """Answers that were there."""
        self.misses = 0
        """Answers that were asked for."""

    def get(self, key: str, make: Callable[[], bytes | NoPage]) -> Kept:
        """Give the answer of a key; `make` asks for it, once at a time for a key.

        Raises what `make` raises, which is not kept, and EndpointError where nothing
        may be asked for.
        """
        with self._lock:
            lock = self._locks[key]
        with lock:
            content = self.read(key)
            if content is not None:
                self._count(is_hit=True)
                return Kept(content, is_hit=True)
            if self._mode == "only":
                raise EndpointError(
                    f"--iwr-cache=only: the page is not in the cache ({key[:12]}…). "
                    "Run once with --iwr-cache=auto."
                )
            self._count(is_hit=False)
            made = make()
            if self._mode != "off":
                self._write(key, made)
            return Kept(made, is_hit=False)

    def path(self, key: str) -> Path:
        """Give the file of a key, whether it is there or not."""
        return self._folder / "pages" / key[:2] / f"{key}.page"

    def read(self, key: str) -> bytes | NoPage | None:
        """Give the answer of a key where the mode lets it be used, else `None`."""
        if self._mode in {"refresh", "off"}:
            return None
        path = self.path(key)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._complain(f"{path}: cannot be read: {error.strerror}; asked for anew")
            return None
        head, _, content = data.partition(b"\n")
        if head == _head(_PAGE, key, content):
            return content
        if head == _head(_NONE, key, content):
            with suppress(ValidationError):  # of another version
                return NoPage.model_validate_json(content)
        self._complain(f"{path}: is not as it was written; asked for anew")
        return None

    def _write(self, key: str, made: bytes | NoPage) -> None:
        """Keep an answer; where that cannot be, it still is given: it was paid for."""
        if isinstance(made, NoPage):
            kind, content = _NONE, made.model_dump_json().encode()
        else:
            kind, content = _PAGE, made
        path = self.path(key)
        fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        ignore = self._folder / ".gitignore"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not ignore.exists():
                ignore.write_text("*\n", encoding="ascii")
            fresh.write_bytes(_head(kind, key, content) + b"\n" + content)
            fresh.replace(path)
        except OSError as error:
            self._complain(f"{path}: cannot be written: {error.strerror}; not kept")

    def _count(self, *, is_hit: bool) -> None:
        with self._lock:
            self.hits += is_hit
            self.misses += not is_hit

    def _complain(self, what: str) -> None:
        if self._warn is not None:
            self._warn(what)


def key_of(made_of: Mapping[str, JsonValue]) -> str:
    """Give the key of what a page is made of: SHA-256 in hex."""
    text = json.dumps(dict(made_of), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _head(kind: str, key: str, content: bytes) -> bytes:
    digest = hashlib.sha256(content).hexdigest()
    return f"{kind} {key} {digest}".encode("ascii")
