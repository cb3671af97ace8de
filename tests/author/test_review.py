"""`iwr review` in a real browser, by keyboard: what it shows and what it writes."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

from benchmarks.npm import fetch
from benchmarks.report.made_run import Plan, make_run
from pytest_iwr.artifacts import RunFolder
from pytest_iwr.author.review.cases import Wish, find_cases
from pytest_iwr.author.review.rejections import Rejections
from pytest_iwr.author.review.server import Desk
from pytest_iwr.author.review.session import Session
from pytest_iwr.cli import main
from pytest_iwr.drive.launch import default_args, find_browser
from pytest_iwr.errors import UsageError
from pytest_iwr.load import load
from pytest_iwr.loopback import Loopback
from pytest_iwr.records import Box

EVIL = '<img src=x onerror="document.title=666">'
AXE = ("axe-core", "4.10.3")


class Opened(NamedTuple):
    """A review that is under way."""

    page: Page
    session: Session
    address: str
    told: list[str]
    """What the browser complains about."""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Give a browser."""
    found = find_browser(None, os.environ)
    args = default_args(is_root=os.geteuid() == 0)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found.path, args=args)
        yield browser
        browser.close()


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """Give a run of one task by two models; its task file has comments."""
    made = make_run(tmp_path, Plan(tasks=1))
    file = tmp_path / "tasks" / "task-000" / "task.iwr.yaml"
    text = file.read_text().replace("start:", "# The first screen.\nstart:")
    text = text.replace("checkpoint: 01.png", "checkpoint: 01.png  # after F1")
    file.write_text(text + "# the end\n")
    return made


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Give the folder of the task."""
    return tmp_path / "tasks" / "task-000"


def begin(run: RunFolder, wish: Wish | None = None) -> Session:
    """Start a session as the command does."""
    rejections = Rejections(run.path)
    found = find_cases(run, None, wish or Wish())
    return Session(
        run.path.name, tuple(c for c in found if not rejections.has(c)), rejections
    )


@pytest.fixture
def opened(run: RunFolder, chromium: Browser) -> Iterator[Opened]:
    """Give a review of the run, opened in the browser."""
    session = begin(run, Wish(models=("careful",)))
    desk = Desk(session)
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    with Loopback(desk, name="test") as loopback:
        address = f"http://127.0.0.1:{loopback.port}/{desk.token}/"
        page.goto(address)
        page.locator("#main").wait_for()
        yield Opened(page, session, address, told)
        page.close()


def progress(page: Page, words: str) -> None:
    """Wait until the page says where it is."""
    expect(page.locator("#progress")).to_have_text(words)


def test_accepted_picture_is_the_reference(opened: Opened, home: Path) -> None:
    """Byte for byte; the file of the task stays, and the next picture is shown."""
    first = opened.session.cases[0]
    count = len(opened.session.cases)
    assert count >= 3
    text = (home / "task.iwr.yaml").read_bytes()
    progress(opened.page, f"1 of {count}")
    assert first.reference.read_bytes() != first.shot.read_bytes()
    opened.page.keyboard.press("a")
    progress(opened.page, f"2 of {count}")
    expect(opened.page.locator("#told")).to_have_text(re.compile("Accepted"))
    assert first.reference == home / "00.png"
    assert first.reference.read_bytes() == first.shot.read_bytes()
    assert (home / "task.iwr.yaml").read_bytes() == text
    assert opened.told == []


def await_pictures(page: Page) -> None:
    """Wait until the pictures are there.

    The page's policy forbids `eval`, which `wait_for_function` needs.
    """
    for picture in page.locator(".sheet img[src]").all():
        expect(picture).to_have_js_property("complete", True)  # noqa: FBT003
        expect(picture).not_to_have_js_property("naturalWidth", 0)


def drag(
    page: Page, of: str, start: tuple[float, float], end: tuple[float, float]
) -> None:
    """Draw a region over a picture that is there, in shares of it."""
    await_pictures(page)
    edges = page.locator(f"[data-of={of}] .sheet").bounding_box()
    assert edges is not None
    (x1, y1), (x2, y2) = (
        (edges["x"] + x * edges["width"], edges["y"] + y * edges["height"])
        for x, y in (start, end)
    )
    page.mouse.move(x1, y1)
    page.mouse.down()
    page.mouse.move((x1 + x2) / 2, y2)
    page.mouse.move(x2, y2)
    page.mouse.up()


@pytest.mark.parametrize("of", ("shot", "reference"))
def test_drawn_regions_are_masks_of_the_task(
    opened: Opened, home: Path, of: str
) -> None:
    """They are written in shares of the window; all comments stay."""
    page = opened.page
    before = (home / "task.iwr.yaml").read_text()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("m")
    drag(page, of, (0.25, 0.5), (0.5, 0.75))
    drag(page, of, (0.9, 0.9), (0.1, 0.8))
    expect(page.locator(f"[data-of={of}] .region.fresh")).to_have_count(2)
    drag(page, of, (0.5, 0.5), (0.6, 0.6))
    page.keyboard.press("Backspace")
    page.keyboard.press("Enter")
    progress(page, f"3 of {len(opened.session.cases)}")
    task = load(home / "task.iwr.yaml")
    wanted = task.steps[0].checkpoint
    assert wanted is not None
    one, two = (mask.box for mask in wanted.mask)
    assert one == pytest.approx((0.25, 0.5, 0.25, 0.25), abs=0.005)
    assert two == pytest.approx((0.1, 0.8, 0.8, 0.1), abs=0.005)
    boxes = json.loads((home / "masks.json").read_text())["01.png"]
    assert boxes[0] == pytest.approx(
        {"x": 80, "y": 90, "width": 80, "height": 45}, abs=1.6
    )
    assert task.masks["01.png"] == tuple(Box(**box) for box in boxes)
    after = (home / "task.iwr.yaml").read_text()
    changed = set(after.splitlines()) ^ set(before.splitlines())
    assert len(changed) == 2
    assert all(line.endswith("  # after F1") for line in changed)
    assert opened.told == []


def test_regions_are_placed_by_keyboard(opened: Opened, home: Path) -> None:
    """The arrows make one in the middle, move it, and with Shift change its size."""
    page = opened.page
    page.keyboard.press("ArrowRight")
    page.keyboard.press("m")
    await_pictures(page)
    for key in ("ArrowUp", "ArrowUp", "ArrowLeft", "Shift+ArrowRight", "n"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    progress(page, f"3 of {len(opened.session.cases)}")
    wanted = load(home / "task.iwr.yaml").steps[0].checkpoint
    assert wanted is not None
    wide, high = 8 / 320, 8 / 180
    one, two = (mask.box for mask in wanted.mask)
    assert one == pytest.approx(
        (0.375 - wide, 0.375 - high, 0.25 + wide, 0.25), abs=1e-3
    )
    assert two == pytest.approx((0.375, 0.375, 0.25, 0.25), abs=1e-3)


def test_rejected_picture_is_not_shown_again(opened: Opened, run: RunFolder) -> None:
    """It is noted beside the runs, by what it looks like; undoing forgets it."""
    first, count = opened.session.cases[0], len(opened.session.cases)
    opened.page.keyboard.press("r")
    progress(opened.page, f"2 of {count}")
    noted = json.loads((run.path.parent / "rejected.jsonl").read_text())
    assert (noted["task"], noted["step"]) == (first.task.id, 0)
    again = begin(run, Wish(models=("careful",)))
    assert [case.checked.step for case in again.cases] == [
        case.checked.step for case in opened.session.cases[1:]
    ]
    opened.page.keyboard.press("ArrowLeft")
    opened.page.keyboard.press("u")
    expect(opened.page.locator("#told")).to_have_text("Undone.")
    assert len(begin(run, Wish(models=("careful",))).cases) == count


def test_everything_can_be_undone(opened: Opened, home: Path) -> None:
    """Pictures, masks and the task's file are as before."""
    page = opened.page
    files = {file: file.read_bytes() for file in sorted(home.iterdir())}
    page.keyboard.press("a")
    progress(page, f"2 of {len(opened.session.cases)}")
    page.keyboard.press("m")
    drag(page, "shot", (0.1, 0.1), (0.2, 0.2))
    page.keyboard.press("Enter")
    progress(page, f"3 of {len(opened.session.cases)}")
    assert len(list(home.iterdir())) == len(files) + 1
    for _ in range(2):
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("u")
        expect(page.locator("#facts .chip.good")).to_have_count(0)
    assert {file: file.read_bytes() for file in sorted(home.iterdir())} == files


def test_review_ends_with_what_was_done(opened: Opened) -> None:
    """After the last picture: counts, and the files that were written."""
    count = len(opened.session.cases)
    opened.page.keyboard.press("a")
    for number in range(2, count + 1):
        progress(opened.page, f"{number} of {count}")
        opened.page.keyboard.press("r")
    progress(opened.page, "Done")
    expect(opened.page.locator("#sum")).to_have_text(
        f"1 accepted, 0 masked, {count - 1} rejected."
    )
    expect(opened.page.locator("#files li")).to_have_count(1)


def test_views_and_help_by_key(opened: Opened) -> None:
    """Side by side, flipped, the differences, real size; ? shows the keys."""
    page = opened.page
    figures = ("reference", "shot", "diff")
    shown = []
    for key in ("1", "2", " ", " ", "3"):
        page.keyboard.press(key)
        shown.append(
            [name for name in figures if page.locator(f"#figure-{name}").is_visible()]
        )
    assert shown == [
        ["reference", "shot"],
        ["reference"],
        ["shot"],
        ["reference"],
        ["diff"],
    ]
    image = page.locator("[data-of=diff] img")
    page.keyboard.press("z")
    assert image.evaluate("one => one.width === one.naturalWidth")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("a")  # behind the dialog, nothing is decided
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    progress(page, f"1 of {len(opened.session.cases)}")


def test_buttons_do_what_keys_do(opened: Opened) -> None:
    """A mouse alone is enough, and a clicked button swallows no key."""
    page, count = opened.page, len(opened.session.cases)
    page.get_by_role("button", name="Mask").click()
    drag(page, "shot", (0.1, 0.1), (0.4, 0.4))
    page.keyboard.press("Enter")
    progress(page, f"2 of {count}")
    page.get_by_role("button", name="Reject").click()
    progress(page, f"3 of {count}")
    assert opened.session.count("masked") == opened.session.count("rejected") == 1


def test_mask_without_a_region_is_refused(opened: Opened, home: Path) -> None:
    """The page says what is missing; nothing is written."""
    text = (home / "task.iwr.yaml").read_bytes()
    opened.page.keyboard.press("m")
    opened.page.keyboard.press("Enter")
    expect(opened.page.locator("#told")).to_have_text("Draw a region first.")
    assert (home / "task.iwr.yaml").read_bytes() == text


def test_file_that_cannot_be_edited_is_told(opened: Opened, home: Path) -> None:
    """With the line and what to write there by hand."""
    file = home / "task.iwr.yaml"
    file.write_text(file.read_text().replace("start: 00.png", "start: >-\n  00.png"))
    opened.page.keyboard.press("m")
    drag(opened.page, "shot", (0.1, 0.1), (0.4, 0.4))
    opened.page.keyboard.press("Enter")
    told = opened.page.locator("#told.bad")
    expect(told).to_contain_text("by hand: {box: [0.1")
    progress(opened.page, f"1 of {len(opened.session.cases)}")


def test_other_pages_wait_where_one_is_accepted(run: RunFolder) -> None:
    """A picture compared with the old reference cannot become the new one."""
    session = begin(run)
    first, second = (c for c in session.cases if c.checked.step == 0)
    one, two = session.cases.index(first), session.cases.index(second)
    session.decide(one, "accepted")
    stale = session.progress()["stale"]
    assert isinstance(stale, list)
    assert first.whose in stale[two]
    with pytest.raises(Exception, match="became the reference meanwhile"):
        session.decide(two, "accepted")
    session.undo(one)
    session.decide(two, "accepted")
    assert second.reference.read_bytes() == second.shot.read_bytes()


def test_reference_that_was_changed_meanwhile_stays(run: RunFolder) -> None:
    """Somebody else's picture is not written over."""
    session = begin(run)
    reference = session.cases[0].reference
    reference.write_bytes(b"other")
    with pytest.raises(Exception, match="was changed meanwhile"):
        session.decide(0, "accepted")
    assert reference.read_bytes() == b"other"


def test_equal_pictures_are_shown_once(run: RunFolder) -> None:
    """Two models whose pages look the very same are one picture."""
    shots = sorted(run.path.glob("items/*/task-000/shot-00.png"))
    shots[1].write_bytes(shots[0].read_bytes())
    session = begin(run)
    (start,) = (c for c in session.cases if c.checked.step == 0)
    assert start.whose == "careful, hasty"


def test_masks_of_an_accepted_picture_come_with_it(run: RunFolder, home: Path) -> None:
    """Where the new reference has them is where its page had them."""
    file = home / "task.iwr.yaml"
    mask = "{image: 00.png, mask: [{role: status}]}"
    file.write_text(file.read_text().replace("start: 00.png", f"start: {mask}"))
    (home / "masks.json").write_text('{"00.png": [], "other.png": []}')
    for trace in run.path.glob("items/*/*/trace.json"):
        content = json.loads(trace.read_text())
        content["scale"] = 2.0
        box = {"x": 10, "y": 20, "width": 30, "height": 40}
        content["steps"][0] |= {"masks": [box], "masked": [1]}
        trace.write_text(json.dumps(content))
    session = begin(run)
    session.decide(0, "accepted")
    assert json.loads((home / "masks.json").read_text()) == {
        "00.png": [{"x": 5.0, "y": 10.0, "width": 15.0, "height": 20.0}],
        "other.png": [],
    }


def test_mask_of_this_review_stays_where_another_page_is_accepted(
    run: RunFolder, home: Path
) -> None:
    """The page ran without it; the new reference has it all the same."""
    session = begin(run)
    one, two = (n for n, c in enumerate(session.cases) if c.checked.step == 0)
    box = Box(x=16, y=18, width=32, height=36)
    session.decide(one, "masked", (box,))
    session.decide(two, "accepted")
    (kept,) = json.loads((home / "masks.json").read_text())["00.png"]
    assert kept == pytest.approx(box.model_dump(), abs=0.1)


def test_mask_that_nobody_looked_for_is_refused(run: RunFolder, home: Path) -> None:
    """A mask of a role that the task got after the run: its place is not known."""
    file = home / "task.iwr.yaml"
    mask = "{image: 00.png, mask: [{role: status}]}"
    file.write_text(file.read_text().replace("start: 00.png", f"start: {mask}"))
    session = begin(run)
    old = session.cases[0].reference.read_bytes()
    with pytest.raises(Exception, match="Run again, then review"):
        session.decide(0, "accepted")
    assert session.cases[0].reference.read_bytes() == old


def test_change_that_fails_half_way_leaves_nothing(run: RunFolder, home: Path) -> None:
    """The picture is there already when the task's masks cannot be written."""
    session = begin(run)
    (home / "masks.json").mkdir()
    before = {p: p.read_bytes() for p in home.iterdir() if p.is_file()}
    with pytest.raises(OSError, match=r"masks\.json"):
        session.decide(0, "masked", (Box(x=16, y=18, width=32, height=36),))
    assert {p: p.read_bytes() for p in home.iterdir() if p.is_file()} == before


def test_task_file_that_is_a_link_stays_one(run: RunFolder, home: Path) -> None:
    """What it leads to is written."""
    link, file = home / "task.iwr.yaml", home / "real.yaml"
    link.rename(file)
    link.symlink_to(file)
    session = begin(run)
    session.decide(0, "masked", (Box(x=16, y=18, width=32, height=36),))
    assert link.is_symlink()
    assert "mask:" in file.read_text()


def test_wishes_choose_pictures(run: RunFolder) -> None:
    """By similarity, by their minimum, by model."""
    every = begin(run).cases
    failed = begin(run, Wish(only_failed=True)).cases
    assert {case.checked.is_similar for case in failed} <= {False}
    below = begin(run, Wish(below=0.9)).cases
    assert len(below) == sum(c.checked.comparison.similarity < 0.9 for c in every)
    hasty = begin(run, Wish(models=("hasty",))).cases
    assert {case.result.model for case in hasty} == {"hasty"}


def test_tasks_may_lie_elsewhere(run: RunFolder, home: Path, tmp_path: Path) -> None:
    """A run from another machine meets its tasks by their ids."""
    moved = tmp_path / "here" / "deeper"
    moved.mkdir(parents=True)
    home.rename(moved / "task-000")
    with pytest.raises(UsageError, match="--tasks DIR"):
        begin(run)
    cases = find_cases(run, tmp_path / "here", Wish())
    assert cases[0].reference == moved / "task-000" / "00.png"


@pytest.mark.parametrize(
    ("change", "status"),
    (
        ({}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": None}, 403),
        ({"origin": "null"}, 403),
        ({"host": "evil.example"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"path": "wrong/0/rejected"}, 404),
        ({"path": "0/rejected"}, 404),
        ({"action": "0/removed"}, 404),
        ({"action": "99/rejected"}, 404),
        ({"action": "-1/rejected"}, 404),
        ({"body": "{"}, 409),
        ({"body": '{"boxes": "all"}'}, 409),
        ({"body": " " * 100_001}, 413),
        ({"method": "GET"}, 404),
    ),
)
def test_only_its_own_page_decides(
    run: RunFolder, change: dict[str, str | None], status: int
) -> None:
    """Another site, another host, another way of asking: nothing is decided."""
    session = begin(run)
    desk = Desk(session)
    with Loopback(desk, name="test") as loopback:
        connection = HTTPConnection("127.0.0.1", loopback.port, timeout=10)
        host = f"127.0.0.1:{loopback.port}"
        action = change.get("action", "0/rejected")
        path = change.get("path") or f"{desk.token}/{action}"
        headers: dict[str, str | None] = {
            "host": host,
            "origin": f"http://{host}",
            "content-type": "application/json",
        }
        headers |= {name: value for name, value in change.items() if name in headers}
        sent = {name: value for name, value in headers.items() if value is not None}
        connection.request(
            change.get("method") or "POST", f"/{path}", change.get("body") or "{}", sent
        )
        answer = connection.getresponse()
        answer.read()
        connection.close()
    assert answer.status == status
    assert session.count("rejected") == (status == 200)


def test_regions_outside_of_the_picture_are_cut(run: RunFolder) -> None:
    """What lies outside, or has no place, masks nothing."""
    session = begin(run)
    with pytest.raises(Exception, match="Draw a region first"):
        session.decide(0, "masked", (Box(x=900, y=0, width=50, height=50),))
    with pytest.raises(Exception, match="no place"):
        session.decide(0, "masked", (Box(x=float("nan"), y=0, width=5, height=5),))
    session.decide(0, "masked", (Box(x=-50, y=-50, width=9999, height=100),))
    task = load(Path(session.cases[0].task.path))
    assert task.start is not None
    assert task.start.mask[0].box == pytest.approx((0, 0, 1, 50 / 180), abs=1e-4)


def test_texts_of_pages_and_tasks_are_text(tmp_path: Path, chromium: Browser) -> None:
    """Names and sentences with markup change nothing."""
    run = make_run(tmp_path, Plan(tasks=1, say=lambda text: f"{text}{EVIL}"))
    for file in run.path.glob("items/*/*/trace.json"):
        trace = json.loads(file.read_text())
        file.write_text(json.dumps(trace | {"task": "task-000"}))
    desk = Desk(begin(run))
    page = chromium.new_page()
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    with Loopback(desk, name="test") as loopback:
        page.goto(f"http://127.0.0.1:{loopback.port}/{desk.token}/")
        expect(page.locator("#whose")).to_contain_text(EVIL)
        expect(page.locator("#headline")).to_contain_text(EVIL)
        assert page.title().endswith("Review")
        page.close()
    assert told == []


@pytest.mark.needs_npm
@pytest.mark.parametrize("scheme", ("light", "dark"))
def test_no_serious_finding_of_axe(opened: Opened, scheme: str) -> None:
    """Names, contrast, roles: on a picture, while drawing, with the keys shown."""
    page = opened.page
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of two
    # The page's own rules let no foreign script in; the browser's tools may.
    page.evaluate((fetch(*AXE) / "axe.min.js").read_text(encoding="utf-8"))
    find = """async () => (await axe.run()).violations
        .filter(found => ["serious", "critical"].includes(found.impact))
        .map(found => `${found.id}: ${found.nodes[0].html}`)"""
    assert page.evaluate(find) == []
    page.keyboard.press("m")
    assert page.evaluate(find) == []
    page.keyboard.press("Escape")
    page.keyboard.press("z")
    assert page.evaluate(find) == []
    page.keyboard.press("?")
    assert page.evaluate(find) == []


def test_regions_wait_for_the_picture(opened: Opened) -> None:
    """Before the page's picture is there, nobody knows where its regions are."""
    page, held = opened.page, list[Route]()

    def hold(route: Route) -> None:
        held.append(route)

    cases = page.request.get(f"{opened.address}cases.json").json()["cases"]
    masked = next(n for n, case in enumerate(cases) if case["masks"])
    page.route("**/shot", hold)
    page.goto(f"{opened.address}?again#{masked + 1}")
    page.locator('[data-of="reference"].fits').wait_for()  # its picture is there
    assert page.locator(".region").count() == 0
    for route in held:
        route.continue_()
    region = page.locator('[data-of="reference"] .region').first
    region.wait_for()
    assert region.evaluate("it => it.offsetLeft < it.parentElement.offsetWidth")


def test_large_pictures_scroll_by_keyboard(opened: Opened) -> None:
    """In their own size; elsewhere the arrows turn to other pictures."""
    page = opened.page
    page.set_viewport_size({"width": 200, "height": 500})
    page.keyboard.press("z")
    frame = page.locator('[data-of="shot"]')
    frame.focus()
    page.keyboard.press("ArrowRight")
    expect(frame).not_to_have_js_property("scrollLeft", 0)
    progress(page, f"1 of {len(opened.session.cases)}")
    frame.blur()
    page.keyboard.press("ArrowRight")
    progress(page, f"2 of {len(opened.session.cases)}")


def test_command_reviews_until_its_end(run: RunFolder, home: Path) -> None:
    """It prints the address with its token, and at Ctrl-C what was decided."""
    command = [sys.executable, "-m", "pytest_iwr", "review", str(run.path), "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        found = re.fullmatch(r"(\d+) pictures of run: http://(\S+?)/(\S+)/\n", first)
        assert found is not None
        assert process.stdout.readline() == "Ctrl-C ends it.\n"
        connection = HTTPConnection(found[2], timeout=10)
        headers = {"origin": f"http://{found[2]}", "content-type": "application/json"}
        connection.request("POST", f"/{found[3]}/0/accepted", "{}", headers)
        assert connection.getresponse().status == 200
        connection.close()
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read().split("\n")
        assert process.wait(20) == 0
    assert f"1 accepted, 0 masked, 0 rejected of {found[1]}" in rest
    assert f"  wrote {home / '00.png'}" in rest


def test_nothing_to_go_through_is_told(
    run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    """Equal pictures, or all rejected before: the status is 0 at once."""
    assert main(["review", str(run.path), "--below", "0"]) == 0
    assert capsys.readouterr().out == "Nothing to go through.\n"
    session = begin(run)
    for number in range(len(session.cases)):
        session.decide(number, "rejected")
    assert main(["review", str(run.path)]) == 0
    assert "rejected before; --again shows them" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words", (["nowhere"], ["--below", "2"], ["--tasks", "nowhere"])
)
def test_wrong_use_is_told(
    run: RunFolder, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """No run, no similarity, no tasks: the status is 4."""
    named = [] if words == ["nowhere"] else [str(run.path)]
    assert main(["review", *named, *words]) == 4
    assert capsys.readouterr().err
