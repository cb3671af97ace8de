"""The pipeline as one function: a task and a page in, a result out."""

import time
from dataclasses import dataclass
from pathlib import Path

from pytest_iwr import ports
from pytest_iwr import records as r
from pytest_iwr.artifacts import ItemFolder
from pytest_iwr.check import check, digests, explain, refuse_changed
from pytest_iwr.score import score


@dataclass(frozen=True)
class Tools:
    """What an evaluation works with; one set serves a whole run."""

    host: ports.Host
    driver: ports.Driver
    scorer: ports.Scorer
    min_similarity: float
    """For checkpoints that have no minimum of their own, 0..1."""
    judge: ports.Judge | None = None
    """Who decides prose assertions; `None`: nobody does."""


def evaluate(task: r.Task, page: r.Page, tools: Tools, folder: ItemFolder) -> r.Result:
    """Serve a page, drive it, check it, score it.

    A wrong page is data in the result. Raises an IwrError for faults that are not
    the page's: no browser, an unusable reference, a sentence nobody could read.
    """
    if isinstance(page, r.NoPage):
        scored = score(task, r.Verdicts(), tools.scorer.protocol.weights)
        blame = {"kind": page.kind, "reason": page.reason}
        result = _result(task, scored.model_copy(update=blame), tools, folder)
        return result.model_copy(update={"generation": page.generation})
    base = Path(task.path).parent
    assets = base / task.assets if task.assets else None
    folder.path.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with tools.host.serve(page, assets) as hosted:
        trace = tools.driver.drive(task, hosted.url, folder.path)
        more = {"missing": hosted.missing(), "path": task.path, "told": digests(task)}
        trace = trace.model_copy(update=more)
    driven = time.monotonic()
    folder.trace.write_text(trace.model_dump_json(indent=1), encoding="utf-8")
    result = rescore(task, trace, tools, folder)
    checked = time.monotonic()
    return result.model_copy(
        update={
            "page_sha256": page.sha256,
            "page": page.origin,
            "generation": page.generation,
            "trace": folder.trace.name,
            "duration_s": round(checked - started, 3),
            "timings_s": {
                "drive": round(driven - started, 3),
                "check": round(checked - driven, 3),
            },
        }
    )


def rescore(task: r.Task, trace: r.Trace, tools: Tools, folder: ItemFolder) -> r.Result:
    """Check and score a stored trace; the same trace gives the same result.

    Raises TaskError where the trace was made with other steps, and as `evaluate` does.
    """
    refuse_changed(task, trace)
    verdicts = check(
        task,
        trace,
        folder,
        scorer=tools.scorer,
        minimum=tools.min_similarity,
        judge=tools.judge,
    )
    verdicts = explain(trace, verdicts, folder.path)
    scored = score(task, verdicts, tools.scorer.protocol.weights)
    return _result(task, scored, tools, folder).model_copy(
        update={
            "verdicts": verdicts.steps,
            "checkpoints": verdicts.checkpoints,
            "external": tuple(sorted({request.url for request in trace.external})),
            "chosen_by_model": sum(
                any(one.outcome == "found" for one in step.grounded)
                for step in trace.steps
            ),
        }
    )


def _result(
    task: r.Task, scored: r.Score, tools: Tools, folder: ItemFolder
) -> r.Result:
    scores = {name: getattr(scored, name) for name in r.Score.model_fields}
    return r.Result(
        **scores,
        task=task.id,
        model=folder.model,
        epoch=folder.epoch,
        status="passed" if scored.kind is None else "failed",
        steps_total=len(task.steps),
        level=task.source.interaction,
        domain=task.source.domain,
        device=task.shown_on,
        path=task.path,
        line=task.line_of(scored.failed_step or scored.failed_checkpoint or 1),
        folder=folder.relative,
        protocol=tools.scorer.protocol,
    )
