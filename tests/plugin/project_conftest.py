"""The `conftest.py` of the small projects that the plugin's tests run.

A driver that needs no browser: a page says, in one comment, what comes of it. What it
cannot say (a browser that dies, a worker that dies) is what these tests are about; real
pages in a real browser are driven in `tests/e2e/`.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.request import url2pathname

import pytest

from pytest_iwr import records as r
from pytest_iwr.errors import BrowserGoneError
from pytest_iwr.evaluate import Tools

PROTOCOL = r.Protocol(id="offline", metrics={"ocr": "none"})


class Folder:
    """A site that is opened from its folder."""

    def __init__(self, url: str) -> None:
        """Know the address."""
        self.url = url

    def missing(self) -> tuple[str, ...]:
        """Nothing is ever asked for."""
        return ()


class Disk:
    """A host that needs no port."""

    @contextmanager
    def serve(self, site: r.Site, assets: Path | None) -> Iterator[Folder]:  # noqa: ARG002
        """Give the address of the file."""
        yield Folder((Path(site.folder) / site.entry).as_uri())


class Reader:
    """A driver that reads from the page what would have come of it."""

    def drive(self, task: r.Task, url: str, folder: Path) -> r.Trace:
        """Do as many steps as the page says, or end as it says."""
        path = url2pathname(url.removeprefix("file://"))
        html = Path(path).read_text(encoding="utf-8")
        with (folder.parents[2] / "driven.log").open("a", encoding="utf-8") as log:
            log.write(f"{folder.relative_to(folder.parents[2])}\n")
        said = dict(re.findall(r"(\w+)=(.*)", html))
        if "dies" in said:
            os._exit(1)
        if "gone" in said:
            message = "the browser has ended. Start it again."
            raise BrowserGoneError(message)
        if "bug" in said:
            raise ZeroDivisionError(said["bug"])
        breaks_at = int(said.get("breaks_at", 0))
        steps = [
            r.TraceStep(
                number=0,
                verb="open",
                said="open the page",
                shot="shot-00.png" if task.start else None,
            )
        ]
        for number, step in enumerate(task.steps, start=1):
            message = said.get("reason", "expected 'Total 2', saw 'Total 1'")
            fails = number == breaks_at
            steps.append(
                r.TraceStep(
                    number=number,
                    verb=step.verb,
                    said=f"{step.verb} something",
                    shot=f"shot-{number:02d}.png",
                    failure=r.Failure(kind="expectation", message=message)
                    if fails
                    else None,
                    facts=r.Facts(is_whole=True, reached=said["dead"])
                    if fails and "dead" in said
                    else None,
                )
            )
            if fails:
                break
        return r.Trace(
            task=task.id,
            browser="Reader 1.0",
            width_px=1280,
            height_px=720,
            scale=1.0,
            steps=tuple(steps),
        )


class Fixed:
    """A scorer that is told the similarity by the name of the reference."""

    protocol = PROTOCOL

    def compare(
        self,
        reference: Path,
        shot: Path,  # noqa: ARG002 - a Scorer's signature
        *,
        masks: Sequence[r.Box] = (),  # noqa: ARG002 - a Scorer's signature
        diff: Path | None = None,  # noqa: ARG002 - a Scorer's signature
    ) -> r.Comparison:
        """Read `0.5` from `is-0.5.png`; other names say that all is alike."""
        name = reference.stem
        alike = float(name.removeprefix("is-")) if name.startswith("is-") else 1.0
        return r.Comparison(
            text=alike,
            structure=alike,
            lfs=alike,
            hfs=alike,
            similarity=alike,
            is_same_size=True,
        )


@pytest.fixture(scope="session")
def iwr_tools() -> Tools:
    """Bring a driver that needs no browser."""
    return Tools(host=Disk(), driver=Reader(), scorer=Fixed(), min_similarity=0.6)
