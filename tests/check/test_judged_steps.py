"""Prose assertions of a trace: put to a judge that looks, and counted."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_iwr import ports
from pytest_iwr import records as r
from pytest_iwr.artifacts import ItemFolder
from pytest_iwr.check import check
from pytest_iwr.errors import JudgeError
from pytest_iwr.gateway.mock import Answer, Seen
from pytest_iwr.load import load
from pytest_iwr.score import score
from tests.check.judge.kit import BLUE, GREEN, RED, Say, judging, plain, points, shown

TASK = """
iwr: 1
start: checkpoints/00.png
steps:
  - press: Enter
    expect: [The screen is blue.]
    checkpoint: checkpoints/01.png
  - press: Tab
    expect: [The screen turned green., The screen is not red.]
    checkpoint: checkpoints/02.png
  - press: Space
    expect: [The screen is green.]
    checkpoint: checkpoints/03.png
"""
NAMES = {BLUE: "blue", RED: "red", GREEN: "green"}


class Equal:
    """A scorer that lets the judge rate, and finds all else alike."""

    protocol = r.Protocol(id="iwr-bench", metrics={})

    def __init__(self, judge: ports.Judge) -> None:
        """Know who rates."""
        self._judge = judge

    def compare(
        self,
        reference: Path,
        shot: Path,
        *,
        masks: Sequence[r.Box] = (),
        diff: Path | None = None,  # noqa: ARG002 - a Scorer's signature
    ) -> r.Comparison:
        """Ask."""
        judged = self._judge.rate(reference, shot, masks=masks, label=reference.name)
        high = (judged.score or 0) / 100
        return r.Comparison(
            text=1,
            dino=1,
            lfs=1,
            hfs=high,
            similarity=(1 + high) / 2,
            is_same_size=True,
            judged=judged,
        )


def _looks(seen: Seen) -> Answer:
    """Answer from the pictures alone."""
    pictures = [NAMES[tuple(picture[9, 9])] for _, picture in shown(seen)]
    claim = re.search(r"The screen (\w+)( not)? (\w+)", seen.text)
    if claim is None:
        is_equal = pictures[0] == pictures[1]
        return Answer(text=json.dumps(points(content=40 if is_equal else 0)))
    before, after = pictures
    holds = (after == claim[3]) is (claim[2] is None)
    if claim[1] == "turned":
        holds = holds and before != after
    said = {"seen": after, "reason": f"it is {after}", "verdict": holds}
    return Answer(text=json.dumps(said))


def _verdicts(
    folder: Path, colours: Sequence[tuple[int, int, int]], say: Say = _looks
) -> tuple[r.Task, r.Verdicts, list[Seen]]:
    """Judge a trace whose shots have these colours, in which nothing else fails."""
    path = folder / "task.iwr.yaml"
    path.write_text(TASK)
    for number, colour in enumerate((RED, BLUE, GREEN, GREEN)):
        plain(folder / "checkpoints" / f"{number:02}.png", colour)
    task = load(path)
    steps = []
    for number, colour in enumerate(colours):
        shot = plain(folder / "item" / f"shot-{number:02}.png", colour).name
        claims = task.steps[number - 1].expect if number else ()
        outcomes = [
            r.Outcome(kind="prose", asked=claim.prose or "", holds=None)
            for claim in claims
        ]
        steps.append(
            r.TraceStep(
                number=number,
                verb="press",
                said="",
                shot=shot,
                outcomes=tuple(outcomes),
            )
        )
    trace = r.Trace(
        task="t", browser="", width_px=64, height_px=48, scale=1, steps=tuple(steps)
    )
    item = ItemFolder(folder, folder / "item", "model", 1)
    with judging(folder, say) as (judge, mock):
        found = check(task, trace, item, scorer=Equal(judge), minimum=0.5, judge=judge)
        return task, found, list(mock.requests)


def test_page_for_which_all_holds_does_every_step(tmp_path: Path) -> None:
    """Four assertions are true, and each picture is rated."""
    task, found, asked = _verdicts(tmp_path, (RED, BLUE, GREEN, GREEN))
    result = score(task, found, r.Weights())
    assert (result.ifs, result.vfs, result.hfs) == (1, 1, 1)
    assert result.assertions == r.Assertions(true=4)
    assert len(asked) == 4 + 3  # the last two pictures are one question


def test_first_false_assertion_ends_what_counts(tmp_path: Path) -> None:
    """The step before it is the last one done; no later picture is rated."""
    task, found, asked = _verdicts(tmp_path, (RED, BLUE, BLUE, GREEN))
    result = score(task, found, r.Weights())
    assert (result.steps_done, result.failed_step, result.kind) == (1, 2, "assertion")
    assert result.reason == ("the judge denies 'The screen turned green.': it is blue")
    assert result.assertions == r.Assertions(true=2, false=1)
    assert [one.step for one in found.checkpoints] == [0, 1]
    assert [verdict.step for verdict in found.steps] == [1, 2]
    assert len(asked) == 4 + 2


def test_assertion_sees_the_screen_before_its_step(tmp_path: Path) -> None:
    """What was green before has not turned green."""
    task, found, _ = _verdicts(tmp_path, (RED, GREEN, GREEN, GREEN))
    failed = [verdict.step for verdict in found.steps if not verdict.passed]
    assert failed == [1]
    assert score(task, found, r.Weights()).ifs == 0


def test_swapped_picture_costs_points(tmp_path: Path) -> None:
    """A picture that is not the reference's loses what the judge takes off."""
    task, found, _ = _verdicts(tmp_path, (BLUE, BLUE, GREEN, GREEN))
    result = score(task, found, r.Weights())
    start = found.checkpoints[0].comparison
    assert (start.hfs, start.similarity) == (0.6, 0.8)
    assert result.hfs == 0.9


def test_all_that_was_said_is_kept_beside_the_shots(tmp_path: Path) -> None:
    """Prompt, names of pictures, raw reply, model and cost, in a file a question."""
    _, found, _ = _verdicts(tmp_path, (RED, BLUE, BLUE, GREEN))
    files = sorted(path.name for path in (tmp_path / "item").glob("judge-*"))
    assert files == [
        "judge-00-likeness.json",
        "judge-01-assertion-1.json",
        "judge-01-likeness.json",
        "judge-02-assertion-1.json",
        "judge-02-assertion-2.json",
        "judge-03-assertion-1.json",
    ]
    (judged, _) = found.steps[1].judged
    assert judged.evidence == "judge-02-assertion-1.json"
    text = (tmp_path / "item" / judged.evidence).read_text("utf-8")
    told = r.Judgement.model_validate_json(text)
    assert told.pictures == (
        "Picture BEFORE: shot-01.png",
        "Picture AFTER: shot-02.png",
    )
    assert '"The screen turned green."' in "\n".join(told.prompt)
    assert told.samples[0].reply
    assert judged == told.brief()


def test_unreadable_judge_leaves_its_replies(tmp_path: Path) -> None:
    """The item is an error, and the file shows why."""
    with pytest.raises(JudgeError):
        _verdicts(tmp_path, (RED, BLUE, GREEN, GREEN), lambda _: Answer(text="Hm."))
    text = (tmp_path / "item" / "judge-01-assertion-1.json").read_text("utf-8")
    told = r.Judgement.model_validate_json(text)
    assert [sample.reply for sample in told.samples] == ["Hm.", "Hm."]


def _moving(folder: Path, say: Say) -> tuple[r.Verdicts, int]:
    """Judge a start that is blue at one moment and green at the next."""
    path = folder / "task.iwr.yaml"
    path.write_text(TASK)
    for number in range(4):
        plain(folder / "checkpoints" / f"{number:02}.png", BLUE)
    item = folder / "item"
    plain(item / "shot-00.png", BLUE)
    plain(item / "again-00.png", GREEN)
    start = r.TraceStep(
        number=0, verb="open", said="", shot="shot-00.png", again="again-00.png"
    )
    trace = r.Trace(
        task="t", browser="", width_px=64, height_px=48, scale=1, steps=(start,)
    )
    home = ItemFolder(folder, item, "model", 1)
    with judging(folder, say, mode="off") as (judge, mock):
        scorer = Equal(judge)
        found = check(load(path), trace, home, scorer=scorer, minimum=0.5, judge=judge)
        return found, len(mock.requests)


def test_page_that_moves_is_rated_once_a_shot(tmp_path: Path) -> None:
    """Both replies are kept, and the result names that of the less alike one."""
    found, asked = _moving(tmp_path, _looks)
    (start,) = found.checkpoints
    assert asked == 2
    assert (start.shot, start.comparison.hfs) == ("again-00.png", 0.6)
    files = sorted(path.name for path in (tmp_path / "item").glob("judge-*"))
    assert files == ["judge-00-likeness-again.json", "judge-00-likeness.json"]
    assert start.comparison.judged is not None
    assert start.comparison.judged.evidence == files[0]


def test_unreadable_rating_of_a_page_that_moves_leaves_its_replies(
    tmp_path: Path,
) -> None:
    """As that of any other page."""
    with pytest.raises(JudgeError):
        _moving(tmp_path, lambda _: Answer(text="Hm."))
    text = (tmp_path / "item" / "judge-00-likeness.json").read_text("utf-8")
    told = r.Judgement.model_validate_json(text)
    assert [sample.reply for sample in told.samples] == ["Hm.", "Hm."]


def test_reason_of_a_judge_stays_text_on_a_screen(tmp_path: Path) -> None:
    """It may repeat what a page shows: no control characters, and not too long."""
    said = {**points(), "verdict": False, "reason": "no\n\x1b[2Jred\u202e " + "x" * 999}
    _, found, _ = _verdicts(
        tmp_path, (RED, BLUE, GREEN, GREEN), lambda _: Answer(text=json.dumps(said))
    )
    reason = found.steps[0].reason
    assert reason is not None
    assert reason.startswith("the judge denies 'The screen is blue.': no [2Jred xxx")
    assert reason.endswith("x…")
    assert reason.isprintable()
    assert len(reason) < 400
