"""Prompts that were prepared: each made once, kept on disk and not in memory."""

import hashlib
import json
import os
import shutil
import tempfile
import threading
import weakref
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from pytest_iwr.generate.inputs import find_inputs
from pytest_iwr.generate.prompt import Prompt
from pytest_iwr.records import ModelConfig, Task


class Shelf:
    """Keeps prompts in a folder of its own, which goes away with it."""

    def __init__(self, at_a_time: int | None = None) -> None:
        """Make an empty one; `at_a_time` prompts are prepared, by default a core."""
        self._folder = Path(tempfile.mkdtemp(prefix="iwr-prompts-"))
        self._end = weakref.finalize(
            self, shutil.rmtree, self._folder, ignore_errors=True
        )
        self._turns = threading.Semaphore(at_a_time or os.cpu_count() or 1)
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._lock = threading.Lock()

    def get(self, key: str, make: Callable[[], Prompt]) -> Prompt:
        """Give the prompt of a key; who asks for one that is being made waits."""
        path = self._folder / key
        with self._lock:
            lock = self._locks[key]
        with lock:
            if path.is_file():
                held = json.loads(path.read_bytes())
                held["messages"] = tuple(held["messages"])
                held["dropped"] = tuple(held["dropped"])
                return Prompt(**held)
            with self._turns:
                prompt = make()
            path.write_text(json.dumps(asdict(prompt)), encoding="ascii")
            return prompt

    def close(self) -> None:
        """Forget all of them."""
        self._end()


def key_of(task: Task, config: ModelConfig, template: str, *, native: bool) -> str:
    """Give the key of a prompt: equal where whatever it is made of is equal."""
    files = [
        (str(path), stat.st_size, stat.st_mtime_ns)
        for path in find_inputs(task).files()
        if (stat := _stat(path)) is not None
    ]
    made_of = {
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
        "files": files,
        "model": config.model_dump(
            mode="json", include={"vision", "limits", "context_tokens", "max_tokens"}
        ),
        "template": template,
        "native": native,
    }
    return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()


def _stat(path: Path) -> os.stat_result | None:
    """Look at a file that may be missing; then the prompt will say so."""
    try:
        return path.stat()
    except OSError:
        return None
