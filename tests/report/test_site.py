"""The report, opened in a real browser from the disk, as people do."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from benchmarks.report.made_run import Plan, make_large_run, make_run
from pytest_iwr.artifacts import RunFolder
from pytest_iwr.report.site import write_site
from tests.report.conftest import Open

EVIL = (
    "<img src=x onerror=\"document.title='666'\"></script><script>document.title="
    "'667'</script><svg onload=alert(1)></textarea></style></template>"
    "'\"{{ 7*7 }}</title><!--pictures-->"
)


def rows(run: RunFolder) -> list[dict[str, object]]:
    """Give the rows of the summary."""
    found: list[dict[str, object]] = json.loads(run.summary.read_text())["tasks"]
    return found


def failed_item(run: RunFolder) -> Path:
    """Give the page of the first evaluation that failed at a step."""
    lines = map(json.loads, run.results.read_text().splitlines())
    folder: str = next(line["folder"] for line in lines if line["failed_step"])
    return run.path / folder / "index.html"


def test_verdict_is_a_sentence(run: RunFolder, open_page: Open) -> None:
    """The first thing on the page says how many failed, why most often, who is best."""
    failed = sum(row["status"] == "failed" for row in rows(run))
    with open_page(run.index) as (page, _, _):
        text = page.locator("h1").inner_text()
    assert text.startswith(f"{failed} of 16 scored evaluations failed, most often by")
    assert "is best, with Final" in text


def test_failed_step_says_why(run: RunFolder, open_page: Open) -> None:
    """Below its reason, and in the details what was found."""
    with open_page(failed_item(run)) as (page, _, _):
        step = page.locator("li.step.failed").first
        expect(step).to_contain_text("Why: ")
        # Not where it lay on the machine of the run.
        expect(page.locator("body")).to_contain_text(re.compile(r"\btasks/\S+yaml:\d"))
        assert str(run.path.parent) not in page.locator("main").inner_text()


def test_each_model_has_its_numbers_and_their_spread(
    run: RunFolder, open_page: Open
) -> None:
    """Mean, deviation, and the mean of each epoch."""
    models = json.loads(run.summary.read_text())["models"]
    with open_page(run.index) as (page, _, _):
        for name, model in models.items():
            card = page.locator(".card").filter(has_text=name)
            for field in ("ifs", "vfs", "final"):
                expect(card).to_contain_text(f"{model[field]:.4f}")
            expect(card.locator("svg.spread")).to_have_count(3)
            expect(card).to_contain_text(re.compile(r"epochs: \d\.\d{4}, \d\.\d{4}"))


@pytest.mark.parametrize(
    ("name", "value", "field"),
    (
        ("model", "hasty", "model"),
        ("status", "failed", "status"),
        ("level", "L2", "level"),
        ("domain", "game", "domain"),
    ),
)
def test_filter_keeps_what_fits(
    run: RunFolder, open_page: Open, name: str, value: str, field: str
) -> None:
    """Only rows that fit are shown, and the address says which filter is on."""
    with open_page(run.index) as (page, complaints, _):
        data = json.loads(page.locator("#data").inner_text())
        page.locator(f"select[name={name}]").select_option(value)
        fitting = sum(row[field] == value for row in data)
        expect(page.locator("#rows tbody tr")).to_have_count(fitting)
        expect(page).to_have_url(re.compile(f"#{name}={value}$"))
    assert complaints == []


def test_text_is_searched_and_cleared(run: RunFolder, open_page: Open) -> None:
    """All words must be in a row; Clear shows everything again."""
    with open_page(run.index) as (page, _, _):
        page.keyboard.press("/")
        page.keyboard.type("task-001 hasty")
        expect(page.locator("#rows tbody tr")).to_have_count(2)
        page.get_by_role("button", name="Clear").click()
        expect(page.locator("#rows tbody tr")).to_have_count(16)


def test_address_restores_filter_and_order(run: RunFolder, open_page: Open) -> None:
    """A copied address shows the same rows in the same order."""
    with open_page(run.index, "#q=task-002&model=careful&sort=-final") as (page, _, _):
        expect(page.locator("#rows tbody tr")).to_have_count(2)
        finals = page.locator('td[data-label="Final"]').all_inner_texts()
        assert finals == sorted(finals, reverse=True)
        head = page.locator('th[aria-sort="descending"]')
        expect(head).to_have_text(re.compile("Final"))


def test_viewer_opens_at_what_broke_within_one_click(
    run: RunFolder, open_page: Open
) -> None:
    """The pictures of a failed row lead to the viewer at the broken step."""
    with open_page(run.index) as (page, complaints, _):
        page.locator("tr.failed a.pictures").first.click()
        expect(page.locator("#viewer")).to_be_visible()
        expect(page.locator('figure[data-side="shot"] img')).to_have_js_property(
            "naturalWidth", 320
        )
        expect(page).to_have_url(re.compile("#step="))
    assert complaints == []


def test_each_kind_of_break_is_shown_with_a_way_to_it(
    run: RunFolder, open_page: Open
) -> None:
    """Reference and page above the table; a click opens the viewer at what broke."""
    kinds = {row["kind"] for row in rows(run) if row["kind"]}
    with open_page(run.index) as (page, complaints, _):
        examples = page.locator("a.example")
        expect(examples).to_have_count(4)
        expect(examples.first.locator("img")).to_have_count(2)
        first = examples.locator(".chip").all_inner_texts()[: len(kinds)]
        assert len(set(first)) == len(first)
        examples.first.click()
        expect(page.locator("#viewer-mark")).to_be_visible()
    assert complaints == []


def test_what_differs_is_shown_close_up(run: RunFolder, open_page: Open) -> None:
    """The same region of both pictures, only side by side and with the words."""
    with open_page(failed_item(run), "#step=0") as (page, complaints, _):
        close = page.locator("#viewer-closeups svg")
        expect(close).to_have_count(2 * page.locator(".closeup").count())
        expect(close.first.locator("image")).to_have_attribute("href", re.compile("."))
        page.keyboard.press("2")
        expect(close).to_have_count(0)
    assert complaints == []


def test_keys_change_view_step_and_layers(run: RunFolder, open_page: Open) -> None:
    """Digits choose the view, arrows the step, letters the layers; Esc closes."""
    with open_page(failed_item(run), "#step=0") as (page, complaints, _):
        stage = page.locator(".stage")
        for key, mode in zip(
            "12345", ("side", "slider", "flip", "onion", "diff"), strict=True
        ):
            page.keyboard.press(key)
            expect(stage).to_have_attribute("data-mode", mode)
        page.keyboard.press("1")
        expect(page.locator("figure:visible rect.missing")).to_have_count(1)
        expect(page.locator("figure:visible rect.moved")).to_have_count(2)
        expect(page.locator("figure:visible rect.mask")).to_have_count(2)
        for key, kind in (("w", "added"), ("m", "moved"), ("k", "mask")):
            page.keyboard.press(key)
            expect(page.locator(f"rect.{kind}")).to_have_count(0)
        expect(page).to_have_url(re.compile("#step=0&show=$"))
        page.keyboard.press("ArrowRight")
        expect(page.locator("#viewer-title")).to_have_text(re.compile(r"^1 · "))
        page.keyboard.press("?")
        expect(page.locator("#keys")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#viewer")).to_be_hidden()
        expect(page).to_have_url(re.compile("index.html$"))
    assert complaints == []


def test_slider_uncovers_the_page(run: RunFolder, open_page: Open) -> None:
    """At 0 the page is seen, at 100 the reference; by keys and by hand."""
    clip = "e => getComputedStyle(e).clipPath"
    with open_page(failed_item(run), "#step=0&mode=slider") as (page, _, _):
        canvas = page.locator('figure[data-side="shot"] .canvas')
        assert canvas.evaluate(clip) == "inset(0px 0px 0px 50%)"
        page.keyboard.press(".")
        assert canvas.evaluate(clip) == "inset(0px 0px 0px 55%)"
        page.locator("#viewer-at").focus()
        page.keyboard.press("Home")
        assert canvas.evaluate(clip) == "inset(0px 0px 0px 0%)"
        box = canvas.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + box["width"] * 0.75, box["y"] + 20)
        assert canvas.evaluate(clip) == "inset(0px 0px 0px 75%)"


def test_page_runs_in_a_frame_that_can_do_nothing(
    run: RunFolder, open_page: Open
) -> None:
    """It runs when asked to, without the report's origin."""
    with open_page(failed_item(run)) as (page, complaints, requests):
        assert len(page.frames) == 1
        page.get_by_role("button", name="Run the page here").click()
        expect(page.frame_locator("iframe").locator("#here")).to_have_text("it runs")
        frame = page.locator("iframe")
        expect(frame).to_have_attribute("sandbox", "allow-scripts")
        assert page.frames[1].evaluate("self.origin") == "null"
    assert complaints == []
    assert requests == []


def test_hostile_texts_stay_texts(tmp_path: Path, open_page: Open) -> None:
    """Markup in names, titles, console, reasons and words changes nothing (case 29)."""
    plan = Plan(tasks=1, models=("m",), say=lambda text: f"{text} {EVIL}")
    run = make_run(tmp_path, plan)
    folder = next((run.path / "items").glob("*/*"))
    evidence = json.dumps({"reply": EVIL})
    (folder / "judge-01.json").write_text(evidence, encoding="utf-8")
    write_site(run)
    for path in (run.index, *run.path.glob("items/*/*/index.html")):
        with open_page(path, "#step=0") as (page, complaints, requests):
            page.evaluate(
                "document.querySelectorAll('details').forEach(d => d.open = true)"
            )
            assert not page.title().startswith("66")
            assert page.locator("img[src='x'], svg[onload]").count() == 0
            assert page.locator("body").inner_text().count("onerror=") >= 5
        assert complaints == []
        assert requests == []


@pytest.mark.parametrize("dark", (False, True))
def test_phone_needs_no_sideways_scrolling(
    run: RunFolder, open_page: Open, *, dark: bool
) -> None:
    """At 360 px, on the overview, a task's page and in the viewer."""
    item = failed_item(run)
    for path, hash_ in ((run.index, ""), (item, ""), (item, "#step=0")):
        with open_page(path, hash_, width=360, dark=dark) as (page, _, _):
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= 360
            ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (ground == "rgb(18, 21, 26)") is dark


def test_thousands_of_rows_are_drawn_a_piece_at_a_time(
    tmp_path: Path, open_page: Open
) -> None:
    """All are counted, sorted and searched; more are drawn as one scrolls."""
    run = make_large_run(tmp_path, 5000)
    write_site(run)
    with open_page(run.index) as (page, complaints, _):
        drawn = page.locator("#rows tbody tr")
        assert 0 < drawn.count() < 200
        expect(page.locator("#shown")).to_have_text("5000 evaluations")
        before = drawn.count()
        page.locator("#more").scroll_into_view_if_needed()
        expect(drawn.nth(before)).to_be_attached()
        page.get_by_role("button", name="Final").click()
        page.get_by_role("button", name="Final").click()
        finals = [
            float(text)
            for text in page.locator('td[data-label="Final"]').all_inner_texts()
        ]
        assert finals == sorted(finals, reverse=True)
        page.locator("input[name=q]").fill("task-4321")
        expect(drawn).to_have_count(1)
    assert complaints == []


def test_video_follows_the_steps(tmp_path: Path, open_page: Open) -> None:
    """A step leads to its place in the video, and the video to its step."""
    run = make_run(tmp_path, Plan(tasks=1, models=("m",), has_video=True))
    write_site(run)
    item = next(run.path.glob("items/*/*/index.html"))
    with open_page(item) as (page, complaints, _):
        video = page.locator("video")
        expect(page.locator("#step-2 .when")).to_have_text("0:02")
        page.locator("#step-2 .seek").click()
        expect(video).to_have_js_property("currentTime", 2)
        expect(page.locator("#step-2")).to_have_class(re.compile(r"\bnow\b"))
        video.evaluate("video => { video.currentTime = 1.2 }")
        expect(page.locator("#step-1")).to_have_class(re.compile(r"\bnow\b"))
    assert complaints == []


def test_judge_is_shown_with_prompt_pictures_and_reply(
    run: RunFolder, open_page: Open
) -> None:
    """As it was written down."""
    with open_page(failed_item(run)) as (page, _, _):
        judged = page.locator("details.judged")
        judged.locator("summary").click()
        for text in (
            "Does it hold?",
            '{"verdict": true}',
            "judge-1",
            "after: shot-01.png",
        ):
            expect(judged).to_contain_text(text)
        expect(page.locator("main")).to_contain_text("$0.0012")
        picture = judged.locator("img")
        picture.scroll_into_view_if_needed()
        expect(picture).to_have_js_property("naturalWidth", 320)
