"""Pictures of whole pages: what loads late is there, and what is too large is cut."""

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread, Timer

import pytest

from pytest_iwr import images
from pytest_iwr import records as r
from pytest_iwr.drive import Browser
from pytest_iwr.drive.camera import MOST_PX, TALLEST_PX, extent
from tests.drive.kit import Drive, as_task, went_well

WINDOW = {"width": 600, "height": 400}
LOOK = {"press": "F9", "checkpoint": {"image": "01.png", "full_page": True}}
TILE = """<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100">
<rect width="200" height="100" fill="#c00"/></svg>"""
SPREAD = "<style>.tile { display: block; width: 200px; height: 100px; margin-bottom: 2500px }"
TILES = "".join(f'<img class="tile" SRC="tile.svg?{n}">' for n in range(4))
SEEN = """<script>const watch = new IntersectionObserver((all) => all.forEach((one) => {
  if (one.isIntersecting) { const el = one.target; SHOW; watch.unobserve(el) } }));
  document.querySelectorAll(".tile").forEach((el) => watch.observe(el))</script>"""
TOLD = """<script>setInterval(() => { const all = [...document.images];
  document.title = all.filter((i) => i.complete && i.naturalWidth > 0).length }, 40)
  </script>"""

LATE = {
    "lazy": f"{SPREAD}</style>" + TILES.replace("SRC", "loading=lazy src"),
    "decoded late": f"{SPREAD}</style>"
    + TILES.replace("SRC", "decoding=async loading=lazy src"),
    "observed": f"{SPREAD}</style>"
    + TILES.replace("SRC", "data-src")
    + SEEN.replace("SHOW", "el.src = el.dataset.src"),
    "after a while": f"{SPREAD}</style>"
    + TILES.replace("SRC", "data-src")
    + SEEN.replace("SHOW", "setTimeout(() => { el.src = el.dataset.src }, 120)"),
    "on scrolling": f"{SPREAD}</style>"
    + TILES.replace("SRC", "data-src")
    + """<script>const show = () => document.querySelectorAll(".tile").forEach((el) => {
    if (el.getBoundingClientRect().top < innerHeight && !el.src) el.src = el.dataset.src
    }); addEventListener("scroll", show); show()</script>""",
    "backgrounds": f"{SPREAD}</style>"
    + TILES.replace("img", "p").replace("SRC", "data-src")
    + SEEN.replace("SHOW", "el.style.background = `url(${el.dataset.src})`"),
    "left out": "<style>section { content-visibility: auto; height: 2600px;"
    "contain-intrinsic-size: 200px 2600px }</style>"
    + "".join(
        f"<section><img loading=lazy src=tile.svg?{n}></section>" for n in "0123"
    ),
}


@pytest.fixture(autouse=True)
def checkpoint(tmp_path: Path) -> None:
    """Let the task's file be there; nothing is compared here."""
    (tmp_path / "01.png").write_bytes(b"")


def _tiles(picture: images.Picture) -> float:
    """Count the red tiles of a picture by their area."""
    red = (picture[..., 2] > 150) & (picture[..., 1] < 60)
    return float(red.sum()) / 20_000


def _whole(step: r.TraceStep, tmp_path: Path) -> images.Picture:
    return images.read(tmp_path / "shots" / str(step.full_shot))


class _Slow(BaseHTTPRequestHandler):
    """Answers pictures a third of a second late."""

    page = b""

    def do_GET(self) -> None:
        is_tile = self.path.startswith("/tile")
        data = TILE.encode() if is_tile else self.page
        self.send_response(200)
        kind = "image/svg+xml" if is_tile else "text/html"
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        late = Timer(0.3 if is_tile else 0.0, self.wfile.write, [data])
        late.start()
        late.join()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def slow() -> Iterator[Callable[[str], str]]:
    """Give a function: a page in, its address on a slow server out."""

    class Slow(_Slow):
        """With a page of this test's own."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    thread = Thread(target=server.serve_forever)
    thread.start()

    def serve(page: str) -> str:
        Slow.page = b"<!doctype html>" + page.encode()
        return f"http://127.0.0.1:{server.server_port}/"

    yield serve
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("how", LATE)
def test_what_loads_late_is_there(
    driver: Browser, slow: Callable[[str], str], tmp_path: Path, how: str
) -> None:
    """All four tiles, each below the window, and each on its way for a while."""
    shots = tmp_path / "shots"
    shots.mkdir()
    task = as_task((LOOK,), tmp_path / "task.iwr.yaml", viewport=WINDOW)
    trace = driver.drive(task, slow(LATE[how]), shots)
    went_well(trace, 1)
    assert round(_tiles(_whole(trace.steps[1], tmp_path)), 1) == 4.0


@pytest.mark.parametrize("below_px", (0, 3000))
@pytest.mark.parametrize("way", ("down", "right"))
def test_parts_that_scroll_are_walked_through(
    drive: Drive, below_px: int, way: str
) -> None:
    """Pictures of a list that scrolls are loaded, and the list is left as it was."""
    margin = "right" if way == "right" else "bottom"
    style = f"""<style>img {{ margin-{margin}: 2000px }} body {{ margin: 0 }}
    main {{ overflow: auto; width: 300px; height: 200px }}
    .right {{ white-space: nowrap }} .down img {{ display: block }}</style>"""
    tiles = TILES.replace("SRC", "loading=lazy src")
    page = f"{style}<div style='height:{below_px}px'></div><main class={way}>{tiles}"
    last = {
        "wait": {"scroll": "top", "in": {"css": "main"}},
        "expect": [{"title": "4"}],
    }
    files = {"index.html": page + "</main>" + TOLD, "tile.svg": TILE}
    went_well(drive(files, LOOK, last, viewport=WINDOW), 2)


def test_picture_that_nobody_sees_is_not_waited_for(drive: Drive) -> None:
    """A lazy picture in a closed part, or off to the right in a list, may never come."""
    page = """<div style="display:none"><img loading=lazy src=tile.svg?1></div>
    <div style="width:200px;overflow:hidden;white-space:nowrap">
    <p style="display:inline-block;width:9000px">x</p>
    <img loading=lazy src=tile.svg?2></div>"""
    trace = drive({"index.html": page, "tile.svg": TILE}, {"press": "F9"})
    went_well(trace, 1)
    assert [step.unsettled for step in trace.steps] == ["", ""]


@pytest.mark.needs_shared
def test_gallery_of_lazy_pictures_is_whole(drive: Drive, shared: Path) -> None:
    """All four pictures of the case are loaded."""
    case = shared / "cases" / "18-lazy-images"
    files = {"index.html": (case / "page.html").read_text("utf-8") + TOLD}
    files["tile.svg"] = (case / "tile.svg").read_text("utf-8")
    went_well(drive(files, LOOK, {"wait": {"title": "4"}}), 2)


def _bands(count: int, size: str, inner: str = "") -> str:
    band = f'<div style="{size};background:hsl(${{n * 7}} 60% 60%)">Band</div>'
    script = f"for (let n = 0; n < {count}; n++) document.write(`{band}`)"
    style = f"<style>body {{ margin: 0 }} {inner}</style>"
    return f"{style}<main><script>{script}</script></main>"


def test_page_that_is_too_high_is_cut_and_told(drive: Drive, tmp_path: Path) -> None:
    """Thirty bands of 1,000 px: the first sixteen are right, down to the cap."""
    trace = drive(_bands(30, "height:1000px"), LOOK, viewport=WINDOW)
    went_well(trace, 1)
    (step,) = trace.steps[1:]
    picture = _whole(step, tmp_path)
    assert step.clipped
    assert picture.shape[:2] == (TALLEST_PX, 600)
    colours = [tuple(picture[n * 1000 + 500, 300].tolist()) for n in range(16)]
    assert len(set(colours)) == 16


def test_page_that_is_too_wide_is_cut_and_told(drive: Drive, tmp_path: Path) -> None:
    """What can be scrolled to belongs to the page, to the right as well."""
    page = _bands(
        30,
        "width:1000px;height:200px;display:inline-block",
        "main { white-space: nowrap; width: 30000px; font-size: 0 }",
    )
    trace = drive(page, LOOK, viewport=WINDOW)
    went_well(trace, 1)
    picture = _whole(trace.steps[1], tmp_path)
    assert trace.steps[1].clipped
    assert picture.shape[:2] == (400, TALLEST_PX)
    colours = {tuple(picture[100, n * 1000 + 500].tolist()) for n in range(16)}
    assert len(colours) == 16


@pytest.mark.parametrize(("rule", "width"), (("visible", 900), ("hidden", 600)))
def test_page_is_as_wide_as_can_be_scrolled(
    drive: Drive, tmp_path: Path, rule: str, width: int
) -> None:
    """What a page hides at its side is no part of it; nothing of this is cut."""
    page = f"<body style='margin:0;overflow-x:{rule}'><p style='width:900px'>wide"
    trace = drive(page, LOOK, {"wait": {"scroll": "top"}}, viewport=WINDOW)
    went_well(trace, 2)
    assert not trace.steps[1].clipped
    assert _whole(trace.steps[1], tmp_path).shape[:2] == (400, width)


@pytest.mark.needs_shared
def test_tall_page_is_cut_at_the_cap(
    drive: Drive, shared: Path, tmp_path: Path
) -> None:
    """Forty bands of 1,000 px end at the stated height."""
    page = (shared / "cases" / "21-tall-page" / "page.html").read_text("utf-8")
    trace = drive(page, LOOK)
    went_well(trace, 1)
    assert trace.steps[1].clipped
    assert _whole(trace.steps[1], tmp_path).shape[0] == TALLEST_PX


def test_page_that_grows_while_it_is_scrolled_ends(drive: Drive) -> None:
    """A list without end is cut; the window is where it was before."""
    page = """<script>const more = () => { for (let n = 0; n < 20; n++) {
      const p = document.createElement("p"); p.textContent = "Row"; document.body.append(p)
    } }; onload = () => { more(); addEventListener("scroll", () => {
      if (scrollY + innerHeight > document.body.scrollHeight - 500) more() }) }</script>
      <body><p style="height:900px">first"""
    whole = {"scroll": {"by": 1}, "checkpoint": LOOK["checkpoint"]}
    trace = drive(page, whole, {"wait": {"scroll": 1.0}}, viewport=WINDOW)
    went_well(trace, 2)
    assert trace.steps[1].clipped


@pytest.mark.parametrize("scale", (1.0, 2.0, 4.0))
@pytest.mark.parametrize("size", ((20_000, 20_000), (390, 30_000), (30_000, 700)))
def test_no_picture_is_larger_than_can_be_read(
    size: tuple[int, int], scale: float
) -> None:
    """Neither side, nor the number of pixels."""
    place = {"viewWidth": 390, "viewHeight": 700}
    place |= {"reachWidth": size[0], "scrollHeight": size[1]}
    box, is_cut = extent(place, scale)
    width, height = box["width"] * scale, box["height"] * scale
    assert is_cut
    assert max(width, height) <= TALLEST_PX
    assert width * height <= MOST_PX < images.MOST_PIXELS
