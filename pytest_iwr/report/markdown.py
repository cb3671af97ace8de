"""The summary of a run in Markdown, as GitHub renders it.

Whatever a page, a model or a task can name stands in `<code>`, with a reference in
place of every sign that means something: no mention, no link, no formula, no HTML.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pytest_iwr.records import Result, Row, Summary
from pytest_iwr.report.words import first_break, notes, number, one_line, why

Link = Callable[[Row], str | None]
"""Gives an address for a row, its parts already percent-encoded."""

_MEANING = re.compile(r"""[&<>"'|\\`*_~\[\]@#:!$]|(?<=www)\.""", re.IGNORECASE)
_LONGEST = 500
"""Letters of a text; the whole one stands in `summary.json`."""
_BROKEN = ("failed", "error", "not_run")
_LEFT, _RIGHT = "---", "---:"
_SCORES = {"IFS": _RIGHT, "VFS": _RIGHT, "Final": _RIGHT}
_COUNTS = {"tasks": _RIGHT, "scored": _RIGHT, "errors": _RIGHT, "not run": _RIGHT}
_MODELS = {"model": _LEFT} | _COUNTS | _SCORES
_TASKS = {"task": _LEFT, "model": _LEFT, "steps": _RIGHT} | _SCORES
_TASKS |= {"first break": _LEFT, "why": _LEFT}
_INCONCLUSIVE = (
    "**Inconclusive: on pairs of known answer the judge did not decide as people did, "
    "or gave no answer.** See `tripwire.json`."
)
_CUT = (
    "**This summary is cut: it may be {} bytes long. {} more rows stand in "
    "`summary.md` and `summary.json` of the run.**"
)
_SENTENCE_BYTES = 400
"""Room for the end of a summary that is cut."""


def text(words: str) -> str:
    """Give words that nothing in them can leave; long ones are cut."""
    line = one_line(words)
    if not line:
        return ""
    if len(line) > _LONGEST:
        line = line[: _LONGEST - 1] + "…"
    safe = _MEANING.sub(lambda sign: f"&#{ord(sign[0])};", line)
    return f"<code>{safe}</code>"


def render(  # noqa: PLR0913 - the parts of one page
    summary: Summary,
    rows: Sequence[Row],
    title: str,
    link: Link,
    *,
    notes: Sequence[str] = (),
    most_bytes: int | None = None,
) -> str:
    """Give the summary: a sentence, the models, what broke, and what passed.

    `rows` are the summary's, with their evidence where there is any; `notes` trusted
    paragraphs behind the sentence. With `most_bytes` it is cut
    between two rows where it would be longer, and says so.
    """
    lines = [f"# {title}", "", verdict(summary), ""]
    if summary.tripwire is not None and summary.tripwire.is_inconclusive:
        lines += [_INCONCLUSIVE, ""]
    for note in notes:
        lines += [note, ""]
    lines += [_protocol(summary), ""]
    broken = [row for row in rows if row.status in _BROKEN]
    passed = [row for row in rows if row.status not in _BROKEN]
    folded = f"<details><summary>{len(passed)} passed</summary>"
    parts = (
        _Part(_table(_MODELS), _models(summary), ""),
        _Part(("## What broke", "", *_table(_TASKS)), _rows(broken, link), ""),
        _Part((folded, "", *_table(_TASKS)), _rows(passed, link), "</details>"),
    )
    return _put_together(lines, parts, most_bytes)


def verdict(summary: Summary) -> str:
    """Say in a sentence what came of the run."""
    counts = {
        status: sum(row.status == status for row in summary.tasks)
        for status in ("passed", "failed", "error", "not_run")
    }
    words = [f"**{counts['passed']} of {len(summary.tasks)} passed**"]
    words += [
        f"{counts[status]} {what}"
        for status, what in (
            ("failed", "failed"),
            ("error", "could not be scored"),
            ("not_run", "not run"),
        )
        if counts[status]
    ]
    return ", ".join(words) + "."


def _protocol(summary: Summary) -> str:
    weights = summary.protocol.weights
    formula = f"Final = {weights.ifs:g}·IFS + {weights.vfs:g}·VFS."
    told = [f"Protocol {text(summary.protocol.id)}: {formula}"]
    return " ".join([*told, *(f"{note}." for note in notes(summary))])


def _models(summary: Summary) -> Iterator[str]:
    for name, model in summary.models.items():
        counts = (model.due, model.scored, model.errors, model.not_run)
        scores = (model.ifs, model.vfs, model.final)
        yield _line([text(name), *map(str, counts), *map(number, scores)])


def _rows(rows: Iterable[Row], link: Link) -> Iterator[str]:
    return (_line(_cells(row, link)) for row in rows)


class _Part(NamedTuple):
    """A table that may be cut between two rows; shown where it has any."""

    opening: Sequence[str]
    rows: Iterator[str]
    end: str


def _put_together(
    lines: list[str], parts: Sequence[_Part], most_bytes: int | None
) -> str:
    room = float("inf") if most_bytes is None else most_bytes - _SENTENCE_BYTES
    room -= _size(lines)
    left_out = 0
    for part in parts:
        is_open = False
        for row in part.rows:
            more = [row] if is_open else [*part.opening, row]
            room -= _size(more)
            if room < 0:
                left_out += 1
                continue
            lines += more
            is_open = True
        if is_open:
            lines += ["", part.end] if part.end else [""]
    if left_out:
        lines += ["", _CUT.format(most_bytes, left_out)]
    return "\n".join(lines).rstrip() + "\n"


def _size(lines: Sequence[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def _cells(row: Row, link: Link) -> list[str]:
    address = link(row)
    task = text(row.task)
    done = "–" if row.steps_done is None else str(row.steps_done)
    place, reason = first_break(row)
    return [
        task if address is None else f"[{task}]({address})",
        text(row.model) + (f" {row.epoch}." if row.epoch > 1 else ""),
        f"{done}/{row.steps_total or '–'}",
        number(row.ifs) + (" *" if row.assertions.unjudged else ""),
        number(row.vfs),
        number(row.final),
        place,
        "<br>".join(map(text, filter(None, (reason, _why(row))))),
    ]


def _why(row: Row) -> str:
    return why(row.cause, row.reason) if isinstance(row, Result) else ""


def _table(columns: Mapping[str, str]) -> tuple[str, str]:
    return _line(columns), _line(columns.values())


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
