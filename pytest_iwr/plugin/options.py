"""The command line's options and ini values, checked."""

from dataclasses import dataclass
from pathlib import Path

import pytest

_LONGEST_STEP_S = 600
"""As in the task format."""


@dataclass(frozen=True)
class Options:
    """What the user asked for."""

    pages: Path | None
    """The folder of stored pages, absolute."""
    models: tuple[str, ...]
    """Empty: all models that the pages hold."""
    output: Path
    """The folder of all runs, absolute."""
    epochs: int
    keeps_failures_green: bool
    """A wrong page is a row that says `failed`, and a green test."""
    browser_executable: str | None
    step_timeout_s: float
    min_similarity: float | None
    """For checkpoints without a minimum of their own, 0..1; `None`: as measured."""


def add_options(parser: pytest.Parser) -> None:
    """Name the options in pytest's help."""
    group = parser.getgroup("iwr", "web pages made by models (pytest-iwr)")
    group.addoption(
        "--iwr-pages",
        metavar="DIR",
        help="evaluate stored pages: DIR/<model>/<task id>/index.html. A model "
        "without a page for a task gets zero for it.",
    )
    group.addoption(
        "--iwr-model",
        metavar="NAME",
        action="append",
        default=[],
        help="evaluate this model's pages only; may be given several times. Without "
        "it all models that the pages hold are taken. Every task is one test a "
        "model, e.g. tasks/shop/task.iwr.yaml::shop[gpt-5].",
    )
    group.addoption(
        "--iwr-epochs",
        metavar="N",
        type=int,
        default=1,
        help="evaluate every task N times for each model; the ids get the number, "
        "e.g. shop[gpt-5-2] (default: 1).",
    )
    group.addoption(
        "--iwr-output",
        metavar="DIR",
        help="where runs are kept: DIR/<run>/summary.json, results.jsonl, run.json, "
        "shots and report.html; DIR/latest is the last run (default: reports, or "
        "the ini value iwr_output).",
    )
    group.addoption(
        "--iwr-fail-on",
        choices=("model", "error"),
        default="model",
        help="what makes a test red. model: a wrong page does, as in any test suite "
        "(default). error: only what is not the page's fault does; the scores say "
        "the rest. Use it to measure models.",
    )
    group.addoption(
        "--iwr-browser-executable",
        metavar="FILE",
        help="the Chromium or Chrome to use, before all others that are found "
        "(also the environment variable IWR_BROWSER_EXECUTABLE).",
    )
    group.addoption(
        "--iwr-step-timeout",
        metavar="SECONDS",
        type=float,
        default=5.0,
        help="how long a step may take with its expectations, where the task does "
        "not say timeout_s (default: 5).",
    )
    parser.addini(
        "iwr_output",
        help="where runs are kept, relative to this file's folder (default: reports)",
        default="reports",
    )
    parser.addini(
        "iwr_min_similarity",
        help="the similarity, 0..1, below which a checkpoint makes its test red, "
        "where the task does not say min_similarity (default: as measured between "
        "faithful and foreign pages, see docs/scoring.md)",
        default="",
    )


def read_options(config: pytest.Config) -> Options:
    """Read and check the options; raises `pytest.UsageError`."""
    here = config.invocation_params.dir
    pages = config.getoption("--iwr-pages")
    output = config.getoption("--iwr-output")
    epochs = config.getoption("--iwr-epochs")
    if epochs < 1:
        message = f"--iwr-epochs={epochs}: not a number of runs. Give 1 or more."
        raise pytest.UsageError(message)
    timeout_s = config.getoption("--iwr-step-timeout")
    if not 0 < timeout_s <= _LONGEST_STEP_S:
        message = (
            f"--iwr-step-timeout={timeout_s:g}: not a time for a step. "
            f"Give seconds, more than 0 and at most {_LONGEST_STEP_S}."
        )
        raise pytest.UsageError(message)
    return Options(
        pages=here / Path(pages).expanduser() if pages else None,
        models=tuple(dict.fromkeys(config.getoption("--iwr-model"))),
        output=(
            here / Path(output).expanduser()
            if output
            else config.rootpath / config.getini("iwr_output")
        ),
        epochs=epochs,
        keeps_failures_green=config.getoption("--iwr-fail-on") == "error",
        browser_executable=config.getoption("--iwr-browser-executable"),
        step_timeout_s=timeout_s,
        min_similarity=_min_similarity(config.getini("iwr_min_similarity")),
    )


def _min_similarity(text: str) -> float | None:
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        message = f"iwr_min_similarity = {text!r}: not a number from 0 to 1."
        raise pytest.UsageError(message)
    return value
