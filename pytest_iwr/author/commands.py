"""`iwr capture`, `iwr import`, `iwr check --oracle`: what they take and print."""

import argparse
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_iwr.errors import UsageError
from pytest_iwr.load import OFFICIAL_SUFFIX, SUFFIX, load

if TYPE_CHECKING:
    from pytest_iwr.drive import Browser
    from pytest_iwr.serve import Server

    # argparse names the type of its sub-commands for type checkers only.
    Commands = argparse._SubParsersAction[Any]  # noqa: SLF001  # no public name

EXIT_PROBLEMS = 1


def add_capture(commands: "Commands") -> None:
    """Add `iwr capture`."""
    parser = commands.add_parser(
        "capture",
        help="make pictures, video, assets and contact sheets of a task",
        description="Drive a reference site along the task's own steps, and write the"
        " pictures that its file names, a video in real time, every picture, font,"
        " video and sound that the page loaded, and contact sheets of these. A picture"
        " is written once it has proved stable. Needs the extra: pip install"
        " 'pytest-iwr[author]'.",
        epilog="Examples:\n"
        "  iwr capture tasks/shop --site ../shop/dist\n"
        "  iwr capture tasks/shop --site http://localhost:3000/\n\n"
        "What the assets were called is kept in tasks/shop/.assets-map.json: it is\n"
        "private, do not publish it.\n\n"
        "Exit status: 0 all was written, 1 a step fails or a picture does not hold\n"
        "still, 4 bad usage, 21 no usable browser.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("task", type=Path, help="the task's folder or file")
    add_site(parser, required=True)
    parser.add_argument(
        "--force", action="store_true", help="write pictures that move, too"
    )
    parser.set_defaults(command=_capture)


def add_site(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Add what says where the reference is and which browser drives it."""
    parser.add_argument(
        "--site",
        required=required,
        metavar="DIR_OR_URL",
        help="the reference: a folder with index.html, or where it is served",
    )
    parser.add_argument(
        "--iwr-browser-executable",
        dest="executable",
        metavar="FILE",
        help="take this browser, as pytest's option of the same name does",
    )


def _capture(options: argparse.Namespace) -> int:
    from pytest_iwr.author.capture import capture  # noqa: PLC0415  # loads a browser

    file = task_file(options.task)
    task = load(file, needs_files=False)
    with tools(options.executable) as (server, browser):
        report = capture(task, options.site, server, browser, force=options.force)
    for problem in report.problems:
        print(problem._replace(path=file))
    for advice in report.advice:
        print(f"{task.id}: {advice}")
    if report.made:
        print(f"{task.id}: {', '.join(report.made)}")
    return EXIT_PROBLEMS if report.problems else 0


def add_import(commands: "Commands") -> None:
    """Add `iwr import`."""
    parser = commands.add_parser(
        "import",
        help="turn the official data of IWR-Bench into task files",
        description="Turn the official data of IWR-Bench into task files, each in a"
        " folder with copies of its pictures, video, assets and contact sheets. It"
        " overwrites nothing. To evaluate the data as it is, name it to pytest.",
        epilog="Examples:\n"
        "  iwr import iwr-bench IWR-Bench/data/data.jsonl tasks/\n"
        "  iwr import iwr-bench IWR-Bench tasks/ --only 17 --only 42\n"
        "  pytest IWR-Bench/data/data.jsonl --iwr-model=NAME   # without an import\n\n"
        "Exit status: 0 all were written, 1 a line is wrong or a folder is there\n"
        "already, 4 bad usage.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("layout", choices=("iwr-bench",), help="how the data is laid")
    parser.add_argument(
        "source", type=Path, metavar="SRC", help="a data.jsonl, or a folder with one"
    )
    parser.add_argument(
        "target", type=Path, metavar="TASKS", help="gets TASKS/<id>/task.iwr.yaml"
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="ID",
        help="take this task; may be given several times (default: all)",
    )
    parser.set_defaults(command=_import)


def _import(options: argparse.Namespace) -> int:
    from pytest_iwr.author.importing import import_official  # noqa: PLC0415  # in use

    done = import_official(options.source, options.target, tuple(options.only))
    for file in done.written:
        print(file)
    for problem in done.problems:
        print(problem)
    count = len(done.written)
    print(f"{count} {'task' if count == 1 else 'tasks'} written")
    return EXIT_PROBLEMS if done.problems else 0


def oracle(options: argparse.Namespace) -> int:
    """Run `iwr check --oracle`, once its files were found to be sound."""
    paths: list[Path] = options.paths
    if len(paths) != 1 or options.site is None:
        text = "--oracle takes one task and its original: --oracle TASK --site DIR"
        raise UsageError(text)
    from pytest_iwr.author.oracle import examine  # noqa: PLC0415  # loads a browser
    from pytest_iwr.check.offline import (  # noqa: PLC0415  # loads the reader of text
        MIN_SIMILARITY,
        OfflineScorer,
    )
    from pytest_iwr.evaluate import Tools  # noqa: PLC0415  # as above

    file = task_file(paths[0])
    task = load(file)
    with (
        tools(options.executable) as (server, browser),
        tempfile.TemporaryDirectory() as out,
    ):
        scorer = OfflineScorer(None)
        used = Tools(server, browser, scorer, MIN_SIMILARITY)
        verdict = examine(task, options.site, browser, used, Path(out))
    for finding in sorted(verdict.findings, key=lambda f: f.problem.line):
        mark = "warning: " if finding.is_weak else ""
        message = mark + finding.problem.message
        print(finding.problem._replace(path=file, message=message))
    print(f"{task.id}: {'; '.join(verdict.scores)}")
    is_bad = any(options.strict or not f.is_weak for f in verdict.findings)
    return EXIT_PROBLEMS if is_bad else 0


def task_file(named: Path) -> Path:
    """Give the task file of a folder, or the file itself. Raises UsageError."""
    if named.suffix == OFFICIAL_SUFFIX:
        text = "holds many tasks. Make task files of it first"
        raise UsageError(f"{named}: {text}: iwr import iwr-bench SRC TASKS")
    if not named.is_dir():
        return named
    files = sorted(named.glob(f"*{SUFFIX}"))
    if len(files) != 1:
        text = f"{str(named)!r} holds {len(files)} files *{SUFFIX}. Name one file."
        raise UsageError(text)
    return files[0]


@contextmanager
def tools(executable: str | None) -> Iterator[tuple["Server", "Browser"]]:
    """Give a server and a browser that end with the command."""
    from pytest_iwr.drive import Browser, BrowserOptions  # noqa: PLC0415  # heavy
    from pytest_iwr.drive.launch import default_args, find_browser  # noqa: PLC0415
    from pytest_iwr.serve import Server  # noqa: PLC0415  # heavy

    found = find_browser(executable, os.environ)
    args = tuple(default_args(is_root=os.geteuid() == 0))
    browser = Browser(BrowserOptions(executable=found.path, args=args))
    try:
        with Server() as server:
            yield server, browser
    finally:
        browser.close()
