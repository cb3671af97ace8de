"""`iwr rescore`: a stored run scored again, without a browser."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_iwr.cli import main
from pytest_iwr.gateway.mock import Answer, MockEndpoint, Seen
from tests.check.judge.kit import points
from tests.e2e.looking import Looker
from tests.e2e.paper_kit import LAMP, configure, run, summary_of, write_lamp
from tests.plugin.kit import Project

SAME = {"summary.json", "results.jsonl", "summary.md"}


@pytest.fixture
def home(counter: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a project with a run of two models' pages, one of them wrong."""
    monkeypatch.chdir(counter.path)
    counter.pytester.runpytest_subprocess("--iwr-pages=pages", "-pno:cacheprovider")
    return counter.path


def _files(folder: Path) -> dict[str, bytes]:
    """Give all files of a run, by their names, those of the ledger's costs left out."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "ledger.jsonl"
    }


def _summary(folder: Path) -> dict[str, Any]:
    summary: dict[str, Any] = json.loads((folder / "summary.json").read_text("utf-8"))
    return summary


def test_same_protocol_gives_the_same_scores(home: Path) -> None:
    """Summary and results, byte for byte, and the run itself stays as it is."""
    before = _files(home / "reports/latest")
    assert main(["rescore", "reports/latest", "-o", "again"]) == 0
    again = _files(home / "again")
    assert {name: again[name] for name in SAME} == {n: before[n] for n in SAME}
    assert (
        before.keys() - again.keys()
        == {"report.html"}
        | {name for name in before if Path(name).name.startswith("small-")}
        - again.keys()
    )
    assert _files(home / "reports/latest") == before


def test_scored_twice_a_run_has_equal_bytes(home: Path) -> None:
    """Every file of it."""
    for name in ("one", "two"):
        main(["rescore", "reports/latest", "-o", f"{name}/again"])
    assert _files(home / "one") == _files(home / "two")


def test_scored_again_it_lies_beside_the_run(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Under a name of its own each time, and says from which run it is."""
    for _ in range(2):
        main(["rescore", "reports/latest"])
    run_ = (home / "reports/latest").resolve()
    assert f"files: {run_}-rescored-2/" in capsys.readouterr().out
    facts = json.loads(Path(f"{run_}-rescored/run.json").read_text("utf-8"))
    assert facts["rescored_from"] == run_.name
    assert (home / "reports/latest").resolve() == run_


def test_what_ran_without_a_score_stays(home: Path) -> None:
    """An error without a trace, and a page that was never there, are kept."""
    results = home / "reports/latest/results.jsonl"
    rows = [json.loads(line) for line in results.read_text("utf-8").splitlines()]
    lost = {name: rows[0][name] for name in ("task", "steps_total")}
    lost |= {"model": "gone", "status": "error", "kind": "lost", "steps_done": None}
    absent = rows[0] | {"model": "absent", "trace": None, "kind": "no_page"}
    absent |= {"status": "failed", "ifs": 0.0, "final": 0.0, "folder": "items/x"}
    lines = [json.dumps(row) for row in (*rows, lost, absent)]
    results.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert main(["rescore", "reports/latest", "-o", "again"]) == 0
    found = {row["model"]: row["kind"] for row in _summary(home / "again")["tasks"]}
    assert found == {
        "absent": "no_page",
        "gone": "lost",
        "good": None,
        "twice": "expectation",
    }


def test_task_that_has_moved_is_found_below_a_folder(home: Path) -> None:
    """Without it the rows say why they have no score."""
    (home / "tasks").rename(home / "elsewhere")
    assert main(["rescore", "reports/latest", "-o", "lost"]) == 20
    reasons = {row["reason"] for row in _summary(home / "lost")["tasks"]}
    assert all("--tasks=DIR" in reason for reason in reasons)
    assert main(["rescore", "reports/latest", "-o", "found", "--tasks=elsewhere"]) == 0
    assert _summary(home / "found")["models"]["good"]["ifs"] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    (
        (["nowhere"], "nowhere/results.jsonl: cannot be read"),
        (["reports/latest", "-o", "tasks"], "tasks: is there already"),
        (["reports/latest", "--iwr-judge-model=x"], "the protocol offline asks no"),
        (
            ["reports/latest", "--iwr-protocol=iwr-bench"],
            "--iwr-judge-model: no endpoint is known for 'gemini-2.5-pro'",
        ),
    ),
)
def test_bad_usage_writes_nothing(
    home: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    said: str,
) -> None:
    """Exit status 4 and the reason."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    before = sorted(home.rglob("*"))
    assert main(["rescore", *arguments]) == 4
    assert said in capsys.readouterr().err
    assert sorted(home.rglob("*")) == before


@pytest.fixture
def lamp(
    tmp_path: Path, weights: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Path, MockEndpoint, dict[str, Any]]]:
    """Give a run by the paper's protocol, its endpoint and its summary."""
    monkeypatch.chdir(tmp_path)
    home = write_lamp(tmp_path, LAMP.format(words="", more=""))
    looks = Looker((home / "checkpoints").glob("*.png"))

    def answer(seen: Seen) -> Answer:
        if seen.model == "yes":
            return Answer(text=json.dumps({**points(), "verdict": True}))
        return looks(seen)

    with MockEndpoint(answer=answer) as mock:
        configure(tmp_path, mock.url)
        run(tmp_path, weights, "--iwr-pages=pages")
        yield tmp_path, mock, summary_of(tmp_path)


@pytest.mark.paper
def test_same_judge_gives_the_same_scores_from_the_cache(
    lamp: tuple[Path, MockEndpoint, dict[str, Any]],
) -> None:
    """Only the tripwire is asked again; scored twice, all bytes are equal."""
    folder, mock, before = lamp
    asked = len(mock.requests)
    for name in ("one", "two"):
        told = ["-o", f"{name}/again", "--iwr-model-config=models.yaml"]
        assert main(["rescore", "reports/latest", *told]) == 0
    assert _summary(folder / "one/again") == before
    assert _files(folder / "one") == _files(folder / "two")
    assert len(mock.requests) == asked + 2 * 8


@pytest.mark.paper
def test_another_judge_gives_another_verdict(
    lamp: tuple[Path, MockEndpoint, dict[str, Any]],
) -> None:
    """One that says yes to all lets the step pass, and trips the wire."""
    folder, _, before = lamp
    assert before["tasks"][0]["ifs"] == 0
    told = ["-o", "yes", "--iwr-model-config=models.yaml", "--iwr-judge-model=yes"]
    assert main(["rescore", "reports/latest", *told]) == 20
    after = _summary(folder / "yes")
    assert after["tasks"][0]["ifs"] == 1
    assert after["protocol"]["metrics"]["judge"] == "yes"
    assert after["tripwire"]["state"] == "tripped"


@pytest.mark.paper
def test_another_protocol_judges_nothing(
    lamp: tuple[Path, MockEndpoint, dict[str, Any]],
) -> None:
    """Offline, the assertion is unjudged and no request goes out."""
    folder, mock, _ = lamp
    asked = len(mock.requests)
    told = ["-o", "offline", "--iwr-protocol=offline"]
    assert main(["rescore", "reports/latest", *told]) == 0
    after = _summary(folder / "offline")
    assert after["protocol"]["id"] == "offline"
    assert after["tasks"][0]["assertions"] == {"true": 0, "false": 0, "unjudged": 1}
    assert after["tripwire"] is None
    assert len(mock.requests) == asked


@pytest.mark.paper
def test_cache_alone_scores_without_an_endpoint(
    lamp: tuple[Path, MockEndpoint, dict[str, Any]],
) -> None:
    """The judge's answers are there; that it was not tried is said."""
    folder, mock, before = lamp
    asked = len(mock.requests)
    told = ["-o", "kept", "--iwr-model-config=models.yaml", "--iwr-cache=only"]
    assert main(["rescore", "reports/latest", *told]) == 0
    after = _summary(folder / "kept")
    assert after["tasks"] == before["tasks"]
    assert after["tripwire"]["state"] == "not_run"
    assert len(mock.requests) == asked


@pytest.mark.paper
def test_run_whose_judge_was_down_is_scored_later(
    tmp_path: Path, weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was driven is not lost: only the judge is asked then."""
    monkeypatch.chdir(tmp_path)
    home = write_lamp(tmp_path, LAMP.format(words="", more=""))
    looks = Looker((home / "checkpoints").glob("*.png"))
    is_up: list[bool] = []

    def answer(seen: Seen) -> Answer:
        return looks(seen) if is_up else Answer(status=401)

    with MockEndpoint(answer=answer) as mock:
        configure(tmp_path, mock.url)
        done = run(tmp_path, weights, "--iwr-pages=pages")
        assert done.returncode == 20, done.stdout
        (row,) = summary_of(tmp_path)["tasks"]
        assert (row["status"], row["kind"]) == ("error", "endpoint")
        is_up.append(True)
        told = ["-o", "later", "--iwr-model-config=models.yaml"]
        assert main(["rescore", "reports/latest", *told]) == 0
    (row,) = _summary(tmp_path / "later")["tasks"]
    assert (row["status"], row["kind"], row["failed_step"]) == (
        "failed",
        "assertion",
        1,
    )
