"""The tables at the end of a run fit the screen, whatever is in them."""

import unicodedata

import pytest

from pytest_iwr import records as r
from pytest_iwr.report.terminal import fit, tables
from pytest_iwr.score import summarize

PROTOCOL = r.Protocol(id="offline", metrics={})


def row(**changed: object) -> r.Row:
    """Give a row, as it is when all is well."""
    right: dict[str, object] = {
        "task": "shop",
        "model": "gpt-5",
        "status": "passed",
        "steps_total": 9,
        "steps_done": 9,
        "ifs": 1.0,
        "vfs": 0.97,
        "final": 0.991,
    }
    return r.Row.model_validate(right | changed)


def lines(*rows: r.Row, width: int = 80) -> list[str]:
    """Give the lines of the tables."""
    return [line.text for line in tables(summarize(rows, PROTOCOL), width)]


def columns(text: str) -> int:
    """Count the columns of a text, wide letters as two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


@pytest.mark.parametrize("width", (80, 100, 200))
def test_lines_fit_the_screen(width: int) -> None:
    """Long names and reasons are cut, and the numbers stay whole."""
    broken = row(
        task="a-task-with-a-very-long-name-that-somebody-gave-it",
        model="a/model/with/a/very/long/name/of/more/than/one/part",
        status="failed",
        kind="expectation",
        reason="expected " + "very " * 100,
        steps_done=3,
        failed_step=4,
        ifs=0.3333,
    )
    shown = lines(broken, row(), width=width)
    assert max(map(columns, shown)) <= width
    assert any("3/9" in line and "0.3333" in line for line in shown)
    assert any(line.endswith("…") for line in shown)


def test_wide_letters_count_double() -> None:
    """A text in Chinese takes two columns a letter and is cut by columns."""
    assert fit("网页重建任务", 12) == "网页重建任务"
    assert fit("网页重建任务", 8) == "网页重… "
    assert columns(fit("网页重建任务", 7)) == 7


def test_control_characters_of_a_page_do_not_reach_the_screen() -> None:
    """A reason that holds escape sequences and line breaks is shown as one line."""
    reason = "saw '\x1b[31mred\x1b[0m\nnext\u2028line\u202e'"
    broken = row(status="failed", kind="expectation", reason=reason, failed_step=1)
    text = "\n".join(lines(broken, width=200))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "    saw ' [31mred [0m next line '" in text


def test_what_has_no_number_is_a_dash() -> None:
    """An unscored row shows dashes, and an error says its kind."""
    lost = row(
        status="error",
        kind="lost",
        reason="the worker ended",
        steps_done=None,
        ifs=None,
        vfs=None,
        final=None,
    )
    expected = ["shop", "gpt-5", "–/9", "–", "–", "–", "error,", "lost"]
    assert lines(lost)[1].split()[:8] == expected


def test_not_run_is_said() -> None:
    """A row that was never started says so."""
    assert lines(row(status="not_run", steps_done=None, ifs=None))[1].endswith(
        "not run"
    )


def test_unjudged_assertions_are_marked() -> None:
    """An IFS with assertions that nobody judged has a mark and a note."""
    shown = lines(row(assertions=r.Assertions(unjudged=1)))
    assert "1.0000*" in shown[1]
    assert shown[-1] == "* has assertions that nobody judged"


def test_missing_vfs_is_explained() -> None:
    """A task without pictures has none; one that could not be scored says so itself."""
    note = "VFS –: the task has no picture that the page is compared with"
    assert lines(row(vfs=None, final=None))[-1] == note
    unscored = row(status="error", kind="endpoint", ifs=None, vfs=None, final=None)
    assert note not in lines(unscored)
    assert note not in lines(row())
