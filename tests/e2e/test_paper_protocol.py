"""A whole run by the paper's protocol: real pages, real pictures, a judge that looks."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_iwr.gateway import read_ledger
from pytest_iwr.gateway.mock import MockEndpoint
from tests.e2e.looking import Looker
from tests.e2e.paper_kit import CLAIMS, ROOT, configure, run, summary_of, write_tasks
from tests.once import Once

pytestmark = pytest.mark.paper

PAGES = ROOT / "examples" / "pages"
FAULTS = {"2048": 1, "sb-admin-2": 6, "shop": 3, "todomvc": 8}
"""The first step for which a flawed page's fault makes an assertion false."""


class Ran(NamedTuple):
    """What a run has left."""

    folder: Path
    output: str
    requests: int
    rows: dict[tuple[str, str], dict[str, Any]]
    summary: dict[str, Any]


@pytest.fixture(scope="module")
def ran(once: Once, weights: Path) -> Ran:
    """Run both sets of pages on all four tasks, on two workers, once."""
    folder = once.folder("paper", lambda folder: _run(folder, weights))
    told = json.loads((folder / "told.json").read_text("utf-8"))
    summary = summary_of(folder)
    rows = {(row["model"], row["task"]): row for row in summary["tasks"]}
    return Ran(folder, told["output"], told["requests"], rows, summary)


def _run(folder: Path, weights: Path) -> None:
    write_tasks(folder)
    references = (folder / "tasks").glob("*/checkpoints/*.png")
    with MockEndpoint(answer=Looker(references)) as mock:
        configure(folder, mock.url)
        done = run(
            folder, weights, "-n2", f"--iwr-pages={PAGES}", "--iwr-fail-on=error"
        )
        requests = len(mock.requests)
    assert done.returncode == 0, done.stdout + done.stderr
    told = {"output": done.stdout, "requests": requests}
    (folder / "told.json").write_text(json.dumps(told), encoding="utf-8")


@pytest.mark.parametrize("task", CLAIMS)
def test_right_page_does_every_step(ran: Ran, task: str) -> None:
    """All assertions are true, and the judge finds each picture alike."""
    row = ran.rows["faithful", task]
    assert row["ifs"] == 1
    claims = sum(map(len, CLAIMS[task].values()))
    assert row["assertions"] == {"true": claims, "false": 0, "unjudged": 0}
    assert row["hfs"] > 0.85


@pytest.mark.parametrize("task", CLAIMS)
def test_assertion_is_false_where_the_fault_was_planted(ran: Ran, task: str) -> None:
    """There and nowhere before; the steps before it are done."""
    row, fault = ran.rows["flawed", task], FAULTS[task]
    assert (row["failed_step"], row["kind"]) == (fault, "assertion")
    assert row["ifs"] == round((fault - 1) / row["steps_total"], 4)
    claims = [
        claim for step, said in CLAIMS[task].items() if step <= fault for claim in said
    ]
    assert row["assertions"]["false"] == 1
    assert row["assertions"]["true"] == len(claims) - 1


def test_pictures_in_other_colours_lose_points(ran: Ran) -> None:
    """The judge saw the flawed page's picture, and not the right one's."""
    right, flawed = (ran.rows[model, "2048"]["hfs"] for model in ("faithful", "flawed"))
    assert flawed < right - 0.2


def test_numbers_add_up_as_in_the_paper(ran: Ran) -> None:
    """LFS is the mean of text and DINO, HFS the judge's points, VFS the mean of both."""
    rows = [
        json.loads(line)
        for line in (ran.folder / "reports/latest/results.jsonl")
        .read_text()
        .splitlines()
    ]
    compared = [c["comparison"] for row in rows for c in row["checkpoints"]]
    assert len(compared) > 30
    for one in compared:
        assert one["structure"] is None
        assert one["lfs"] == pytest.approx((one["text"] + one["dino"]) / 2, abs=6e-5)
        assert one["hfs"] == pytest.approx(one["judged"]["score"] / 100, abs=6e-5)
        half = (one["lfs"] + one["hfs"]) / 2
        assert one["similarity"] == pytest.approx(half, abs=6e-5)


def test_protocol_names_all_that_scores_depend_on(ran: Ran) -> None:
    """Two runs share a table only where all of it is equal."""
    protocol = ran.summary["protocol"]
    assert protocol["id"] == "iwr-bench"
    assert sorted(protocol["metrics"]) == ["dino", "judge", "judge_questions", "ocr"]
    assert protocol["metrics"]["judge"] == "looker, at 127.0.0.1"
    assert "sha256:" in protocol["metrics"]["dino"]


def test_judge_is_tried_on_known_answers(ran: Ran) -> None:
    """Once a run, and the summary says what came of it."""
    assert ran.summary["tripwire"] == {
        "due": 8,
        "agreed": 8,
        "level": 0.85,
        "state": "held",
        "reason": "",
    }
    assert "judge agrees with people on 8 of 8 pairs" in ran.output
    tried = json.loads((ran.folder / "reports/latest/tripwire.json").read_text())
    assert all(one["agrees"] for one in tried)


def test_each_question_is_paid_for_once(ran: Ran) -> None:
    """The ledger and the bill count what judging takes; two models share answers."""
    ledger = read_ledger(ran.folder / "reports/latest/ledger.jsonl")
    asked = [line for line in ledger if not line.is_hit]
    assert {line.purpose for line in ledger} == {"judge"}
    assert len(asked) == ran.requests == len({line.key for line in asked})
    assert len(ledger) > len(asked)
    assert f"models: {ran.requests} asked" in ran.output
    assert "spent $" in ran.output
