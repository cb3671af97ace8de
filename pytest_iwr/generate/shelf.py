"""Prompts that were prepared: each made once, kept on disk and not in memory."""

import hashlib
import json
import os
import secrets
import shutil
import tempfile
import threading
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path

import cv2

from pytest_iwr import images
from pytest_iwr.generate.inputs import find_inputs
from pytest_iwr.generate.prompt import Prompt
from pytest_iwr.records import ModelConfig, Task

MOST_BYTES = 2_000_000_000
"""Of a folder that stays: some hundred prompts with a minute of video each."""


class Shelf:
    """Keeps prompts in a folder, shared by threads, and by runs at the same time."""

    def __init__(
        self,
        folder: Path | None = None,
        *,
        at_a_time: int | None = None,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        """Make the folder; without one, or where it cannot be made, one that goes.

        `at_a_time` prompts are prepared at once, by default one a core. Where there
        are more than `most_bytes`, those go that were not used for the longest time.
        """
        stays = folder is not None and _is_made(folder)
        self._folder = (
            folder
            if folder is not None and stays
            else Path(tempfile.mkdtemp(prefix="iwr-prompts-"))
        )
        self._end: Callable[[], object] | None = None
        if not stays:
            self._end = weakref.finalize(
                self, shutil.rmtree, self._folder, ignore_errors=True
            )
        self._most_bytes = most_bytes
        self._turns = threading.Semaphore(at_a_time or os.cpu_count() or 1)
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._lock = threading.Lock()

    def get(self, key: str, make: Callable[[], Prompt]) -> Prompt:
        """Give the prompt of a key; who asks for one that is being made waits."""
        path = self._folder / f"{key}.json"
        with self._lock:
            lock = self._locks[key]
        with lock:
            prompt = _read(path)
            if prompt is None:
                with self._turns:
                    prompt = make()
                with suppress(OSError):  # what cannot be kept is made again
                    _write(path, prompt)
                    self._trim()
            return prompt

    def close(self) -> None:
        """Forget all of them, unless the folder stays."""
        if self._end is not None:
            self._end()

    def _trim(self) -> None:
        with self._lock:
            total = 0
            for _, size, path in sorted(_files(self._folder), reverse=True):
                total += size
                if total > self._most_bytes:
                    path.unlink(missing_ok=True)


def key_of(task: Task, config: ModelConfig, template: str, *, native: bool) -> str:
    """Give the key of a prompt: equal where whatever it is made of is equal."""
    made_of = {
        "by": _code(),
        "task": task.model_dump(
            mode="json",
            include={
                "path",
                "title",
                "viewport",
                "device",
                "video",
                "assets",
                "sheets",
            },
        ),
        "files": [(str(path), _digest(path)) for path in find_inputs(task).files()],
        "model": config.model_dump(
            mode="json", include={"vision", "limits", "context_tokens", "max_tokens"}
        ),
        "template": template,
        "native": native,
    }
    return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()


@cache
def _code() -> str:
    """Give a digest of what makes prompts: another version may make others."""
    digest = hashlib.sha256(cv2.__version__.encode())
    for path in [*sorted(Path(__file__).parent.glob("*.py")), Path(images.__file__)]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _digest(path: Path) -> str | None:
    """Look at a file that may be missing; then the prompt will say so."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _is_made(folder: Path) -> bool:
    """Make a folder that git ignores; tells whether files can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".gitignore").write_text("*\n", encoding="ascii")
    except OSError:
        return False
    return True


def _write(path: Path, prompt: Prompt) -> None:
    data = json.dumps(asdict(prompt)).encode("ascii")
    head = hashlib.sha256(data).hexdigest().encode("ascii")
    part = path.with_suffix(f".{secrets.token_hex(4)}.part")
    part.write_bytes(head + b"\n" + data)
    part.replace(path)  # whole or not at all, for whoever reads it


def _read(path: Path) -> Prompt | None:
    """Give what was written; a file that is damaged is none."""
    try:
        head, _, data = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    with suppress(OSError):
        path.touch()  # it was used
    if head != hashlib.sha256(data).hexdigest().encode("ascii"):
        return None
    held = json.loads(data)
    held["messages"] = tuple(held["messages"])
    held["dropped"] = tuple(held["dropped"])
    return Prompt(**held)


def _files(folder: Path) -> Iterator[tuple[int, int, Path]]:
    """Give time of use, bytes and path of all prompts, also of half-written ones."""
    for path in folder.iterdir():
        if path.suffix in {".json", ".part"}:
            with suppress(FileNotFoundError):  # another run has deleted it
                stat = path.stat()
                yield stat.st_mtime_ns, stat.st_size, path
