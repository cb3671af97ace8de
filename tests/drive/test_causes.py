"""Why a step failed is told from what a real browser found on the page."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_iwr import records as r
from pytest_iwr.check import explain
from tests.drive.kit import Drive, failure, went_well

Why = Callable[..., r.Cause]
"""Pages and steps in, the cause of the failed step out."""

YES: dict[str, object] = {"expect": [{"text": "1 item"}]}
GO: dict[str, object] = {"click": {"name": "Go"}, **YES}
LIST = "<button>Go</button><p id=o>0 items</p><p id=likes>0 likes</p>"


def cause(trace: r.Trace, folder: Path) -> r.Cause:
    """Give the cause of the last step of a trace."""
    step = trace.failed
    assert step is not None, trace.steps
    assert step.failure is not None
    verdict = r.Verdict(
        step=step.number,
        passed=False,
        kind=step.failure.kind,
        reason=step.failure.message,
    )
    (told,) = explain(trace, r.Verdicts(steps=(verdict,)), folder).steps
    assert told.cause is not None
    return told.cause


@pytest.fixture
def why(drive: Drive, tmp_path: Path) -> Why:
    """Give a function that drives pages and tells why it ended."""

    def run(pages: str | dict[str, str | bytes], *steps: object) -> r.Cause:
        return cause(drive(pages, *steps), tmp_path / "shots")

    return run


# --- nobody there


@pytest.mark.parametrize(
    ("page", "step", "kind", "words"),
    (
        ("<p>x</p>", GO, "target_missing", "'Go' was not found"),
        ("<button hidden>Go</button>", GO, "hidden", "button 'Go'"),
        (
            "<button>Go</button><div role=dialog aria-label=Cookies style='position:fixed;inset:0'>",
            GO,
            "covered",
            "button 'Go' is covered by dialog 'Cookies'",
        ),
        ("<button>Go</button><button>Go</button>", GO, "ambiguous", "2 elements"),
        ("<button disabled>Go</button>", GO, "not_interactive", "is disabled"),
        ("<p>x</p>", {"goto": "/gone"}, "target_missing", "status 404"),
    ),
)
def test_what_cannot_be_touched_says_so(
    why: Why, page: str, step: object, kind: str, words: str
) -> None:
    """A target that is missing, hidden, covered, twofold or disabled is the cause."""
    told = why(page, step)
    assert told.kind == kind
    assert words in told.words


@pytest.mark.parametrize(
    "page",
    (
        LIST,
        f"<style>button:hover {{ color: red }}</style>{LIST}",
        LIST + "<script>document.onkeydown = () => o.textContent = '1 item'</script>",
        LIST + "<script>likes.onclick = () => o.textContent = '1 item'</script>",
        LIST.replace("<button>Go</button>", "<a href='#'>Go</a>"),
        LIST.replace("<button>Go</button>", "<a href='javascript:void(0)'>Go</a>"),
        f"<form onsubmit='return false'>{LIST}</form>".replace(
            "<button>", "<button type=button>"
        ),
    ),
    ids=("bare", "own-look", "other-event", "other-element", "hash", "void", "form"),
)
def test_dead_element_has_no_handler(why: Why, page: str) -> None:
    """Nothing that the click passed listens to it, and no default acts."""
    told = why(page, GO)
    assert told.kind == "no_handler", told
    assert told.words.startswith("nothing listens to the click on ")


def test_script_that_failed_before_is_named(why: Why) -> None:
    """A mistake in the writing of a script leaves its buttons dead; its line is told."""
    page = f"{LIST}\n<script>\nonclick = () => {{\n</script>"
    told = why(page, GO)
    assert told.kind == "no_handler"
    assert told.words.endswith(
        "a script failed before: SyntaxError: Unexpected end of input (/:4)"
    )


def test_script_that_was_blocked_is_named(why: Why) -> None:
    """A page that leans on a library from elsewhere is told which one it lacks."""
    told = why(f'<script src="https://cdn.example/vue.js"></script>{LIST}', GO)
    assert told.kind == "no_handler"
    assert "a script is missing: GET https://cdn.example/vue.js blocked" in told.words


def test_keys_that_nobody_hears_have_no_handler(why: Why) -> None:
    """That the field itself shows the text is no answer of the page."""
    field = "<input aria-label=Item><p id=o>0 items</p>"
    step = {"type": {"into": {"name": "Item"}, "text": "ab", "submit": True}, **YES}
    told = why(field, step)
    assert told.kind == "no_handler"
    assert told.words == "nothing listens to the keys on textbox 'Item'"


def test_pointer_that_nothing_feels_has_no_handler(why: Why) -> None:
    """No script and no rule of style answers to the pointer."""
    expect = [{"changed": {"name": "Go"}}]
    told = why(
        "<button style='all:unset'>Go</button>",
        {"hover": {"name": "Go"}, "expect": expect},
    )
    assert told.kind == "no_handler"


# --- handlers that fail


@pytest.mark.parametrize(
    ("script", "line"),
    (
        ("document.querySelector('button').onclick = () => {\nnull.x;\n};", 4),
        ("onclick = () =>\n\nundefined();", 5),
        ("onclick = async () => {\nawait 1;\nnull.x; };", 5),
        ("onclick = () => { setTimeout(() => {\nnull.x; }, 50); };", 4),
        ("onclick = () => {\nlikes.textContent = '9 likes'; null.x; };", 4),
        ("onclick = () => { Promise.reject(new TypeError('no')); };", 3),
        ("onclick = () => {\n throw new TypeError('boom'); };", 4),
    ),
)
def test_handler_that_throws_is_told_with_its_line(
    why: Why, script: str, line: int
) -> None:
    """Also later, in a promise, and where it had changed something else before."""
    told = why(f"{LIST}\n<script>\n{script}\n</script>", GO)
    assert told.kind == "handler_threw"
    assert "TypeError" in told.words
    assert told.words.endswith(f"(/:{line})")


def test_attribute_that_throws_is_told_with_its_line(why: Why) -> None:
    """The line is that of the page."""
    told = why("<p>0 items</p>\n\n<button onclick='missing()'>Go</button>", GO)
    assert told.kind == "handler_threw"
    assert told.words == (
        "what the click runs threw ReferenceError: missing is not defined (/:3)"
    )


def test_error_that_was_caught_and_logged_is_told(why: Why) -> None:
    """A script that writes an error to the console has failed all the same."""
    page = f"""{LIST}<script>onclick = () => {{ try {{ null.x }} catch (e) {{
    console.error('add', e) }} }}</script>"""
    told = why(page, GO)
    assert told.kind == "handler_threw"
    assert "caught add TypeError: " in told.words


def test_error_that_comes_all_the_time_is_no_answer(why: Why) -> None:
    """A clock that throws says nothing of the click."""
    page = f"""{LIST}<p id=t></p><script>let n = 0;
    setInterval(() => {{ if (++n == 3) t.textContent = "running"; null.x }}, 100);
    </script>"""
    told = why(page, {"wait": {"text": "running"}}, GO)
    assert told.kind == "no_handler"


def test_timer_that_throws_is_not_what_the_click_runs(why: Why) -> None:
    """Its numbers differ, its place does not; what the click changed is the cause."""
    page = f"""{LIST}<script>onclick = () => {{ o.textContent = "Added" }};
    let n = 0; setInterval(() => {{ throw new Error("tick " + n++) }}, 50);</script>"""
    told = why(page, {"wait": {"text": "0 items"}}, GO)
    assert told.kind == "wrong_result"
    assert "Added" in told.words


def test_dialog_is_named_where_it_is_the_answer(why: Why) -> None:
    """What an alert says does not stand on the page."""
    told = why(f"{LIST}<script>onclick = () => alert('1 item')</script>", GO)
    assert "only a dialog opened: alert '1 item'" in told.words


def test_button_that_lets_the_pointer_through_is_not_interactive(why: Why) -> None:
    """A rule of style takes the click from it."""
    told = why(f"<style>button {{ pointer-events: none }}</style>{LIST}", GO)
    assert told.kind == "not_interactive"
    assert "button 'Go' lets the pointer through to <body>" in told.words


# --- handlers that do something else


def delegated(node: str) -> str:
    """Give a page with one listener, far out, that does nothing."""
    return (
        f"<div id=root>{LIST}</div><script>{node}.addEventListener('click', event => "
        "{ if (event.target.id === 'add') o.textContent = '1 item'; });</script>"
    )


@pytest.mark.parametrize(
    ("node", "name"),
    (
        ("document", "the document"),
        ("window", "the window"),
        ("root", '<div id="root">'),
    ),
)
def test_delegated_handler_is_found(why: Why, node: str, name: str) -> None:
    """What stands far out and hears all clicks may have been meant to answer."""
    told = why(delegated(node), GO)
    assert told.kind == "wrong_result"
    assert f"nothing on the page changed, though {name} listens to click" in told.words


def test_handler_in_a_frame_is_found(why: Why) -> None:
    """The frame's own document is looked at."""
    inner = "<button>Go</button><script>document.onclick = () => {}</script>"
    pages: dict[str, str | bytes] = {
        "index.html": "<h1>x</h1><iframe src=in.html></iframe>",
        "in.html": inner,
        "dead.html": "<button>Go</button>",
    }
    assert "though the document listens" in why(pages, GO).words
    outer = "<iframe src=dead.html></iframe><script>onclick = () => {}</script>"
    assert why({**pages, "index.html": outer}, GO).kind == "no_handler"


@pytest.mark.parametrize("mode", ("open", "closed"))
def test_handler_in_a_shadow_root_is_found(why: Why, mode: str) -> None:
    """Also where a script outside could not see it."""
    page = f"""<x-go>Go</x-go><p>0 items</p><script>
    customElements.define("x-go", class extends HTMLElement {{ constructor() {{ super();
    const root = this.attachShadow({{mode: "{mode}"}});
    root.innerHTML = "<button><slot></slot></button>";
    root.querySelector("button").onclick = () => {{ }}; }} }});</script>"""
    told = why(page, {"click": {"text": "Go"}, **YES})
    assert told.kind == "wrong_result"


def test_handler_of_what_is_redrawn_is_found(why: Why) -> None:
    """The button that was clicked is another one by then."""
    page = f"""<div id=root></div>{LIST.replace("<button>Go</button>", "")}<script>
    const draw = () => {{ root.innerHTML = "<button>Go</button>";
      root.firstChild.onclick = draw; }}; draw();</script>"""
    told = why(page, GO)
    assert told.kind == "wrong_result"
    assert "button 'Go' listens to click" in told.words


@pytest.mark.parametrize(
    ("script", "words"),
    (
        (
            "likes.textContent = '1 like'",
            "text '0 likes' became '1 like' at 8,",
        ),
        ("likes.remove()", "text '0 likes' went"),
        (
            "likes.insertAdjacentHTML('afterend', '<button>Undo</button>')",
            "button 'Undo' appeared at 8,",
        ),
        ("document.body.style.background = '#fcc'", "looks different"),
    ),
)
def test_change_elsewhere_is_told(why: Why, script: str, words: str) -> None:
    """What came, went or became another, and where."""
    told = why(f"{LIST}<script>onclick = () => {{ {script} }}</script>", GO)
    assert told.kind == "changed_elsewhere"
    assert words in told.words


def test_hidden_part_is_told_beside_a_change_elsewhere(why: Why) -> None:
    """The wrong panel opens; the right one is there."""
    page = """<button onclick="a.hidden = false">Go</button>
    <div id=a hidden>Wrong</div><div id=b hidden>1 item</div>"""
    told = why(page, GO)
    assert told.kind == "changed_elsewhere"
    assert "text 'Wrong' appeared" in told.words
    assert "'1 item' is there but hidden" in told.words


def test_part_that_stays_hidden_is_told(why: Why) -> None:
    """A handler runs, and what it should show stays as it was."""
    page = """<button onclick="b.className = 'open'">Go</button>
    <div id=b style="display: none">1 item</div>"""
    told = why(page, GO)
    assert told.kind == "hidden"
    assert "'1 item' is there but stays hidden" in told.words


def test_wrong_number_is_a_wrong_result(why: Why) -> None:
    """The text that is looked for changed, and has another number."""
    told = why(f"{LIST}<script>onclick = () => o.textContent = '2 items'</script>", GO)
    assert told.kind == "wrong_result"
    assert told.words.startswith("text '0 items' became '2 items' at 8,")


def test_change_inside_the_place_that_is_looked_at_is_a_wrong_result(why: Why) -> None:
    """It is not elsewhere."""
    page = """<button onclick="o.textContent = 'empty'">Go</button>
    <div role=status aria-label=Cart><p id=o>none</p></div>"""
    place = {"role": "status", "name": "Cart"}
    step = {"click": {"name": "Go"}, "expect": [{"text": "one", "in": place}]}
    told = why(page, step)
    assert told.kind == "wrong_result"
    assert "text 'none' became 'empty'" in told.words


def test_place_that_is_not_there_is_missing(why: Why) -> None:
    """An expectation about a field that the page lacks cannot hold."""
    step = {
        "click": {"name": "Go"},
        "expect": [{"value": "x", "in": {"role": "textbox", "name": "City"}}],
    }
    told = why(f"{LIST}<script>onclick = () => likes.remove()</script>", step)
    assert told.kind == "target_missing"
    assert "the place to look in is not there" in told.words


def test_what_moves_by_itself_is_no_change(why: Why) -> None:
    """A clock and an animation go on whatever is clicked."""
    page = f"""{LIST}<p id=clock>10:00:00</p><canvas id=c width=40 height=40></canvas>
    <script>let n = 0; setInterval(() => {{ clock.textContent = "10:00:0" + ++n % 10;
    const g = c.getContext("2d"); g.fillStyle = ["red", "blue"][n % 2];
    g.fillRect(0, 0, 40, 40); }}, 300);</script>"""
    assert why(page, GO).kind == "no_handler"


def test_what_was_to_stay_changed_elsewhere(why: Why) -> None:
    """The step was to leave that part alone."""
    page = f"{LIST}<script>onclick = () => likes.textContent = '5 likes'</script>"
    step = {"click": {"name": "Go"}, "expect": [{"unchanged": True}]}
    told = why(page, step)
    assert told.kind == "changed_elsewhere"
    assert told.words.startswith("what was to stay changed: text '0 likes' became")


def test_link_that_is_blocked_is_told(why: Why) -> None:
    """A link has its own effect; here nothing came of it."""
    told = why("<a href='https://example.org/x'>Go</a>", GO)
    assert told.kind == "wrong_result"
    assert "GET https://example.org/x blocked" in told.words


def test_form_that_loads_the_page_anew_is_told(why: Why) -> None:
    """A form without a handler sends itself and loses everything."""
    told = why(f"<form>{LIST}</form>", GO)
    assert told.kind == "wrong_result"
    assert told.words.startswith("the page was loaded anew, and nothing")


def test_waiting_for_what_never_comes_misses_it(why: Why) -> None:
    """No input was given, so nothing was to handle it."""
    told = why(LIST, {"wait": {"text": "1 item"}})
    assert told.kind == "target_missing"
    assert told.words == "'1 item' is nowhere on the page"
    hidden = why(f"{LIST}<p hidden>1 item</p>", {"wait": {"text": "1 item"}})
    assert hidden.kind == "hidden"


@pytest.mark.parametrize(
    ("page", "words"),
    (
        ("<p>short</p>", "fits into 720 px"),
        (
            "<body style='overflow:hidden'><div style='height:9000px'>x</div>",
            "its style forbids it (overflow)",
        ),
        (
            "<div style='height:9000px'>x</div><script>addEventListener('wheel', e => e.preventDefault(), {passive: false})</script>",
            "a script holds it back",
        ),
    ),
)
def test_page_that_does_not_scroll_says_why(why: Why, page: str, words: str) -> None:
    """Too short, forbidden, or held back."""
    told = why(page, {"scroll": {"by": 0.5}})
    assert told.kind == "not_interactive"
    assert words in told.words


def test_keys_without_a_field_are_for_nobody(why: Why) -> None:
    """Typing into nothing is not interactive."""
    assert why("<p>x</p>", {"type": {"text": "abc"}}).kind == "not_interactive"


# --- bounded


HANGS_WHEN_LOOKED_AT_AGAIN = """<script>
const max = Math.max; let holds = 0;
Math.max = (...all) => {  // asked of this world whenever the page is held for a picture
  const [now, begun] = [Date.now(), performance.now()];
  while (performance.now() - begun < 5);
  if (Date.now() === now && ++holds === 3) for (;;);
  return max(...all); };</script>"""


def test_page_that_hangs_after_it_failed_keeps_its_failure(
    drive: Drive, tmp_path: Path
) -> None:
    """Looking for the cause of a failure never makes another failure of it."""
    click = "<script>onclick = () => likes.textContent = '1 like'</script>"
    began = time.monotonic()
    trace = drive(HANGS_WHEN_LOOKED_AT_AGAIN + LIST + click, GO)
    assert time.monotonic() - began < 20
    assert failure(trace)[:2] == (1, "expectation")
    assert cause(trace, tmp_path / "shots").kind == "changed_elsewhere"
    went_well(drive("<p>fine</p>", {"wait": {"text": "fine"}}), 1)


def test_page_that_hangs_at_once_broke_down(why: Why) -> None:
    """It is ended from outside; there was nothing to ask."""
    told = why("<button onclick='for(;;);'>Go</button>", {**GO, "timeout_s": 1.0})
    assert told.kind == "broke_down"


def test_hostile_texts_stay_data(why: Why) -> None:
    """Names with markup, control characters and great length are quoted and clipped."""
    page = """<button>Go</button><div id=o></div><script>
    const b = document.querySelector("button"); b.id = "<\\/script><img src=x onerror=alert(1)>".repeat(500);
    b.onclick = function () { o.innerHTML = ""; o.append("\\x1b[31m\\u202e\\n" + "x".repeat(9999));
    console.error("Error: " + "y".repeat(99999)); };
    Object.prototype.toJSON = () => "gone"; Array.prototype.filter = () => [];
    </script>"""
    told = why(page, GO)
    assert told.kind == "changed_elsewhere"
    assert len(told.words) < 1000
    assert all(len(line) < 400 for line in told.details)
    assert "\x1b" not in told.words


def test_step_that_passes_is_not_looked_at(drive: Drive, tmp_path: Path) -> None:
    """Only a failure is asked for its reason."""
    trace = drive(
        f"{LIST}<script>onclick = () => o.textContent = '1 item'</script>", GO
    )
    assert trace.steps[1].facts is None
    assert not (tmp_path / "shots" / "look.png").exists()
