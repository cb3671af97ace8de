"""Where each file of a run lives: the only builder of paths below the output."""

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

_UNSAFE = re.compile(r"[^A-Za-z0-9._+-]+")
_LONGEST = 80


def slug(name: str) -> str:
    """Give a name that is safe in paths, URLs and pytest ids.

    Equal to `name` where that is safe already; otherwise it ends with a digest, so
    that two names never meet.
    """
    safe = _UNSAFE.sub("-", name).strip("-.")[:_LONGEST]
    if safe == name:
        return safe
    digest = hashlib.sha256(name.encode()).hexdigest()[:6]
    return f"{safe}-{digest}" if safe else f"x-{digest}"


@dataclass(frozen=True)
class ItemFolder:
    """The files of one evaluation."""

    run: Path
    path: Path
    model: str
    epoch: int

    @property
    def relative(self) -> str:
        """The folder, relative to the run's, with forward slashes."""
        return self.path.relative_to(self.run).as_posix()

    @property
    def trace(self) -> Path:
        """The trace, as JSON."""
        return self.path / "trace.json"

    @property
    def browser_trace(self) -> Path:
        """Playwright's own trace, where it was asked for."""
        return self.path / "trace.zip"

    @property
    def result(self) -> Path:
        """The result, as JSON; there once the evaluation is complete."""
        return self.path / "result.json"

    @property
    def index(self) -> Path:
        """The page of the report about it."""
        return self.path / "index.html"

    @property
    def kept(self) -> Path:
        """What was kept of it for the report, as JSON."""
        return self.path / "kept.json"

    @property
    def frame(self) -> Path:
        """The page that was evaluated in one file, to be run in a frame."""
        return self.path / "page.html"

    def diff(self, step: int) -> Path:
        """Give the picture of differences of a step; beside it they lie as JSON."""
        return self.path / f"diff-{step:02d}.png"

    def judgement(self, step: int, name: str) -> Path:
        """Give the file with all that a judge was asked and replied about a step."""
        return self.path / f"judge-{step:02d}-{name}.json"


@dataclass(frozen=True)
class TaskFolder:
    """The files that all evaluations of one task share."""

    run: Path
    path: Path

    @property
    def relative(self) -> str:
        """The folder, relative to the run's, with forward slashes."""
        return self.path.relative_to(self.run).as_posix()

    @property
    def kept(self) -> Path:
        """What was kept of it for the report, as JSON."""
        return self.path / "kept.json"


@dataclass(frozen=True)
class RunFolder:
    """`<output>/<run>/`: everything that a run leaves."""

    path: Path

    @property
    def summary(self) -> Path:
        """The summary, a contract."""
        return self.path / "summary.json"

    @property
    def markdown(self) -> Path:
        """The summary for people, in Markdown."""
        return self.path / "summary.md"

    @property
    def results(self) -> Path:
        """All results, one JSON object a line."""
        return self.path / "results.jsonl"

    @property
    def run(self) -> Path:
        """Times, versions and environment of the run."""
        return self.path / "run.json"

    @property
    def report(self) -> Path:
        """The report of pytest-html."""
        return self.path / "report.html"

    @property
    def index(self) -> Path:
        """The overview of the report for people."""
        return self.path / "index.html"

    @property
    def single(self) -> Path:
        """The report for people in one file."""
        return self.path / "report-single.html"

    @property
    def ledger(self) -> Path:
        """What asking models has cost, one JSON object a line."""
        return self.path / "ledger.jsonl"

    @property
    def tripwire(self) -> Path:
        """What the judge said about pairs with a known answer."""
        return self.path / "tripwire.json"

    @property
    def pages(self) -> Path:
        """Pages that were made in the run, as `--iwr-pages` takes them."""
        return self.path / "pages"

    def page(self, task: str, model: str, epoch: int) -> Path:
        """Give the folder of a page that is made; it need not exist yet."""
        return self.pages / slug(model) / _item_name(task, epoch)

    def item(self, task: str, model: str, epoch: int) -> ItemFolder:
        """Give the folder of one evaluation; it need not exist yet."""
        path = self.path / "items" / slug(model) / _item_name(task, epoch)
        return ItemFolder(self.path, path, model, epoch)

    def task(self, task: str) -> TaskFolder:
        """Give the folder of what all evaluations of a task share."""
        return TaskFolder(self.path, self.path / "tasks" / slug(task))

    def point_latest(self) -> None:
        """Let `<output>/latest` point at this run; replaces the link at once."""
        link = self.path.parent / "latest"
        fresh = self.path.parent / f".latest-{os.getpid()}"
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(self.path.name, target_is_directory=True)
        fresh.replace(link)


def _item_name(task: str, epoch: int) -> str:
    return slug(task) if epoch == 1 else f"{slug(task)}@{epoch}"
