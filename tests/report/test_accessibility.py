"""The report by axe-core: no serious finding, on any page, in any theme."""

from pathlib import Path

import pytest

from benchmarks.npm import fetch
from pytest_iwr.artifacts import RunFolder
from tests.report.conftest import Open
from tests.report.test_site import failed_item

AXE = ("axe-core", "4.10.3")
FIND = """
async () => (await axe.run()).violations
    .filter(found => ["serious", "critical"].includes(found.impact))
    .map(found => `${found.id}: ${found.nodes[0].html} ${found.nodes[0].failureSummary}`)
"""


@pytest.fixture(scope="module")
def axe() -> str:
    """Give the text of axe-core."""
    return (fetch(*AXE) / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.needs_npm
@pytest.mark.parametrize("dark", (False, True), ids=("light", "dark"))
@pytest.mark.parametrize("place", ("overview", "item", "viewer", "single"))
def test_no_serious_finding(
    run: RunFolder, open_page: Open, axe: str, place: str, *, dark: bool
) -> None:
    """Names, contrast, order of headings, roles: whatever axe checks."""
    where: dict[str, tuple[Path, str]] = {
        "overview": (run.index, ""),
        "item": (failed_item(run), ""),
        "viewer": (failed_item(run), "#step=0"),
        "single": (run.single, "#item=0"),
    }
    path, hash_ = where[place]
    with open_page(path, hash_, dark=dark) as (page, _, _):
        page.evaluate(
            "document.querySelectorAll('details').forEach(d => d.open = true)"
        )
        page.evaluate(axe)
        assert page.evaluate(FIND) == []
