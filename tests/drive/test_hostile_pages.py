"""Pages that hang, trap, flood or reach out: bounded, recorded, never our fault."""

import time

import pytest

from pytest_iwr.errors import TaskError
from tests.drive.kit import RESULT, Drive, failure, result, went_well

GO = {"click": {"role": "button", "name": "Go"}}


def test_dialogs_follow_the_plan_in_order(drive: Drive) -> None:
    """Confirm, prompt and alert are answered as the step says; without, dismissed."""
    page = """<button>Go</button><script>document.querySelector("button").onclick = () => {
    if (!confirm("Rename?")) return R("cancelled");
    const n = prompt("New name", "Ann"); alert("Saved " + n); R("saved:" + n); };
    </script>"""
    plan = ["accept", {"answer": "Bo"}, "accept"]
    planned = drive(page, {**GO, "dialogs": plan, "expect": [result("saved:Bo")]})
    went_well(planned, 1)
    bare = drive(page, {**GO, "expect": [result("cancelled")]})
    went_well(bare, 1)
    assert [d.text for d in bare.steps[1].dialogs] == ["Rename?"]


def test_new_window_is_followed_until_it_closes(drive: Drive) -> None:
    """The newest window of the same origin counts; then the old one again."""
    files = {
        "index.html": "<h1>Invoices</h1><button onclick=\"window.open('b.html')\">Go</button>",
        "b.html": "<h1>Receipt</h1><button onclick='window.close()'>Close</button>",
    }
    steps = [
        {**GO, "expect": [{"text": "Receipt"}]},
        {"click": {"name": "Close"}, "expect": [{"text": "Invoices"}]},
    ]
    went_well(drive(files, *steps), 2)


def test_storm_of_windows_is_capped(drive: Drive) -> None:
    """No page can open more than a handful of windows."""
    storm = "for (let i = 0; i < 25; i++) window.open('index.html?' + i)"
    page = f'<button onclick="{storm}">Go</button>'
    trace = drive(page, {**GO, "timeout_s": 15})
    went_well(trace, 1)
    assert trace.steps[1].windows <= 6


def test_busy_loop_fails_in_time_and_the_next_page_is_well(drive: Drive) -> None:
    """A page that loops for ever is ended from outside; the browser is replaced."""
    page = "<button onclick='for(;;);'>Go</button>"
    began = time.monotonic()
    assert failure(drive(page, {**GO, "timeout_s": 1.0}))[:2] == (
        1,
        "page_unresponsive",
    )
    assert time.monotonic() - began < 20
    went_well(drive("<p>fine</p>", {"wait": {"text": "fine"}}), 1)


def test_busy_loop_on_load_is_a_failed_page(drive: Drive) -> None:
    """The page is to blame, not the browser."""
    trace = drive("<h1>x</h1><script>for(;;);</script>", GO)
    assert failure(trace)[:2] == (0, "page_unresponsive")


def test_endless_alerts_fail_the_step(drive: Drive) -> None:
    """After twenty dialogs in a step nobody waits for the next."""
    page = "<button onclick='while (true) alert(1)'>Go</button>"
    trace = drive(page, GO)
    assert failure(trace)[:2] == (1, "too_many_dialogs")


def test_printing_and_leaving_do_not_trap(drive: Drive) -> None:
    """`print` does nothing, and we leave in spite of `beforeunload`."""
    page = """<button onclick="print(); R('after')">Go</button><input aria-label="Draft">
    <script>onbeforeunload = e => { e.preventDefault(); e.returnValue = "x"; }</script>"""
    steps = [
        {**GO, "expect": [result("after")]},
        {"type": {"into": {"name": "Draft"}, "text": "x"}},
        {"reload": {}, "expect": [{"value": "", "in": {"name": "Draft"}}]},
    ]
    began = time.monotonic()
    went_well(drive(page, *steps), 3)
    assert time.monotonic() - began < 15


def test_polling_page_is_ready_in_time(drive: Drive) -> None:
    """A page whose network never rests is not waited for."""
    files = {
        "index.html": "<h1>Live</h1><script>setInterval(() => fetch('p.json'), 100)</script>",
        "p.json": "{}",
    }
    trace = drive(files, {"wait": {"text": "Live"}})
    went_well(trace, 1)
    assert trace.steps[0].duration_s < 8


def test_requests_off_the_origin_are_blocked_and_listed(drive: Drive) -> None:
    """Nothing leaves the machine, nor reaches another server on it."""
    page = """<script src="https://cdn.tailwindcss.com"></script>
    <link rel="stylesheet" href="//unpkg.com/normalize.css">
    <img src="http://127.0.0.1:9/x.png"><script>
    fetch("http://localhost:9/y").catch(() => {});
    try { new WebSocket("ws://example.org/z"); } catch {}
    R(window.tailwind ? "online" : "offline");</script>"""
    trace = drive(page, {"wait": result("offline")})
    went_well(trace, 1)
    assert {request.url for request in trace.external} == {
        "https://cdn.tailwindcss.com/",
        "http://unpkg.com/normalize.css",
        "http://127.0.0.1:9/x.png",
        "http://localhost:9/y",
        "ws://example.org/z",
    }


def test_page_cannot_fake_what_is_seen(drive: Drive) -> None:
    """Overwritten prototypes of the page do not reach the driver's own world."""
    page = """<p>plain</p><script>
    Element.prototype.getBoundingClientRect = () => ({left: 0, top: 0, right: 99, bottom: 99});
    Object.defineProperty(Node.prototype, "textContent", { get: () => "Winner" });
    window.getComputedStyle = () => ({});
    JSON.stringify = () => "null"; Array.prototype.map = () => [];
    </script>"""
    trace = drive(page, {"wait": {"text": "Winner"}})
    assert failure(trace)[1] == "expectation"
    went_well(drive(page, {"wait": {"text": "plain"}}), 1)


@pytest.mark.parametrize("value", ("'gone'", "undefined", "({beat: 'x'})"))
def test_page_cannot_garble_what_its_clock_says(drive: Drive, value: str) -> None:
    """Whatever becomes of JSON in the page's world, the page is driven."""
    page = f"""<p>plain</p><script>Object.prototype.toJSON = () => {value};
    Array.prototype.filter = () => [{{}}]; Math.max = () => {value};</script>"""
    went_well(drive(page, {"wait": {"text": "plain"}}), 1)


def test_console_and_missing_files_are_recorded(drive: Drive) -> None:
    """A step carries what the page said and what it did not get."""
    page = """<script src="gone.js"></script>
    <button onclick="console.warn('careful'); missing()">Go</button>"""
    trace = drive(page, GO)
    went_well(trace, 1)
    lines = [(m.level, m.text) for m in trace.steps[1].console]
    assert ("warning", "careful") in lines
    assert any(level == "uncaught" and "missing" in text for level, text in lines)
    assert [(q.url, q.status) for q in trace.steps[0].requests] == [("/gone.js", 404)]


def test_clock_and_random_numbers_are_the_tasks(drive: Drive) -> None:
    """`Date` starts where the task says, random numbers repeat by seed."""
    page = """<p id="p"></p><script>
    p.textContent = new Date().toISOString().slice(0, 16) + " " + typeof Date()
      + " " + Math.random().toFixed(6);</script>"""
    step = {"wait": {"text": "2031-05-06T07:08 string"}}
    clock = "2031-05-06T07:08:00Z"
    texts = []
    for seed in (7, 7, 8):
        trace = drive(page, step, clock=clock, seed=seed)
        went_well(trace, 1)
        texts.append(trace.steps[1].outcomes[0].seen)
    assert texts[0] == texts[1] != texts[2]


def test_secret_way_to_the_clock_is_not_for_the_page(drive: Drive) -> None:
    """Held timers go on after a picture: the page sees no gap that it could use."""
    page = f"""{RESULT}<p id="p">0</p><script>let n = 0;
    setInterval(() => p.textContent = ++n, 20);</script>"""
    steps = [{"wait": {"visible": {"css": "p"}}}] * 3
    went_well(drive(page, *steps), 3)


NAMES = ("tagName", "children", "getAttribute", "textContent", "closest", "matches")


@pytest.mark.parametrize("name", NAMES)
def test_fields_may_be_named_as_they_like(drive: Drive, name: str) -> None:
    """A field's name hides what the browser knows of its form, and does no harm."""
    page = f"<form><input name={name}><button type=button onclick='R(1)'>Go</button>"
    went_well(drive(page, {**GO, "expect": [result("1"), {"text": "Go"}]}), 1)


def test_document_that_is_written_anew_gets_input(drive: Drive) -> None:
    """`document.write` after loading takes all listeners away; ours come back."""
    second = "<button onclick=document.body.append(2)>Next</button>"
    page = f"<button onclick='document.write(`{second}`);document.close()'>Go</button>"
    went_well(
        drive(page, GO, {"click": {"name": "Next"}, "expect": [{"text": "2"}]}), 2
    )


def test_halves_of_characters_are_borne(drive: Drive) -> None:
    """A text that is cut within an emoji can still be written down."""
    page = f"""<p>{"x" * 199}\U0001f600</p><button>Go</button><script>
    console.log("\\ud83d"); onclick = () => alert("\\ud83d")</script>"""
    trace = drive(page, GO)
    went_well(trace, 1)
    trace.model_dump_json()


@pytest.mark.parametrize("url", ("''", "URL.createObjectURL(new Blob([page], html))"))
def test_written_window_is_followed(drive: Drive, url: str) -> None:
    """A window that a script fills is the page's own, with an address or without."""
    page = f"""<button>Go</button><script>const html = {{type: "text/html"}};
    const page = "<button onclick=document.body.append(2)>Mark</button>";
    document.querySelector("button").onclick = () => {{
      const made = open({url}); if (!{url}) made.document.write(page); }}</script>"""
    went_well(
        drive(page, GO, {"click": {"name": "Mark"}, "expect": [{"text": "2"}]}), 2
    )


@pytest.mark.parametrize("event", ("mousedown", "keydown"))
def test_window_that_closes_itself_at_once_is_left(drive: Drive, event: str) -> None:
    """The touch or the key arrived, though its window is no more."""
    files = {
        "index.html": "<button onclick='window.open(`b.html`)'>Go</button>",
        "b.html": f"<button>Bye</button><script>on{event} = () => close()</script>",
    }
    act = {"press": "Escape"} if event == "keydown" else {"click": {"name": "Bye"}}
    went_well(drive(files, GO, act, GO), 3)


def test_selector_that_no_browser_knows_is_the_tasks_fault(drive: Drive) -> None:
    """The page is not to blame; the message names the step."""
    with pytest.raises(
        TaskError, match=r"steps\[0\]: .* is not a valid selector\. Correct it\.$"
    ):
        drive("<p>x</p>", {"click": {"css": "a["}})


def test_download_is_no_page_to_go_to(drive: Drive) -> None:
    """The step fails; nothing breaks."""
    trace = drive({"index.html": "<p>x</p>", "f.zip": "zip"}, {"goto": "/f.zip"})
    assert failure(trace)[:2] == (1, "navigation_failed")


def test_clock_wound_up_by_promises_is_not_waited_for(drive: Drive) -> None:
    """A page that ticks in asynchronous code is gone on with, and it is said why."""
    page = """<button>Go</button><p id="p"></p><script>(async () => {
    for (let n = 0;; n++) { p.textContent = n; await new Promise(r => setTimeout(r, 50)); }
    })();</script>"""
    trace = drive(page, GO)
    went_well(trace, 1)
    assert "timers are due" in trace.steps[1].unsettled


def test_page_that_brings_its_process_down_has_failed(drive: Drive) -> None:
    """It is the page's fault, and the next page is well."""
    page = """<p>deep</p><script>let e = document.body;
    for (let i = 0; i < 4000; i++) e = e.appendChild(document.createElement("div"));
    </script>"""
    trace = drive(page, {"wait": {"text": "deep"}})
    assert failure(trace)[:2] == (0, "page_crashed")
    went_well(drive("<p>fine</p>", {"wait": {"text": "fine"}}), 1)


_HALF = r"'\ud83d'"
_THROWN = f"const e = new Error({_HALF} + name); e.name = {_HALF};"
_STACK = f"'Error\\n    at x (http://h/' + {_HALF} + ':1:1)'"


@pytest.mark.parametrize(
    "page",
    (
        'b.onclick = () => { throw new Error("Cannot add item: 🛒".slice(0, 18)) }',
        f"b.onclick = () => {{ {_THROWN} throw e }}",
        f"b.onclick = () => {{ {_THROWN} e.stack = {_STACK}; throw e }}",
        f"b.onclick = eval('() => console.log(1) //# sourceURL=' + {_HALF})",
        f"b.onclick = () => {{ eval('throw 1 //# sourceURL=' + {_HALF}) }}",
        f"b.onclick = () => {{ location.hash = document.title = b.name = {_HALF} }}",
        f"b.onclick = () => {{ fetch('/' + {_HALF}); alert({_HALF}) }}",
        f"b.addEventListener('click', new Function('/*' + {_HALF} + '*/'))",
    ),
    ids=("text", "name", "stack", "place", "thrown", "page", "request", "function"),
)
def test_what_a_page_says_can_be_written(drive: Drive, page: str) -> None:
    """Whatever it throws, and wherever it says that it is."""
    html = f"<button id=b>Go</button><script>{page}</script>"
    trace = drive(html, {"click": {"name": "Go"}, "expect": [{"text": "Thanks"}]})
    assert trace.failed is not None
    assert trace == type(trace).model_validate_json(trace.model_dump_json())


@pytest.mark.parametrize("place", ("location.origin + '[a'", "'http:'.repeat(1e5)"))
def test_page_may_write_any_stack(drive: Drive, place: str) -> None:
    """Of an error that it throws; a place is read from it quickly, or none."""
    page = f"""<button id=b>Go</button><script>b.onclick = () => {{
    const e = new Error("no"); e.stack = `Error: no\n    at x (${{{place}}}:1:1)`;
    throw e }}</script>"""
    trace = drive(page, {"click": {"name": "Go"}, "expect": [{"text": "Thanks"}]})
    assert trace.failed is not None
    assert [line.text for line in trace.failed.console] == ["Error: no"]
    assert len(trace.failed.console[0].where) < 3000
    assert trace.duration_s < 20
