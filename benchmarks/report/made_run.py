"""Makes the folder of a run without a browser: drawn pictures, invented outcomes."""

import hashlib
import json
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import cv2
import imageio_ffmpeg
import numpy as np
from numpy.typing import NDArray

from pytest_iwr import records as r
from pytest_iwr.artifacts import RunFolder
from pytest_iwr.check import explain
from pytest_iwr.load import load
from pytest_iwr.report import files
from pytest_iwr.report.keep import keep
from pytest_iwr.score import score, summarize

PROTOCOL = r.Protocol(id="offline", metrics={"ocr": "drawn", "structure": "1"})
_WORDS = ("Cart", "Total", "Search", "Settings", "New", "Orders", "Profile", "Help")
_DOMAINS = ("shopping", "productivity", "game", "dashboard")
_KINDS: tuple[r.FailureKind, ...] = ("expectation", "target_missing", "covered")


@dataclass(frozen=True)
class Plan:
    """What a made run is made of."""

    tasks: int = 4
    models: tuple[str, ...] = ("careful", "hasty")
    steps: int = 3
    size: tuple[int, int] = (320, 180)
    """Of the shots, in pixels."""
    epochs: int = 1
    say: Callable[[str], str] = str
    """Changes every text that a page, a model or a task has a say in."""
    has_page: bool = True
    has_video: bool = False
    """Each task has one, of a second a step, whose times are known."""
    processes: int = 1


def make_run(folder: Path, plan: Plan) -> RunFolder:
    """Write the folder of a run, with everything but its report; gives the run."""
    run = RunFolder(folder / "run")
    numbers = range(plan.tasks)
    if plan.processes > 1:
        with ProcessPoolExecutor(plan.processes, get_context("spawn")) as pool:
            made = list(pool.map(partial(_task_rows, folder, plan), numbers))
    else:
        made = [_task_rows(folder, plan, number) for number in numbers]
    rows = [row for rows in made for row in rows]
    rows.sort(key=lambda row: (row.task, row.model, row.epoch))
    summary = summarize(
        (row.row() if isinstance(row, r.Result) else row for row in rows), PROTOCOL
    )
    files.write_summary(summary, run.summary)
    files.write_results(rows, run.results)
    facts = {
        "run": plan.say("a made run"),
        "started": "2026-01-15T10:00:00+00:00",
        "duration_s": 12.5,
        "rootdir": str(folder),
        "browser": {"product": plan.say("Chromium 1")},
        "versions": {"python": "3"},
        "arguments": [plan.say("tasks")],
    }
    files.write_run(facts, run.run)
    return run


def make_large_run(folder: Path, rows: int) -> RunFolder:
    """Write the folder of a run with many rows and no evidence; gives the run."""
    run = RunFolder(folder / "run")
    run.path.mkdir()
    chance = random.Random(1)  # noqa: S311 - no secret
    made = [
        r.Row(
            task=f"task-{number:04d}",
            model=f"model-{number % 7}",
            status="failed" if number % 3 else "passed",
            kind="expectation" if number % 3 else None,
            reason="expected text 'Total', but: nothing" if number % 3 else None,
            steps_total=9,
            steps_done=number % 9,
            failed_step=number % 9 + 1 if number % 3 else None,
            ifs=round(chance.random(), 4),
            vfs=round(chance.random(), 4),
            final=round(chance.random(), 4),
            level=("L1", "L2", "L3", "L4")[number % 4],
            domain=_DOMAINS[number % 4],
        )
        for number in range(rows)
    ]
    files.write_summary(summarize(made, PROTOCOL), run.summary)
    files.write_results(made, run.results)
    return run


def _film(home: Path, steps: int) -> None:
    """Write a video that every Chromium plays, and when its steps begin."""
    writer = imageio_ffmpeg.write_frames(
        str(home / "video.webm"), (160, 96), fps=10, codec="libvpx", quality=None
    )
    writer.send(None)
    for number in range(10 * (steps + 1)):
        writer.send(np.full((96, 160, 3), 2 * number, np.uint8).tobytes())
    writer.close()
    times = json.dumps({"steps_s": list(range(1, steps + 1))})
    (home / "video.json").write_text(times, encoding="utf-8")


def _task_rows(folder: Path, plan: Plan, number: int) -> list[r.Row]:
    run = RunFolder(folder / "run")
    task = _task(folder / "tasks", plan, number)
    return [
        _evaluate(run, task, plan.say(model), epoch, plan)
        for model in plan.models
        for epoch in range(1, plan.epochs + 1)
    ]


def _task(folder: Path, plan: Plan, number: int) -> r.Task:
    home = folder / f"task-{number:03d}"
    home.mkdir(parents=True)
    lines = ["iwr: 1", "start: 00.png", "steps:"]
    _draw(home / "00.png", plan.size, f"reference {number} 0")
    for step in range(1, plan.steps + 1):
        lines += [f"  - press: F{step}", f"    checkpoint: {step:02d}.png"]
        _draw(home / f"{step:02d}.png", plan.size, f"reference {number} {step}")
    if plan.has_video:
        lines.insert(1, "video: video.webm")
        _film(home, plan.steps)
    file = home / "task.iwr.yaml"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    task = load(file)
    source = r.Source(
        domain=plan.say(_DOMAINS[number % 4]),
        interaction=("L1", "L2", "L3", "L4")[number % 4],
        site=plan.say("a site"),
    )
    say = plan.say(f"Press key {number}")
    return task.model_copy(
        update={
            "id": plan.say(task.id),
            "title": plan.say(f"Task number {number}"),
            "source": source,
            "steps": tuple(s.model_copy(update={"say": say}) for s in task.steps),
        }
    )


def _evaluate(
    run: RunFolder, task: r.Task, model: str, epoch: int, plan: Plan
) -> r.Result:
    chance = random.Random(f"{task.id} {model} {epoch}")  # noqa: S311 - no secret
    folder = run.item(task.id, model, epoch)
    folder.path.mkdir(parents=True)
    broken = chance.choice((None, chance.randint(1, plan.steps)))
    last = broken or plan.steps
    trace = _trace(task, folder.path, last, broken, plan, f"{task.id}{model}{epoch}")
    folder.trace.write_text(trace.model_dump_json(), encoding="utf-8")
    verdicts = r.Verdicts(
        steps=tuple(
            r.Verdict(
                step=step.number,
                passed=step.failure is None,
                kind=step.failure.kind if step.failure else None,
                reason=step.failure.message if step.failure else None,
            )
            for step in trace.steps[1:]
        ),
        checkpoints=tuple(_checkpoints(task, folder.path, trace, plan, chance)),
    )
    verdicts = explain(trace, verdicts, folder.path)
    scored = score(task, verdicts, PROTOCOL.weights)
    result = r.Result(
        **{name: getattr(scored, name) for name in r.Score.model_fields},
        task=task.id,
        model=model,
        epoch=epoch,
        status="passed" if scored.kind is None else "failed",
        steps_total=len(task.steps),
        path=task.path,
        line=3,
        level=task.source.interaction,
        domain=task.source.domain,
        folder=folder.relative,
        protocol=PROTOCOL,
        trace=folder.trace.name,
        verdicts=verdicts.steps,
        checkpoints=verdicts.checkpoints,
        external=(plan.say("https://elsewhere.example/"),),
        page=plan.say("stored page"),
        page_sha256="0" * 64,
        duration_s=round(chance.uniform(2, 9), 1),
        timings_s={"drive": 2.0},
    )
    judgement = _judgement(plan).model_dump_json()
    folder.judgement(1, "assertion-1").write_text(judgement, encoding="utf-8")
    keep(run, task, _page(folder.path, plan), result)
    folder.result.write_text(result.model_dump_json(), encoding="utf-8")
    return result


def _judgement(plan: Plan) -> r.Judgement:
    said = r.Sample(
        number=0,
        model=plan.say("judge-1"),
        verdict=True,
        reason=plan.say("It is there."),
        seen=plan.say("A total"),
        reply=plan.say('{"verdict": true}'),
        cost_usd=0.0012,
    )
    return r.Judgement(
        question="assertion 2",
        judge=plan.say("judge"),
        asked=plan.say("The total is shown"),
        verdict=True,
        samples=(said,),
        prompt=(plan.say("Does it hold?"),),
        pictures=(plan.say("after") + ": shot-01.png",),
    )


def _page(folder: Path, plan: Plan) -> r.Page:
    if not plan.has_page:
        return r.NoPage(reason="made without one")
    site = folder / "site"
    site.mkdir()
    text = plan.say("A page")
    page = f"<!DOCTYPE html><title>{text}</title><p id=here>0</p>"
    page += "<script>here.textContent = 'it runs'</script>"
    (site / "index.html").write_text(page, encoding="utf-8")
    digest = hashlib.sha256(page.encode()).hexdigest()
    return r.Site(folder=str(site), sha256=digest, origin="made")


def _trace(  # noqa: PLR0913, PLR0917 (the parts of one invented drive)
    task: r.Task, folder: Path, last: int, broken: int | None, plan: Plan, name: str
) -> r.Trace:
    steps = []
    for number in range(last + 1):
        shot = f"shot-{number:02d}.png"
        _draw(folder / shot, plan.size, f"{name} {number}")
        failure = None
        if number == broken:
            kind = _KINDS[number % 3]
            failure = r.Failure(kind=kind, message=plan.say("expected text 'Total'"))
        steps.append(
            r.TraceStep(
                number=number,
                verb="press",
                said=plan.say("press"),
                url=plan.say("/"),
                duration_s=0.4,
                timings_s={"act": 0.1, "shot": 0.05},
                shot=shot,
                outcomes=(
                    r.Outcome(
                        kind="text",
                        asked=plan.say("text 'Total'"),
                        holds=failure is None,
                        seen=plan.say("nothing"),
                    ),
                ),
                console=(
                    r.Message(
                        level="error", text=plan.say("it broke"), where=plan.say("a:1")
                    ),
                ),
                requests=(
                    r.Request(
                        method="GET",
                        url=plan.say("http://elsewhere.example/x"),
                        resource="image",
                        outcome="blocked",
                    ),
                ),
                dialogs=(
                    r.Dialog(kind="alert", text=plan.say("Sure?"), answer="dismissed"),
                ),
                grounded=(
                    r.Grounding(
                        sentence=plan.say("Click the total"),
                        outcome="found",
                        number=1,
                        reason=plan.say("It says so"),
                        model=plan.say("finder-1"),
                        replies=(plan.say('{"number": 1}'),),
                        listed=3,
                        picture=shot,
                    ),
                ),
                failure=failure,
                facts=r.Facts(reached=plan.say("the total"), is_whole=True),
            )
        )
    width, height = plan.size
    return r.Trace(
        task=task.id,
        browser=plan.say("Chromium 1"),
        width_px=width,
        height_px=height,
        scale=1.0,
        steps=tuple(steps),
        missing=(plan.say("/lost.png"),),
    )


def _checkpoints(
    task: r.Task, folder: Path, trace: r.Trace, plan: Plan, chance: random.Random
) -> Iterator[r.Checked]:
    home = Path(task.path).parent
    for step in trace.steps:
        if step.failure is not None:
            continue
        value = round(chance.uniform(0.6, 1.0), 4)
        diff = f"diff-{step.number:02d}.png"
        _draw(folder / diff, plan.size, f"difference {folder} {step.number}")
        found = _differences(plan)
        text = found.model_dump_json(exclude_defaults=True)
        (folder / diff).with_suffix(".json").write_text(text, encoding="utf-8")
        yield r.Checked(
            step=step.number,
            reference=str(home / f"{step.number:02d}.png"),
            shot=step.shot or "",
            diff=diff,
            comparison=r.Comparison(
                text=value,
                structure=value,
                lfs=value,
                hfs=value,
                similarity=value,
                is_same_size=True,
            ),
            minimum=0.55,
            masks=found.masks,
        )


def _differences(plan: Plan) -> r.Differences:
    width, height = plan.size
    size = r.Size(width=width, height=height)
    word = r.Box(x=20, y=20, width=40, height=12)
    below = word.model_copy(update={"y": 60.0})
    return r.Differences(
        reference=size,
        shot=size,
        missing=(r.Word(text=plan.say("Total"), box=word),),
        added=(r.Word(text=plan.say("Sum"), box=word),),
        moved=(r.Moved(text=plan.say("Cart"), reference=word, shot=below),),
        masks=(r.Box(x=100, y=20, width=30, height=30),),
    )


def _draw(path: Path, size: tuple[int, int], name: str) -> None:
    """Draw something like a page, never the same twice, and write it as a PNG."""
    seed = int(hashlib.sha256(name.encode()).hexdigest()[:8], 16)
    chance = np.random.default_rng(seed)
    width, height = size
    picture: NDArray[np.uint8] = np.full((height, width, 3), 246, np.uint8)
    for _ in range(12):
        left, top = int(chance.integers(width)), int(chance.integers(height))
        colour = [int(c) for c in chance.integers(60, 256, 3)]
        corner = (left + width // 5, top + height // 9)
        cv2.rectangle(picture, (left, top), corner, colour, -1)
    for index in range(height // 24):
        words = " ".join(chance.choice(_WORDS, 8))
        at = (int(chance.integers(width // 3)), 20 + 24 * index)
        cv2.putText(picture, words, at, cv2.FONT_HERSHEY_SIMPLEX, 0.45, (40, 40, 40), 1)
    fast = [cv2.IMWRITE_PNG_COMPRESSION, 1]
    _, data = cv2.imencode(".png", picture, fast)
    path.write_bytes(data.tobytes())
