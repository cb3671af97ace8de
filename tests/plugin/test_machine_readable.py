"""What programs read: properties in JUnit files, and the summary in Markdown."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

from pytest_iwr.artifacts import slug
from tests.plugin.kit import PICTURE, WAYS, Project


def read(file: Path) -> dict[str, list[tuple[str, str]]]:
    """Give the properties of each test of a JUnit file."""
    tree = ET.parse(file)  # noqa: S314 - pytest wrote it
    return {
        str(case.get("name")): [
            (str(found.get("name")), str(found.get("value")))
            for found in case.iter("property")
        ]
        for case in tree.iter("testcase")
    }


def test_scores_are_properties_of_the_test(project: Project, way: str) -> None:
    """Task, model, scores and what broke survive the way to the controller."""
    project.task("shop")
    project.page(
        "qwen/qwen3:free", "shop", "breaks_at=2\nreason=saw <1>\x07\ndead=Buy\x07"
    )
    project.evaluate(way, "--junitxml=junit.xml", "--iwr-model=qwen/qwen3:free")
    (found,) = read(project.path / "junit.xml").values()
    assert found == [
        ("iwr_task", "shop"),
        ("iwr_model", "qwen/qwen3:free"),
        ("iwr_epoch", "1"),
        ("iwr_device", "desktop"),
        ("iwr_status", "failed"),
        ("iwr_kind", "expectation"),
        ("iwr_failed_step", "2"),
        ("iwr_steps_done", "1"),
        ("iwr_steps_total", "3"),
        ("iwr_ifs", "0.3333"),
        ("iwr_reason", "saw <1>"),
        ("iwr_cause", "no_handler"),
        ("iwr_why", "nothing listens to the key on Buy"),
        ("iwr_protocol", "offline"),
        ("iwr_folder", f"items/{slug('qwen/qwen3:free')}/shop"),
    ]


def test_task_that_could_not_be_scored_says_why(project: Project, way: str) -> None:
    """The kind of an error is a property; it has no scores."""
    project.task("shop")
    project.page("m", "shop", "gone=1")
    project.evaluate(way, "--junitxml=junit.xml")
    found = dict(read(project.path / "junit.xml")["shop[m]"])
    assert (found["iwr_status"], found["iwr_kind"]) == ("error", "browser_gone")
    assert not {"iwr_ifs", "iwr_vfs", "iwr_final"} & set(found)


def test_lost_task_says_so(project: Project) -> None:
    """A test whose worker died has its row's properties, too."""
    project.task("shop")
    project.page("m", "shop", "dies=1")
    project.evaluate("-n2", "--junitxml=junit.xml")
    found = dict(read(project.path / "junit.xml")["shop[m]"])
    assert (found["iwr_status"], found["iwr_kind"]) == ("error", "lost")
    assert (found["iwr_task"], found["iwr_model"]) == ("shop", "m")


def test_each_evaluation_of_a_test_is_described_once(
    project: Project, way: str
) -> None:
    """A test that evaluates two tasks has the properties of both, in order."""
    for task in ("a", "b"):
        project.task(task)
        project.page("m", task)
    (project.path / "test_own.py").write_text(
        "def test_own(iwr_evaluate):\n"
        "    for task in 'aba':\n"
        "        iwr_evaluate(task)\n"
    )
    project.evaluate(way, "--junitxml=junit.xml", "test_own.py")
    found = read(project.path / "junit.xml")["test_own[m]"]
    assert [value for name, value in found if name == "iwr_task"] == ["a", "b"]
    assert [value for name, value in found if name == "iwr_ifs"] == ["1.0", "1.0"]


def test_markdown_is_the_same_in_every_way(project: Project) -> None:
    """`summary.md` has a row each with its folder, the same bytes whatever -n is."""
    for task in ("b", "a"):
        project.task(task)
        project.page("m", task, "breaks_at=2\ndead=Buy" if task == "a" else "")
    seen = set()
    for way in WAYS:
        project.evaluate(way)
        seen.add((project.latest / "summary.md").read_text(encoding="utf-8"))
    (text,) = seen
    assert "**1 of 2 passed**, 1 failed." in text
    page = "items/m/a/index.html"
    row = f"| [<code>a</code>]({page}#step=broken) | <code>m</code> | 1/3 | 0.3333 |"
    assert row in text
    told = "no handler&#58; nothing listens to the key on Buy"
    assert f"<code>{told}</code> |" in text
    assert (project.latest / page).is_file()


def test_page_describes_every_property(project: Project) -> None:
    """`docs/ci.md` names all properties that a test can have."""
    more = "start: is-0.9.png\nsource: {interaction: L2, domain: shopping}"
    project.task("shop", more=more)
    (project.path / "tasks" / "shop" / "is-0.9.png").write_bytes(PICTURE)
    project.page("m", "shop", "breaks_at=2\ndead=Buy")
    project.page("n", "shop")
    project.evaluate("--junitxml=junit.xml")
    found = read(project.path / "junit.xml").values()
    names = {name for pairs in found for name, _ in pairs} | {"iwr_failed_checkpoint"}
    text = (Path(__file__).parents[2] / "docs" / "ci.md").read_text(encoding="utf-8")
    assert names == set(re.findall(r"`(iwr_\w+)`", text))
