"""The workflow in `examples/ci` is one that GitHub and pytest take, and does its job."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from pytest_iwr.gateway.mock import Answer, MockEndpoint

WORKFLOW = Path(__file__).resolve().parents[1] / "examples/ci/github-workflow.yml"
TASK = """\
iwr: 1
steps:
  - click: {role: button, name: Say hello}
    expect:
      - text: Hello, world!
"""
RIGHT = """<!DOCTYPE html><html><body><p></p>
<button onclick="document.querySelector('p').textContent = 'Hello, world!'">
Say hello</button></body></html>"""
WRONG = "<!DOCTYPE html><html><body><p>Nothing</p></body></html>"
OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")


@pytest.fixture(scope="module")
def steps() -> list[dict[str, Any]]:
    """Give the steps of the one job, read as YAML."""
    workflow = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    (job,) = workflow["jobs"].values()
    steps: list[dict[str, Any]] = job["steps"]
    return steps


@pytest.fixture(scope="module")
def scripts(steps: list[dict[str, Any]]) -> dict[str, str]:
    """Give each step's script by the step's name."""
    return {step["name"]: step["run"] for step in steps if "run" in step}


def test_options_of_pytest_exist(scripts: dict[str, str]) -> None:
    """Each option on a line that starts pytest is one that `pytest --help` lists."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--help", "-p", "no:cacheprovider"],
        capture_output=True,
        text=True,
        check=True,
    )
    known = set(OPTION.findall(done.stdout))
    lines = "\n".join(scripts.values()).replace("\\\n", " ").splitlines()
    words = [shlex.split(line) for line in lines if line.strip().startswith("pytest ")]
    used = {word.partition("=")[0] for line in words for word in line if word[0] == "-"}
    assert {"--iwr-model", "--junit-xml", "-n"} <= used
    assert used <= known


def test_what_github_fills_in_is_no_part_of_a_script(scripts: dict[str, str]) -> None:
    """What a user types into the form reaches the shell as a variable, never as code."""
    assert "${{" not in "".join(scripts.values())


def test_key_is_there_for_one_step_only(steps: list[dict[str, Any]]) -> None:
    """The secret is in the environment of the evaluation alone."""
    assert WORKFLOW.read_text(encoding="utf-8").count("secrets.") == 1
    holding = [step["name"] for step in steps if "secrets." in str(step.get("env"))]
    assert holding == ["Evaluate"]


def test_report_and_answers_are_kept_whatever_happens(
    steps: list[dict[str, Any]],
) -> None:
    """After red tests, too, the answers are saved under a new key, and the report."""
    saved, kept = steps[-2:]
    restored = next(s for s in steps if s.get("uses", "").endswith("/restore@v5"))
    assert (saved["if"], kept["if"]) == ("always()", "always()")
    assert saved["with"] == {k: restored["with"][k] for k in ("path", "key")}
    assert saved["with"]["key"].startswith(restored["with"]["restore-keys"])
    assert kept["uses"].startswith("actions/upload-artifact@")
    assert "reports/" in kept["with"]["path"].split()


@pytest.fixture
def mock() -> Iterator[MockEndpoint]:
    """Give an endpoint whose answer depends on the model's name."""
    answers = {"right": Answer(text=RIGHT), "wrong": Answer(text=WRONG)}
    denied = Answer(status=401)
    with MockEndpoint(answer=lambda seen: answers.get(seen.model, denied)) as mock:
        yield mock


@pytest.mark.parametrize("model", ("right", "wrong", "denied"))
def test_script_ends_as_the_run_did(
    scripts: dict[str, str], mock: MockEndpoint, tmp_path: Path, model: str
) -> None:
    """Red tests fail the job; what could not be scored is a warning on its page."""
    task = tmp_path / "tasks" / "hello" / "task.iwr.yaml"
    task.parent.mkdir(parents=True)
    task.write_text(TASK, encoding="utf-8")
    (tmp_path / "models.yaml").write_text(
        f"models: {{{model}: {{base_url: '{mock.url}', vision: none, "
        "price: {input: 1, output: 1}}}",
        encoding="utf-8",
    )
    done = subprocess.run(
        ["bash", "-e", "-c", scripts["Evaluate"].replace("-n 4", "-n 2")],
        cwd=tmp_path,
        env=os.environ
        | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTEST_ADDOPTS": "--iwr-model-config=models.yaml",
            "MODEL": model,
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == (model == "wrong"), done.stdout + done.stderr
    assert ("\n::warning title=" in done.stdout) == (model == "denied")
    junit = ET.parse(tmp_path / "reports" / "junit.xml")  # noqa: S314 - pytest wrote it
    assert [case.get("name") for case in junit.iter("testcase")] == [f"hello[{model}]"]
