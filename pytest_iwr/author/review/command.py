"""`iwr review`: what it takes and prints."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_iwr.errors import UsageError
from pytest_iwr.report.show.command import add_serving, port_of, wait

if TYPE_CHECKING:
    from pytest_iwr.author.review.session import Session

    # argparse names the type of its sub-commands for type checkers only.
    Commands = argparse._SubParsersAction[Any]  # noqa: SLF001  # no public name


def add_review(commands: "Commands") -> None:
    """Add `iwr review`."""
    parser = commands.add_parser(
        "review",
        help="go through the changed checkpoints of a run, with the keyboard",
        description="Show the pictures of a run that are not like their reference, one"
        " after the other, on a local page. For each: accept it (it becomes the"
        " reference), mask regions (they are written into the task's file, comments"
        " kept), or reject it (it is not shown again). Everything can be undone while"
        " the page is open; `git diff` shows what was written.",
        epilog="Examples:\n"
        "  iwr review\n"
        "  iwr review artifact/20260115-100000-1a2b --tasks tasks --failed\n"
        "  iwr review --model faithful --below 0.99\n\n"
        "Exit status: 0 after Ctrl-C or when there is nothing to go through, 1 the\n"
        "port is taken, 4 no run, or no tasks of it.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "run",
        nargs="?",
        type=Path,
        default=Path("reports/latest"),
        metavar="RUN",
        help="the folder of a run (default: reports/latest)",
    )
    parser.add_argument(
        "--tasks",
        type=Path,
        metavar="DIR",
        help="where its tasks are now (default: where they were when it ran)",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--below",
        type=float,
        default=1.0,
        metavar="SIMILARITY",
        help="pictures less alike than this, 0 to 1 (default: 1, all that differ)",
    )
    which.add_argument(
        "--failed", action="store_true", help="pictures below their own minimum"
    )
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="NAME",
        help="pictures of this model; may be given several times (default: all)",
    )
    parser.add_argument(
        "--again", action="store_true", help="also what was rejected before"
    )
    add_serving(parser)
    parser.set_defaults(command=_review)


def _review(options: argparse.Namespace) -> int:
    from pytest_iwr.artifacts import RunFolder  # noqa: PLC0415 - in use only
    from pytest_iwr.author.review.cases import Wish, find_cases  # noqa: PLC0415
    from pytest_iwr.author.review.rejections import Rejections  # noqa: PLC0415
    from pytest_iwr.author.review.server import Desk  # noqa: PLC0415 - a server
    from pytest_iwr.author.review.session import Session  # noqa: PLC0415
    from pytest_iwr.loopback import Loopback  # noqa: PLC0415 - a server

    if not 0 <= options.below <= 1:
        raise UsageError(f"--below: must be from 0 to 1, is {options.below:g}.")
    run = RunFolder(options.run.resolve())
    wish = Wish(options.below, options.failed, tuple(options.model))
    rejections = Rejections(run.path)
    found = find_cases(run, options.tasks, wish)
    cases = tuple(c for c in found if options.again or not rejections.has(c))
    known = len(found) - len(cases)
    if known:
        print(f"{known} rejected before; --again shows them")
    if not cases:
        print("Nothing to go through.")
        return 0
    session = Session(run.path.name, cases, rejections)
    desk = Desk(session)
    with Loopback(desk, name="iwr review", port=port_of(options)) as loopback:
        address = f"http://127.0.0.1:{loopback.port}/{desk.token}/"
        noun = "picture" if len(cases) == 1 else "pictures"
        print(f"{len(cases)} {noun} of {run.path.name}: {address}")
        wait(address, is_quiet=options.no_open)
    _sum_up(session)
    return 0


def _sum_up(session: "Session") -> None:
    counts = (
        f"{session.count('accepted')} accepted",
        f"{session.count('masked')} masked",
        f"{session.count('rejected')} rejected",
    )
    print(f"{', '.join(counts)} of {len(session.cases)}")
    for path in session.written():
        print(f"  wrote {path}")
