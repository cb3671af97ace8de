"""The official data with a model for every target: it answers from what it sees."""

import json
import shutil
from pathlib import Path

import pytest

from pytest_iwr.check.engine import Engine
from pytest_iwr.gateway.mock import MockEndpoint
from tests.ground.model import ReadingModel
from tests.ground.sight import Sight
from tests.plugin.kit import Project

_RUN = ("bench/data.jsonl", "--iwr-pages=pages", "--iwr-grounder=model", "-pno:html")


@pytest.mark.needs_shared
def test_model_with_eyes_drives_the_right_pages(
    project: Project, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All 27 actions go through, 21 of them by numbers read from pictures.

    The endpoint names a number only where the picture shows what is meant under it. The
    same run again, with other workers, asks nothing: tree and picture are the same.
    """
    bench = project.path / "bench"
    shutil.copytree(shared / "bench" / "data", bench / "data", copy_function=_copy)
    _copy(shared / "bench" / "data.jsonl", bench / "data.jsonl")
    pages = project.path / "pages" / "right"
    shutil.copytree(shared / "bench" / "pages", pages, copy_function=_copy)
    (project.path / "conftest.py").write_text("")
    eyes = ReadingModel(Sight(Engine(1)))
    with MockEndpoint(answer=eyes) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        result = project.pytester.runpytest_subprocess(*_RUN, "-n2")
    result.assert_outcomes(passed=3)
    assert [row["ifs"] for row in project.summary["tasks"]] == [1.0, 1.0, 1.0]
    assert _chosen(project) == [7, 7, 7]
    assert len(eyes.asked) == 21
    again = project.pytester.runpytest_subprocess(*_RUN, "-n0", "--iwr-cache=only")
    again.assert_outcomes(passed=3)
    assert _chosen(project) == [7, 7, 7]


def _copy(source: Path | str, target: Path | str) -> None:
    """Copy a file without its rights: the shared one may be read only."""
    Path(target).write_bytes(Path(source).read_bytes())


def _chosen(project: Project) -> list[int]:
    text = (project.latest / "results.jsonl").read_text(encoding="utf-8")
    return [json.loads(line)["chosen_by_model"] for line in text.splitlines()]
