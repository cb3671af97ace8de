"""What a judge's reply says, read strictly: a score and a verdict, or none."""

import json
from pathlib import Path

import pytest

from pytest_iwr.check.judge.reply import open_reply, words
from pytest_iwr.check.judge.rubric import PARTS, read_rating
from pytest_iwr.check.judge.scores import Scale, read_score
from pytest_iwr.check.judge.verdicts import read_verdict

TEN = Scale(10, 0.5)
HUNDRED = Scale(100, 0.5)
FULL = {"layout": 10, "elements": 15, "content": 40, "style": 15, "overall": 20}


@pytest.mark.needs_shared
def test_scores_are_read_as_people_reported(shared: Path) -> None:
    """Case 56: JSON first, the last labelled score next, never clamped."""
    case = json.loads((shared / "cases/56-judge-replies/replies.json").read_text())
    rows = case["rows"]
    assert len(rows) == 24
    read = [read_score(open_reply(row["reply"]), TEN) for row in rows]
    assert read == [row["score"] for row in rows]


@pytest.mark.needs_shared
def test_verdicts_are_read_as_people_reported(shared: Path) -> None:
    """Case 58: a whole-word verdict, JSON preferred, otherwise none."""
    case = json.loads((shared / "cases/58-judge-yes-no/replies.json").read_text())
    rows = case["rows"]
    assert len(rows) == 17
    read = [read_verdict(open_reply(row["reply"])) for row in rows]
    assert read == [row["verdict"] for row in rows]


@pytest.mark.parametrize(
    ("reply", "score"),
    (
        ("Score: 87.5/100", 87.5),
        ("**85**/100", 85),
        ("Score: 85 / 100", 85),
        ("87.25/100", None),
        ("101", None),
        ("Score: 8/10", None),
        ("Layout: 8/10. Overall: 90", 90),
        ("Total: 61. Each of the 3 buttons is there.", 61),
        ("I give it a 70, as 9/100 of it differs", 70),
        ("between 70 and 80 out of 100", None),
        ("70-80/100", None),
        ("70 – 80/100", None),
        ("Confidence: 95/100. Score: 40", 40),
        ("Score: 40 (confidence score: 95)", 40),
        ("{'score': 80}", 80),
        ('{"score": 80,}', 80),
        ('{"score": 8', None),
        ('{"score": "80/100", "reason": "30/100 of it is blank"}', 80),
        ('{"result": {"score": 12}}', 12),
        ('[{"score": 12}]', 12),
        ('{"score": 1' + "0" * 400 + "}", None),
        ('{"score": 1e999}', None),
        ('{"score": -0.0}', 0),
        ('{"score": [80]}', None),
        ("<think>Score: 90/100", None),
        ("Score: 90 <think>no, 10</think> Score: 20", 20),
        ("评分\uff1a70", 70),
        ("\uff17\uff10/\uff11\uff10\uff10", 70),
        ("Score: eighty. 70/100 of it is there.", None),
        ("The picture shows 12/100 items. I see no more.", 12),
        ("I see 12 of 100 items.", None),
    ),
)
def test_scores_of_other_kinds(reply: str, score: float | None) -> None:
    """Ranges, other scales, confidences and thoughts are no scores."""
    assert read_score(open_reply(reply), HUNDRED) == score


@pytest.mark.parametrize(
    ("reply", "verdict"),
    (
        ("Yes, the cart shows 2 items.", True),
        ("No, the heading is missing.", False),
        ("No. The button isn't there.", None),
        ("Yes, but only partly.", None),
        ("Yes. No.", None),
        ("PASS\nThe heading is there.", True),
        ("The answer is yes.", True),
        ("The answer is not yes.", None),
        ("The result is a list. It is right.", None),
        ("Verdict: unclear. Yes and no.", None),
        ("Answer: yes. On a second look, final verdict: fail.", False),
        ("Final answer: no. (My first answer: yes.)", False),
        ('{"verdict": true} and then {"verdict": false}', False),
        ('{"verdict": "maybe"} yes', None),
        ('{"verdict": null, "reason": "yes"}', None),
        ('{"verdict": 1}', None),
        ('{"verdict": tru', None),
        ('{"answer": "No.", "reason": "yes would be wrong"}', False),
        ("<think>Answer: yes</think> No.", False),
        ("<think>yes", None),
        ("结论\uff1a不是", False),
        ("Nope", None),
        ("Verdict - PASS", True),
        ('The verdict is "no".', False),
        ("`true`", True),
        ("I know the notes show yes", None),
    ),
)
def test_verdicts_of_other_kinds(reply: str, verdict: bool | None) -> None:  # noqa: FBT001
    """What hedges, contradicts itself or is cut off decides nothing."""
    assert read_verdict(open_reply(reply)) is verdict


def test_rubric_adds_up_to_a_hundred() -> None:
    """As in the paper: 10, 15, 40, 15 and 20 points."""
    assert list(PARTS.values()) == [10, 15, 40, 15, 20]
    rated = read_rating(open_reply(json.dumps(FULL)))
    assert rated is not None
    assert (rated.score, rated.parts) == (100, FULL)


@pytest.mark.parametrize(
    "reply",
    (
        {**FULL, "layout": 11},
        {**FULL, "content": -1},
        {**FULL, "style": "many"},
        {**FULL, "overall": None},
        {**FULL, "elements": True},
        {**FULL, "content": 33.3},
        {name: FULL[name] for name in list(FULL)[:-1]},
        {"layout": 10, "score": 90},
    ),
)
def test_rubric_with_a_faulty_part_gives_no_score(reply: dict[str, object]) -> None:
    """A part that is missing, unclear or out of range is not guessed."""
    assert read_rating(open_reply(json.dumps(reply))) is None


def test_sum_alone_is_a_score_without_parts() -> None:
    """An endpoint that knows no schema may still give one number out of 100."""
    rated = read_rating(open_reply("Score: 62/100"))
    assert rated is not None
    assert (rated.score, rated.parts) == (62, {})


def test_reason_is_the_text_of_its_field() -> None:
    """What the judge saw and why are kept as they were said."""
    reply = open_reply('{"seen": "a red «cart»", "reason": 7, "verdict": true}')
    assert words(reply, "seen") == "a red «cart»"
    assert not words(reply, "reason")


def test_halves_of_characters_are_not_kept() -> None:
    """A judge that escapes half of one, as a page shows it, gives text all the same."""
    reply = open_reply('{"seen": "a cart \\ud83d", "reason": "", "verdict": true}')
    assert words(reply, "seen") == "a cart \ufffd"
