"""The page of one evaluation: its steps, its page, and where its numbers come from."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pytest_iwr import records as r
from pytest_iwr.report.commands import below
from pytest_iwr.report.site import judged, paper
from pytest_iwr.report.site.evidence import Evidence, Item
from pytest_iwr.report.site.steps import StepView, viewer_step, views
from pytest_iwr.report.site.wording import STATUSES, count, kind_words
from pytest_iwr.report.words import one_line

SCRIPTS = ("viewer.js", "item.js")


class Sibling(NamedTuple):
    """The same task by another model, or in another epoch."""

    label: str
    href: str
    status: str
    final: float | None
    is_this: bool = False


class Tally(NamedTuple):
    """What asking models has cost for one evaluation."""

    questions: Sequence[r.Asked]
    known_usd: float
    unknown: int
    """Questions whose cost nobody knows."""


def render(evidence: Evidence, item: Item, siblings: Iterable[Sibling]) -> str:
    """Give the page of one evaluation."""
    up = "/".join(".." for _ in Path(item.result.folder).parts)
    steps = views(item, up)
    return paper.write(
        "item.html.jinja",
        SCRIPTS,
        values(evidence, item, steps, up) | {"siblings": tuple(siblings)},
    )


def values(
    evidence: Evidence, item: Item, steps: Sequence[StepView], up: str
) -> dict[str, object]:
    """Give what the template of an item shows."""
    result, task = item.result, item.task
    asked = tuple(evidence.asked_for(result, task.id if task else result.task))
    costs = [one.cost_usd for one in asked if not one.is_hit]
    evidenced = judged.evidence(item, up)
    return {
        "run": evidence.run.path.name,
        "up": up,
        "title": f"{one_line(result.task)} · {one_line(result.model)}",
        "result": result,
        "file": _file(evidence, result),
        "task": task,
        "trace": item.trace,
        "has_browser_trace": item.folder.browser_trace.exists(),
        "kept": item.kept,
        "folder": result.folder,
        "steps": steps,
        "verdict": verdict(result, steps),
        "broken": _broken(result),
        "viewer": {
            "task": result.task,
            "model": result.model,
            "steps": [viewer_step(step) for step in steps],
        },
        "video": f"{up}/{item.kept.task}/{task.video}" if task and task.video else "",
        "code": [
            (code, _text(item.folder.path / code.kept)) for code in item.kept.code
        ],
        "judged": evidenced,
        "judging_usd": judged.cost_usd(evidenced),
        "judge_pictures": judged.loose_pictures(item),
        "tally": Tally(
            asked,
            sum(cost for cost in costs if cost is not None),
            sum(cost is None for cost in costs),
        ),
        "facts": evidence.facts,
        "provenance": provenance(evidence),
        "console": _console(item),
    }


def _file(evidence: Evidence, result: r.Result) -> str:
    """Give the task's file as somebody else than the run's machine would name it."""
    root = evidence.facts.get("rootdir")
    return below(Path(result.path), Path(str(root)) if root else None) or result.path


def verdict(result: r.Result, steps: Sequence[StepView]) -> str:
    """Say what came of an evaluation, in a sentence."""
    if result.status == "passed":
        return f"All {count(result.steps_total, 'step')} passed."
    if result.failed_step is not None:
        said = next((s.said for s in steps if s.number == result.failed_step), "")
        return f"Broke at step {result.failed_step} of {result.steps_total}: {said}"
    if result.failed_checkpoint is not None:
        place = (
            f"after step {result.failed_checkpoint}"
            if result.failed_checkpoint
            else "before the first step"
        )
        return f"All steps were done, but the page looks different {place}."
    return f"{STATUSES[result.status].capitalize()}: {kind_words(result.kind)}."


def provenance(evidence: Evidence) -> list[tuple[str, str]]:
    """Give where the numbers come from, as names and texts."""
    facts, protocol = evidence.facts, evidence.summary.protocol
    weights = protocol.weights
    browser = facts.get("browser") or {}
    rows = [
        ("Run", str(facts.get("run", evidence.run.path.name))),
        ("Started", str(facts.get("started", ""))),
        ("Duration", f"{facts['duration_s']} s" if "duration_s" in facts else ""),
        ("Protocol", protocol.id),
        (
            "Weights",
            f"Final = {weights.ifs:g} · IFS + {weights.vfs:g} · VFS",
        ),
        *((f"Metric {name}", version) for name, version in protocol.metrics.items()),
        ("Browser", str(browser.get("product") or "")),
        ("Program", str(browser.get("executable") or "")),
        ("Switches", " ".join(map(str, browser.get("switches") or ()))),
        *((f"Font {name}", str(font)) for name, font in _pairs(facts.get("fonts"))),
        *((f"Version {name}", str(v)) for name, v in _pairs(facts.get("versions"))),
        ("Platform", str(facts.get("platform", ""))),
        *(
            (f"Setting {name}", str(v))
            for name, v in _pairs(facts.get("settings"))
            if v
        ),
        ("Workers", str(facts.get("workers", ""))),
        ("Pages", str(facts.get("pages") or "")),
        ("Asking", ", ".join(f"{n} {v}" for n, v in _pairs(facts.get("asking")))),
        ("Arguments", " ".join(map(str, facts.get("arguments", ())))),
    ]
    return [(name, text) for name, text in rows if text]


def _pairs(value: object) -> Iterable[tuple[str, object]]:
    return value.items() if isinstance(value, Mapping) else ()


def _broken(result: r.Result) -> int | None:
    if result.failed_step is not None:
        return result.failed_step
    return result.failed_checkpoint


def _console(item: Item) -> int:
    steps = item.trace.steps if item.trace else ()
    return sum(len(step.console) for step in steps)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
