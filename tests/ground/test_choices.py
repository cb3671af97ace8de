"""A model's choice is carried out on the page: real browser, gateway and endpoint."""

import json
import threading

import pytest

from pytest_iwr.gateway.mock import Answer, Seen
from tests.drive.kit import failure, result, went_well
from tests.ground.kit import Grounded
from tests.ground.model import ReadingModel, choosing, say, sent

SQUARES = """
<style>.s { display: inline-block; width: 60px; height: 60px; margin: 30px;
  border: 0; }</style>
<h1>Pick one</h1>
""" + "".join(
    f'<button class="s" style="background: {colour}" onclick="R(\'{colour}\')"></button>'
    for colour in ("red", "lime", "yellow", "cyan")
)


@pytest.mark.parametrize("colour", ("red", "lime", "yellow", "cyan"))
def test_what_only_the_picture_shows_is_found(
    ground: Grounded, eyes: ReadingModel, colour: str
) -> None:
    """Four nameless buttons: the number beside the one of that colour leads to it."""
    step = {"click": f"the {colour} thing", "expect": [result(colour)]}
    went_well(ground(eyes, SQUARES, step), 1)


def test_choice_is_marked_as_made_by_a_model(
    ground: Grounded, eyes: ReadingModel
) -> None:
    """The trace tells who chose, of how many, what was said, and keeps the picture."""
    trace = ground(eyes, SQUARES, {"click": "the lime thing"})
    step = trace.steps[1]
    assert step.target
    assert step.target.how == "model eyes-1"
    (asked,) = step.grounded
    assert (asked.outcome, asked.number, asked.model) == ("found", 3, "eyes-1")
    assert asked.listed == 5
    assert asked.sentence == "the lime thing"
    assert json.loads(asked.replies[0])["number"] == 3
    assert asked.picture == "ground-01-1.png"


INNER = "<button onclick=\"parent.postMessage('inner', '*')\">Inner</button>"
PARTS = {
    "a frame": f"""<script>onmessage = e => R(e.data)</script>
        <iframe srcdoc="{INNER.replace('"', "&quot;")}"></iframe>""",
    "a shadow root": """<p id=host></p><script>
        host.attachShadow({mode: "open"}).innerHTML = "<button>Inner</button>";
        host.shadowRoot.firstChild.onclick = () => R("inner")</script>""",
    "a part that scrolls": """<div style="height: 120px; overflow: auto">
        <div style="height: 900px">Long</div>
        <button onclick="R('inner')">Inner</button></div>""",
    "below the window": """<div style="height: 3000px">Long</div>
        <button onclick="R('inner')">Inner</button>""",
}


@pytest.mark.parametrize("part", PARTS)
def test_element_is_found_wherever_it_is(ground: Grounded, part: str) -> None:
    """What a frame, a shadow root, a scrolling part or the page's end holds is reached."""
    step = {"click": "what is meant", "expect": [result("inner")]}
    trace = ground(choosing(name="Inner"), PARTS[part], step, is_first=True)
    went_well(trace, 1)


def test_what_is_out_of_sight_is_listed_without_a_number_drawn(
    ground: Grounded, eyes: ReadingModel
) -> None:
    """The tree says where it is, and the picture has numbers of the others alone."""
    page = """<button>Here</button><div style="height: 90px; overflow: auto">
        <p style="height: 500px">Long</p><button>Deep</button></div>
        <div style="height: 3000px"></div><button>Low</button>
        <button style="position: absolute; left: 1500px; top: 0">Far</button>
        <button style="position: absolute; top: 400px; left: 9px">Under</button>
        <div style="position: fixed; inset: 300px 0 0 0; background: #ddd">Banner</div>"""
    ground(eyes, page, {"click": "something"}, is_first=True)
    (request,) = eyes.asked
    places = {
        line.get("name") or line.get("text"): line.get("place")
        for line in request.lines
        if "number" in line
    }
    assert places == {
        "Here": None,
        "Long": None,
        "Deep": "off screen, below",
        "Low": "off screen, below",
        "Far": "off screen, right",
        "Banner": None,
        "Under": "covered",
    }
    drawn = eyes.sight.marks(request.picture)
    on_screen = {
        line["number"]
        for line in request.lines
        if "number" in line and "place" not in line
    }
    assert drawn.keys() == on_screen


def test_none_is_a_verdict_about_the_page(ground: Grounded, eyes: ReadingModel) -> None:
    """A model that sees no such thing fails the step: `target_missing`."""
    trace = ground(eyes, "<button>Other</button>", {"click": 'the "Pay" button'})
    number, kind, message = failure(trace)
    assert (number, kind) == (1, "target_missing")
    assert message == (
        "'the \"Pay\" button' was not found: eyes-1 sees none of 1 fit (as seen)"
    )
    assert [asked.outcome for asked in trace.steps[1].grounded] == ["none"]


def test_what_comes_in_time_is_asked_for_once_more(ground: Grounded) -> None:
    """None of the first screen, but the page changes within the step's time."""
    page = """<p id=p>Wait</p><script>
        addEventListener("click", () => R("late"));
        setTimeout(() => p.innerHTML = "<button>Late</button>", 900)</script>"""
    step = {"click": "what comes", "expect": [result("late")], "timeout_s": 8}
    trace = ground(choosing(name="Late"), page, step, is_first=True)
    went_well(trace, 1)
    asked = [one.outcome for one in trace.steps[1].grounded]
    assert asked in (["none", "found"], ["found"])


def test_covered_choice_fails_the_step(ground: Grounded) -> None:
    """A model's choice is checked by hit-testing as any other target."""
    page = """<button>Pay</button>
        <div style="position: fixed; inset: 0; background: #fff8">Wait</div>"""
    trace = ground(choosing(name="Pay"), page, {"click": "it"}, is_first=True)
    assert failure(trace)[1] == "covered"


def test_list_that_is_drawn_anew_all_the_time(ground: Grounded) -> None:
    """Rows come on top and all nodes are replaced; the one that was meant is clicked."""
    page = """<ul id=list></ul><script>
        let rows = ["Alpha", "Beta", "Gamma"], n = 0;
        const draw = () => list.replaceChildren(...rows.map(name => {
          const li = document.createElement("li"), b = document.createElement("button");
          b.textContent = "Delete"; li.append(name + " ", b);
          b.onclick = () => R(name); return li; }));
        draw();
        setInterval(() => { rows.unshift("Fresh" + ++n); draw(); }, 150);</script>"""

    def answer(seen: Seen) -> Answer:
        lines = sent(seen.body).lines
        at = next(i for i, line in enumerate(lines) if "Beta" in line.get("text", ""))
        return say(outcome="found", number=lines[at + 1]["number"])

    step = {"click": "the one of Beta", "expect": [result("Beta")]}
    went_well(ground(answer, page, step, is_first=True), 1)


def test_node_that_shows_another_row_is_not_what_was_chosen(ground: Grounded) -> None:
    """A row comes on top while the model thinks, and the page uses its nodes again."""
    page = """<ul id=list></ul><script>
        const draw = rows => rows.forEach((name, at) => {
          const li = list.children[at] || list.appendChild(document.createElement("li"));
          li.innerHTML ||= "<span></span> <button>Delete</button>";
          li.firstChild.textContent = name;
          li.lastChild.onclick = () => R(name); });
        draw(["Beta"]);
        setTimeout(draw, 1500, ["Fresh", "Beta"]);</script>"""

    def answer(seen: Seen) -> Answer:
        threading.Event().wait(3)
        return choosing(name="Delete")(seen)

    step = {"click": "what removes Beta", "expect": [result("Beta")]}
    went_well(ground(answer, page, step, is_first=True), 1)


def test_choice_that_turns_into_another_is_not_clicked(ground: Grounded) -> None:
    """It was covered when it was chosen, and says something else once it is free."""
    page = """<button id=b onclick="R(b.textContent)">Pay</button>
        <div id=o style="position: fixed; inset: 0; background: #fff8">Wait</div>
        <script>setTimeout(() => { b.textContent = "Cancel"; o.remove() }, 1500)
        </script>"""
    step = {"click": "it", "expect": [result("Cancel")], "timeout_s": 3}
    trace = ground(choosing(name="Pay"), page, step, is_first=True)
    assert failure(trace)[1] == "target_missing"


def test_choice_that_counts_on_stays_the_choice(ground: Grounded) -> None:
    """Only the number in its words goes on."""
    page = """<button id=b onclick="R('sent')">Send again (99 s)</button><script>
        let left = 99; setInterval(() => { b.textContent =
          "Send again (" + --left + " s)" }, 150)</script>"""

    def answer(seen: Seen) -> Answer:
        (button,) = [one for one in sent(seen.body).lines if one["role"] == "button"]
        return say(outcome="found", number=button["number"])

    step = {"click": "what sends it again", "expect": [result("sent")]}
    trace = ground(answer, page, step, is_first=True)
    went_well(trace, 1)
    assert len(trace.steps[1].grounded) == 1


def test_page_goes_on_while_the_model_thinks(ground: Grounded) -> None:
    """What was chosen went away while the model thought: it is asked once more."""
    page = """<button id=b>Old</button><script>
        setTimeout(() => { b.remove();
          document.body.insertAdjacentHTML("beforeend",
            "<button onclick=R(1)>New</button>"); R("gone") }, 1200)</script>"""
    gone = threading.Event()

    def answer(seen: Seen) -> Answer:
        buttons = [line for line in sent(seen.body).lines if line["role"] == "button"]
        if buttons[0]["name"] == "Old":
            gone.wait(2.5)
        return say(outcome="found", number=buttons[0]["number"])

    step = {"click": "the button there is", "expect": [result("1")]}
    trace = ground(answer, page, step, is_first=True)
    went_well(trace, 1)
    assert len(trace.steps[1].grounded) == 2


def test_time_of_asking_is_not_the_pages(ground: Grounded) -> None:
    """A model may take longer than the step, its grace and the watchdog allow."""
    thought = threading.Event()

    def answer(seen: Seen) -> Answer:
        thought.wait(12)
        return choosing(name="Go")(seen)

    page = "<button onclick=\"setTimeout(() => R('done'), 200)\">Go</button>"
    step = {"click": "what goes", "expect": [result("done")], "timeout_s": 1}
    trace = ground(answer, page, step, is_first=True)
    went_well(trace, 1)
    assert trace.steps[1].timings_s["ground"] > 11
    assert trace.steps[1].timings_s["act"] < 11


def test_rules_come_first(ground: Grounded) -> None:
    """What they read and the page shows is nobody's question."""
    asked: list[Seen] = []

    def answer(seen: Seen) -> Answer:
        asked.append(seen)
        return say(outcome="none", number=None)

    page = "<button onclick=R(1)>Pay now</button>"
    step = {"click": 'the "Pay now" button', "expect": [result("1")]}
    went_well(ground(answer, page, step), 1)
    assert not asked


def test_model_decides_where_rules_find_several(ground: Grounded) -> None:
    """Two things fit the sentence equally: somebody has to look."""
    page = """<p>Old plan <button onclick="R('old')">Choose</button></p>
        <p>New plan <button onclick="R('new')">Choose</button></p>"""

    def answer(seen: Seen) -> Answer:
        buttons = [line for line in sent(seen.body).lines if line["role"] == "button"]
        return say(outcome="found", number=buttons[-1]["number"])

    step = {"click": 'the "Choose" button that is better', "expect": [result("new")]}
    trace = ground(answer, page, step)
    went_well(trace, 1)
    assert [asked.outcome for asked in trace.steps[1].grounded] == ["found"]


def test_what_covers_a_frame_covers_what_is_in_it(
    ground: Grounded, eyes: ReadingModel
) -> None:
    """No number is drawn over a dialog for what lies under it in a frame."""
    page = """<iframe srcdoc="<button>Under</button>" style="position: absolute; top: 0;
        left: 0; width: 300px; height: 120px"></iframe>
        <iframe srcdoc="<button>Free</button>" style="position: absolute; top: 300px;
        left: 0; width: 300px; height: 120px"></iframe>
        <div style="position: fixed; inset: 0 0 auto 0; height: 200px;
        background: #ddd">Dialog</div>"""
    ground(eyes, page, {"click": "something"}, is_first=True)
    (request,) = eyes.asked
    places = {line.get("name"): line.get("place") for line in request.lines}
    assert (places["Under"], places["Free"]) == ("covered", None)
    assert len(eyes.sight.marks(request.picture)) == 2
