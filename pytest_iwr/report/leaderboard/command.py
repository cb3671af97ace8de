"""`iwr leaderboard`: what it takes and prints."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # argparse names the type of its sub-commands for type checkers only.
    Commands = argparse._SubParsersAction[Any]  # noqa: SLF001  # no public name


def add_leaderboard(commands: "Commands") -> None:
    """Add `iwr leaderboard`."""
    parser = commands.add_parser(
        "leaderboard",
        help="show runs beside the published rows of IWR-Bench",
        description="Show the models of finished runs, the best Final first, beside"
        " the rows that the paper published (arXiv 2509.24709). Scores are in per"
        " cent. One table holds one protocol and one version of each metric: runs"
        " that differ in these are refused, and the published rows are shown only"
        " with runs of the protocol iwr-bench. Rows over other tasks than the paper's"
        " are marked.",
        epilog="Examples:\n"
        "  iwr leaderboard reports/latest\n"
        "  iwr leaderboard reports/latest --by level --by device\n"
        "  iwr leaderboard RUN RUN --format=markdown >> $GITHUB_STEP_SUMMARY\n\n"
        "Exit status: 0 shown, 4 a folder is no run, or runs cannot share a table.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "runs", nargs="+", type=Path, metavar="RUN", help="the folder of a run"
    )
    parser.add_argument(
        "--by",
        action="append",
        default=[],
        choices=("level", "domain", "device"),
        help="add a table for each; may be given several times",
    )
    parser.add_argument(
        "--format",
        choices=("text", "markdown", "csv", "json"),
        default="text",
        help="default: text; with csv the notes go to stderr",
    )
    parser.set_defaults(command=_leaderboard)


def _leaderboard(options: argparse.Namespace) -> int:
    from pytest_iwr.report.leaderboard.formats import FORMATS  # noqa: PLC0415 - in use
    from pytest_iwr.report.leaderboard.notes import notes  # noqa: PLC0415 - as above
    from pytest_iwr.report.leaderboard.published import published  # noqa: PLC0415
    from pytest_iwr.report.leaderboard.runs import read_runs  # noqa: PLC0415
    from pytest_iwr.report.leaderboard.standings import rank  # noqa: PLC0415

    board = rank(read_runs(options.runs), published(), options.by)
    print(FORMATS[options.format](board), end="")
    if options.format == "csv":
        for note in notes(board):
            print(note, file=sys.stderr)
    return 0
