"""Fixtures: each may be overridden in a `conftest.py`, as any fixture."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_iwr.plugin.collect import content_of
from pytest_iwr.plugin.evaluation import Slot, plain_errors
from pytest_iwr.plugin.find import find_task
from pytest_iwr.plugin.grounding import make_grounder
from pytest_iwr.plugin.judging import make_judge, recipe_of
from pytest_iwr.plugin.keys import like_keys
from pytest_iwr.plugin.plan import PLAN, Plan
from pytest_iwr.plugin.run import Run
from pytest_iwr.plugin.transport import DUES, Due
from pytest_iwr.plugin.verdict import tell_steps

if TYPE_CHECKING:
    from pytest_iwr.drive import BrowserOptions
    from pytest_iwr.evaluate import Tools
    from pytest_iwr.ports import Generator, Grounder, Hosted
    from pytest_iwr.records import Page, Result, Task

RUN = pytest.StashKey[Run]()
_HOSTED: pytest.StashKey[Hosted] = pytest.StashKey()


@pytest.fixture
def iwr_task(request: pytest.FixtureRequest) -> Task:
    """The task of the running test, as a `pytest_iwr.records.Task`.

    In a task file it is the file's. In a test of your own, ask for one by id:
    `@pytest.mark.parametrize("iwr_task", ["shop"], indirect=True)`.
    """
    from pytest_iwr.errors import TaskError, UsageError  # noqa: PLC0415 - late

    with plain_errors():
        content = content_of(request.node)
        if isinstance(content, TaskError):
            raise content
        if content is not None:
            return content
        if hasattr(request, "param"):
            return find_task(request.param, request.config, request.path.parent)
        message = (
            "iwr_task is known in task files only. Name one with "
            '@pytest.mark.parametrize("iwr_task", ["shop"], indirect=True), '
            'or call iwr_evaluate("shop").'
        )
        raise UsageError(message)


@pytest.fixture
def iwr_model(request: pytest.FixtureRequest) -> str:
    """The name of the model that the running test evaluates.

    A test that asks for it, or for a fixture that does, runs once for each model.
    """
    with plain_errors():
        return str(_parameter(request, "iwr_model"))


@pytest.fixture
def iwr_epoch(request: pytest.FixtureRequest) -> int:
    """The number of the running repetition, from 1 up to `--iwr-epochs`.

    A test that asks for it runs once for each.
    """
    return int(getattr(request, "param", 1))


@pytest.fixture(scope="session")
def iwr_pages(pytestconfig: pytest.Config) -> Generator:
    """Where pages come from: an object with `page(task, model, epoch)`.

    It gives a `Site` (a folder of files) or a `NoPage` with the reason. By default
    the stored pages of `--iwr-pages`, or what the hook `pytest_iwr_pages` brings.
    """
    from pytest_iwr.errors import UsageError  # noqa: PLC0415 - when first needed

    with plain_errors():
        plan = pytestconfig.stash[PLAN]
        if plan.pages is None:
            raise UsageError(plan.why_skipped)
        begin = getattr(plan.pages, "begin", None)
        if begin is not None:
            begin()  # pages that nobody overrides are made ahead from now on
        return plan.pages


@pytest.fixture
def iwr_page(
    iwr_pages: Generator, iwr_task: Task, iwr_model: str, iwr_epoch: int
) -> Page:
    """The model's page for the task: a `Site`, or a `NoPage` with the reason."""
    with plain_errors():
        return iwr_pages.page(iwr_task, iwr_model, iwr_epoch)


@pytest.fixture
def iwr_site(
    request: pytest.FixtureRequest, iwr_page: Page, iwr_task: Task, iwr_tools: Tools
) -> Iterator[str]:
    """The address where the model's page is served while the test runs.

    Open it with pytest-playwright's `page`: `page.goto(iwr_site)`. Override it to
    evaluate a page that is served elsewhere. It is `about:blank` when the model gave
    no page.
    """
    from pytest_iwr.records import NoPage  # noqa: PLC0415 - when first needed

    if isinstance(iwr_page, NoPage):
        yield "about:blank"
        return
    assets = Path(iwr_task.path).parent / iwr_task.assets if iwr_task.assets else None
    with iwr_tools.host.serve(iwr_page, assets) as hosted:
        request.node.stash[_HOSTED] = hosted
        yield hosted.url


@pytest.fixture(scope="session")
def iwr_context_args() -> Mapping[str, Any]:
    """Options for the browser's context, as in Playwright's `browser.new_context`.

    Override it (session scope) to add some, e.g. `{"color_scheme": "dark"}`. With
    `params` every task runs once for each, as rows of their own: `shop[dark]`.
    """
    return {}


@pytest.fixture(scope="session")
def iwr_tools(
    request: pytest.FixtureRequest, iwr_context_args: Mapping[str, Any]
) -> Iterator[Tools]:
    """What evaluations work with: host, driver, scorer (`pytest_iwr.evaluate.Tools`).

    The browser starts with the first page. It takes pytest-playwright's fixtures
    `browser_type_launch_args` and `connect_options`, and so `--headed`, `--slowmo`
    and `--browser-channel`. Override it to bring a driver or scorer of your own.
    """
    from pytest_iwr.drive import Browser  # noqa: PLC0415 - heavy
    from pytest_iwr.evaluate import Tools  # noqa: PLC0415 - heavy
    from pytest_iwr.serve import Server  # noqa: PLC0415 - heavy

    plan = request.config.stash[PLAN]
    recipe = recipe_of(plan.options)
    with plain_errors(), ExitStack() as stack:
        grounder = make_grounder(plan)
        if grounder is not None:
            stack.callback(grounder.close)
        options = _browser_options(request, plan, iwr_context_args, grounder)
        driver = Browser(options)
        stack.callback(driver.close)
        server = Server()
        server.start()
        stack.callback(server.close)
        stack.callback(plan.close_chat)
        judge = make_judge(plan) if plan.has_judge else None
        config = request.config
        yield Tools(
            host=server,
            driver=driver,
            scorer=recipe.scorer(judge, _cache(config), _threads(config)),
            min_similarity=recipe.minimum,
            judge=judge,
        )


@pytest.fixture
def iwr_result(
    request: pytest.FixtureRequest,
    iwr_task: Task,
    iwr_model: str,
    iwr_epoch: int,
    iwr_page: Page,
    iwr_site: str,
    iwr_tools: Tools,
    iwr_run: Run,
) -> Result:
    """The result of evaluating the task with the model, with scores and evidence.

    A wrong page is data in it. Whatever is not the page's fault is raised here, in
    the set-up, so that the test is an error and not a failure.
    """
    dues = request.node.stash.get(DUES, ())
    label = dues[0].task if dues else iwr_task.id
    hosted = request.node.stash.get(_HOSTED, None)
    is_ours = hosted is not None and hosted.url == iwr_site
    served = _Served(iwr_site, hosted.missing if hosted and is_ours else tuple)
    tools = replace(iwr_tools, host=_Running(served))
    due = Due.of(iwr_task, label, iwr_model, iwr_epoch)
    slot = Slot(iwr_run, due, request.config)
    result = slot.fill(iwr_task, lambda: iwr_page, tools)
    steps = tell_steps(result, iwr_task, iwr_run)
    request.node.add_report_section("setup", "steps", steps)
    return result


@pytest.fixture
def iwr_evaluate(
    request: pytest.FixtureRequest,
    iwr_model: str,
    iwr_epoch: int,
    iwr_pages: Generator,
    iwr_tools: Tools,
    iwr_run: Run,
) -> Callable[[str | Path], Result]:
    """A function that evaluates a task with the model, to assert on its scores.

    `def test_cart(iwr_evaluate): assert iwr_evaluate("shop").ifs >= 0.8`

    The task is named by its id (looked up in a `data.jsonl` of the command line, and
    below `testpaths` and `tasks/`) or by the path of its file. The test runs once for
    each model, and the results join the summary. Within one run a task is evaluated
    once for a model and epoch; a second call, or the task's own test, gets the same
    result.
    """

    def evaluate(asked: str | Path) -> Result:
        with plain_errors():
            task = find_task(asked, request.config, request.path.parent)
        due = Due.of(task, task.id, iwr_model, iwr_epoch)
        slot = Slot(iwr_run, due, request.config)
        return slot.fill(
            task, lambda: iwr_pages.page(task, iwr_model, iwr_epoch), iwr_tools
        )

    return evaluate


@pytest.fixture(scope="session")
def iwr_run(pytestconfig: pytest.Config) -> Run:
    """The run: `id`, `folder`, and `add(result)` to let a result join its summary."""
    return pytestconfig.stash[RUN]


class _Served(NamedTuple):
    """A site that is served already."""

    url: str
    missing: Callable[[], tuple[str, ...]]


@dataclass(frozen=True)
class _Running:
    """A host whose only site is served already, by the fixture `iwr_site`."""

    served: _Served

    @contextmanager
    def serve(self, site: object, assets: Path | None) -> Iterator[_Served]:  # noqa: ARG002 - a Host's signature
        """Give the site that is there."""
        yield self.served


def _parameter(request: pytest.FixtureRequest, name: str) -> object:
    from pytest_iwr.errors import UsageError  # noqa: PLC0415 - when first needed

    if not hasattr(request, "param"):
        message = f"{name} is not known: no model is named. Give --iwr-model=NAME."
        raise UsageError(message)
    return request.param


def _browser_options(
    request: pytest.FixtureRequest,
    plan: Plan,
    context: Mapping[str, Any],
    grounder: Grounder | None,
) -> BrowserOptions:
    from pytest_iwr.drive import BrowserOptions  # noqa: PLC0415 - heavy
    from pytest_iwr.drive.launch import default_args  # noqa: PLC0415 - heavy

    launch = dict(_theirs(request, "browser_type_launch_args") or {})
    connect = _theirs(request, "connect_options")
    executable = launch.pop("executable_path", None)
    channel = launch.pop("channel", None)
    if executable is None and channel is None and connect is None:
        executable = plan.browser.path
    asking = plan.asking
    return BrowserOptions(
        executable=Path(executable) if executable else None,
        args=tuple(default_args(is_root=os.geteuid() == 0)),
        headless=launch.pop("headless", True),
        slow_mo_ms=launch.pop("slow_mo", 0.0),
        channel=channel,
        launch=launch,
        connect=connect,
        context=context,
        step_timeout_s=plan.options.step_timeout_s,
        unset=like_keys(os.environ) if asking is None else asking.secret_names,
        grounder=grounder,
        grounds_first=plan.options.finding.mode in {"model", "browser-use"},
        traces=plan.options.trace != "off",
    )


def _theirs(request: pytest.FixtureRequest, name: str) -> Any:
    """Give a fixture of pytest-playwright, `None` where that is switched off."""
    try:
        return request.getfixturevalue(name)
    except pytest.FixtureLookupError:
        return None


def _cache(config: pytest.Config) -> Path | None:
    """Where readings of pictures are kept between runs: in pytest's own cache."""
    cache = getattr(config, "cache", None)  # absent with -p no:cacheprovider
    return None if cache is None else Path(cache.mkdir("iwr"))


def _threads(config: pytest.Config) -> int:
    workers = int(getattr(config, "workerinput", {}).get("workercount", 1))
    return max(1, (os.cpu_count() or 1) // workers)
