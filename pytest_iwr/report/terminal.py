"""The tables at the end of a run, as lines that fit the screen."""

import shutil
import textwrap
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from pytest_iwr.records import Row, Summary, Tripwire
from pytest_iwr.report.commands import harmless
from pytest_iwr.report.words import first_break, notes, number, one_line

_MORE = "…"
_GAP = "  "
_INDENT = "    "
_MOST_LINES = 2
"""Of a reason."""
_NARROWEST = 12
"""Columns that a text is never cut below."""


class Line(NamedTuple):
    """A line and its colours, in the terms of pytest's terminal writer."""

    text: str
    markup: dict[str, bool] = {}  # noqa: RUF012 - a NamedTuple's default, never changed


def screen_width() -> int:
    """Give the columns of the screen, 80 where there is none."""
    return shutil.get_terminal_size((80, 24)).columns


def tables(summary: Summary, width: int) -> list[Line]:
    """Give the table of tasks and the table of models, at most `width` columns wide."""
    lines = _tasks(summary.tasks, width)
    lines.append(Line(""))
    lines += _models(summary, width)
    if summary.tripwire is not None:
        lines += _tripwire(summary.tripwire, width)
    return [line._replace(text=harmless(line.text)) for line in lines]


def fit(text: str, width: int) -> str:
    """Cut a text to a width in columns, `…` last, and fill it up with spaces."""
    if columns(text) <= width:
        return text + " " * (width - columns(text))
    kept = ""
    for letter in text:
        if columns(kept + letter) > width - 1:
            break
        kept += letter
    return kept + _MORE + " " * (width - 1 - columns(kept))


def columns(text: str) -> int:
    """Count the columns that a text takes on the screen."""
    return sum(
        0
        if unicodedata.combining(letter)
        else 2
        if unicodedata.east_asian_width(letter) in "WF"
        else 1
        for letter in text
    )


def _tasks(rows: Sequence[Row], width: int) -> list[Line]:
    head = ("task", "model", "steps", "IFS", "VFS", "Final", "first break")
    body = [_cells(row) for row in rows]
    widths = _widths([head, *body], width)
    lines = [Line(_join(head, widths), {"bold": True})]
    for row, cells in zip(rows, body, strict=True):
        colour = {"passed": "green", "failed": "red", "error": "yellow"}
        markup = {colour[row.status]: True} if row.status in colour else {}
        lines.append(Line(_join(cells, widths), markup))
        reason = first_break(row)[1]
        # The reason is what people look for: lines of its own, never a cut cell.
        lines += [Line(fit(part, width).rstrip()) for part in _wrapped(reason, width)]
    return lines


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(
        text,
        max(width, 2 * _NARROWEST),
        initial_indent=_INDENT,
        subsequent_indent=_INDENT,
        max_lines=_MOST_LINES,
        placeholder=_MORE,
    )


def _cells(row: Row) -> tuple[str, ...]:
    done = "–" if row.steps_done is None else str(row.steps_done)
    total = str(row.steps_total) if row.steps_total else "–"
    unjudged = "*" if row.assertions.unjudged else ""
    return (
        one_line(row.task),
        one_line(row.model) + (f" #{row.epoch}" if row.epoch > 1 else ""),
        f"{done}/{total}",
        number(row.ifs) + unjudged,
        number(row.vfs),
        number(row.final),
        first_break(row)[0],
    )


def _widths(table: Sequence[Sequence[str]], width: int) -> list[int]:
    """Give each column its room: names may shrink, the last takes what is left."""
    widths = [max(columns(row[i]) for row in table) for i in range(len(table[0]))]
    over = sum(widths) + len(_GAP) * (len(widths) - 1) - width
    for column in (len(widths) - 1, 0, 1):
        cut = min(max(over, 0), max(widths[column] - _NARROWEST, 0))
        widths[column] -= cut
        over -= cut
    return widths


def _join(cells: Sequence[str], widths: Sequence[int]) -> str:
    return _GAP.join(map(fit, cells, widths)).rstrip()


def _models(summary: Summary, width: int) -> list[Line]:
    head = ("model", "due", "scored", "errors", "not run", "IFS", "VFS", "Final")
    body = [
        (
            one_line(name),
            str(model.due),
            str(model.scored),
            str(model.errors),
            str(model.not_run),
            number(model.ifs),
            number(model.vfs),
            number(model.final),
        )
        for name, model in summary.models.items()
    ]
    table = [head, *body]
    widths = [max(columns(row[i]) for row in table) for i in range(len(head))]
    rest = sum(widths[1:]) + len(_GAP) * (len(widths) - 1)
    widths[0] = min(widths[0], max(width - rest, _NARROWEST))
    weights = summary.protocol.weights
    formula = f"Final = {weights.ifs:g}·IFS + {weights.vfs:g}·VFS"
    note = f"protocol {summary.protocol.id}: {formula}"
    lines = [Line(_join(head, widths), {"bold": True})]
    lines += [Line(_join(cells, widths)) for cells in body]
    lines += [Line(fit(note, width).rstrip())]
    lines += [
        Line(part) for note in notes(summary) for part in textwrap.wrap(note, width)
    ]
    return lines


def _tripwire(tripwire: Tripwire, width: int) -> list[Line]:
    """Say whether the judge can be relied on."""
    count = f"{tripwire.agreed} of {tripwire.due}"
    match tripwire.state:
        case "held":
            told = f"judge agrees with people on {count} pairs"
            return [Line(fit(told, width).rstrip())]
        case "not_run":
            told = f"judge not tried on pairs of known answer: {tripwire.reason}"
            return [Line(part) for part in textwrap.wrap(told, width)]
        case "tripped":
            why = tripwire.reason or f"less than {tripwire.level:.0%}"
            told = (
                f"INCONCLUSIVE: the judge agrees with people on {count} pairs, {why}: "
                "what it says cannot be relied on. "
                "See tripwire.json, and name another --iwr-judge-model."
            )
        case "lost":
            told = (
                "INCONCLUSIVE: the judge could not be tried on pairs of known answer: "
                f"{one_line(tripwire.reason)}"
            )
    return [Line(part, {"red": True}) for part in textwrap.wrap(told, width)]
