"""Whether a task tells right from wrong: only the original passes, no empty page."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from pytest_iwr import ports
from pytest_iwr import records as r
from pytest_iwr.artifacts import RunFolder
from pytest_iwr.author.capture import opened
from pytest_iwr.author.pictures import checkpoint_of
from pytest_iwr.drive import Browser
from pytest_iwr.errors import Problem
from pytest_iwr.evaluate import Tools, evaluate
from pytest_iwr.load.parse import Where, parse

MIN_VFS = 0.98
"""Of the original against its own pictures."""
MOST_IFS = 0.2
"""What a page without any function may reach before the task is wrong."""
_MOST_TOLD = 4
_NAME_ONE = "Name one with near, in, nth or position."
_BLANK = "<!doctype html><html lang=en><title></title></html>"
_STILL = """<!doctype html><html lang=en><title></title>
<style>body { margin: 0 } img { display: block; width: 100vw; height: 100vh }</style>
<img src="start.png" alt=""></html>"""


class Finding(NamedTuple):
    """What is wrong with a task, or weak."""

    problem: Problem
    is_weak: bool = False
    """It is advice only."""


@dataclass
class Verdict:
    """What the check found, and the scores that it saw."""

    findings: list[Finding] = field(default_factory=list)
    scores: list[str] = field(default_factory=list)
    """Each in words."""


@dataclass
class _Questions:
    """An observer that asks before each step what holds, and keeps what was done."""

    held: dict[int, tuple[r.Outcome, ...]] = field(default_factory=dict)
    done: list[r.TraceStep] = field(default_factory=list)
    is_filming: bool = False
    pause_s: float = 0.0
    key_pause_s: float = 0.0

    def before(self, step: int, ask: Callable[[], tuple[r.Outcome, ...]]) -> None:
        self.held[step] = ask()

    def after(self, done: r.TraceStep, look: Callable[[float], Path]) -> None:  # noqa: ARG002 - an Observer's signature
        self.done.append(done)

    def frame(self, at_s: float, jpeg: bytes) -> None:
        pass

    def felt(self, at_s: float, event: Mapping[str, Any]) -> None:
        pass

    def loaded(self, url: str, resource: str, mime: str) -> None:
        pass


class _Asking(NamedTuple):
    """A driver with an observer."""

    browser: Browser
    observer: ports.Observer

    def drive(self, task: r.Task, url: str, folder: Path) -> r.Trace:
        return self.browser.drive(task, url, folder, self.observer)


class _Hosted(NamedTuple):
    """A site that is there already."""

    url: str

    def missing(self) -> tuple[str, ...]:
        return ()


class _There(NamedTuple):
    """A host of a site that is served already."""

    url: str

    @contextmanager
    def serve(self, site: r.Site, assets: Path | None) -> Iterator[_Hosted]:  # noqa: ARG002 - a Host's signature
        yield _Hosted(self.url)


class Places:
    """The lines of a task file's parts."""

    def __init__(self, task: r.Task) -> None:
        """Read the file once more."""
        self._path = Path(task.path)
        root, _ = parse(self._path.read_bytes())
        self._lines = {where: part.line for where, part in root.walk()}

    def problem(self, message: str, *where: str | int) -> Problem:
        """Give a problem at a place, e.g. `"steps", 0, "expect", 1`."""
        known: Where = where
        while known and known not in self._lines:
            known = known[:-1]
        shown = "".join(f"[{k}]" if isinstance(k, int) else f".{k}" for k in where)
        line = self._lines.get(known, 1)
        return Problem(self._path, line, shown.lstrip("."), message)


def examine(
    task: r.Task, site: str, browser: Browser, tools: Tools, out: Path
) -> Verdict:
    """Evaluate the original twice, a blank page and a picture of the first screen.

    `browser` drives the original, `tools` do the rest; `out` gets their files.
    Raises UsageError and IwrErrors.
    """
    places, verdict = Places(task), Verdict()
    run = RunFolder(out)
    questions = _Questions()
    with opened(site, tools.host) as url:
        page = r.Site(folder=str(out), sha256="", origin="the original")
        there = replace(tools, host=_There(url))
        first_tools = replace(there, driver=_Asking(browser, questions))
        first_folder = run.item(task.id, "original", 1)
        first = evaluate(task, page, first_tools, first_folder)
        again = evaluate(task, page, there, run.item(task.id, "original", 2))
    verdict.scores += [_told("original", first), _told("once more", again)]
    _judge_original(first, again, places, verdict)
    _judge_expectations(task, questions.held, places, verdict)
    for done in questions.done:
        _judge_targets(task, done, places, verdict)
    for name, folder in _empty_pages(out, first_folder.path / "shot-00.png"):
        page = r.Site(folder=str(folder), sha256="", origin=name)
        result = evaluate(task, page, tools, run.item(task.id, folder.name, 1))
        verdict.scores.append(_told(name, result))
        _judge_empty(name, result, places, verdict)
    return verdict


def _told(name: str, result: r.Result) -> str:
    numbers = [f"IFS {result.ifs:g}"]
    if result.vfs is not None:
        numbers += [f"VFS {result.vfs:g}", f"Final {result.final:g}"]
    return f"{name}: {', '.join(numbers)}"


def _judge_original(
    first: r.Result, again: r.Result, places: Places, verdict: Verdict
) -> None:
    for result in (first, again):
        if result.failed_step is not None:
            reason = next(v.reason for v in result.verdicts if not v.passed)
            kind = next(v.kind for v in result.verdicts if not v.passed)
            text = f"the original fails here ({kind}): {reason}."
            where = ("steps", result.failed_step - 1)
            verdict.findings.append(Finding(places.problem(text, *where)))
            return
    numbers = [_numbers(result) for result in (first, again)]
    if numbers[0] != numbers[1]:
        keys = sorted({k for k in numbers[0] if numbers[0][k] != numbers[1].get(k)})
        text = f"two evaluations of the original differ in {', '.join(keys)}."
        verdict.findings.append(Finding(places.problem(f"{text} Mask what moves.")))
    for checked in first.checkpoints:
        if checked.unstable:
            text = f"the original is unstable: {checked.unstable}. Mask what moves."
            verdict.findings.append(Finding(places.problem(text, *_where(checked))))
    if first.vfs is not None and first.vfs < MIN_VFS:
        worst = min(first.checkpoints, key=lambda c: c.comparison.similarity)
        text = (
            f"the original looks other than its picture ({worst.comparison.similarity})"
            f", VFS is below {MIN_VFS}. Capture the task again."
        )
        verdict.findings.append(Finding(places.problem(text, *_where(worst))))


def _where(checked: r.Checked) -> tuple[str | int, ...]:
    return ("steps", checked.step - 1, "checkpoint") if checked.step else ("start",)


def _numbers(result: r.Result) -> dict[str, object]:
    scores = {k: getattr(result, k) for k in ("ifs", "vfs", "lfs", "hfs", "final")}
    return scores | {f"checkpoint {c.step}": c.comparison for c in result.checkpoints}


def _judge_expectations(
    task: r.Task,
    held: Mapping[int, tuple[r.Outcome, ...]],
    places: Places,
    verdict: Verdict,
) -> None:
    """Find what holds before its step: it cannot tell whether the step was done."""
    for number, outcomes in held.items():
        steps = ("steps", number - 1)
        telling = False
        early = []
        for index, outcome in enumerate(outcomes):
            if outcome.kind == "unchanged":  # says that nothing happens
                continue
            if outcome.holds:
                early.append((index, outcome))
            else:
                telling = True
        for index, outcome in early:
            text = f"{outcome.asked} holds before the step already."
            problem = places.problem(text, *steps, "expect", index)
            verdict.findings.append(Finding(problem, is_weak=True))
        if early and not telling and task.steps[number - 1].verb != "wait":
            text = (
                "all that is expected holds before the step already, so it proves "
                "nothing. Add what the step changes."
            )
            verdict.findings.append(Finding(places.problem(text, *steps)))


def _judge_targets(
    task: r.Task, done: r.TraceStep, places: Places, verdict: Verdict
) -> None:
    """Find targets of a step that mean several elements, beside the one it acts on."""
    step: tuple[str | int, ...] = ("steps", done.number - 1)
    is_wait = bool(done.number) and task.steps[done.number - 1].verb == "wait"
    for index, outcome in enumerate(done.outcomes):
        if not outcome.candidates:
            continue
        where = (*step, "expect", index - is_wait)
        if is_wait and not index:
            where = (*step, "wait")
        text = (
            f"{len(outcome.candidates)} elements match the target of {outcome.asked} "
            f"equally: {'; '.join(outcome.candidates[:_MOST_TOLD])}. {_NAME_ONE}"
        )
        verdict.findings.append(Finding(places.problem(text, *where), is_weak=True))
    if matches := done.received.get("matches"):
        text = f"{matches} elements match equally; the first was scrolled to. "
        where = (*step, "scroll", "to")
        verdict.findings.append(
            Finding(places.problem(text + _NAME_ONE, *where), is_weak=True)
        )
    _judge_masks(task, done, places, verdict)


def _judge_masks(
    task: r.Task, done: r.TraceStep, places: Places, verdict: Verdict
) -> None:
    where = ("steps", done.number - 1, "checkpoint") if done.number else ("start",)
    checkpoint = checkpoint_of(task, done.number)
    masks = checkpoint.mask if checkpoint else ()
    for index, (mask, count) in enumerate(zip(masks, done.masked, strict=False)):
        named = mask.phrase()
        if count == 0:
            text = f"nothing on the original matches the mask {named}. Correct it."
        elif count > 1:
            text = f"{count} elements match the mask {named}: all are left out. "
            text += _NAME_ONE
        else:
            continue
        problem = places.problem(text, *where, "mask", index)
        verdict.findings.append(Finding(problem, is_weak=True))


def _empty_pages(out: Path, start: Path) -> Iterator[tuple[str, Path]]:
    """Write the pages that must fail; the picture fills the window."""
    blank, still = out / "blank", out / "still"
    for folder, page in ((blank, _BLANK), (still, _STILL)):
        folder.mkdir()
        (folder / "index.html").write_text(page, encoding="utf-8")
    yield "blank page", blank
    if start.is_file():
        (still / "start.png").write_bytes(start.read_bytes())
        yield "picture of the first screen", still


def _judge_empty(name: str, result: r.Result, places: Places, verdict: Verdict) -> None:
    for step in range(result.steps_done or 0):
        text = f"a {name} passes this step. Expect what only the step brings about."
        problem = places.problem(text, "steps", step)
        verdict.findings.append(Finding(problem, is_weak=True))
    if result.ifs is not None and result.ifs > MOST_IFS:
        text = f"a {name} reaches IFS {result.ifs:g}, more than {MOST_IFS:g}."
        verdict.findings.append(Finding(places.problem(text)))
