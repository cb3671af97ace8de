"""The report that a run leaves for people."""

import json
import re
from pathlib import Path

import pytest

from tests.plugin.kit import PICTURE, Project


@pytest.fixture
def shop(project: Project) -> Project:
    """Give a project with a right and a wrong page for one task with a checkpoint."""
    file = project.task("shop")
    file.write_text(file.read_text() + "    checkpoint: is-0.9.png\n")
    (file.parent / "is-0.9.png").write_bytes(PICTURE)
    project.page("gpt-5", "shop")
    project.page("gpt-4", "shop", "breaks_at=1")
    return project


def table(project: Project) -> list[dict[str, object]]:
    """Give the rows that the overview's script reads."""
    text = (project.latest / "index.html").read_text(encoding="utf-8")
    data = re.search(r'id="data">(.*?)</script>', text)
    assert data is not None
    rows: list[dict[str, object]] = json.loads(data[1])
    return rows


def test_run_leaves_a_report_and_says_where(shop: Project, way: str) -> None:
    """An overview that leads to a page for each evaluation, however pytest is run."""
    result = shop.evaluate(way)
    result.stdout.re_match_lines([r"report: reports/[\w-]+/index\.html$"])
    rows = table(shop)
    assert [row["status"] for row in rows] == ["failed", "passed"]
    assert all((shop.latest / str(row["href"])).is_file() for row in rows)
    overview = (shop.latest / "index.html").read_text(encoding="utf-8")
    for name in re.findall(r'href="([\w.]+)"', overview):
        assert (shop.latest / name).is_file()
    assert all((shop.latest / str(p)).is_file() for r in rows for p in r["pictures"])  # type: ignore[attr-defined]  # a list


def test_what_has_no_score_is_in_the_table(shop: Project) -> None:
    """With the reason, and without a page."""
    shop.page("gpt-5", "shop", "gone=1")
    shop.evaluate()
    row = next(row for row in table(shop) if row["model"] == "gpt-5")
    assert (row["status"], row["href"]) == ("error", "")
    assert row["reason"]


def test_one_file_lies_in_the_run(shop: Project) -> None:
    """By default; a path puts it elsewhere."""
    shop.evaluate("--iwr-html-single-file")
    assert (shop.latest / "report-single.html").is_file()
    result = shop.evaluate("--iwr-html-single-file=out/all.html")
    assert (shop.path / "out" / "all.html").is_file()
    result.stdout.fnmatch_lines(["one file: out/all.html"])


def test_paths_of_tests_are_no_file(shop: Project) -> None:
    """A folder after the option is told, and nothing runs."""
    result = shop.evaluate("--iwr-html-single-file", "tasks")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*--iwr-html-single-file=tasks: not a name of an*"])


def test_report_that_cannot_be_written_costs_nothing(shop: Project) -> None:
    """The results stay, and the last lines say what happened."""
    shop.conftest(
        "import pytest\n\n@pytest.hookimpl(tryfirst=True)\n"
        "def pytest_iwr_summary(run):\n    (run.folder / 'index.html').mkdir()\n"
    )
    result = shop.evaluate("--iwr-fail-on=error")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["report: could not be written: IsADirectoryError*"])
    assert len(shop.rows) == 2


def test_evidence_that_cannot_be_kept_costs_nothing(shop: Project) -> None:
    """Also where warnings are errors; the last lines say what the report lacks."""
    shop.conftest(
        "from pathlib import Path\n\n"
        "def pytest_runtest_setup(item):\n"
        "    for run in Path('reports').glob('2*'):\n"
        "        (run / 'tasks').write_text('no folder')\n"
    )
    result = shop.evaluate("-Werror")
    result.stdout.fnmatch_lines(["*the report will show less of items/*"])
    assert {status for _, _, status, _ in shop.rows} == {"passed", "failed"}


def test_listing_leaves_no_report(shop: Project) -> None:
    """`--collect-only` writes nothing."""
    shop.evaluate("--collect-only")
    assert not (shop.path / "reports").exists()


def test_pictures_are_in_the_other_report_under_xdist(shop: Project) -> None:
    """pytest-html's report has them, too, whoever made them."""
    shop.evaluate("-n2")
    text = (shop.latest / "report.html").read_text(encoding="utf-8")
    assert text.count("data:image/jpeg;base64") == 1


def test_run_tells_fonts_switches_and_settings(shop: Project) -> None:
    """What pictures depend on besides versions."""
    shop.evaluate()
    facts = json.loads((shop.latest / "run.json").read_text(encoding="utf-8"))
    assert "--no-proxy-server" in facts["browser"]["switches"]
    assert facts["settings"]["step_timeout_s"] == 5.0
    assert isinstance(facts["fonts"], dict)
    assert (
        Path(shop.latest / "index.html").read_text(encoding="utf-8").count("Switches")
    )
