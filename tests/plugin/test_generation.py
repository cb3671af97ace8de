"""Pages that models and products make: once each, by whom it may be, and at what cost.

Every run asks a real endpoint on loopback through the real gateway and client.
"""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from pytest_iwr.gateway import read_ledger
from pytest_iwr.gateway.mock import Answer, MockEndpoint, Seen
from tests.plugin.kit import WAYS, Project

KEY = "sk-a-key-that-nobody-may-see"
PAGE = "<!DOCTYPE html>\n<html><body><!--\n{says}\n--><p>{task}</p></body></html>"
MODELS = """models:
  good:
    base_url: {url}
    key_env: SHOP_API_KEY
    vision: none
    price: {{input: 1, output: 10}}
"""


def _answer(seen: Seen) -> Answer:
    return Answer(text=f"```html\n{PAGE.format(says='', task=seen.nth)}\n```")


@pytest.fixture
def mock() -> Iterator[MockEndpoint]:
    """Give an endpoint that answers with a right page."""
    with MockEndpoint(answer=_answer) as mock:
        yield mock


@pytest.fixture
def asking(
    project: Project, mock: MockEndpoint, monkeypatch: pytest.MonkeyPatch
) -> Project:
    """Give a project with three tasks, and a model that makes pages for them."""
    monkeypatch.setenv("SHOP_API_KEY", KEY)
    for name in ("cart", "menu", "shop"):
        project.task(name, more=f"title: The {name}")
    _configure(project, mock)
    return project


def _configure(project: Project, mock: MockEndpoint) -> None:
    text = MODELS.format(url=mock.url)
    (project.path / "models.yaml").write_text(text, encoding="utf-8")


def _run(project: Project, *arguments: str) -> pytest.RunResult:
    told = ("--iwr-model-config=models.yaml", "--iwr-model=good")
    return project.run(*told, *arguments)


def test_model_makes_each_page_once(
    asking: Project, mock: MockEndpoint, way: str
) -> None:
    """There is one request a task, whatever `-n` is, and the pages are evaluated."""
    result = _run(asking, way)
    assert result.ret == 0
    assert [row[2] for row in asking.rows] == ["passed"] * 3
    assert len(mock.requests) == 3


def test_proxy_of_the_user_sees_no_pages(
    asking: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What goes to the gateway, on this machine, goes through no `HTTP_PROXY`."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "")
    assert _run(asking, "-k", "shop").ret == 0


def test_same_command_again_asks_nobody(asking: Project, mock: MockEndpoint) -> None:
    """The second run has all answers from the cache, and costs nothing."""
    _run(asking)
    result = _run(asking)
    assert result.ret == 0
    assert len(mock.requests) == 3
    lines = read_ledger(asking.latest / "ledger.jsonl")
    assert [(line.is_hit, line.cost_usd) for line in lines] == [(True, 0.0)] * 3
    result.stdout.fnmatch_lines("models: 0 asked, 3 from the cache; spent $0.0000")


def test_unknown_cost_is_said_and_is_not_nothing(
    asking: Project, mock: MockEndpoint
) -> None:
    """Without a price, the last line of a run says that the cost is unknown."""
    text = MODELS.format(url=mock.url).partition("    price:")[0]
    (asking.path / "models.yaml").write_text(text, encoding="utf-8")
    result = _run(asking, "-k", "shop")
    result.stdout.fnmatch_lines("models: 1 asked, 0 from the cache, *; cost unknown")


def test_made_pages_are_kept_as_stored_ones(asking: Project) -> None:
    """What a run has made can be evaluated again with `--iwr-pages`."""
    _run(asking)
    pages = asking.latest / "pages"
    assert "shop</p>" not in (pages / "good" / "shop" / "index.html").read_text()
    assert (pages / "good" / "shop.reply.txt").read_text().startswith("```html")
    assert asking.run(f"--iwr-pages={pages}").ret == 0


def test_result_says_how_its_page_was_made(asking: Project) -> None:
    """A result holds the model, the tokens and the cost of its page."""
    _run(asking)
    first = json.loads((asking.latest / "results.jsonl").read_text().splitlines()[0])
    asked = first["generation"]["asked"]
    told = json.loads((asking.latest / "run.json").read_text())["asking"]
    assert (told["asked"], told["cache"]) == (3, "auto")
    assert asked["usage"]["output"] > 0
    assert asked["cost_source"] == "config"


def test_epochs_are_asked_apart(asking: Project, mock: MockEndpoint) -> None:
    """Each repetition has a page of its own."""
    assert _run(asking, "--iwr-epochs=2", "-k", "shop").ret == 0
    assert len(mock.requests) == 2
    assert (asking.latest / "pages" / "good" / "shop@2" / "index.html").is_file()


def test_refusal_is_worth_zero(asking: Project, mock: MockEndpoint) -> None:
    """A model that answers without a page has failed."""
    with MockEndpoint(answer=lambda _: Answer(refusal="I won't.")) as refusing:
        _configure(asking, refusing)
        assert _run(asking).ret == 1
    assert {row[2:] for row in asking.rows} == {("failed", "refused")}
    assert not mock.requests


def test_failing_endpoint_is_no_failure_of_the_model(asking: Project, way: str) -> None:
    """Where every request fails, every row is an error, none a zero: exit 20."""
    with MockEndpoint(answer=lambda _: Answer(status=401)) as failing:
        _configure(asking, failing)
        assert _run(asking, way).ret == 20
    assert {row[2:] for row in asking.rows} == {("error", "endpoint")}
    assert asking.summary["models"]["good"]["ifs"] is None


def test_budget_ends_as_inconclusive(asking: Project, mock: MockEndpoint) -> None:
    """What may not be asked for any more is unscored: exit 20."""
    assert _run(asking, "--iwr-max-cost=0").ret == 20
    assert {row[2:] for row in asking.rows} == {("error", "budget")}
    assert not mock.requests


def test_cache_only_asks_nobody(asking: Project, mock: MockEndpoint) -> None:
    """Under `--iwr-cache=only` a missing answer is an error."""
    assert _run(asking, "--iwr-cache=only").ret == 20
    assert not mock.requests


def test_dry_run_tells_and_asks_nobody(asking: Project, mock: MockEndpoint) -> None:
    """The plan says how many pages there are, what is kept, and what the rest costs."""
    _run(asking, "-k", "shop")
    for way in WAYS:
        result = _run(asking, "--iwr-dry-run", way)
        assert result.ret == 0
        result.stdout.fnmatch_lines(
            [
                "model  pages  cached  to ask  images  tokens *cost",
                "good       3       1       2       0 * $0.00 – $0.33",
            ]
        )
    assert len(mock.requests) == 1


def test_dry_run_finds_what_the_run_finds(asking: Project) -> None:
    """After a run all pages are in the cache."""
    _run(asking)
    result = _run(asking, "--iwr-dry-run")
    result.stdout.fnmatch_lines("good       3       3       0 *")


def test_dry_run_leaves_prompts_for_the_run(asking: Project) -> None:
    """They are kept beside the answers; without a cache nothing is."""
    prompts = asking.path / ".iwr_cache" / "prompts"
    _run(asking, "--iwr-dry-run", "--iwr-cache=off")
    assert not prompts.exists()
    _run(asking, "--iwr-dry-run")
    prepared = {path: path.stat().st_ino for path in prompts.glob("*.json")}
    assert len(prepared) == 3
    assert _run(asking).ret == 0
    assert {p: p.stat().st_ino for p in prompts.glob("*.json")} == prepared


def test_own_pages_spend_nothing(asking: Project, mock: MockEndpoint, way: str) -> None:
    """Where a fixture `iwr_pages` of the user's brings pages, no model is asked."""
    asking.page("good", "shop")
    asking.conftest(
        "from pytest_iwr.generate.stored import StoredPages\n\n\n"
        "@pytest.fixture(scope='session')\n"
        "def iwr_pages():\n"
        f"    return StoredPages(Path({str(asking.path / 'pages')!r}))\n"
    )
    assert _run(asking, way, "-k", "shop").ret == 0
    assert not mock.requests


ENVIRONMENT = """
import os
from pathlib import Path


def test_environment(iwr_evaluate):
    assert iwr_evaluate("shop").ifs == 1
    assert "{name}" not in os.environ
    started_with = Path("/proc/self/environ")
    if started_with.exists():
        assert b"{key}" not in started_with.read_bytes()
"""


@pytest.mark.parametrize("told", ("SHOP_API_KEY", "OTHER_API_KEY", "HF_TOKEN"))
def test_workers_have_no_keys(
    asking: Project, monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    """Neither the keys of models nor what is named like one reach a worker."""
    monkeypatch.setenv(told, KEY)
    code = ENVIRONMENT.format(name=told, key=KEY)
    (asking.path / "test_environment.py").write_text(code, encoding="utf-8")
    result = _run(asking, "-n2", "test_environment.py")
    result.assert_outcomes(passed=1)


def test_no_key_is_written_anywhere(asking: Project, way: str) -> None:
    """No file of a run or of the cache holds a key, even if the endpoint echoes it."""

    def echo(seen: Seen) -> Answer:
        if seen.nth == 1:
            return Answer(status=401, text=None, json_={"error": {"message": KEY}})
        return Answer(text=f"{PAGE.format(says='', task='x')} {seen.headers}")

    with MockEndpoint(answer=echo) as echoing:
        _configure(asking, echoing)
        result = _run(asking, way)
        assert echoing.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in result.stdout.str() + result.stderr.str()
    files = [file for file in asking.path.rglob("*") if file.is_file()]
    assert any(file.name == "ledger.jsonl" for file in files)
    assert [file for file in files if KEY.encode() in file.read_bytes()] == []


def test_missing_endpoint_is_said_with_the_lines_to_add(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that nobody serves is a wrong use: exit 4, and what to write."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    project.task("shop")
    result = project.run("--iwr-model=claude-sonnet-4")
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        [
            "*export OPENAI_API_KEY=*",
            "*base_url: https://api.anthropic.com/v1/*",
            "*--iwr-pages=DIR*",
        ]
    )


PRODUCT = '''
import os

def build(request):
    """Make a page as the task wants it."""
    assert os.environ["SHOP_API_KEY"]
    assert not hasattr(request, "steps")
    with open("called.log", "a") as log:
        log.write(request.task + " " + request.model + "\\\\n")
    if request.task == "menu":
        return None
    return "<!DOCTYPE html><html><!--\\\\n\\\\n--></html>"
'''


def test_callable_makes_the_pages(asking: Project, way: str) -> None:
    """A product is called once a task, with keys, in two runs; no page is zero."""
    asking.pytester.makepyfile(product=PRODUCT.replace("\\\\n", "\\n"))
    for _ in range(2):
        result = asking.run("--iwr-generator=product:build", way)
        assert result.ret == 1
    assert asking.rows == [
        ("cart", "build", "passed", None),
        ("menu", "build", "failed", "empty"),
        ("shop", "build", "passed", None),
    ]
    called = sorted((asking.path / "called.log").read_text().splitlines())
    assert called == ["cart build", "menu build", "shop build"]


def test_hook_makes_the_pages(asking: Project, way: str) -> None:
    """`pytest_iwr_generate` is asked in the process that the user has started."""
    asking.conftest(
        "def pytest_iwr_generate(request, config):\n"
        "    assert not hasattr(config, 'workerinput')\n"
        "    return '<!DOCTYPE html><html><!--\\n\\n--></html>'\n"
    )
    assert asking.run(way).ret == 0
    assert [row[1:3] for row in asking.rows] == [("product", "passed")] * 3


def test_service_makes_the_pages(asking: Project, way: str) -> None:
    """An address gets a POST a task; what it answers is evaluated."""
    posts: list[str] = []

    class Service(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            posts.append(self.path)
            body = PAGE.format(says="", task="made").encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Be quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        url = f"http://127.0.0.1:{server.server_port}/make"
        result = asking.run(f"--iwr-generator={url}", "--iwr-model=ours", way)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert result.ret == 0
    assert posts == ["/make"] * 3
    assert [row[1] for row in asking.rows] == ["ours"] * 3


def test_lost_worker_asks_nothing_twice(asking: Project, mock: MockEndpoint) -> None:
    """A page that a dying worker was about to drive is not made again."""

    def answer(seen: Seen) -> Answer:
        says = "dies=yes" if "menu" in seen.text else ""
        return Answer(text=PAGE.format(says=says, task="x"))

    with MockEndpoint(answer=answer) as deadly:
        _configure(asking, deadly)
        result = _run(asking, "-n2")
        assert result.ret in {1, 20}
        assert len(deadly.requests) == 3
    assert not mock.requests


def test_name_with_slashes_is_safe(asking: Project, mock: MockEndpoint) -> None:
    """`qwen/qwen3-vl:free` is one folder, and one part of an id."""
    text = MODELS.format(url=mock.url).replace("good:", "qwen/qwen3-vl:free:")
    (asking.path / "models.yaml").write_text(text, encoding="utf-8")
    model = "--iwr-model=qwen/qwen3-vl:free"
    result = asking.run("--iwr-model-config=models.yaml", model, "-v")
    assert result.ret == 0
    result.stdout.fnmatch_lines("*shop[[]qwen-qwen3-vl-free-*] PASSED*")
    assert [p.name for p in (asking.latest / "pages").iterdir()] == [
        next(p.name for p in (asking.latest / "items").iterdir())
    ]


def test_skipped_task_is_not_made(
    asking: Project, mock: MockEndpoint, way: str
) -> None:
    """What is marked to be skipped costs nothing, in a run and in its plan."""
    asking.conftest(
        "def pytest_collection_modifyitems(items):\n"
        "    for item in items[1:]:\n"
        "        item.add_marker(pytest.mark.skip(reason='later'))\n"
    )
    plan = _run(asking, "--iwr-dry-run")
    plan.stdout.fnmatch_lines("good       1       0       1 *")
    _run(asking, way).assert_outcomes(passed=1, skipped=2)
    assert len(mock.requests) == 1


@pytest.mark.parametrize("told", ("True", "False, 1", "condition=True", ""))
def test_task_is_not_made_where_its_skipif_holds(
    asking: Project, mock: MockEndpoint, told: str
) -> None:
    """A condition that holds skips as `skip` does; one that does not, does not."""
    asking.conftest(
        "def pytest_itemcollected(item):\n"
        "    if 'shop' in item.nodeid:\n"
        "        item.add_marker(pytest.mark.skipif(False, reason='never'))\n"
        "    else:\n"
        f"        mark = pytest.mark.skipif({told})\n"
        "        mark.kwargs['reason'] = 'later'\n"
        "        item.add_marker(mark)\n"
    )
    plan = _run(asking, "--iwr-dry-run")
    plan.stdout.fnmatch_lines("good       1       0       1 *")
    _run(asking).assert_outcomes(passed=1, skipped=2)
    assert len(mock.requests) == 1


def test_plan_counts_a_variant_once(asking: Project) -> None:
    """Variants of a task are driven apart, but share one page."""
    asking.conftest(
        "@pytest.fixture(scope='session', params=['light', 'dark'])\n"
        "def iwr_context_args(request):\n"
        "    return {}\n"
    )
    plan = _run(asking, "--iwr-dry-run")
    plan.stdout.fnmatch_lines("good       3       0       3 *")


def test_key_is_not_needed_where_nothing_is_asked(
    asking: Project, monkeypatch: pytest.MonkeyPatch, mock: MockEndpoint
) -> None:
    """A plan, a list and a replay of the cache do without keys."""
    text = MODELS.format(url="https://api.example.com/v1")
    (asking.path / "models.yaml").write_text(text, encoding="utf-8")
    monkeypatch.delenv("SHOP_API_KEY")
    assert _run(asking).ret == 4
    for told in ("--iwr-dry-run", "--collect-only"):
        assert _run(asking, told).ret == 0
    assert _run(asking, "--iwr-cache=only").ret == 20
    assert not mock.requests


def test_stopped_run_waits_for_no_product(asking: Project) -> None:
    """A product that hangs does not hold up the end of a run."""
    asking.pytester.makepyfile(
        product="import threading\n\n"
        "def build(request):\n"
        "    return None if request.task == 'cart' else threading.Event().wait()\n"
    )
    done = asking.pytester.runpytest_subprocess(
        "-pno:playwright",
        "-pno:anyio",
        "-x",
        "--iwr-generator=product:build",
        timeout=60,
    )
    assert done.ret == 1


def test_secret_in_an_address_is_written_nowhere(asking: Project) -> None:
    """The query of a product's address is in no file, nor on the screen."""
    url = "http://127.0.0.1:9/make?token=SEKRIT"
    result = asking.run(f"--iwr-generator={url}", "-k", "shop")
    assert result.ret == 20
    assert "SEKRIT" not in result.stdout.str() + result.stderr.str()
    files = [f for f in asking.latest.resolve().rglob("*") if f.is_file()]
    assert files
    assert [f for f in files if b"SEKRIT" in f.read_bytes()] == []
