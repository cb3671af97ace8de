"""Keys of models stay where models are asked: workers start without them."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Collection, Iterable
from typing import Any

_NAMED_LIKE_A_KEY = re.compile(
    r"(^|_)(API_?KEY|API_?TOKEN|ACCESS_?TOKEN|ACCESS_?KEY|SECRET)$|^HF_TOKEN$"
)


def like_keys(names: Iterable[str]) -> frozenset[str]:
    """Give the names of environment variables that are named as keys of APIs are."""
    return frozenset(name for name in names if _NAMED_LIKE_A_KEY.search(name.upper()))


def start_without(specs: Iterable[Any], names: Collection[str]) -> None:
    """Let xdist's workers on this machine start without some environment variables.

    Their specifications are changed, and with them those of workers that replace a
    lost one. The variables stay where they are in this process.
    """
    unset = [word for name in sorted(names) for word in ("-u", name)]
    for spec in specs:
        if spec.popen and unset:
            python = spec.python or shlex.quote(sys.executable)
            spec.python = f"{shlex.join(['env', *unset])} {python}"
