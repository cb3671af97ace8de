"""Fixtures and hooks for tests of one's own, and overrides of them."""

import pytest

from tests.plugin.kit import Project


def test_own_test_runs_for_each_model(project: Project, way: str) -> None:
    """`iwr_evaluate` is given per model, and its results join the summary."""
    project.task("shop")
    project.page("good", "shop")
    project.page("poor", "shop", "breaks_at=2")
    project.pytester.makepyfile(
        test_cart="def test_cart(iwr_evaluate): assert iwr_evaluate('shop').ifs >= 0.8"
    )
    result = project.evaluate(way, "test_cart.py", "-v")
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*test_cart[[]good[]]*"])
    assert [row[1:3] for row in project.rows] == [
        ("good", "passed"),
        ("poor", "failed"),
    ]


def test_task_is_evaluated_once_a_run(project: Project, way: str) -> None:
    """A task's own test and a test of one's own share one evaluation and one row."""
    project.task("shop")
    project.page("m", "shop")
    project.pytester.makepyfile(
        test_cart=(
            "def test_one(iwr_evaluate): assert iwr_evaluate('shop').ifs == 1\n"
            "def test_two(iwr_evaluate): assert iwr_evaluate('shop').ifs == 1\n"
        )
    )
    project.evaluate(way, "tasks", "test_cart.py").assert_outcomes(passed=3)
    assert project.rows == [("shop", "m", "passed", None)]
    assert (project.latest / "driven.log").read_text() == "items/m/shop\n"


def test_task_is_found_by_path(project: Project) -> None:
    """A task file anywhere in the project is named by its path."""
    project.task("shop", folder="../elsewhere/x")
    project.page("m", "shop")
    project.pytester.makepyfile(
        "def test_it(iwr_evaluate):\n"
        "    assert iwr_evaluate('elsewhere/x/task.iwr.yaml').ifs == 1\n"
    )
    project.evaluate(".").assert_outcomes(passed=2)


def test_unknown_task_says_which_there_are(project: Project) -> None:
    """A misspelt id is answered with the one that was meant."""
    project.task("shop")
    project.page("m", "shop")
    project.pytester.makepyfile("def test_it(iwr_evaluate): iwr_evaluate('shpo')")
    result = project.evaluate("test_unknown_task_says_which_there_are.py")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*no task has the id 'shpo'. Did you mean 'shop'[?]"])


def test_fault_in_own_test_is_an_unscored_row(project: Project) -> None:
    """A browser that dies in `iwr_evaluate` is a row without scores, status 20."""
    project.task("shop")
    project.page("m", "shop", "gone=1")
    project.pytester.makepyfile(
        test_own="def test_it(iwr_evaluate): iwr_evaluate('shop')"
    )
    result = project.evaluate("test_own.py")
    assert result.ret == 20
    assert project.rows == [("shop", "m", "error", "browser_gone")]


def test_own_test_is_skipped_without_pages(project: Project) -> None:
    """A test that asks for a model says which option to give."""
    project.pytester.makepyfile("def test_it(iwr_evaluate): iwr_evaluate('shop')")
    result = project.run("-rs", ".")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED*--iwr-pages=DIR*"])


def test_site_is_served_for_own_test(project: Project) -> None:
    """`iwr_site` is the address of the model's page for the task asked for."""
    project.task("shop")
    project.page("m", "shop", "hello=1")
    project.pytester.makepyfile(
        test_own=(
            "import pytest\n"
            "from urllib.request import urlopen\n"
            "@pytest.mark.parametrize('iwr_task', ['shop'], indirect=True)\n"
            "def test_it(iwr_site, iwr_task):\n"
            "    assert iwr_task.id == 'shop'\n"
            "    assert b'hello' in urlopen(iwr_site).read()\n"
        )
    )
    project.evaluate("test_own.py").assert_outcomes(passed=1)


def test_site_may_be_served_elsewhere(project: Project, way: str) -> None:
    """An override of `iwr_site` says which page is evaluated."""
    project.task("shop")
    project.page("m", "shop", "breaks_at=1")
    project.page("other", "shop")
    (project.path / "tasks" / "conftest.py").write_text(
        "import pytest\n"
        "from pathlib import Path\n"
        "@pytest.fixture\n"
        "def iwr_site(request):\n"
        "    root = request.config.rootpath\n"
        "    return (root / 'pages/other/shop/index.html').as_uri()\n"
    )
    project.evaluate(way, "--iwr-model=m").assert_outcomes(passed=1)


def test_parametrised_override_makes_rows_of_its_own(
    project: Project, way: str
) -> None:
    """`params` on a fixture of ours: one row for each, named after it."""
    project.task("shop")
    project.page("m", "shop")
    project.conftest(
        "@pytest.fixture(scope='session', params=['light', 'dark'])\n"
        "def iwr_context_args(request): return {'color_scheme': request.param}\n"
        "@pytest.fixture\n"
        "def iwr_page(iwr_page, iwr_context_args): return iwr_page\n",
    )
    result = project.evaluate(way, "-v")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*shop[[]dark-m[]]*"])
    assert [row[0] for row in project.rows] == ["shop[dark]", "shop[light]"]


def test_models_may_be_parametrised_by_the_user(project: Project) -> None:
    """`params` on `iwr_model` replace the models of the options."""
    project.task("shop")
    project.page("a", "shop")
    project.page("b", "shop")
    project.page("c", "shop")
    project.conftest(
        "@pytest.fixture(params=['a', 'b'])\n"
        "def iwr_model(request): return request.param\n",
    )
    project.evaluate().assert_outcomes(passed=2)
    assert [row[1] for row in project.rows] == ["a", "b"]


def test_mark_on_own_test_names_models(project: Project) -> None:
    """`parametrize` on a test names the models that it is about."""
    project.task("shop")
    project.page("a", "shop")
    project.page("b", "shop")
    project.pytester.makepyfile(
        test_own=(
            "import pytest\n"
            "@pytest.mark.parametrize('iwr_model', ['b'])\n"
            "def test_it(iwr_evaluate): assert iwr_evaluate('shop').model == 'b'\n"
        )
    )
    project.evaluate("test_own.py").assert_outcomes(passed=1)
    assert [row[1] for row in project.rows] == ["b"]


@pytest.mark.parametrize(
    ("asks", "ids"),
    (
        ("iwr_model", ["test_it[a]", "test_it[b]"]),
        ("iwr_epoch", ["test_it[1]", "test_it[2]"]),
    ),
)
def test_model_or_epoch_alone_may_be_asked_for(
    project: Project, asks: str, ids: list[str]
) -> None:
    """A test that asks for one of both runs once for each of them."""
    project.page("a", "shop")
    project.page("b", "shop")
    project.pytester.makepyfile(test_own=f"def test_it({asks}): assert {asks}")
    result = project.evaluate("--iwr-epochs=2", "test_own.py", "-v")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        [f"*{name}* PASSED*".replace("[", "[[]") for name in ids]
    )


def test_epoch_needs_no_model(project: Project) -> None:
    """A test that asks for the epoch runs without models, once for each epoch."""
    project.pytester.makepyfile(
        test_own="def test_it(iwr_epoch): assert iwr_epoch in {1, 2}"
    )
    project.run("test_own.py").assert_outcomes(passed=1)
    project.run("test_own.py", "--iwr-epochs=2").assert_outcomes(passed=2)


def test_epochs_may_be_parametrised_by_the_user(project: Project) -> None:
    """`parametrize` on a test names the epochs; the models remain ours."""
    project.task("shop")
    project.page("a", "shop")
    project.pytester.makepyfile(
        test_own=(
            "import pytest\n"
            "@pytest.mark.parametrize('iwr_epoch', [3], indirect=True)\n"
            "def test_it(iwr_evaluate): assert iwr_evaluate('shop').epoch == 3\n"
        )
    )
    project.evaluate("test_own.py", "--iwr-epochs=2").assert_outcomes(passed=1)


def test_pages_are_brought_by_a_hook(project: Project, way: str) -> None:
    """`pytest_iwr_pages` brings pages and the names of the models."""
    project.task("shop")
    project.page("m", "shop")
    project.conftest(
        "class Mine:\n"
        "    def models(self): return ['mine']\n"
        "    def page(self, task, model, epoch):\n"
        "        folder = Path(__file__).parent / 'pages' / 'm' / task.id\n"
        "        return r.Site(folder=str(folder), sha256='0' * 64, origin='mine')\n"
        "def pytest_iwr_pages(config): return Mine()\n",
    )
    project.run(way).assert_outcomes(passed=1)
    assert project.rows == [("shop", "mine", "passed", None)]


def test_pages_are_brought_by_a_fixture(project: Project) -> None:
    """An override of `iwr_pages` needs the names of the models only."""
    project.task("shop")
    project.conftest(
        "class Mine:\n"
        "    def page(self, task, model, epoch): return r.NoPage(reason='none')\n"
        "@pytest.fixture(scope='session')\n"
        "def iwr_pages(): return Mine()\n",
    )
    project.run("--iwr-model=x").assert_outcomes(failed=1)
    assert project.rows == [("shop", "x", "failed", "no_page")]


def test_rows_are_added_by_a_test(project: Project, way: str) -> None:
    """`iwr_run.add` lets any result join the summary."""
    project.pytester.makepyfile(
        test_own=(
            "from pytest_iwr.records import Row\n"
            "def test_it(iwr_run):\n"
            "    assert iwr_run.folder.name == iwr_run.id\n"
            "    iwr_run.add(Row(task='own', model='m', status='passed',\n"
            "                    steps_total=1, steps_done=1, ifs=1.0))\n"
        )
    )
    project.run(way, "test_own.py").assert_outcomes(passed=1)
    assert project.rows == [("own", "m", "passed", None)]


def test_marks_by_hooks_count(project: Project) -> None:
    """A `conftest.py` may skip tasks; those are not due."""
    project.task("shop")
    project.task("cart")
    for task in ("shop", "cart"):
        project.page("m", task)
    project.conftest(
        "def pytest_itemcollected(item):\n"
        "    if 'cart' in item.nodeid: item.add_marker(pytest.mark.skip('later'))\n",
    )
    project.evaluate().assert_outcomes(passed=1, skipped=1)
    assert [row[0] for row in project.rows] == ["shop"]


def test_beside_asyncio(project: Project, way: str) -> None:
    """Tests of coroutines run in the same run, before and after tasks."""
    project.task("shop")
    project.page("m", "shop")
    project.pytester.makepyfile(
        test_a="import asyncio\nasync def test_it(): await asyncio.sleep(0)",
        test_z="import asyncio\nasync def test_it(): await asyncio.sleep(0)",
    )
    result = project.evaluate(
        way, "-oasyncio_mode=auto", "test_a.py", "tasks", "test_z.py"
    )
    result.assert_outcomes(passed=3)


@pytest.mark.parametrize("name", ("html", "xdist", "playwright", "cacheprovider"))
def test_without_other_plugins(project: Project, name: str) -> None:
    """Each plugin that is used when present may be absent."""
    project.task("shop")
    project.page("m", "shop")
    project.evaluate(f"-pno:{name}").assert_outcomes(passed=1)
    assert (project.latest / "report.html").exists() == (name != "html")


def test_fixtures_are_taught(project: Project) -> None:
    """`pytest --fixtures` shows each fixture with what it gives."""
    result = project.run("--fixtures")
    for name in (
        "iwr_task",
        "iwr_model",
        "iwr_epoch",
        "iwr_pages",
        "iwr_page",
        "iwr_site",
        "iwr_result",
        "iwr_evaluate",
        "iwr_run",
        "iwr_tools",
        "iwr_context_args",
    ):
        result.stdout.fnmatch_lines([f"{name}*fixtures.py:*", "    [A-Z]*"])
