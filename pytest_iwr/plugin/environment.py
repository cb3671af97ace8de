"""What a run ran on: times, versions, options, browser."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import pytest

from pytest_iwr.plugin.judging import recipe_of
from pytest_iwr.plugin.plan import Plan

if TYPE_CHECKING:
    from pytest_iwr.records import Row

_PACKAGES = (
    "pytest-iwr",
    "pytest",
    "pytest-html",
    "pytest-playwright",
    "pytest-xdist",
    "playwright",
    "rapidocr",
    "onnxruntime",
    "opencv-python-headless",
    "numpy",
    "openai",
    "genai-prices",
)
_FAMILIES = ("sans-serif", "serif", "monospace", "system-ui")
_SECRET = re.compile(r"key|token|secret|passw|auth|credential|cookie", re.IGNORECASE)
_IN_ADDRESS = re.compile(r"(?<=://)[^/@\s]+@")
_QUERY = re.compile(r"(://[^?#\s]*)[?#].*", re.DOTALL)
_HIDDEN = "…"


def describe(
    config: pytest.Config, plan: Plan, rows: Sequence[Row]
) -> dict[str, object]:
    """Give the content of `run.json`."""
    finished = datetime.now(UTC)
    return {
        "schema": 1,
        "run": plan.files.path.name,
        "started": plan.started.isoformat(timespec="seconds"),
        "finished": finished.isoformat(timespec="seconds"),
        "duration_s": round((finished - plan.started).total_seconds(), 3),
        "rootdir": str(config.rootpath),
        "models": list(plan.models),
        "epochs": plan.options.epochs,
        "pages": str(plan.options.pages) if plan.options.pages else None,
        "scoring": recipe_of(plan.options).model_dump(mode="json"),
        "asking": _asking(plan),
        "browser": _browser(plan, rows),
        "fonts": _fonts(),
        "settings": {
            "step_timeout_s": plan.options.step_timeout_s,
            "min_similarity": plan.options.min_similarity,
        },
        "versions": {"python": platform.python_version()} | _versions(),
        "platform": platform.platform(),
        "workers": config.getoption("numprocesses", default=None) or 0,
        "arguments": without_secrets(config.invocation_params.args),
    }


def without_secrets(arguments: Sequence[object]) -> list[str]:
    """Give command line arguments, values that look like secrets left out."""
    kept = []
    hides_next = False
    for argument in map(str, arguments):
        name, equals, _ = argument.partition("=")
        is_secret = argument.startswith("-") and bool(_SECRET.search(name))
        if hides_next and not argument.startswith("-"):
            kept.append(_HIDDEN)
        elif is_secret and equals:
            kept.append(f"{name}={_HIDDEN}")
        else:
            shown = _QUERY.sub(rf"\1?{_HIDDEN}", argument)
            kept.append(_IN_ADDRESS.sub(f"{_HIDDEN}@", shown))
        hides_next = is_secret and not equals
    return kept


def _asking(plan: Plan) -> Mapping[str, object] | None:
    """Give what asking models took; `None` where none was asked."""
    told = plan.gate.status if plan.gate is not None else None
    if told is None:
        return None
    making, status = plan.options.making, told._asdict()
    for passing in ("running", "waiting", "limit"):
        del status[passing]
    return {"cache": making.cache, "max_cost_usd": making.max_cost_usd, **status}


def _fonts() -> dict[str, str]:
    """Give what stands for the generic families, and a digest of all fonts."""
    program, lister = shutil.which("fc-match"), shutil.which("fc-list")
    if program is None or lister is None:
        return {}
    found = {
        family: _told(program, "--format=%{family[0]} (%{file|basename})", family)
        for family in _FAMILIES
    }
    files = sorted(_told(lister, "--format=%{file|basename}\n").splitlines())
    digest = hashlib.sha256("\n".join(files).encode()).hexdigest()[:12]
    return found | {"all": f"{len(files)} files, {digest}"}


def _told(*command: str) -> str:
    """Give what a program prints; nothing where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - fontconfig's own
    return done.stdout


def _browser(plan: Plan, rows: Sequence[Row]) -> Mapping[str, object]:
    """Give the product, as the traces know it, the program and its switches."""
    from pytest_iwr.drive.launch import default_args  # noqa: PLC0415 - late
    from pytest_iwr.records import Result, Trace  # noqa: PLC0415 - late

    product = None
    for row in rows:
        if isinstance(row, Result) and row.trace is not None:
            path = plan.files.path / row.folder / row.trace
            trace = Trace.model_validate_json(path.read_text(encoding="utf-8"))
            product = trace.browser
            break
    found = plan.found_browser
    return {
        "product": product,
        "executable": str(found.path) if found and found.path else None,
        "source": found.source if found else None,
        "switches": default_args(is_root=os.geteuid() == 0),
    }


def _versions() -> dict[str, str]:
    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions
