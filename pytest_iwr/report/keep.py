"""Puts what the report shows into the run's folder, while page and task are there."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pytest_iwr import records as r
from pytest_iwr.artifacts import ItemFolder, RunFolder, TaskFolder
from pytest_iwr.report import pictures, video
from pytest_iwr.report.frame import Frame, text_of
from pytest_iwr.report.kept import Code, KeptItem, KeptStep, KeptTask, Shown

MOST_CODE = 400_000
"""Bytes of a file of the page that are shown."""
MOST_FILES = 20
"""Files of the page that are shown."""


def keep(run: RunFolder, task: r.Task, page: r.Page, result: r.Result) -> None:
    """Keep pictures as WebP, the page's code and a copy that runs in a frame.

    What all evaluations of the task share is kept by the first of them. Raises
    OSError where the folder cannot be written.
    """
    shared = keep_task(run, task)
    folder = run.path / result.folder
    assets = Path(task.path).parent / task.assets if task.assets else None
    site = page if isinstance(page, r.Site) else None
    kept = KeptItem(
        task=shared.relative,
        pictures=keep_pictures(folder),
        **(_keep_page(folder, site, assets) if site else {}),
    )
    _write(folder / ItemFolder(run.path, folder, "", 1).kept.name, kept)


def keep_pictures(folder: Path) -> dict[str, Shown]:
    """Convert the shots and differences of an item."""
    shots = sorted([*folder.glob("shot-*.png"), *folder.glob("full-*.png")])
    differences = sorted(folder.glob("diff-*.png"))
    return {
        **pictures.show(shots, folder),
        **pictures.show(differences, folder, has_small=False),
    }


def keep_differences(folder: Path) -> None:
    """Show the differences that an item has now, after it was scored again."""
    path = ItemFolder(folder, folder, "", 1).kept
    if not path.exists():
        return  # nothing was kept of it for the report
    kept = KeptItem.model_validate_json(path.read_text(encoding="utf-8"))
    shots = {n: p for n, p in kept.pictures.items() if not n.startswith("diff-")}
    differences = sorted(folder.glob("diff-*.png"))
    shown = pictures.show(differences, folder, has_small=False)
    _write(path, kept.model_copy(update={"pictures": {**shots, **shown}}))


def keep_task(run: RunFolder, task: r.Task) -> TaskFolder:
    """Keep what all evaluations of a task share; once, whoever comes first."""
    folder = run.task(task.id)
    if folder.kept.exists():
        return folder
    folder.path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=run.path, prefix=".task-") as scratch:
        fresh = Path(scratch) / "task"
        fresh.mkdir()
        _write(fresh / folder.kept.name, _task(task, fresh))
        with suppress(OSError):  # another process was faster: its folder is as good
            fresh.rename(folder.path)
    return folder


def _task(task: r.Task, fresh: Path) -> KeptTask:
    base = Path(task.path).parent
    film = base / task.video if task.video else None
    name = times = None
    if film is not None and film.is_file() and film.suffix in video.KINDS:
        name = f"video{film.suffix}"
        shutil.copyfile(film, fresh / name)
        times = video.step_times(film, len(task.steps))
    references = dict(_references(task, base, fresh))
    if film is not None and times is not None:
        lacking = set(range(len(task.steps) + 1)) - set(references)
        for number, still in video.stills(film, times, lacking):
            stem = f"reference-{number:02d}"
            references[number] = pictures.keep(still, fresh, stem).model_copy(
                update={"is_frame": True}
            )
    return KeptTask(
        id=task.id,
        path=task.path,
        title=task.title,
        source=task.source,
        tags=task.tags,
        viewport=task.viewport,
        device=task.device,
        clock=task.clock.isoformat() if task.clock else None,
        seed=task.seed,
        steps=tuple(
            KeptStep(verb=step.verb, say=step.say, line=line)
            for step, line in zip(task.steps, task.step_lines, strict=True)
        ),
        references=references,
        video=name,
        video_steps_s=times,
    )


def _references(task: r.Task, base: Path, fresh: Path) -> Iterator[tuple[int, Shown]]:
    images = [task.start.image if task.start else None]
    images += [
        step.checkpoint.image if step.checkpoint else step.reference
        for step in task.steps
    ]
    for number, image in enumerate(images):
        path = base / image if image is not None else None
        picture = pictures.read(path) if path is not None and path.is_file() else None
        if picture is not None:
            yield number, pictures.keep(picture, fresh, f"reference-{number:02d}")


def _keep_page(folder: Path, site: r.Site, assets: Path | None) -> dict[str, object]:
    frame = Frame(Path(site.folder), assets)
    whole = frame.put_together(site.entry)
    if whole is not None:
        (folder / "page.html").write_bytes(whole)
    code, left_out = _keep_code(folder, site)
    return {
        "code": code,
        "code_left_out": left_out,
        "has_frame": whole is not None,
        "unresolved": tuple(frame.unresolved),
    }


def _keep_code(folder: Path, site: r.Site) -> tuple[tuple[Code, ...], int]:
    """Copy the page's own texts, the entry first, under names that run nowhere."""
    top = Path(site.folder)
    files = sorted(
        (path for path in top.rglob("*") if path.is_file() and not _hidden(path, top)),
        key=lambda path: (path != top / site.entry, path),
    )
    kept: list[Code] = []
    for path in files:
        if len(kept) >= MOST_FILES or not path.resolve().is_relative_to(top.resolve()):
            continue
        text = text_of(path, MOST_CODE)
        if text is None:
            continue
        name = f"code-{len(kept):02d}.txt"
        (folder / name).write_text(text, encoding="utf-8", errors="replace")
        shown = path.relative_to(top).as_posix()
        size = path.stat().st_size
        kept.append(Code(name=shown, kept=name, size=size, is_cut=size > MOST_CODE))
    return tuple(kept), len(files) - len(kept)


def _hidden(path: Path, top: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(top).parts)


def _write(path: Path, record: r.Record) -> None:
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.write_text(record.model_dump_json(indent=1), encoding="utf-8")
    unfinished.replace(path)
