"""The `iwr` command: what one needs beside pytest to write tasks."""

import argparse
import importlib.metadata
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from pytest_iwr.author.commands import add_capture, add_import, add_site, oracle
from pytest_iwr.author.review.command import add_review
from pytest_iwr.errors import (
    IwrError,
    NoBrowserError,
    Problem,
    UsageError,
)
from pytest_iwr.load import SUFFIX, Review, review_all, schema
from pytest_iwr.report.leaderboard.command import add_leaderboard
from pytest_iwr.report.show.command import add_show_report
from pytest_iwr.rescoring.command import add_rescore

Command = Callable[[argparse.Namespace], int]
EXIT_PROBLEMS = 1
EXIT_USAGE = 4
EXIT_NO_BROWSER = 21


class _Parser(argparse.ArgumentParser):
    """Ends with the exit status that the whole project has for bad options."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(EXIT_USAGE, f"{self.prog}: error: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; gives the exit status.

    0: all is well, 1: problems were found, 4: bad usage, 21: no usable browser.
    """
    options = _parser().parse_args(arguments)
    command: Command = options.command
    try:
        return command(options)
    except BrokenPipeError:  # `iwr check tasks | head`
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
        return EXIT_PROBLEMS
    except OSError as error:  # a full disk, a folder that may not be written
        print(_words(error), file=sys.stderr)
        return EXIT_PROBLEMS
    except IwrError as error:
        print(error, file=sys.stderr)
        match error:
            case UsageError():
                return EXIT_USAGE
            case NoBrowserError():
                return EXIT_NO_BROWSER
            case _:
                return EXIT_PROBLEMS


def _words(error: OSError) -> str:
    """Say which file it is, and what is wrong with it."""
    if isinstance(error, shutil.Error):  # of a folder: all that could not be copied
        return "\n".join(said for _, _, said in error.args[0])
    if error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return error.strerror or str(error)


if TYPE_CHECKING:
    # argparse names the type of its sub-commands for type checkers only.
    Commands = argparse._SubParsersAction[_Parser]  # noqa: SLF001  # no public name


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="iwr",
        description="Write and check tasks of pytest-iwr. Tasks are run by `pytest`.",
        epilog="Examples:\n"
        "  iwr check tasks            # every mistake of every task, with its line\n"
        "  iwr capture tasks/shop --site DIR  # pictures, video and assets of a task\n"
        "  iwr import iwr-bench SRC tasks/      # task files of the official data\n"
        "  iwr schema -o iwr-task.schema.json   # completion in your editor\n"
        "  iwr browser                # which browser a run would take\n"
        "  iwr serve-mock             # an endpoint that answers like a model\n"
        "  iwr show-report            # the last run in the browser\n"
        "  iwr review                 # its changed pictures: accept, mask, reject\n"
        "  iwr leaderboard reports/latest       # a run beside the published rows\n"
        "  iwr rescore reports/latest           # with another judge or protocol\n"
        "  pytest --iwr-pages=pages   # evaluate pages/<model>/<task>/index.html\n\n"
        "`iwr COMMAND --help` tells more about a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    version = importlib.metadata.version("pytest-iwr")
    parser.add_argument("--version", action="version", version=f"iwr {version}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    add_check(commands)
    add_schema(commands)
    add_browser(commands)
    add_capture(commands)
    add_import(commands)
    add_serve_mock(commands)
    add_leaderboard(commands)
    add_show_report(commands)
    add_review(commands)
    add_rescore(commands)
    return parser


def add_check(commands: "Commands") -> None:
    """Add `iwr check`."""
    parser = commands.add_parser(
        "check",
        help="report every problem of task files",
        description="Report every problem of task files with its line, and warn about"
        " what makes a task weak: CSS selectors as targets, steps after which nothing"
        " is checked, expectations that only a judge model can decide.",
        epilog="Examples:\n"
        "  iwr check tasks/shop/task.iwr.yaml\n"
        "  iwr check tasks            # all *.iwr.yaml below a folder\n"
        "  iwr check data.jsonl       # every line of the official data\n"
        "  iwr check --strict tasks   # warnings count as problems\n"
        "  iwr check --oracle tasks/shop --site ../shop/dist\n\n"
        "Exit status: 0 no problems, 1 problems, 4 bad usage.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="FILE_OR_DIR",
        help="a task file, a data.jsonl, or a folder that is searched for *.iwr.yaml",
    )
    parser.add_argument("--strict", action="store_true", help="let warnings fail, too")
    parser.add_argument(
        "--oracle",
        action="store_true",
        help="evaluate the original (--site) twice, a blank page and a picture of the"
        " first screen, and find what holds before its step",
    )
    add_site(parser, required=False)
    parser.set_defaults(command=_check)


def _check(options: argparse.Namespace) -> int:
    if options.site is not None and not options.oracle:
        raise UsageError("--site names the original for --oracle. Give both.")
    files = list(_task_files(options.paths))
    reviews: list[tuple[Path, Review]] = []
    problems: list[Problem] = []
    for file in files:
        found_in = review_all(file)
        reviews += [(file, found) for found in found_in.reviews]
        problems += found_in.problems
    problems += _clashes(reviews)
    warnings = [advice for _, found in reviews for advice in found.advice]
    marked = [(p, "") for p in problems] + [(w, "warning: ") for w in warnings]
    for found, mark in sorted(marked, key=lambda m: (m[0].path, m[0].line)):
        print(found._replace(message=mark + found.message))
    counts = (
        _count(len(files), "file"),
        _count(len(problems), "problem"),
        _count(len(warnings), "warning"),
    )
    print(", ".join(counts))
    is_bad = problems or (options.strict and warnings)
    status = oracle(options) if options.oracle and not problems else 0
    return EXIT_PROBLEMS if is_bad else status


def _task_files(paths: Iterable[Path]) -> Iterable[Path]:
    """Give each file once, in the order of the arguments, folders sorted."""
    found: dict[Path, None] = {}
    for path in paths:
        if not path.is_dir():
            found[path] = None
            continue
        below = sorted(
            file
            for file in path.rglob(f"*{SUFFIX}")
            if not any(part[0] == "." for part in file.relative_to(path).parts[:-1])
        )
        if not below:
            raise UsageError(f"no *{SUFFIX} below {str(path)!r}. Name another folder.")
        found |= dict.fromkeys(below)
    return found


def _clashes(reviews: Iterable[tuple[Path, Review]]) -> Iterable[Problem]:
    """Give a problem for every id that an earlier file has already."""
    first: dict[str, str] = {}
    for file, found in reviews:
        name = found.task.id
        if name in first:
            message = f"{name!r} is the id of {first[name]} already. Choose another."
            yield Problem(file, found.id_line, "id", message)
        first.setdefault(name, f"{file}:{found.id_line}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def add_schema(commands: "Commands") -> None:
    """Add `iwr schema`."""
    parser = commands.add_parser(
        "schema",
        help="print the JSON schema of task files, for editors",
        description="Print the JSON schema (draft 2020-12) of task files. Editors with"
        " a YAML language server complete and check against it.",
        epilog="Examples:\n"
        "  iwr schema -o iwr-task.schema.json\n\n"
        "and as the first line of a task file:\n"
        "  # yaml-language-server: $schema=../../iwr-task.schema.json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write it to FILE instead"
    )
    parser.set_defaults(command=_schema)


def _schema(options: argparse.Namespace) -> int:
    output: Path | None = options.output
    if output is None:
        print(schema(), end="")
        return 0
    try:
        output.write_text(schema(), encoding="utf-8", newline="\n")
    except OSError as error:
        message = f"{str(output)!r} cannot be written: {error.strerror}."
        raise UsageError(f"{message} Choose another file.") from error
    return 0


def add_browser(commands: "Commands") -> None:
    """Add `iwr browser`."""
    parser = commands.add_parser(
        "browser",
        help="say which browser a run would take, and why",
        description="Say which browser a run would take, and why. The order of the"
        " search: the option, IWR_BROWSER_EXECUTABLE, Playwright's own Chromium, a"
        " Chromium or Chrome that is installed.",
        epilog="Exit status: 0 found, 21 no usable browser.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--iwr-browser-executable",
        dest="executable",
        metavar="FILE",
        help="take this browser, as pytest's option of the same name does",
    )
    parser.set_defaults(command=_browser)


def _browser(options: argparse.Namespace) -> int:
    from pytest_iwr.drive.launch import find_browser  # noqa: PLC0415  # loads Playwright

    found = find_browser(options.executable, os.environ)
    print(found.source)
    return 0


def add_serve_mock(commands: "Commands") -> None:
    """Add `iwr serve-mock`."""
    parser = commands.add_parser(
        "serve-mock",
        help="serve a local endpoint that answers like a model, or fails as told",
        description="Serve an OpenAI-compatible endpoint on this machine that costs"
        " nothing: to try a run, and to see what yours does when an endpoint is slow,"
        " refuses, breaks off or answers nonsense. It takes any key and any model.",
        epilog="Examples:\n"
        "  iwr serve-mock                    # a small page for every request\n"
        "  iwr serve-mock --latency 2 --fail 0.3   # slow, and 30 % of them fail\n"
        "  iwr serve-mock --pages examples/pages/faithful\n"
        "  iwr serve-mock script.yaml --port 8765\n\n"
        "A script is a list of rules, of which the first that holds answers:\n"
        "  rules:\n"
        "    - when: {attempt: 1}            # the first try of every prompt\n"
        "      status: 429\n"
        "      retry_after_s: 1              # retry_after_as: seconds, date, ms\n"
        "    - when: {text: shop, nth: [3, 4], chance: 0.5}\n"
        "      page: pages/shop.html\n"
        "    - when: {model: gpt-*, has: temperature, more_images_than: 20}\n"
        "      cut_at: 0.5                   # or drops, hangs, bytes_per_s\n"
        "    - text: No page today.          # or refusal, error, json, body\n"
        "      finish_reason: length\n"
        "      latency_s: 5                  # and headers, usage, reasoning\n"
        "docs/models.md describes them all.\n"
        "\n"
        "Exit status: 0 after Ctrl-C, 1 the port is taken, 4 bad usage.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "script", nargs="?", type=Path, metavar="SCRIPT.yaml", help="rules, see below"
    )
    parser.add_argument(
        "--port", type=int, default=0, metavar="N", help="by default a free one"
    )
    parser.add_argument(
        "--latency",
        type=float,
        metavar="SECONDS",
        help="how long every answer takes, where its rule says nothing else",
    )
    parser.add_argument(
        "--fail",
        type=float,
        metavar="SHARE",
        help="the share of requests (0 to 1) that fail, in equal parts by status 500,"
        " by status 429 and by a connection that is dropped",
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="another seed fails other requests"
    )
    pages = parser.add_mutually_exclusive_group()
    pages.add_argument(
        "--page", type=Path, metavar="FILE", help="answer with this page"
    )
    pages.add_argument(
        "--pages",
        type=Path,
        metavar="DIR",
        help="answer with DIR/<name>/index.html where <name> stands in the prompt",
    )
    parser.set_defaults(command=_serve_mock)


def _serve_mock(options: argparse.Namespace) -> int:
    from pytest_iwr.gateway.mock.command import (  # noqa: PLC0415  # loads a server
        serve_mock,
    )

    return serve_mock(options)
