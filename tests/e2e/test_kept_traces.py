"""`--iwr-trace`: Playwright's own traces in the folders of a run."""

import pytest

from tests.plugin.kit import Project


@pytest.mark.parametrize(
    ("asked", "kept"),
    (
        ((), set()),
        (("--iwr-trace=off",), set()),
        (("--iwr-trace=on", "-n2"), {"good", "twice"}),
        (("--iwr-trace=retain-on-failure",), {"twice"}),
    ),
    ids=("default", "off", "on", "retain-on-failure"),
)
def test_traces_are_kept_as_asked(
    counter: Project, asked: tuple[str, ...], kept: set[str]
) -> None:
    """None, all, or those of pages that do not pass; their pages link them."""
    done = counter.pytester.runpytest_subprocess("--iwr-pages=pages", *asked)
    done.assert_outcomes(passed=1, failed=1)
    items = counter.latest / "items"
    traces = items.glob("*/counter/trace.zip")
    assert {trace.parent.parent.name for trace in traces} == kept
    for page in items.glob("*/counter/index.html"):
        is_linked = 'href="trace.zip"' in page.read_text(encoding="utf-8")
        assert is_linked == (page.parent.parent.name in kept)
