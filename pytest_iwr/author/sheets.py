"""Contact sheets: what the assets show, each above its name, for a model to see."""

import html
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path

from pytest_iwr import images, ports
from pytest_iwr import records as r
from pytest_iwr.author.pictures import keep
from pytest_iwr.errors import IwrError, VideoError
from pytest_iwr.generate.frames import VideoWarning, pick

COLUMNS = 5
ROWS = 6
"""So many on a sheet: at 1,280 pixels wide every name can be read."""
_TILE_PX = (250, 196)
_MARGIN_PX = 15
_FONTS = {"woff", "woff2", "ttf", "otf"}
_VIDEOS = {"mp4", "webm", "ogv"}
_SOUNDS = {"mp3", "wav", "oga", "m4a", "weba", "ogg"}


def make(
    assets: Sequence[Path], folder: Path, host: ports.Host, driver: ports.Driver
) -> list[Path]:
    """Write `sheet_01.png`, … with all assets, in this order; gives their paths.

    The browser draws them, so it shows what a page would: SVG, fonts as sample text
    (or their own signs), the middle of a video. Earlier sheets go away. Raises
    IwrError when a sheet does not come to rest.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("sheet_*.png"):
        old.unlink()
    size = COLUMNS * ROWS
    made = []
    for number, first in enumerate(range(0, len(assets), size), start=1):
        sheet = folder / f"sheet_{number:02d}.png"
        _draw(assets[first : first + size], sheet, host, driver)
        made.append(sheet)
    if not any(folder.iterdir()):
        folder.rmdir()
    return made


def _draw(
    assets: Sequence[Path], sheet: Path, host: ports.Host, driver: ports.Driver
) -> None:
    columns = min(COLUMNS, max(len(assets), 1))
    rows = -(-len(assets) // columns)
    viewport = r.Viewport(
        width=columns * _TILE_PX[0] + 2 * _MARGIN_PX,
        height=rows * _TILE_PX[1] + 2 * _MARGIN_PX,
    )
    with tempfile.TemporaryDirectory() as scratch:
        site, shots = Path(scratch) / "site", Path(scratch) / "shots"
        site.mkdir()
        shots.mkdir()
        tiles = "\n".join(_tiles(assets, site))
        page = (resources.files("pytest_iwr.author") / "sheet.html").read_text("utf-8")
        (site / "index.html").write_text(page.replace("TILES", tiles), "utf-8")
        served = r.Site(folder=str(site), sha256="", origin="a contact sheet")
        with host.serve(served, None) as hosted:
            trace = driver.drive(_task(sheet, viewport), hosted.url, shots)
        last = trace.steps[-1]
        if last.failure is not None or last.shot is None:
            raise IwrError(f"{sheet}: the sheet cannot be drawn: {last.failure}")
        keep(shots / last.shot, sheet)


def _task(sheet: Path, viewport: r.Viewport) -> r.Task:
    """Give the task of looking at a sheet once all of it is there."""
    ready = r.Target(css="html[data-ready]")
    step = r.Step(wait=r.Wait(until=r.Expectation(visible=ready)), timeout_s=30)
    return r.Task(
        iwr=1,
        id="sheet",
        path=str(sheet),
        step_lines=(1,),
        viewport=viewport,
        steps=(step,),
    )


def _tiles(assets: Sequence[Path], site: Path) -> Iterator[str]:
    for number, asset in enumerate(assets):
        ending = asset.suffix[1:].lower()
        shutil.copy(asset, site / asset.name)
        name = html.escape(asset.name)
        if ending in _FONTS:
            inside = f'<div class="font" data-font="{name}"></div>'
        elif ending in _VIDEOS:
            inside = _poster(asset, site / f"poster-{number}.png")
        elif ending in _SOUNDS:
            inside = '<div class="sign">♪</div>'
        else:
            inside = f'<img src="{name}" alt="">'
        size = f"{asset.stat().st_size / 1024:.0f} KB"
        yield f'<figure>{inside}<figcaption>{name}<i data-size="{size}"></i></figure>'


def _poster(video: Path, image: Path) -> str:
    """Give the middle of a video as a picture, else a sign for it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VideoWarning)
        try:
            shown = pick(video, per_second=1000, most=3)
        except VideoError:
            return '<div class="sign">▶</div>'
    images.write(image, shown[len(shown) // 2].picture)
    return f'<img src="{image.name}" alt="" class="video">'
