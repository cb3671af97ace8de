"""`iwr rescore`: a stored run scored again, without a browser."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_iwr.cli import main
from pytest_iwr.gateway.mock import Answer, MockEndpoint, Seen
from tests.check.judge.kit import points
from tests.e2e.looking import Looker
from tests.e2e.paper_kit import LAMP, configure, run, summary_of, write_lamp
from tests.load.official_kit import Data, action, row
from tests.once import Once
from tests.plugin.kit import Project

SAME = {"summary.json", "results.jsonl", "summary.md"}


@pytest.fixture
def home(
    once: Once,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """Give a project with a run of two models' pages, one of them wrong."""

    def make(folder: Path) -> None:
        counter: Project = request.getfixturevalue("counter")
        counter.pytester.runpytest_subprocess("--iwr-pages=pages", "-pno:cacheprovider")
        shutil.copytree(counter.path, folder / "project", symlinks=True)
        (folder / "was").write_text(str(counter.path), encoding="utf-8")

    made = once.folder("rescoring", make)
    home = tmp_path / "project"
    shutil.copytree(made / "project", home, symlinks=True)
    # As if the run had been made there.
    was = (made / "was").read_bytes()
    for file in home.rglob("*"):
        if file.is_file() and was in (content := file.read_bytes()):
            file.write_bytes(content.replace(was, str(home).encode()))
    monkeypatch.chdir(home)
    return home


@pytest.fixture
def official(home: Path) -> Path:
    """Give a project with a run of official data."""
    shots = [
        (home / f"tasks/counter/checkpoints/0{n}.png").read_bytes() for n in (0, 1)
    ]
    shutil.rmtree(home / "tasks")
    shutil.rmtree((home / "reports/latest").resolve())
    data = Data(home / "bench")
    once = action(description='Click the button "Add one"', flag=True)
    data.write(row(7, once, recording_details={"resolution": "640x360"}))
    for number, shot in enumerate(shots):
        data.add("7", f"checkpoints/step_{number}.png", shot)
    (home / "pages/good/counter").rename(home / "pages/good/7")
    command = [sys.executable, "-m", "pytest", "bench/data.jsonl", "-pno:cacheprovider"]
    command += ["--iwr-pages=pages", "--iwr-model=good"]
    subprocess.run(command, cwd=home, check=True, capture_output=True)
    return home


def _edit(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


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
    """An error without a trace, and a page that was never there, are kept and told."""
    results = home / "reports/latest/results.jsonl"
    rows = [json.loads(line) for line in results.read_text("utf-8").splitlines()]
    lost = {name: rows[0][name] for name in ("task", "steps_total")}
    lost |= {"model": "gone", "status": "error", "kind": "lost", "steps_done": None}
    absent = rows[0] | {"model": "absent", "trace": None, "kind": "no_page"}
    absent |= {"status": "failed", "ifs": 0.0, "final": 0.0, "folder": "items/x"}
    lines = [json.dumps(row) for row in (*rows, lost, absent)]
    results.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert main(["rescore", "reports/latest", "-o", "again"]) == 20
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


def test_official_data_that_has_moved_is_found_below_a_folder(
    official: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its id, among the files of other tasks and of runs."""
    before = _summary(official / "reports/latest")
    (official / "bench").rename(official / "elsewhere")
    (official / "elsewhere/a.jsonl").write_text('{"id": 8}\n{', encoding="utf-8")
    assert main(["rescore", "reports/latest", "-o", "found", "--tasks=."]) == 0
    assert _summary(official / "found") == before
    assert "elsewhere" not in capsys.readouterr().err


def test_official_line_that_broke_is_told(official: Path) -> None:
    """The row says what is wrong with it, and where."""
    (official / "bench").rename(official / "elsewhere")
    (official / "elsewhere/data/7/checkpoints/step_0.png").unlink()
    told = ["-o", "found", "--tasks=elsewhere"]
    assert main(["rescore", "reports/latest", *told]) == 20
    (found,) = _summary(official / "found")["tasks"]
    assert "elsewhere/data.jsonl:1: start: there is no file" in found["reason"]


LAST = """\
  - click: {role: button, name: Add one}
    say: Click the button again
    expect:
      - {text: Total 2}
    checkpoint: checkpoints/02.png
"""
EDITS = {
    "a step less": (
        LAST,
        "",
        "steps: the stored run was made with 2, now there are 1.",
    ),
    "two steps more": (
        LAST,
        LAST * 3,
        "steps: the stored run was made with 2, now there are 4.",
    ),
    "another action": (
        "  - click: {role: button, name: Add one}\n    say: Click the button again",
        "  - hover: {role: button, name: Add one}\n    say: Click the button again",
        "steps[1]: is not what the stored run was made with",
    ),
    "another target": (
        "name: Add one}\n    say: Click the button again",
        "name: Add two}\n    say: Click the button again",
        "steps[1]: is not what the stored run was made with",
    ),
    "another sentence": (
        "Click the button once",
        "Click the other button",
        "steps[0]: is not what the stored run was made with, which was 'Click the ",
    ),
    "another expectation": (
        "{text: Total 1}",
        "{text: Total 3}",
        "steps[0]: is not what the stored run was made with, which was 'Click the ",
    ),
    "a whole page": (
        "checkpoint: checkpoints/02.png",
        "checkpoint: {image: checkpoints/02.png, full_page: true}",
        "steps[1]: is not what the stored run was made with",
    ),
    "another window": (
        "width: 640",
        "width: 800",
        "start: the window, the clock, the seed or the masks of the start are not those",
    ),
}


def test_task_that_was_edited_since_is_unscored(home: Path) -> None:
    """Every row says what is not as it was; no score is made of what was not done."""
    found = _reasons_after(home, EDITS)
    advice = "Run the task again, or take the change back."
    for name, (_, _, reason) in EDITS.items():
        assert all(reason in said for said in found[name]), name
        assert all(said.endswith(advice) for said in found[name])
        assert len(found[name]) == 2
    assert not [*home.glob("a*/**/result.json")]


def _reasons_after(home: Path, edits: Iterable[str]) -> dict[str, list[str]]:
    """Give why the rows have no scores, by the edit of the task."""
    file = home / "tasks/counter/task.iwr.yaml"
    text = file.read_text("utf-8")
    found = {}
    for name in edits:
        old, new, _ = EDITS[name]
        _edit(file, old, new)
        assert main(["rescore", "reports/latest", "-o", name]) == 20
        rows = _summary(home / name)["tasks"]
        found[name] = [r["reason"] for r in rows if r["kind"] == "task_invalid"]
        file.write_text(text, encoding="utf-8")
    return found


def test_edit_of_what_matters_only_to_scores_is_scored(home: Path) -> None:
    """A minimum, a threshold and a title may change after the drive."""
    file = home / "tasks/counter/task.iwr.yaml"
    _edit(file, "id: counter", "id: counter\ntitle: T\nthresholds: {ifs: 0.5}")
    checkpoint = "{image: checkpoints/02.png, min_similarity: 0.3}"
    _edit(file, "checkpoints/02.png", checkpoint)
    assert main(["rescore", "reports/latest", "-o", "again"]) == 0
    assert _summary(home / "again")["models"]["good"]["ifs"] == 1


def test_trace_without_digests_is_compared_by_its_steps(home: Path) -> None:
    """It was made by an older version; one that failed may have had more steps."""
    for file in home.glob("reports/latest/items/*/*/trace.json"):
        trace = json.loads(file.read_text("utf-8"))
        assert len(trace.pop("told")) == 3
        file.write_text(json.dumps(trace), encoding="utf-8")
    assert main(["rescore", "reports/latest", "-o", "same"]) == 0
    edits = ("a step less", "two steps more", "another action")
    for name, said in _reasons_after(home, edits).items():
        assert len(said) == 1
        assert EDITS[name][2] in said[0]


def test_broken_off_nothing_is_left(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files are written aside, and appear when all are there."""
    trace = next(home.glob("reports/latest/items/good/*/trace.json"))
    trace.with_name("extra.json").symlink_to("gone.json")
    before = sorted(home.rglob("*"))
    monkeypatch.chdir(home)
    assert main(["rescore", "reports/latest", "-o", "deep/again"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "No such file" in line
    assert str(trace.resolve().with_name("extra.json")) in line
    assert sorted(home.rglob("*")) == before


def test_picture_that_cannot_be_read_is_told_by_its_place(home: Path) -> None:
    """The stored run has it, not the folder that was written aside."""
    shot = next(home.glob("reports/latest/items/good/*/shot-01.png")).resolve()
    shot.write_bytes(b"broken")
    assert main(["rescore", "reports/latest", "-o", "again"]) == 20
    good = next(r for r in _summary(home / "again")["tasks"] if r["model"] == "good")
    assert good["reason"].startswith(f"{shot}: ")


def test_errors_that_were_there_are_told_again(home: Path) -> None:
    """Nothing is scored, so the exit status is not that of scores."""
    results = home / "reports/latest/results.jsonl"
    rows = [json.loads(line) for line in results.read_text("utf-8").splitlines()]
    kept = ("task", "model", "steps_total")
    lost = {"status": "error", "kind": "endpoint", "steps_done": None}
    lines = [json.dumps({**{k: row[k] for k in kept}, **lost}) for row in rows]
    results.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for trace in home.glob("reports/latest/items/*/*/trace.json"):
        trace.unlink()
    assert main(["rescore", "reports/latest", "-o", "again"]) == 20


FACTS = {
    '{"scoring": {"protocol": "paper"}}': "run.json: scoring.protocol: Input",
    '{"scoring": {"judge": 5}}': "run.json: scoring.judge: Input should be",
    '{"scoring": []}': "run.json: scoring: Input should be",
    '{"scoring": "': "run.json: cannot be read: Invalid JSON",
    "[]": "run.json: cannot be read: Input should be an object",
    '{"schema": 1}': "run.json: does not say how the run was scored",
    "": "run.json: does not say how the run was scored",
}
"""What the record of a run holds, "" where there is none, and what is said of it."""


def test_run_that_does_not_say_how_it_was_scored_is_bad_usage(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody guesses its protocol."""
    file = home / "reports/latest/run.json"
    for facts, said in FACTS.items():
        file.unlink(missing_ok=True)
        if facts:
            file.write_text(facts, encoding="utf-8")
        assert main(["rescore", "reports/latest", "-o", "again"]) == 4
        assert said in capsys.readouterr().err
        assert not (home / "again").exists()


def test_protocol_that_is_told_needs_no_record(home: Path) -> None:
    """A run whose record was removed is scored as the command line says."""
    (home / "reports/latest/run.json").unlink()
    told = ["-o", "again", "--iwr-protocol=offline"]
    assert main(["rescore", "reports/latest", *told]) == 0
    assert _summary(home / "again")["models"]["good"]["ifs"] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    (
        (["nowhere"], "nowhere/results.jsonl: cannot be read"),
        (["reports/latest", "-o", "tasks"], "tasks: is there already"),
        (["reports/latest", "--tasks=gone"], "--tasks=gone: is no folder"),
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
    assert after["protocol"]["metrics"]["judge"] == "yes, at 127.0.0.1"
    assert after["tripwire"]["state"] == "tripped"


@pytest.mark.paper
def test_weights_that_are_none_are_bad_usage(
    lamp: tuple[Path, MockEndpoint, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is asked, and no score made, with a file of something else."""
    folder, mock, _ = lamp
    asked = len(mock.requests)
    (folder / "none.pth").write_bytes(b"not weights at all" * 100)
    told = ["-o", "again", "--iwr-model-config=models.yaml"]
    garbage = "--iwr-dino-weights=none.pth"
    assert main(["rescore", "reports/latest", garbage, *told]) == 4
    assert "no weights of DINOv2-base" in capsys.readouterr().err
    assert len(mock.requests) == asked
    assert not (folder / "again" / "summary.json").exists()


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
        config = "--iwr-model-config=models.yaml"
        assert main(["rescore", "reports/latest", "-o", "still", config]) == 20
        assert _summary(tmp_path / "still")["tripwire"]["state"] == "lost"
        is_up.append(True)
        assert main(["rescore", "reports/latest", "-o", "later", config]) == 0
    (row,) = _summary(tmp_path / "later")["tasks"]
    assert (row["status"], row["kind"], row["failed_step"]) == (
        "failed",
        "assertion",
        1,
    )
