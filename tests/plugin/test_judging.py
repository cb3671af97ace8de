"""The paper's protocol from the command line: what it needs, and how a judge is tried.

The driver needs no browser, and the scorer is fixed: only the judge's trial asks.
"""

import json
import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_iwr.gateway import Status, read_ledger
from pytest_iwr.gateway.config import load_models
from pytest_iwr.gateway.mock import Answer, MockEndpoint, Seen
from pytest_iwr.plugin.judge_options import DEFAULT_JUDGE
from pytest_iwr.plugin.making import asking_line, bill
from tests.check.dino_kit import hollow
from tests.check.judge.kit import points
from tests.e2e.looking import Looker
from tests.plugin.kit import PICTURE, WAYS, Project

KEY = "sk-a-key-that-nobody-may-see"
MODELS = """models:
  looker:
    base_url: {url}
    key_env: JUDGE_API_KEY
    price: {{input: 1, output: 2}}
  blind:
    base_url: {url}
    key_env: null
    vision: none
"""
BENCH = "--iwr-protocol=iwr-bench"


@pytest.fixture
def judged(project: Project) -> Project:
    """Give a project with a task and a right page; weights of DINO's shapes."""
    project.task("shop")
    project.page("m", "shop")
    hollow(project.path / "weights.safetensors")
    return project


@pytest.fixture
def looker() -> Iterator[MockEndpoint]:
    """Give an endpoint that knows the pairs of the tripwire by their pictures."""
    with MockEndpoint(answer=Looker(())) as mock:
        yield mock


def _run(project: Project, mock: MockEndpoint, *arguments: str) -> pytest.RunResult:
    return project.evaluate(*_options(project, mock), *arguments)


def _options(project: Project, mock: MockEndpoint) -> tuple[str, ...]:
    text = MODELS.format(url=mock.url)
    (project.path / "models.yaml").write_text(text, encoding="utf-8")
    told = (BENCH, "--iwr-judge-model=looker", "--iwr-model-config=models.yaml")
    return (*told, "--iwr-dino-weights=weights.safetensors")


def _yes(_: Seen) -> Answer:
    """Say yes to everything."""
    return Answer(text=json.dumps({**points(), "verdict": True}))


def test_judge_without_an_endpoint_is_a_usage_error(
    judged: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the run, with the lines to add."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    done = judged.evaluate(BENCH)
    assert done.ret == 4
    done.stderr.fnmatch_lines(
        [
            "ERROR: --iwr-judge-model: no endpoint is known for 'gemini-2.5-pro'.*",
            "    export OPENAI_BASE_URL=https://generativelanguage.googleapis.com/*",
            "    export OPENAI_API_KEY=<your key>",
            "      gemini-2.5-pro:",
        ]
    )
    assert not (judged.path / "reports").exists()


def test_judge_that_sees_nothing_is_a_usage_error(
    judged: Project, looker: MockEndpoint
) -> None:
    """A model without vision cannot look at pictures."""
    done = _run(judged, looker, "--iwr-judge-model=blind")
    assert done.ret == 4
    done.stderr.fnmatch_lines(["ERROR: --iwr-judge-model=blind: *`vision: none`*"])


@pytest.mark.parametrize(
    "option", ("--iwr-judge-model=looker", "--iwr-judge-repeats=3")
)
def test_offline_takes_no_judge(judged: Project, option: str) -> None:
    """An option that would do nothing is refused."""
    done = judged.evaluate(option)
    assert done.ret == 4
    done.stderr.fnmatch_lines([f"ERROR: {option}: the protocol offline asks no judge*"])


@pytest.mark.parametrize("number", ("0", "-1", "100"))
def test_judge_is_asked_a_sensible_number_of_times(
    judged: Project, number: str
) -> None:
    """From once to 99 times."""
    done = judged.evaluate(BENCH, f"--iwr-judge-repeats={number}")
    assert done.ret == 4
    done.stderr.fnmatch_lines([f"ERROR: --iwr-judge-repeats={number}: not a number*"])


def test_unknown_protocol_of_the_ini_file_is_a_usage_error(judged: Project) -> None:
    """It names the two that there are."""
    done = judged.evaluate("-o", "iwr_protocol=paper")
    assert done.ret == 4
    done.stderr.fnmatch_lines(
        ["ERROR: iwr_protocol = 'paper': *offline or iwr-bench.*"]
    )


def test_protocol_alone_asks_for_nothing(project: Project) -> None:
    """Where no page is to be evaluated, no endpoint is missed."""
    project.pytester.makepyfile("def test_one(): pass")
    done = project.run(
        "-o", "iwr_protocol=iwr-bench", "test_protocol_alone_asks_for_nothing.py"
    )
    assert done.ret == 0
    assert not (project.path / "reports").exists()


def test_plan_tells_how_much_a_judge_would_be_asked(
    judged: Project, looker: MockEndpoint
) -> None:
    """Assertions and checkpoints, as often as each is asked, and the tripwire."""
    file = judged.task("talk", more="start: 00.png")
    text = file.read_text("utf-8") + "    expect: [It is green., It is large.]\n"
    file.write_text(text, encoding="utf-8")
    (file.parent / "00.png").write_bytes(PICTURE)
    judged.page("m", "talk")
    done = _run(judged, looker, "--iwr-dry-run", "--iwr-judge-repeats=3")
    done.stdout.fnmatch_lines(
        [
            "iwr: looker would judge with up to 17 requests of two pictures: *",
            "iwr: no page would be asked for: all pages are stored.",
        ]
    )
    counted = "2 assertions and 1 checkpoints, each 3 times, and 8 pairs to try it on;"
    assert counted in done.stdout.str()
    assert not looker.requests


@pytest.mark.paper
@pytest.mark.parametrize("way", WAYS)
def test_judge_is_tried_once_a_run(
    judged: Project, looker: MockEndpoint, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """Past the cache, whatever the number of workers; keys stay in one process."""
    monkeypatch.setenv("JUDGE_API_KEY", KEY)
    judged.conftest(
        "@pytest.fixture(autouse=True)\n"
        "def no_key(request):\n"
        "    if hasattr(request.config, 'workerinput'):\n"
        "        assert 'JUDGE_API_KEY' not in os.environ\n"
    )
    for count in (8, 16):
        done = _run(judged, looker, way)
        assert done.ret == 0
        assert judged.summary["tripwire"]["state"] == "held"
        assert len(looker.requests) == count
        assert len(read_ledger(judged.latest / "ledger.jsonl")) == 8
    assert {seen.headers["authorization"] for seen in looker.requests} == {
        f"Bearer {KEY}"
    }


@pytest.mark.paper
@pytest.mark.parametrize("way", WAYS)
def test_run_with_a_judge_that_agrees_with_nobody_is_inconclusive(
    judged: Project, way: str
) -> None:
    """All tests pass, and the exit status says that the numbers mean nothing."""
    with MockEndpoint(answer=_yes) as mock:
        done = _run(judged, mock, way, "--iwr-judge-model=looker")
    assert done.ret == 20
    done.assert_outcomes(passed=1)
    tripwire = judged.summary["tripwire"]
    assert (tripwire["state"], tripwire["agreed"]) == ("tripped", 3)
    done.stdout.fnmatch_lines(["INCONCLUSIVE: the judge agrees with people on 3 of 8*"])
    tried = json.loads((judged.latest / "tripwire.json").read_text("utf-8"))
    assert [one["agrees"] for one in tried].count(True) == 3


@pytest.mark.paper
@pytest.mark.parametrize(("way", "status"), (("-n0", 20), ("-n2", 2)))
def test_judge_is_tried_in_a_run_that_stops_at_a_failure(
    judged: Project, way: str, status: int
) -> None:
    """What was judged is in the summary, so is whether the judge is any good."""
    judged.task("broken")
    judged.page("m", "broken", "breaks_at=1")
    with MockEndpoint(answer=_yes) as mock:
        done = _run(judged, mock, way, "-x")
    assert done.ret == status
    tripwire = judged.summary["tripwire"]
    assert (tripwire["state"], tripwire["agreed"]) == ("tripped", 3)


@pytest.mark.paper
@pytest.mark.parametrize("way", WAYS)
def test_judge_of_a_run_that_is_broken_off_is_not_waited_for(
    judged: Project, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The summary says that nobody knows it; the run ends at once."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # of these tests' own run
    judged.conftest(
        "def pytest_runtest_logreport(report):\n"
        "    if report.when == 'call' and not os.environ.get('PYTEST_XDIST_WORKER'):\n"
        "        raise KeyboardInterrupt\n"
    )
    is_over = threading.Event()

    def answer(_: Seen) -> Answer:
        is_over.wait(20)
        return Answer(status=401)

    with MockEndpoint(answer=answer) as mock:
        options = _options(judged, mock)
        try:
            done = judged.pytester.runpytest_subprocess(
                "--iwr-pages=pages", way, *options
            )
        finally:
            is_over.set()
    assert done.ret == 2
    tripwire = judged.summary["tripwire"]
    assert tripwire["state"] == "lost"
    assert tripwire["reason"] == "the run was broken off"


@pytest.mark.paper
def test_judge_that_has_nothing_to_judge_is_not_tried(
    judged: Project, looker: MockEndpoint
) -> None:
    """A run of broken tasks asks nobody, and says so."""
    shutil.rmtree(judged.path / "tasks" / "shop")
    judged.task("broken", more="frobs: 1")
    done = _run(judged, looker)
    assert done.ret == 20
    tripwire = judged.summary["tripwire"]
    assert (tripwire["state"], tripwire["reason"]) == (
        "not_run",
        "no page was to be driven",
    )
    assert not looker.requests


@pytest.mark.paper
def test_judge_that_cannot_be_tried_leaves_the_run_inconclusive(
    judged: Project,
) -> None:
    """An endpoint that refuses is named; nothing is taken for agreement."""
    with MockEndpoint(answer=lambda _: Answer(status=401)) as mock:
        done = _run(judged, mock)
    assert done.ret == 20
    assert judged.summary["tripwire"]["state"] == "lost"
    done.stdout.fnmatch_lines(["INCONCLUSIVE: the judge could not be tried*"])


@pytest.mark.paper
def test_cache_alone_tries_no_judge(judged: Project, looker: MockEndpoint) -> None:
    """The result says that it was not run, and why."""
    done = _run(judged, looker, "--iwr-cache=only")
    assert done.ret == 0
    tripwire = judged.summary["tripwire"]
    assert (tripwire["state"], tripwire["agreed"]) == ("not_run", 0)
    assert "--iwr-cache=only" in tripwire["reason"]
    assert not looker.requests


@pytest.mark.paper
def test_weights_that_are_missing_are_a_usage_error(
    judged: Project, looker: MockEndpoint
) -> None:
    """Before the run: no score is made without DINO in silence."""
    Path(judged.path / "weights.safetensors").unlink()
    done = _run(judged, looker)
    assert done.ret == 4
    assert not looker.requests


@pytest.mark.paper
@pytest.mark.parametrize("name", ("garbage.safetensors", "garbage.pth"))
@pytest.mark.parametrize("way", WAYS)
def test_weights_that_are_none_are_a_usage_error(
    judged: Project, looker: MockEndpoint, name: str, way: str
) -> None:
    """Before the run: nothing is asked or written for a file of something else."""
    (judged.path / name).write_bytes(b"not weights at all" * 100)
    done = _run(judged, looker, way, f"--iwr-dino-weights={name}")
    assert done.ret == 4
    done.stderr.fnmatch_lines([f"ERROR: *{name}: * no weights of DINOv2-base.*"])
    assert not looker.requests
    assert not (judged.path / "reports").exists()


def test_models_of_the_page_about_judges_load(tmp_path: Path) -> None:
    """What docs/judge.md tells to write names the default judge."""
    page = Path(__file__).parents[2] / "docs" / "judge.md"
    (block,) = re.findall(r"```yaml\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    (tmp_path / "models.yaml").write_text(block, encoding="utf-8")
    found = load_models(tmp_path / "models.yaml", {}, [DEFAULT_JUDGE], needs_keys=False)
    assert found[DEFAULT_JUDGE].key_env == "GEMINI_API_KEY"


def test_live_line_counts_requests_while_no_page_is_made() -> None:
    """It goes when nothing is under way."""
    status = Status(2, 3, 7, 1, 0, 1, 0.25, 0, 900, 90, 4)
    assert asking_line(status) == (
        "iwr: 7 requests answered, 2 running, 3 waiting, 1 retry, spent $0.2500"
    )
    assert not asking_line(status._replace(running=0, waiting=0))


def test_bill_counts_what_was_asked_while_pages_are_stored() -> None:
    """Where nothing was asked there is none."""
    status = Status(0, 0, 7, 1, 0, 0, 0.25, 0, 900, 90, 4)
    assert bill(status, None) == [
        "models: 7 asked, 1 from the cache, 900 tokens in, 90 out; spent $0.2500"
    ]
    assert not bill(None, None)
