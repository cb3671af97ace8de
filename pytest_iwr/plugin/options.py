"""The command line's options and ini values, checked."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

import pytest

from pytest_iwr.plugin.grounder_options import (
    Finding,
    add_grounder_options,
    read_finding,
)
from pytest_iwr.plugin.judge_options import Judging, add_judge_options, read_judging
from pytest_iwr.plugin.paper_options import Paper, add_paper_options, read_paper

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
    single_file: Path | None
    """Where the report goes in one file, absolute; `Path()`: into the run's folder."""
    trace: Literal["off", "on", "retain-on-failure"]
    """Whether Playwright's own trace is kept of each evaluation."""
    making: "Making"
    """How pages are made that are not stored."""
    finding: Finding
    """Who finds what a sentence means."""
    paper: Paper
    """What the paper's own metrics need."""
    judging: Judging
    """How pages are scored, and by which judge."""


@dataclass(frozen=True)
class Making:
    """What the user asked for about pages that are made."""

    generator: str | None
    """`package.module:callable` or an address; `None`: models make them."""
    model_config: Path | None
    """Absolute."""
    prompt: Path | None
    """A template instead of the bundled one, absolute."""
    is_video_native: bool
    cache: Literal["auto", "only", "refresh", "off"]
    cache_dir: Path
    """Absolute."""
    connections: tuple[int, int]
    """The least and the most requests at a time."""
    max_cost_usd: float | None
    is_dry: bool
    """Only tell what would be asked."""


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
        help="evaluate this model; may be given several times. With --iwr-pages it "
        "picks the stored pages of a model (without it all are taken); else the model "
        "is asked for a page of every task, at the endpoint that --iwr-model-config "
        "or OPENAI_BASE_URL and OPENAI_API_KEY name. Every task is one test a model, "
        "e.g. tasks/shop/task.iwr.yaml::shop[gpt-5].",
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
    group.addoption(
        "--iwr-html-single-file",
        metavar="PATH",
        nargs="?",
        const="",
        help="write the report in one file of at most 25 MB, too: every failed step "
        "with its pictures, the others as far as they fit (default PATH: "
        "report-single.html in the run's folder).",
    )
    _add_making(group)
    group.addoption(
        "--iwr-trace",
        choices=("off", "on", "retain-on-failure"),
        default="off",
        help="keep Playwright's own trace of each evaluation (on), or of each that "
        "does not pass (retain-on-failure), as trace.zip in its folder; `iwr "
        "show-report` opens it in Playwright's viewer. It costs time (default: off).",
    )
    add_grounder_options(group)
    add_paper_options(parser, group)
    add_judge_options(parser, group)
    parser.addini(
        "iwr_model_config",
        help="the file of --iwr-model-config, relative to this file's folder",
        default="",
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


def _add_making(group: pytest.OptionGroup) -> None:
    """Name the options about pages that are made by a model or a product."""
    group.addoption(
        "--iwr-model-config",
        metavar="FILE",
        help="how each model is asked: a YAML file that maps the names of --iwr-model "
        "to model, address, key variable, image limits and price (also the ini value "
        "iwr_model_config; see docs/models.md for one that works).",
    )
    group.addoption(
        "--iwr-generator",
        metavar="WHAT",
        help="let your own product make the pages: package.module:callable, or the "
        "https://... address that takes a POST of video, assets and prompt. Names "
        "given by --iwr-model are passed on to it.",
    )
    group.addoption(
        "--iwr-dry-run",
        action="store_true",
        help="ask nobody: show how many pages would be made, what is in the cache, "
        "and what the rest would send and cost.",
    )
    group.addoption(
        "--iwr-cache",
        choices=("auto", "only", "refresh", "off"),
        default="auto",
        help="answers of models are kept. auto: ask for what is not there (default). "
        "only: never ask, a missing answer is an error. refresh: ask anew and keep. "
        "off: neither read nor write.",
    )
    group.addoption(
        "--iwr-cache-dir",
        metavar="DIR",
        help="where they are kept (default: .iwr_cache in pytest's root folder).",
    )
    group.addoption(
        "--iwr-max-cost",
        metavar="USD",
        type=float,
        help="the most that a run may spend, in US dollars. What cannot be asked for "
        "any more stays unscored; finished work is kept.",
    )
    group.addoption(
        "--iwr-max-connections",
        metavar="MIN-MAX",
        default="4-50",
        help="how many requests run at a time, whatever -n is: more while the "
        "endpoint answers, fewer when it says too many (default: 4-50).",
    )
    group.addoption(
        "--iwr-prompt",
        metavar="FILE",
        help="a Jinja template of the instructions, instead of the bundled one.",
    )
    group.addoption(
        "--iwr-video-input",
        choices=("frames", "native"),
        default="frames",
        help="frames: one picture a second of the video (default). native: the video "
        "itself, for models whose configuration says vision: video.",
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
    _refuse_pairs(config)
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
        trace=cast(
            "Literal['off', 'on', 'retain-on-failure']",
            config.getoption("--iwr-trace"),
        ),
        single_file=_single_file(config.getoption("--iwr-html-single-file"), here),
        making=_read_making(config),
        finding=read_finding(config),
        paper=read_paper(config),
        judging=read_judging(config),
    )


def _single_file(told: str | None, here: Path) -> Path | None:
    """Read where to; a folder of tests that follows the option is no such place."""
    if not told:
        return None if told is None else Path()
    if Path(told).suffix.lower() not in {".html", ".htm"}:
        message = (
            f"--iwr-html-single-file={told}: not a name of an HTML file. Give one that "
            "ends with .html, or write the option after the paths of tests."
        )
        raise pytest.UsageError(message)
    return here / Path(told).expanduser()


def _refuse_pairs(config: pytest.Config) -> None:
    """Refuse options of which one would do nothing."""
    if not config.getoption("--iwr-generator"):
        return
    if config.getoption("--iwr-pages"):
        message = (
            "--iwr-pages and --iwr-generator: pages are stored, or made. Give one."
        )
        raise pytest.UsageError(message)
    if config.getoption("--iwr-max-cost") is not None:
        message = (
            "--iwr-max-cost: nobody knows what a product of --iwr-generator costs. "
            "Leave it out, and bound the cost there."
        )
        raise pytest.UsageError(message)


def _read_making(config: pytest.Config) -> Making:
    here = config.invocation_params.dir
    told, ini = config.getoption("--iwr-model-config"), config.getini
    model_config = None
    if told:
        model_config = here / Path(told).expanduser()
    elif ini("iwr_model_config"):
        model_config = config.rootpath / ini("iwr_model_config")
    prompt = config.getoption("--iwr-prompt")
    cache_dir = config.getoption("--iwr-cache-dir")
    max_cost_usd = config.getoption("--iwr-max-cost")
    if max_cost_usd is not None and not max_cost_usd >= 0:
        message = f"--iwr-max-cost={max_cost_usd}: not an amount. Give US dollars."
        raise pytest.UsageError(message)
    return Making(
        generator=config.getoption("--iwr-generator"),
        model_config=model_config,
        prompt=here / Path(prompt).expanduser() if prompt else None,
        is_video_native=config.getoption("--iwr-video-input") == "native",
        cache=cast(
            "Literal['auto', 'only', 'refresh', 'off']",
            config.getoption("--iwr-cache"),
        ),
        cache_dir=(
            here / Path(cache_dir).expanduser()
            if cache_dir
            else config.rootpath / ".iwr_cache"
        ),
        connections=_connections(config.getoption("--iwr-max-connections")),
        max_cost_usd=max_cost_usd,
        is_dry=config.getoption("--iwr-dry-run"),
    )


def _connections(text: str) -> tuple[int, int]:
    """Read `MIN-MAX`, or the most alone."""
    match = re.fullmatch(r"(?:(\d+)-)?(\d+)", text)
    if match is not None:
        most = int(match[2])
        least = int(match[1]) if match[1] else min(4, most)
        if 1 <= least <= most:
            return least, most
    message = (
        f"--iwr-max-connections={text}: not a range of numbers of requests. "
        "Give the least and the most, e.g. 4-50."
    )
    raise pytest.UsageError(message)


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
