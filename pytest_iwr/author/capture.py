"""Drives a reference site along a task's own steps, and keeps what the task needs."""

import json
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from pytest_iwr import images, ports
from pytest_iwr import records as r
from pytest_iwr.author import assets, sheets
from pytest_iwr.author.film import Film
from pytest_iwr.author.pictures import (
    Picture,
    Pictures,
    checkpoint_of,
    keep,
    keep_masks,
)
from pytest_iwr.author.video import encode
from pytest_iwr.drive import Browser
from pytest_iwr.errors import Problem, UsageError
from pytest_iwr.serve import Server

MOST_BYTES = 2 * 1024 * 1024
"""A task that is larger is told."""
_SOURCE = """\
# Where this task comes from

- Site or package, with its version: {site}
- Address: TO FILL IN
- Licence, and whose work it is: TO FILL IN

`iwr capture` made the pictures, the video, the assets and the contact sheets from it.
Its HTML, style sheets and scripts are not part of this folder.
"""


@dataclass
class Report:
    """What a capture made, and what stands in the way."""

    made: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    advice: list[str] = field(default_factory=list)


class Place(NamedTuple):
    """Where the files of a task lie; its own names, else the usual ones."""

    folder: Path
    video: Path
    assets: Path
    sheets: Path


@contextmanager
def opened(site: str, host: ports.Host) -> Iterator[str]:
    """Give the address of a site: of a URL itself, of a folder while it is served.

    Raises UsageError where there is no such folder.
    """
    if urlsplit(site).scheme in {"http", "https"}:
        yield site
        return
    folder = Path(site)
    if not (folder / "index.html").is_file():
        raise UsageError(
            f"{site!r} is neither a URL nor a folder with an 'index.html'. Give one."
        )
    page = r.Site(folder=str(folder), sha256="", origin="the reference")
    with host.serve(page, None) as served:
        yield served.url


def capture(
    task: r.Task, site: str, server: Server, browser: Browser, *, force: bool = False
) -> Report:
    """Write pictures, video, assets and contact sheets of a task's reference.

    A picture that does not hold still is not written, unless `force`. Nothing is
    written where a step fails on the reference. Raises UsageError and IwrErrors.
    """
    place = _place(task)
    report = Report()
    with tempfile.TemporaryDirectory() as scratch, opened(site, server) as url:
        stills, shots = Path(scratch) / "stills", Path(scratch) / "film"
        stills.mkdir()
        shots.mkdir()
        pictures = Pictures(task, stills)
        trace = browser.drive(task, url, stills, pictures)
        if _failed(task, trace, report):
            return report
        film = Film(shots, trace.width_px, trace.height_px, now=time.time)
        again = browser.drive(task, url, shots, film)
        if _failed(task, again, report):
            return report
        proved = _proved(pictures.taken, again, shots)
        _keep_pictures(task, proved, trace.scale, report, force=force)
        _keep_video(film, place, report)
        _keep_assets(film, place, report)
    _keep_sheets(place, server, browser, report)
    _keep_source(task, place, report)
    _advise(task, place, report)
    return report


def _place(task: r.Task) -> Place:
    folder = Path(task.path).parent
    return Place(
        folder,
        folder / (task.video or "video.mp4"),
        folder / (task.assets or "assets"),
        folder / (task.sheets or "sheets"),
    )


def _failed(task: r.Task, trace: r.Trace, report: Report) -> bool:
    """Tell whether the reference itself does not do what the task says."""
    last = trace.failed
    if last is None or last.failure is None:
        return False
    where = f"steps[{last.number - 1}]" if last.number else "start"
    text = f"the reference fails here ({last.failure.kind}): {last.failure.message}"
    line = task.line_of(last.number)
    report.problems.append(Problem(Path(task.path), line, where, f"{text}."))
    return True


def _proved(
    taken: list[Picture], again: r.Trace, shots: Path
) -> Iterator[tuple[Picture, str]]:
    """Give each picture, and what moved in it: within a drive, or from one to another.

    Nothing is "".
    """
    for picture in taken:
        done = again.steps[picture.step]
        name = done.full_shot if picture.shot.name.startswith("full") else done.shot
        if picture.moved is not None:
            yield picture, f"{picture.moved}, still move after the page came to rest"
            continue
        one, two = images.read(picture.shot), images.read(shots / str(name))
        moved = images.motion(one, two, picture.masks)
        yield picture, f"{moved}, differ in a second drive" if moved else ""


def _keep_pictures(
    task: r.Task,
    proved: Iterable[tuple[Picture, str]],
    scale: float,
    report: Report,
    *,
    force: bool,
) -> None:
    """Store what held still with its masks, and tell of the rest."""
    folder = Path(task.path).parent
    kept: list[str] = []
    masks: dict[str, list[r.Box]] = {}
    for picture, moved in proved:
        where = f"steps[{picture.step - 1}].checkpoint" if picture.step else "start"
        if moved:
            fate = "It was written all the same" if force else "It was not written"
            text = f"{moved}. {fate}. Mask what moves, or wait for its end."
            line = task.line_of(picture.step)
            report.problems.append(Problem(Path(task.path), line, where, text))
        if picture.clipped:
            text = f"{picture.image} is cut: the page is higher than a picture may be"
            report.advice.append(text)
        if force or not moved:
            keep(picture.shot, folder / picture.image)
            kept.append(picture.image)
            checkpoint = checkpoint_of(task, picture.step)
            if checkpoint is not None and checkpoint.mask:
                masks[picture.image] = [box.scaled(1 / scale) for box in picture.masks]
    keep_masks(folder, kept, masks)
    report.made.append(f"{len(kept)} picture{'' if len(kept) == 1 else 's'}")


def _keep_video(film: Film, place: Place, report: Report) -> None:
    place.video.parent.mkdir(parents=True, exist_ok=True)
    length_s = encode(film, place.video)
    size = place.video.stat().st_size
    begun = [round(at - film.span_s[0], 2) for at in film.begun_s]
    times = json.dumps({"steps_s": begun})
    place.video.with_suffix(".json").write_text(times + "\n", encoding="utf-8")
    name = place.video.relative_to(place.folder).as_posix()
    report.made.append(f"{name}, {length_s:.1f} s, {size / 1024:.0f} KB")


def _keep_assets(film: Film, place: Place, report: Report) -> None:
    found = list(assets.gather(film.loads))
    assets.write(found, place.assets, place.folder / assets.MAP)
    lost = [url for url in film.loads if url.startswith("blob:")]
    if lost:
        text = f"{len(lost)} addresses that only the page knows (blob:) are no assets"
        report.advice.append(text)
    report.made.append(f"{len(found)} assets")


def _keep_sheets(
    place: Place, server: Server, browser: Browser, report: Report
) -> None:
    files = place.assets.iterdir() if place.assets.exists() else ()
    shown = sorted(f for f in files if f.is_file() and f.name[0] != ".")
    made = sheets.make(shown, place.sheets, server, browser)
    report.made.append(f"{len(made)} contact sheets")


def _keep_source(task: r.Task, place: Place, report: Report) -> None:
    file = place.folder / "SOURCE.md"
    if not file.exists():
        site = task.source.site or "TO FILL IN"
        file.write_text(_SOURCE.format(site=site), encoding="utf-8")
        report.made.append("a SOURCE.md to fill in")


def _advise(task: r.Task, place: Place, report: Report) -> None:
    """Say what the task file does not name yet, and whether all is too large."""
    base = place.folder
    named = {"video": place.video, "assets": place.assets, "sheets": place.sheets}
    for key, path in named.items():
        is_named = getattr(task, key) is not None
        if is_named and not path.exists():
            text = f"the page loads no asset; take `{key}` out of the task file"
            report.advice.append(text)
        elif path.exists() and not is_named:
            name = path.relative_to(base).as_posix()
            report.advice.append(f"add `{key}: {name}` to the task file")
    if all(checkpoint_of(task, n) is None for n in range(len(task.steps) + 1)):
        report.advice.append("the task has no checkpoint; add `start` and some")
    files = [f for f in base.rglob("*") if f.is_file() and f.name != assets.MAP]
    size = sum(f.stat().st_size for f in files)
    if size > MOST_BYTES:
        largest = max(files, key=lambda f: f.stat().st_size)
        name = largest.relative_to(base).as_posix()
        text = f"the task has {size / 1024**2:.1f} MB, more than 2; largest: {name}"
        report.advice.append(text)
