"""`iwr capture`: pictures that hold still, a video, assets, contact sheets."""

import hashlib
import json
from pathlib import Path

import cv2
import numpy as np
import playwright
import pytest

from pytest_iwr import records as r
from pytest_iwr.author.capture import Report, capture
from pytest_iwr.check.ocr import Ocr
from pytest_iwr.cli import main
from pytest_iwr.drive import Browser
from pytest_iwr.images import read
from pytest_iwr.load import load
from pytest_iwr.serve import Server
from tests.author.kit import Write

PAGE = """<!doctype html><title>Shop</title><link rel="stylesheet" href="a.css">
<h1>Shop</h1><img src="logo%20two.png" alt="Logo"><img src="again.png" alt="">
<button onclick="document.querySelector('p').textContent = 'bought'">Buy</button><p></p>
<img src="gone.png" alt="">"""
CSS = """@font-face { font-family: signs; src: url(signs.ttf) }
p::before { content: "\\ea60"; font-family: signs }
h1 { background: url('data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==') }
button { background: url("icons/star.svg") }"""
SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">
<circle cx="20" cy="20" r="18" fill="#c00"/></svg>"""
TASK = """\
iwr: 1
id: shop
viewport: {width: 640, height: 360}
start: checkpoints/00.png
steps:
  - click: {role: button, name: Buy}
    expect: [{text: bought}]
    checkpoint: checkpoints/01.png
"""
MOVING = """<!doctype html><title>Clock</title><style>body { margin: 0 }
p { position: absolute; left: 50px; top: 40px; width: 20px; height: 10px; margin: 0 }
</style><p aria-label="Ticker" role="status"></p><button>Buy</button><script>
let n = 0; setInterval(() => { n += 1;
document.querySelector("p").style.background = `hsl(${n * 37} 100% 50%)`; }, 200);
document.querySelector("button").onclick = (e) => e.target.append(" bought");
</script>"""


def _png(width: int, height: int, colour: int) -> bytes:
    done, data = cv2.imencode(".png", np.full((height, width, 3), colour, np.uint8))
    assert done
    return data.tobytes()


def _font() -> bytes:
    """Give a font of signs only; Playwright brings one for its own pages."""
    folder = Path(playwright.__file__).parent / "driver"
    return next(iter(sorted(folder.rglob("codicon*.ttf")))).read_bytes()


def _site(write: Write) -> Path:
    logo = _png(30, 20, 90)
    files: dict[str, str | bytes] = {
        "site/index.html": PAGE,
        "site/a.css": CSS,
        "site/logo two.png": logo,
        "site/again.png": logo,
        "site/icons/star.svg": SVG,
        "site/signs.ttf": _font(),
        "task/task.iwr.yaml": TASK,
    }
    return write(files)


def _capture(folder: Path, server: Server, driver: Browser) -> Report:
    task = load(folder / "task" / "task.iwr.yaml", needs_files=False)
    return capture(task, str(folder / "site"), server, driver)


def test_capture_makes_all_that_a_task_needs(
    write: Write, server: Server, driver: Browser
) -> None:
    """Pictures, a video, anonymous assets, sheets, and a note on the source."""
    folder = _site(write)
    report = _capture(folder, server, driver)
    made = folder / "task"
    assert report.problems == []
    assert read(made / "checkpoints" / "00.png").shape == (360, 640, 3)
    names = json.loads((made / ".assets-map.json").read_text())
    assert set(names.values()) >= {"/logo two.png", "/icons/star.svg", "/signs.ttf"}
    assert {name[:6] for name in names} == {"asset_"}
    assert {Path(name).suffix for name in names} == {".png", ".svg", ".ttf", ".gif"}
    assert sorted(file.name for file in (made / "assets").iterdir()) == sorted(names)
    star = next(name for name, was in names.items() if was.endswith("star.svg"))
    assert (made / "assets" / star).read_text() == SVG
    assert (made / "video.mp4").stat().st_size > 1000
    begun = json.loads((made / "video.json").read_text())["steps_s"]
    assert begun == sorted(begun)
    assert 0.5 < begun[0] < 3.0
    assert "TO FILL IN" in (made / "SOURCE.md").read_text()
    assert not list(made.rglob("*.html")) + list(made.rglob("*.css"))
    assert "add `video: video.mp4` to the task file" in report.advice


def test_capture_again_gives_equal_bytes(
    write: Write, server: Server, driver: Browser
) -> None:
    """Pictures, assets and sheets are the same; notes on the source are left alone."""
    folder = _site(write)
    write({"task/SOURCE.md": "mine", "task/assets/asset_044.png": "from before"})
    _capture(folder, server, driver)
    first = _digests(folder / "task")
    _capture(folder, server, driver)
    assert _digests(folder / "task") == first
    assert (folder / "task" / "SOURCE.md").read_text() == "mine"
    assert not (folder / "task" / "assets" / "asset_044.png").exists()


def _digests(folder: Path) -> dict[str, str]:
    return {
        file.relative_to(folder).as_posix(): hashlib.sha256(
            file.read_bytes()
        ).hexdigest()
        for file in folder.rglob("*")
        if file.is_file() and file.stem != "video"  # frames come when they come
    }


def test_names_on_contact_sheets_can_be_read(
    write: Write, server: Server, driver: Browser
) -> None:
    """The project's own reader finds every name; every thumbnail shows something."""
    folder = _site(write)
    _capture(folder, server, driver)
    (sheet,) = sorted((folder / "task" / "sheets").iterdir())
    picture = read(sheet)
    lines = {line.text for line in Ocr(None, 1).read(picture)}
    names = json.loads((folder / "task" / ".assets-map.json").read_text())
    assert names.keys() <= lines
    shown = {name: _tile(picture, place) for place, name in enumerate(sorted(names))}
    star = next(name for name, was in names.items() if was.endswith("star.svg"))
    font = next(name for name, was in names.items() if was.endswith(".ttf"))
    red = (shown[star][..., 2] > 180) & (shown[star][..., 1] < 30)
    assert int(red.sum()) > 800
    assert int((shown[font].max(axis=2) < 120).sum()) > 400


def _tile(sheet: np.ndarray, place: int) -> np.ndarray:
    row, column = divmod(place, 5)
    left, top = 15 + column * 250 + 14, 15 + row * 196 + 4
    return sheet[top : top + 138, left : left + 220]


def test_picture_that_moves_is_not_written(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is told how many pixels move and where, with the line; `--force` writes it."""
    folder = write({"site/index.html": MOVING, "task/task.iwr.yaml": TASK})
    arguments = ["capture", str(folder / "task"), "--site", str(folder / "site")]
    assert main(arguments) == 1
    output = capsys.readouterr().out
    file = folder / "task" / "task.iwr.yaml"
    moved = "200 pixels, within 20 × 10 at 50,40, still move"
    assert f"{file}:6: start: {moved}" in output
    assert f"{file}:6: steps[0].checkpoint: {moved}" in output
    assert "shop: 0 pictures" in output
    assert not (folder / "task" / "checkpoints").exists()
    assert main([*arguments, "--force"]) == 1
    assert len(list((folder / "task" / "checkpoints").iterdir())) == 2


def test_motion_under_a_mask_does_no_harm(
    write: Write, server: Server, driver: Browser
) -> None:
    """What a task leaves out may move."""
    masked = TASK
    for number in ("00", "01"):
        image = f"checkpoints/{number}.png"
        mask = f"{{image: {image}, mask: [{{role: status, name: Ticker}}]}}"
        masked = masked.replace(image, mask)
    folder = write({"site/index.html": MOVING, "task/task.iwr.yaml": masked})
    report = _capture(folder, server, driver)
    assert report.problems == []
    made = {file.name for file in (folder / "task" / "checkpoints").iterdir()}
    assert made == {"00.png", "01.png", "masks.json"}


def test_reference_that_fails_leaves_nothing(
    write: Write, server: Server, driver: Browser
) -> None:
    """A step that does not work on the original is told with its line."""
    folder = _site(write)
    write({"site/index.html": PAGE.replace("bought", "sold")})
    report = _capture(folder, server, driver)
    (problem,) = report.problems
    assert (problem.line, problem.where) == (6, "steps[0]")
    assert "the reference fails here (expectation): expected text 'bought'" in str(
        problem
    )
    assert [file.name for file in (folder / "task").iterdir()] == ["task.iwr.yaml"]


def test_site_that_is_served_elsewhere_is_captured(
    write: Write, server: Server, driver: Browser
) -> None:
    """A URL stands for a site as well as a folder does."""
    folder = _site(write)
    task = load(folder / "task" / "task.iwr.yaml", needs_files=False)
    site = r.Site(folder=str(folder / "site"), sha256="", origin="a test's site")
    with server.serve(site, None) as hosted:
        assert capture(task, hosted.url, server, driver).problems == []
    assert len(list((folder / "task" / "assets").iterdir())) == 4


def test_site_that_is_no_site_is_bad_usage(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a URL nor a folder with a page."""
    folder = write({"task/task.iwr.yaml": TASK})
    arguments = ["capture", str(folder / "task"), "--site", str(folder)]
    assert main(arguments) == 4
    assert "is neither a URL nor a folder with an 'index.html'" in str(
        capsys.readouterr()
    )
