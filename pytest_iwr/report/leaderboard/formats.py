"""A leaderboard as text for a terminal, as Markdown, CSV and JSON."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence

from pytest_iwr.report.leaderboard.notes import APART, UNJUDGED, notes
from pytest_iwr.report.leaderboard.standings import Group, Leaderboard, Standing
from pytest_iwr.report.terminal import columns, fit
from pytest_iwr.report.words import one_line

_GAP = "  "
_NONE = "–"
_HEAD = ("#", "model", "from", "tasks", "IFS", "VFS", "Final")
_NUMBERS = {0, 4, 5, 6}
"""Columns of numbers: their right ends stand below each other."""


def as_text(board: Leaderboard) -> str:
    """Give tables for a terminal, and the notes below them."""
    parts = [
        "\n".join([*([title] if title else []), *_aligned(rows)])
        for title, rows in _tables(board)
    ]
    return "\n\n".join([*parts, "\n".join(notes(board))]) + "\n"


def as_markdown(board: Leaderboard) -> str:
    """Give tables of Markdown as GitHub reads it; text of models and tasks is inert."""
    parts = []
    rule = ["---:" if column in _NUMBERS else "---" for column in range(len(_HEAD))]
    for title, rows in _tables(board):
        lines = [f"### {_inert(title)}\n"] if title else []
        lines += [_piped(_HEAD), _piped(rule)]
        lines += [_piped([_inert(cell) for cell in row]) for row in rows]
        parts.append("\n".join(lines))
    parts.append("\n".join(f"- {_inert(note)}" for note in notes(board)))
    return "\n\n".join(parts) + "\n"


def as_csv(board: Leaderboard) -> str:
    """Give one table with a line for each row of each table.

    A text that a spreadsheet would take for a formula begins with an apostrophe.
    """
    out = io.StringIO()
    rows = list(_records(board))
    writer = csv.DictWriter(out, rows[0], lineterminator="\n") if rows else None
    if writer is not None:
        writer.writeheader()
        writer.writerows(
            {key: _no_formula(value) for key, value in row.items()} for row in rows
        )
    return out.getvalue()


def as_json(board: Leaderboard) -> str:
    """Give all rows, the protocol and the notes; scores in per cent."""
    told = {
        "protocol": board.protocol.model_dump(mode="json"),
        "published": board.published.model_dump(mode="json", exclude={"rows"})
        if board.has_published
        else None,
        "runs": [run.name for run in board.runs],
        "rows": list(_records(board)),
        "notes": list(notes(board)),
    }
    return json.dumps(told, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


FORMATS: dict[str, Callable[[Leaderboard], str]] = {
    "text": as_text,
    "markdown": as_markdown,
    "csv": as_csv,
    "json": as_json,
}


def _tables(board: Leaderboard) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """Give each table with its title; that over all tasks has none."""
    for title, standings in [
        ("", board.standings),
        *((_title(group), group.standings) for group in board.groups),
    ]:
        yield title, [_cells(one, names_run=len(board.runs) > 1) for one in standings]


def _title(group: Group) -> str:
    return f"{group.axis}: {one_line(group.name) if group.name else 'not stated'}"


def _cells(one: Standing, *, names_run: bool) -> tuple[str, ...]:
    origin = "published" if one.run is None else "measured"
    if names_run and one.run is not None:
        origin += f" {one_line(one.run)}"
    tasks = str(one.due) if one.scored == one.due else f"{one.scored}/{one.due}"
    return (
        _NONE if one.place is None else str(one.place),
        one_line(one.model),
        origin,
        tasks + ("" if one.is_comparable else APART),
        _percent(one.ifs) + (UNJUDGED if one.unjudged else ""),
        _percent(one.vfs),
        _percent(one.final),
    )


def _percent(value: float | None) -> str:
    return _NONE if value is None else f"{value:.2f}"


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    table = [_HEAD, *rows]
    # A mark stands behind its number without moving it.
    room = any(row[4].endswith(UNJUDGED) for row in rows)
    for row in table:
        cells = []
        for column, cell in enumerate(row):
            width = max(columns(other[column].rstrip(UNJUDGED)) for other in table)
            text, mark = cell.rstrip(UNJUDGED), ""
            if column == 4 and room:  # noqa: PLR2004 - the IFS
                mark = UNJUDGED if cell.endswith(UNJUDGED) else " "
            shown = text.rjust(width) if column in _NUMBERS else fit(text, width)
            cells.append(shown + mark)
        yield _GAP.join(cells).rstrip()


def _piped(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _inert(text: str) -> str:
    """Escape what Markdown or HTML in it would make of a text."""
    return re.sub(r"([\\`*_{}\[\]#!|~<>&@]|:(?=//|\w+:)|(?<=www)\.)", r"\\\1", text)


def _records(board: Leaderboard) -> Iterator[dict[str, object]]:
    tables: list[tuple[str | None, str | None, Sequence[Standing]]]
    tables = [(None, None, board.standings)]
    tables += [(group.axis, group.name, group.standings) for group in board.groups]
    for axis, name, standings in tables:
        for one in standings:
            yield {
                "by": axis,
                "group": name,
                "place": one.place,
                "model": one.model,
                "source": "published" if one.run is None else "measured",
                "run": one.run,
                "protocol": board.protocol.id,
                "tasks_scored": one.scored,
                "tasks_due": one.due,
                "actions": one.actions,
                "ifs": one.ifs,
                "vfs": one.vfs,
                "final": one.final,
                "unjudged": one.unjudged,
                "is_comparable": one.is_comparable,
                "apart": "; ".join(one.apart),
            }


def _no_formula(value: object) -> object:
    starts = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t"))
    return f"'{value}" if starts else value
