"""Who finds what a sentence means: as the options and the endpoints at hand say."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from pytest_iwr.gateway.mock import Answer, MockEndpoint, Seen
from tests.ground.model import choosing, say
from tests.plugin.kit import Project

PAGE = """<!doctype html><title>Shop</title>
<button style="color: red" onclick="document.title = 'liked'">\u2665</button>"""
TASK = """\
iwr: 1
id: shop
steps:
  - click: the heart
    expect:
      - {title: liked}
"""
CONFIG = """\
models:
  gemini-2.5-pro: {base_url: "URL", vision: VISION}
"""


@pytest.fixture
def hearts(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., pytest.RunResult]:
    """Give a function that runs a task with one sentence and gives what came of it."""
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (project.path / "conftest.py").write_text("")
    (project.path / "tasks" / "shop").mkdir(parents=True)
    (project.path / "tasks" / "shop" / "task.iwr.yaml").write_text(TASK)
    project.page("right", "shop")
    (project.path / "pages" / "right" / "shop" / "index.html").write_text(PAGE)

    def run(*arguments: str) -> pytest.RunResult:
        return project.pytester.runpytest_subprocess(
            "--iwr-pages=pages", "--iwr-step-timeout=1", "-pno:html", *arguments
        )

    return run


@pytest.fixture
def serve() -> Iterator[Callable[..., MockEndpoint]]:
    """Give an opener of endpoints."""
    with ExitStack() as stack:

        def open_(answer: Callable[[Seen], Answer | None]) -> MockEndpoint:
            return stack.enter_context(MockEndpoint(answer=answer))

        yield open_


Run = Callable[..., pytest.RunResult]
Serve = Callable[..., MockEndpoint]
HEART = choosing(role="button")


def _result(project: Project) -> dict[str, object]:
    text = (project.latest / "results.jsonl").read_text(encoding="utf-8")
    result: dict[str, object] = json.loads(text)
    return result


def test_without_an_endpoint_rules_alone_decide(hearts: Run, project: Project) -> None:
    """By default: a sentence that nobody can read leaves the page unscored."""
    result = hearts()
    result.assert_outcomes(errors=1)
    assert project.rows == [("shop", "right", "error", "ungrounded")]
    assert result.ret == 20


@pytest.mark.parametrize("way", ("-n0", "-n2"))
def test_endpoint_of_the_environment_is_asked(
    hearts: Run,
    serve: Serve,
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
) -> None:
    """The default model, at OPENAI_BASE_URL, finds what rules cannot."""
    endpoint = serve(HEART)
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    result = hearts(way)
    result.assert_outcomes(passed=1)
    assert [seen.model for seen in endpoint.requests] == ["gemini-2.5-pro"]
    assert _result(project)["chosen_by_model"] == 1
    (line,) = (project.latest / "ledger.jsonl").read_text().splitlines()
    assert json.loads(line)["purpose"] == "ground"
    assert json.loads(line)["label"] == "shop, step 1"


def test_openai_key_alone_is_no_endpoint_for_the_default(
    hearts: Run, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenAI has no gemini: nothing is asked there."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-live-0123456789abcdef")
    hearts("-n0").assert_outcomes(errors=1)
    assert project.rows == [("shop", "right", "error", "ungrounded")]


def test_strict_asks_nobody(
    hearts: Run, serve: Serve, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although there is an endpoint."""
    endpoint = serve(HEART)
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    hearts("--iwr-grounder=strict").assert_outcomes(errors=1)
    assert project.rows == [("shop", "right", "error", "ungrounded")]
    assert not endpoint.requests


def test_file_of_models_says_where_the_grounder_is(hearts: Run, serve: Serve) -> None:
    """A model that the file knows by the default's name is asked."""
    endpoint = serve(HEART)
    text = CONFIG.replace("URL", endpoint.url).replace("VISION", "images")
    Path("models.yaml").write_text(text)
    hearts("--iwr-model-config=models.yaml").assert_outcomes(passed=1)
    assert len(endpoint.requests) == 1


def test_model_that_sees_nothing_is_not_asked(
    hearts: Run, serve: Serve, project: Project
) -> None:
    """By itself it is left out; asked for by name, it is a mistake of the user."""
    endpoint = serve(HEART)
    text = CONFIG.replace("URL", endpoint.url).replace("VISION", "none")
    Path("models.yaml").write_text(text)
    hearts("--iwr-model-config=models.yaml").assert_outcomes(errors=1)
    assert project.rows == [("shop", "right", "error", "ungrounded")]
    result = hearts("--iwr-model-config=models.yaml", "--iwr-grounder=model")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*'gemini-2.5-pro' takes no pictures*"])
    assert not endpoint.requests


@pytest.mark.parametrize(
    "arguments", (["--iwr-grounder=model"], ["--iwr-grounder-model=eyes"])
)
def test_asked_for_without_an_endpoint_is_a_mistake(
    hearts: Run, arguments: list[str]
) -> None:
    """Exit status 4, with the lines to add, before anything is run."""
    result = hearts(*arguments)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*OPENAI_BASE_URL*"])


def test_strict_and_a_model_contradict_each_other(hearts: Run) -> None:
    """One of them would do nothing."""
    result = hearts("--iwr-grounder=strict", "--iwr-grounder-model=eyes")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*--iwr-grounder-model=eyes and*no model is asked*"])


def test_page_without_the_thing_has_failed(
    hearts: Run, serve: Serve, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that sees none is a verdict about the page, not an error."""
    endpoint = serve(lambda _: say(outcome="none", number=None))
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    hearts().assert_outcomes(failed=1)
    assert project.rows == [("shop", "right", "failed", "target_missing")]


def test_endpoint_that_fails_leaves_the_page_unscored(
    hearts: Run, serve: Serve, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can say what is the page's fault."""
    endpoint = serve(lambda _: Answer(status=401, text="no"))
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    hearts().assert_outcomes(errors=1)
    assert project.rows == [("shop", "right", "error", "endpoint")]


@pytest.mark.parametrize(
    ("mode", "says"),
    (
        ("auto", "*for what 0 sentences name*, and for up to 1 more *"),
        ("model", "*for what 1 sentences name*"),
    ),
)
def test_dry_run_says_how_often_the_grounder_would_be_asked(
    hearts: Run,
    serve: Serve,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    says: str,
) -> None:
    """Nobody is asked for it."""
    endpoint = serve(HEART)
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    result = hearts("--iwr-dry-run", f"--iwr-grounder={mode}")
    result.stdout.fnmatch_lines([f"iwr: gemini-2.5-pro would be asked {says}"])
    assert not endpoint.requests


def test_dry_run_says_nothing_of_a_grounder_that_no_task_needs(
    hearts: Run, project: Project, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All targets are named by role and name."""
    file = project.path / "tasks" / "shop" / "task.iwr.yaml"
    file.write_text(TASK.replace("the heart", "{role: button, name: \u2665}"))
    monkeypatch.setenv("OPENAI_BASE_URL", serve(HEART).url)
    result = hearts("--iwr-dry-run")
    assert result.ret == 0
    result.stdout.no_fnmatch_line("*would be asked for what*")


def test_browser_use_must_be_installed(hearts: Run, project: Project) -> None:
    """Exit status 4, with what to install."""
    absent = "import sys\nsys.modules['browser_use'] = None\n"
    (project.path / "conftest.py").write_text(absent)
    result = hearts("--iwr-grounder=browser-use")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*pip install 'pytest-iwr?browser-use?'*"])


@pytest.mark.needs_browser_use
@pytest.mark.parametrize("way", ("-n0", "-n2"))
def test_browser_use_runs_the_same_task(
    hearts: Run,
    serve: Serve,
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
) -> None:
    """The agent asks through the gateway, and its choice is carried out and counted."""

    def answer(seen: Seen) -> Answer:
        index = re.findall(r"\[(\d+)\]<button", seen.text)[-1]  # others are examples
        act = {"action": [{"choose": {"index": int(index)}}]}
        rest = ("thinking", "evaluation_previous_goal", "memory", "next_goal")
        return Answer(text=json.dumps({**dict.fromkeys(rest, ""), **act}))

    monkeypatch.setenv("OPENAI_BASE_URL", serve(answer).url)
    hearts("--iwr-grounder=browser-use", way).assert_outcomes(passed=1)
    assert _result(project)["chosen_by_model"] == 1
