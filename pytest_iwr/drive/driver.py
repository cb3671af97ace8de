"""Playwright's driver: a process between this one and the browser, without keys."""

import os
import shlex
from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

import playwright
from playwright import sync_api as pw

_NODE = "PLAYWRIGHT_NODEJS_PATH"
"""Playwright's own variable: the program that runs its driver."""


def start_driver(unset: Collection[str]) -> pw.Playwright:
    """Start a driver whose environment lacks some of this process's variables.

    Where the folder for temporary files allows no programs, it lacks none.
    """
    with _instead_of_node(unset) if unset else nullcontext():
        return pw.sync_playwright().start()


@contextmanager
def _instead_of_node(unset: Collection[str]) -> Iterator[None]:
    """Let a script be started for Node.js, which leaves variables out and becomes it.

    They stay in `os.environ`, where other threads look for them: whoever asks models.
    """
    told = os.environ.get(_NODE)
    node = Path(told or Path(playwright.__file__).parent / "driver" / "node")
    with TemporaryDirectory(prefix="iwr-") as folder:
        script = Path(folder) / "node"
        script.write_text(_script(node, told, unset), encoding="utf-8")
        script.chmod(0o700)
        if not node.is_file() or not os.access(script, os.X_OK):
            yield
            return
        os.environ[_NODE] = str(script)
        try:
            yield
        finally:
            if told is None:
                del os.environ[_NODE]
            else:
                os.environ[_NODE] = told


def _script(node: Path, told: str | None, unset: Collection[str]) -> str:
    options = [word for name in (_NODE, *sorted(unset)) for word in ("-u", name)]
    kept = [] if told is None else [f"{_NODE}={told}"]
    command = shlex.join(["env", *options, *kept, str(node)])
    return f'#!/bin/sh\nexec {command} "$@"\n'
