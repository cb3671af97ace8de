"""`iwr leaderboard`: runs beside the published rows, and what they are not mixed with."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_iwr import records as r
from pytest_iwr.artifacts import RunFolder
from pytest_iwr.cli import main
from pytest_iwr.report.files import write_results, write_summary
from pytest_iwr.report.leaderboard.published import published
from pytest_iwr.score import summarize

PAPER = r.Protocol(
    id="iwr-bench", metrics={"ocr": "easyocr 1.7", "judge": "gemini-2.5-pro"}
)
OFFLINE = r.Protocol(id="offline", metrics={"ocr": "rapidocr 3.10"})
LEVELS = ("L1", "L2", "L3", "L4")


def row(task: str, model: str = "mine", **more: object) -> r.Row:
    """Give a row of a right page with one step."""
    right: dict[str, object] = {"task": task, "model": model, "status": "passed"}
    right |= {"steps_total": 1, "steps_done": 1, "ifs": 1.0, "vfs": 0.8, "final": 0.94}
    return r.Row.model_validate(right | more)


def unscored(task: str) -> r.Row:
    """Give a row of a task that could not be scored."""
    scores = {"steps_done": None, "ifs": None, "vfs": None, "final": None}
    return r.Row.model_validate(
        dict(row(task)) | scores | {"status": "error", "kind": "lost"}
    )


def official(model: str = "mine", **more: object) -> list[r.Row]:
    """Give rows over as many tasks and actions as the paper's."""
    steps = [9] * 97 + [8] * 16
    return [
        row(str(number), model, steps_total=count, **more)
        for number, count in enumerate(steps)
    ]


def store(
    folder: Path,
    rows: Sequence[r.Row],
    protocol: r.Protocol = PAPER,
    name: str = "one",
    tripwire: r.Tripwire | None = None,
) -> Path:
    """Write the summary of a run, as a run does."""
    run = RunFolder(folder / name)
    run.path.mkdir()
    write_summary(summarize(rows, protocol, tripwire), run.summary)
    return run.path


def show(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Give what the command prints."""
    assert main(["leaderboard", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def refuse(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Give why the command refuses."""
    assert main(["leaderboard", *map(str, arguments)]) == 4
    return capsys.readouterr().err


def cells(text: str, model: str) -> list[str]:
    """Give the cells of a model's first line, split at the gaps."""
    line = next(line for line in text.splitlines() if f" {model} " in line)
    return line.split()


def test_run_stands_among_the_published_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The best Final comes first, and each row says whether it is published."""
    rows = official(ifs=0.24, vfs=0.62, final=0.354)
    text = show(capsys, store(tmp_path, rows))
    lines = text.splitlines()
    assert lines[0].split() == ["#", "model", "from", "tasks", "IFS", "VFS", "Final"]
    assert cells(text, "GPT-5") == [
        "1",
        "GPT-5",
        "published",
        "113",
        "24.39",
        "64.25",
        "36.35",
    ]
    assert cells(text, "mine") == [
        "2",
        "mine",
        "measured",
        "113",
        "24.00",
        "62.00",
        "35.40",
    ]
    assert lines[3].startswith(" 3  Claude-Sonnet-4 (thinking)")
    assert len([line for line in lines if "published  " in line]) == 28


def test_published_rows_are_the_printed_ones() -> None:
    """All 28 Finals are 0.7·IFS + 0.3·VFS of what is shipped, but for rounding."""
    half_a_place = 0.005  # off in each of the three numbers
    table = published()
    assert len(table.rows) == 28
    for one in table.rows:
        final = table.weights.ifs * one.ifs + table.weights.vfs * one.vfs
        assert one.final == pytest.approx(final, abs=2 * half_a_place), one.model


def test_run_over_other_tasks_is_not_ranked_with_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Four tasks of one's own say so, and take no place among 113 official ones."""
    text = show(capsys, store(tmp_path, [row(name) for name in "abcd"]))
    assert cells(text, "mine")[:4] == ["–", "mine", "measured", "4†"]
    assert (
        "† mine: over 4 tasks with 4 actions, the paper over 113 tasks with 1001"
        " actions: not comparable with the published rows." in text
    )
    assert cells(text, "GPT-5")[0] == "1"


TRIED = {"due": 8, "agreed": 8, "level": 0.85, "state": "held"}


@pytest.mark.parametrize(
    ("tripwire", "metrics", "why"),
    (
        (TRIED | {"state": "tripped", "agreed": 2}, {}, "its judge agrees with people"),
        (TRIED | {"state": "lost", "agreed": 0}, {}, "its judge was not tried"),
        (TRIED, {"judge": "yes-man"}, "judged by yes-man, the paper by gemini-2.5-pro"),
        (TRIED, {"dino": "dinov2 full sha256:0"}, "DINO sees the whole frame"),
    ),
)
def test_run_that_was_scored_in_another_way_is_not_ranked(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    tripwire: dict[str, object],
    metrics: dict[str, str],
    why: str,
) -> None:
    """It stands there without a place, and a note says why."""
    protocol = PAPER.model_copy(update={"metrics": {**PAPER.metrics, **metrics}})
    tried = r.Tripwire.model_validate(tripwire)
    run = store(tmp_path, official(), protocol, tripwire=tried)
    text = show(capsys, run)
    assert cells(text, "mine")[0] == "–"
    assert f"† mine: {why}" in text


def test_unscored_tasks_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A mean that leaves tasks out is not the paper's mean over all of them."""
    rows = official()
    text = show(capsys, store(tmp_path, [*rows[1:], unscored("0")]))
    assert cells(text, "mine")[3] == "112/113†"
    assert "† mine: over 112 of 113 tasks" in text
    assert "of 4 tasks 3 were scored; the others are in no mean." in text


def test_unjudged_assertions_are_marked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An IFS of which a part was judged by nobody carries a mark and its meaning."""
    rows = [row("a", "left", assertions=r.Assertions(unjudged=1)), row("a", "all")]
    text = show(capsys, store(tmp_path, rows, OFFLINE))
    assert cells(text, "left")[4] == "100.00*"
    assert cells(text, "all")[4] == "100.00"
    assert "* has assertions that nobody judged" in text


def test_other_protocol_stands_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the paper's protocol the published rows are left out, and it is said."""
    text = show(capsys, store(tmp_path, official(), OFFLINE))
    assert "GPT-5" not in text
    assert cells(text, "mine")[0] == "1"
    assert "measured: one; protocol offline, Final = 0.7·IFS + 0.3·VFS;" in text
    assert (
        "The published rows (arXiv 2509.24709) are of the protocol 'iwr-bench'" in text
    )


def test_other_weights_stand_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A Final of other weights is not the paper's, whatever its protocol is called."""
    half = PAPER.model_copy(update={"weights": r.Weights(ifs=0.5, vfs=0.5)})
    assert "GPT-5" not in show(capsys, store(tmp_path, official(), half))


@pytest.mark.parametrize(
    ("other", "difference"),
    (
        (OFFLINE, "protocol 'iwr-bench' and 'offline'"),
        (
            PAPER.model_copy(update={"metrics": PAPER.metrics | {"ocr": "easyocr 2"}}),
            "ocr 'easyocr 1.7' and 'easyocr 2'",
        ),
        (
            PAPER.model_copy(update={"metrics": {"ocr": "easyocr 1.7"}}),
            "judge 'gemini-2.5-pro' and 'none'",
        ),
        (
            PAPER.model_copy(update={"weights": r.Weights(ifs=0.5, vfs=0.5)}),
            "0.7·IFS + 0.3·VFS and 0.5·IFS + 0.5·VFS",
        ),
    ),
)
def test_runs_of_two_protocols_are_refused(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    other: r.Protocol,
    difference: str,
) -> None:
    """Runs that were scored in two ways share no table, and both are named."""
    one = store(tmp_path, [row("a")])
    two = store(tmp_path, [row("a")], other, "two")
    said = refuse(capsys, one, two)
    assert said.startswith(f"'one' and 'two' were scored in two ways: {difference}.")
    assert "show each run by itself" in said


def test_run_that_scored_nothing_joins_any(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run whose tasks all ended in errors has no protocol to differ in."""
    lost = store(tmp_path, [unscored("a")], r.Protocol(id="offline", metrics={}))
    text = show(capsys, lost, store(tmp_path, [row("a", "good")], PAPER, "two"))
    assert cells(text, "good")[2:4] == ["measured", "two"]
    assert cells(text, "mine")[-3:] == ["–", "–", "–"]


def test_results_of_another_protocol_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A result in a run's own files that was scored otherwise is told by its line."""
    run = store(tmp_path, [row("a"), row("b")])
    more = {"path": "t", "line": 1, "folder": "items/mine/b", "protocol": OFFLINE}
    told = r.Result.model_validate(dict(row("b")) | more)
    write_results([row("a"), told], RunFolder(run).results)
    said = refuse(capsys, run)
    assert said.startswith(f"{run}/results.jsonl:2: 'b' of 'mine' is not scored as")
    assert "protocol 'iwr-bench' and 'offline'" in said


def test_models_of_two_runs_are_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One model twice is two rows, each with its run; a run that is named twice, one."""
    one = store(tmp_path, [row("a", final=0.9)])
    two = store(tmp_path, [row("a", final=0.8)], name="two")
    (tmp_path / "latest").symlink_to("two")
    text = show(capsys, one, two, tmp_path / "latest")
    lines = [line.split() for line in text.splitlines() if " mine " in line]
    assert [line[2:4] for line in lines] == [["measured", "one"], ["measured", "two"]]


def test_runs_over_different_tasks_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Means over different tasks are no comparison of models."""
    one = store(tmp_path, [row("a"), row("b")])
    text = show(capsys, one, store(tmp_path, [row("b")], name="two"))
    assert "The runs are over different tasks (one 2, two 1, 1 in common)" in text


def test_epochs_are_one_task(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A task that was evaluated twice counts once, with its mean."""
    rows = [*official(final=0.1), *official(epoch=2, final=0.3)]
    assert cells(show(capsys, store(tmp_path, rows)), "mine")[3] == "113"


def test_breakdown_has_a_table_for_each_class(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By level, domain and device, each over its own tasks, the rest last."""
    rows = [
        row(f"{level}-{model}", model, level=level, domain="shops", device=device)
        for model in ("m1", "m2")
        for level, device in zip(LEVELS, ("mobile", *["desktop"] * 3), strict=True)
    ]
    rows.append(row("old", "m1"))
    run = store(tmp_path, rows, OFFLINE)
    text = show(capsys, run, "--by", "level", "--by=device", "--by=domain")
    titles = [line for line in text.splitlines() if line.startswith(("lev", "d"))]
    assert titles == [
        *(f"level: {level}" for level in LEVELS),
        "level: not stated",
        "device: desktop",
        "device: mobile",
        "device: not stated",
        "domain: shops",
        "domain: not stated",
    ]
    desktop = text.partition("device: desktop\n")[2]
    assert cells(desktop, "m1")[3] == "3"


def test_breakdown_holds_measured_rows_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The paper's figures by level are not shipped, which the notes say."""
    rows = [row("a", level="L1")]
    text = show(capsys, store(tmp_path, rows), "--by=level")
    level = text.partition("level: L1\n")[2]
    assert "GPT-5" not in level
    assert cells(level, "mine")[:4] == ["1", "mine", "measured", "1"]
    assert "figures by level, domain and device are not shipped" in text


def records(text: str) -> list[dict[str, str]]:
    """Read a table of CSV."""
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_has_a_line_a_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Numbers are in per cent, classes in columns, notes not among the rows."""
    run = store(tmp_path, [row("a", level="L1")])
    found = records(show(capsys, run, "--format=csv", "--by=level"))
    assert len(found) == 1 + 28 + 1
    mine = [one for one in found if one["model"] == "mine"]
    assert [(one["by"], one["group"]) for one in mine] == [("", ""), ("level", "L1")]
    assert (mine[0]["source"], mine[0]["run"]) == ("measured", "one")
    assert (mine[0]["ifs"], mine[0]["final"]) == ("100.0", "94.0")
    assert mine[0]["is_comparable"] == "False"


def test_csv_starts_no_formula(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name from foreign data is text in a spreadsheet."""
    run = store(tmp_path, [row("a", domain='=HYPERLINK("x")')], OFFLINE)
    found = records(show(capsys, run, "--format=csv", "--by=domain"))
    assert found[1]["group"] == '\'=HYPERLINK("x")'


def test_json_says_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Protocol, source, rows and notes, for programs."""
    told: dict[str, Any] = json.loads(
        show(capsys, store(tmp_path, official()), "--format=json")
    )
    assert told["protocol"]["id"] == "iwr-bench"
    assert told["published"]["source"] == "arXiv 2509.24709"
    (mine,) = [one for one in told["rows"] if one["source"] == "measured"]
    assert (mine["place"], mine["final"], mine["is_comparable"]) == (1, 94.0, True)
    assert any("arXiv 2509.24709" in note for note in told["notes"])


def test_names_are_inert_in_markdown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name breaks no table and starts no link, image or tag."""
    name = "a|b <img src=x> [l](http://x) `c`\n| d"
    run = store(tmp_path, [row("a", name)], OFFLINE)
    text = show(capsys, run, "--format=markdown")
    lines = text.splitlines()
    assert lines[1] == "| ---: | --- | --- | --- | ---: | ---: | ---: |"
    assert lines[2] == (
        r"| 1 | a\|b \<img src=x\> \[l\](http\://x) \`c\` \| d | measured | 1 |"
        " 100.00 | 80.00 | 94.00 |"
    )
    assert lines[4].startswith("- measured")


@pytest.mark.parametrize(
    ("content", "problem"),
    (
        (None, "has no summary.json (No such file or directory)."),
        ("{", "summary.json: the file: Invalid JSON"),
        ('{"schema": 9}', "summary.json: schema: "),
    ),
)
def test_folder_that_is_no_run_is_bad_usage(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    content: str | None,
    problem: str,
) -> None:
    """What is no run, or of another version, is told with status 4."""
    if content is not None:
        (tmp_path / "summary.json").write_text(content)
    assert problem in refuse(capsys, tmp_path)


def test_folder_of_runs_is_told_the_last_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever names the folder of all runs learns how to name one."""
    store(tmp_path, [row("a")], name="latest")
    said = refuse(capsys, tmp_path)
    assert said.endswith(f"Name a run's folder, as '{tmp_path / 'latest'}'.\n")
