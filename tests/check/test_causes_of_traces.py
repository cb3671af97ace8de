"""Causes that are told from a trace alone, without a browser."""

import json
from pathlib import Path

import pytest

from pytest_iwr import records as r
from pytest_iwr.check import explain
from pytest_iwr.check.changes import changes_of

BOX = {"x": 10, "y": 20, "width": 100, "height": 20}


def node(role: str, name: str, **more: object) -> dict[str, object]:
    """Give a visible element of a snapshot."""
    return {"role": role, "name": name, "box": BOX, **more}


def trace_of(
    folder: Path, before: list[object], after: list[object], **step: object
) -> r.Trace:
    """Give a trace of one step, with snapshots before and after it."""
    for number, nodes in enumerate((before, after)):
        (folder / f"snapshot-{number:02}.json").write_text(json.dumps(nodes))
    steps = [
        r.TraceStep(
            number=number,
            verb="click",
            said="click",
            snapshot=f"snapshot-{number:02}.json",
        )
        for number in (0, 1)
    ]
    return r.Trace(
        task="t",
        browser="none",
        width_px=1280,
        height_px=720,
        scale=1.0,
        steps=(steps[0], steps[1].model_copy(update=step)),
    )


def cause(
    trace: r.Trace, folder: Path, kind: r.FailureKind = "expectation"
) -> r.Cause | None:
    """Give the cause of the last step, failed in some way."""
    verdict = r.Verdict(step=1, passed=False, kind=kind, reason="so it is")
    return explain(trace, r.Verdicts(steps=(verdict,)), folder).steps[0].cause


@pytest.mark.parametrize(
    ("before", "after", "words"),
    (
        (
            node("status", "0 items"),
            node("status", "1 item"),
            "status '0 items' became '1 item' at 10,20",
        ),
        (
            node("textbox", "Name", value=""),
            node("textbox", "Name", value="Ann"),
            "textbox 'Name' holds 'Ann' at 10,20",
        ),
        (
            node("checkbox", "All"),
            node("checkbox", "All", checked=True),
            "checkbox 'All' is ticked at 10,20",
        ),
        (
            node("button", "Buy", disabled=True),
            node("button", "Buy"),
            "button 'Buy' is enabled at 10,20",
        ),
    ),
)
def test_change_is_told_in_words(
    tmp_path: Path, before: object, after: object, words: str
) -> None:
    """What it was, what it is, and where."""
    trace = trace_of(tmp_path, [before], [after])
    (change,) = changes_of(trace, 1, tmp_path).found
    assert change.words == words


def test_page_that_is_scrolled_has_not_changed(tmp_path: Path) -> None:
    """All moved by the same way; what moved by another way is told."""
    here = [
        node("link", name, box={**BOX, "y": 100 * i}) for i, name in enumerate("abcd")
    ]
    there = [{**one, "box": {**BOX, "y": 100 * i - 300}} for i, one in enumerate(here)]
    assert changes_of(trace_of(tmp_path, [*here], [*there]), 1, tmp_path).found == ()
    there[0]["box"] = {**BOX, "y": 0}
    (moved,) = changes_of(trace_of(tmp_path, [*here], [*there]), 1, tmp_path).found
    assert moved.words == "link 'a' moved from 10,0 to 10,0"


def test_false_assertion_has_a_cause(tmp_path: Path) -> None:
    """What a judge denies is explained by what changed, though nobody looked on."""
    trace = trace_of(tmp_path, [node("status", "0")], [node("status", "2")])
    told = cause(trace, tmp_path, "assertion")
    assert told is not None
    assert told.kind == "changed_elsewhere"
    still = trace_of(tmp_path, [node("status", "0")], [node("status", "0")])
    told = cause(still, tmp_path, "assertion")
    assert told is not None
    assert told.kind == "wrong_result"
    assert told.words == "nothing on the page changed"


def test_nothing_is_told_where_nobody_looked(tmp_path: Path) -> None:
    """Without snapshots and facts there is no cause to be made up."""
    trace = trace_of(tmp_path, [], [], snapshot=None)
    assert cause(trace, tmp_path) is None


@pytest.mark.parametrize("kind", ("no_page", "refused", "empty"))
def test_page_that_is_none_has_no_cause(tmp_path: Path, kind: r.FailureKind) -> None:
    """The model gave no page, so there is nothing to look into."""
    assert cause(trace_of(tmp_path, [], []), tmp_path, kind) is None


@pytest.mark.parametrize(
    "kind", ("load_failed", "page_crashed", "page_unresponsive", "too_many_dialogs")
)
def test_page_that_ended_broke_down(tmp_path: Path, kind: r.FailureKind) -> None:
    """Also where the only step of the trace is the page before the first one."""
    trace = trace_of(tmp_path, [], [])
    begun = trace.model_copy(update={"steps": trace.steps[:1]})
    for told in (cause(trace, tmp_path, kind), cause(begun, tmp_path, kind)):
        assert told is not None
        assert (told.kind, told.words) == ("broke_down", "so it is")


def test_page_with_thousands_of_new_elements_is_compared_in_time(
    tmp_path: Path,
) -> None:
    """Nothing about a hostile snapshot takes long, and the words stay few."""
    one = [node("listitem", f"a{i} " + "x" * 150) for i in range(3000)]
    two = [node("listitem", f"b{i} " + "y" * 150) for i in range(3000)]
    told = cause(trace_of(tmp_path, [*one], [*two]), tmp_path)
    assert told is not None
    assert len(told.details) <= 12
    assert len(told.words) < 800


def test_unlike_checkpoint_looks_different_only(tmp_path: Path) -> None:
    """Its cause says what is unlike; a checkpoint that is alike has none."""
    trace = trace_of(tmp_path, [], [])
    low, high = (
        r.Checked(
            step=1,
            reference="r.png",
            shot="s.png",
            diff=None,
            minimum=0.55,
            comparison=r.Comparison(
                text=1.0,
                structure=0.2,
                lfs=0.6,
                hfs=0.3,
                similarity=value,
                is_same_size=True,
            ),
        )
        for value in (0.45, 0.9)
    )
    unlike, alike = explain(
        trace, r.Verdicts(checkpoints=(low, high)), tmp_path
    ).checkpoints
    assert alike.cause is None
    assert unlike.cause is not None
    assert unlike.cause.kind == "looks_different_only"
    assert "words 1.00, shapes and colours 0.20" in unlike.cause.words
