"""A real language model on this machine makes pages, which a real browser evaluates.

SmolLM2-135M writes poor pages, or none: what is held here is that whatever comes back
is kept, counted and scored. What is called `whole` is the same model under a grammar of
llama.cpp's server that lets it write nothing but a small whole page.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_iwr.gateway import read_ledger
from pytest_iwr.records import Asked
from tests.once import Once

pytestmark = pytest.mark.real_llm

ROOT = Path(__file__).resolve().parents[2]
SERVER = Path(__file__).with_name("serve_smollm2.py")
TASKS = ("2048", "sb-admin-2", "shop", "todomvc")
MODELS = """models:
  smollm2:
    base_url: {url}/v1
    vision: none
    max_tokens: 160
    context_tokens: 2048
    extra_body: {{repeat_penalty: 1.3}}
  whole:
    extends: smollm2
    model: smollm2
    max_tokens: 300  # more than the grammar has letters
    extra_body:
      grammar: |
        root ::= "<!DOCTYPE html>\\n<html><head><title>" words "</title></head>\\n<body><h1>" words "</h1><button>" words "</button></body></html>"
        words ::= [A-Za-z0-9 ]{{3,40}}
"""
WITHOUT_PAGE = {"cut_off", "empty", "no_page", "refused", "filtered"}
PATIENCE_S = 900
"""For a run on a machine that has much else to do."""


class Run(NamedTuple):
    """What is left of a run of pytest."""

    output: str
    status: int
    rows: list[dict[str, Any]]
    """Of `summary.json`."""
    asked: tuple[Asked, ...]
    """Of `ledger.jsonl`."""
    pages: Path


@contextmanager
def _served() -> Iterator[str]:
    """Serve the model in a process of its own: it is native code."""
    with subprocess.Popen(
        [sys.executable, SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        yield address
        # Leaving the block closes the server's input, and waits for its end.


@pytest.fixture(scope="module")
def runs(once: Once) -> tuple[Run, Run]:
    """Evaluate what the model makes of the four tasks, with the same command twice."""
    folder = once.folder("real", _ask)
    return _read(folder / "first.json"), _read(folder / "second.json")


def _ask(folder: Path) -> None:
    with _served() as address:
        models = MODELS.format(url=address)
        (folder / "models.yaml").write_text(models, encoding="utf-8")
        _run(folder, "first.json")
        _run(folder, "second.json")


def _run(folder: Path, told: str) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "tasks", "-n", "2"),
            *("-q", "-p", "no:cacheprovider"),
            f"--iwr-model-config={folder / 'models.yaml'}",
            *("--iwr-model=smollm2", "--iwr-model=whole"),
            f"--iwr-cache-dir={folder / 'cache'}",
            f"--iwr-output={folder / 'reports'}",
        ],
        cwd=ROOT,
        env={k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    output = done.stdout + done.stderr
    latest = folder / "reports" / "latest"
    assert (latest / "summary.json").is_file(), output
    left = (output, done.returncode, str(latest.resolve()))
    (folder / told).write_text(json.dumps(left), encoding="utf-8")


def _read(told: Path) -> Run:
    output, status, folder = json.loads(told.read_text("utf-8"))
    return Run(
        output,
        status,
        json.loads(Path(folder, "summary.json").read_text("utf-8"))["tasks"],
        read_ledger(Path(folder, "ledger.jsonl")),
        Path(folder, "pages"),
    )


def test_each_task_is_scored_whatever_the_model_says(runs: tuple[Run, Run]) -> None:
    """Every task has a row for each model; a poor answer is a zero, never an error."""
    for run in runs:
        assert [(row["task"], row["model"]) for row in run.rows] == [
            (task, model) for task in TASKS for model in ("smollm2", "whole")
        ]
        assert {row["status"] for row in run.rows} <= {"passed", "failed"}, run.output
        assert None not in {row["final"] for row in run.rows}
        assert run.status == 1  # no page of it does what a task asks


def test_whole_page_of_a_model_is_walked_through(runs: tuple[Run, Run]) -> None:
    """A page that the model wrote is opened, and fails as a page, not as an answer."""
    rows = [row for row in runs[0].rows if row["model"] == "whole"]
    assert WITHOUT_PAGE.isdisjoint({row["kind"] for row in rows})
    for task in TASKS:
        page = runs[0].pages / "whole" / task / "index.html"
        assert page.read_text("utf-8").endswith("</body></html>")


def test_answer_is_kept_as_it_came(runs: tuple[Run, Run]) -> None:
    """Beside each page, or where it would be, lies what the model said."""
    for run in runs:
        for row in run.rows:
            answer = run.pages / row["model"] / f"{row['task']}.reply.txt"
            is_silent = not answer.read_text("utf-8").strip()
            assert is_silent == (row["kind"] == "empty")
            made = answer.with_name(row["task"]) / "index.html"
            assert made.is_file() == (row["kind"] not in WITHOUT_PAGE)


def test_tokens_are_counted_and_costs_unknown(runs: tuple[Run, Run]) -> None:
    """The ledger has a line a page, with the tokens that the server has counted."""
    first, _ = runs
    assert Counter(line.alias for line in first.asked) == {"smollm2": 4, "whole": 4}
    for line in first.asked:
        read, written = line.usage.input or 0, line.usage.output or 0
        assert read > 100  # the instructions alone are longer
        assert 0 < written <= (160 if line.alias == "smollm2" else 300)
        assert line.cost_usd is None


def test_same_command_asks_only_for_what_was_cut_off(runs: tuple[Run, Run]) -> None:
    """Answers that were finished come from the cache, those of `whole` among them."""
    first, second = runs
    finished = {line.key for line in first.asked if line.status != "cut_off"}
    assert {line.key for line in second.asked if line.is_hit} == finished
    assert {line.key for line in first.asked if line.alias == "whole"} <= finished
