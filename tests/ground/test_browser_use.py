"""browser-use as the grounder: the real package, a real browser, a scripted endpoint."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_iwr import records as r
from pytest_iwr.drive import Browser, BrowserOptions
from pytest_iwr.drive.launch import default_args, find_browser
from pytest_iwr.errors import EndpointError, UngroundedError
from pytest_iwr.gateway import Gateway
from pytest_iwr.gateway.mock import Answer, MockEndpoint, Seen
from pytest_iwr.ground.browser_use import BrowserUseGrounder, Reached
from pytest_iwr.serve import Server
from tests.drive.kit import drive_pages, failure, result, went_well
from tests.ground.conftest import QUICK

pytestmark = pytest.mark.needs_browser_use

Pointed = Callable[..., r.Trace]


def _index(seen: Seen, words: str) -> int:
    """Give the number that browser-use has given to the element with some words."""
    found = re.search(rf"\[(\d+)\]<[^\n]*(?:\n\s*)?{words}", seen.text)
    assert found is not None, seen.text[-2000:]
    return int(found[1])


def _act(**action: object) -> Answer:
    thoughts = dict.fromkeys(
        ("thinking", "evaluation_previous_goal", "memory", "next_goal"), "So."
    )
    return Answer(text=json.dumps({**thoughts, "action": [action]}))


@pytest.fixture
def point(server: Server, tmp_path: Path) -> Pointed:
    """Give a function: an endpoint's answers, pages and steps in, trace out."""
    found = find_browser(None, os.environ)
    args = tuple(default_args(is_root=os.geteuid() == 0))

    def run(
        answer: Callable[[Seen], Answer],
        pages: str | dict[str, str | bytes],
        *steps: object,
    ) -> r.Trace:
        with MockEndpoint(answer=answer) as mock:
            model = r.ModelConfig(alias="eyes", model="eyes", base_url=mock.url)
            with Gateway(
                {"eyes": model},
                keys={},
                cache_dir=tmp_path / "cache",
                ledger=tmp_path / "ledger.jsonl",
                patience=QUICK,
            ) as gateway:
                reached = Reached(gateway.url, gateway.token)
                environ = {**os.environ, "HOME": str(tmp_path)}
                grounder = BrowserUseGrounder(lambda: reached, "eyes", environ)
                options = BrowserOptions(
                    executable=found.path,
                    args=args,
                    grounder=grounder,
                    grounds_first=True,
                )
                browser = Browser(options)
                try:
                    return drive_pages(browser, server, tmp_path, pages, steps)
                finally:
                    browser.close()
                    grounder.close()

    return run


PAGE = """<h1>Shop</h1><button onclick="R('one')">One</button>
    <button onclick="R('two')">Two</button><input aria-label=Name>
    <script>onmessage = e => R(e.data)</script>
    <iframe srcdoc="<button onclick=&quot;parent.postMessage('in', '*')&quot;>In</button>">
    </iframe>"""


@pytest.mark.parametrize(("words", "outcome"), (("Two", "two"), ("In", "in")))
def test_chosen_element_is_clicked(
    point: Pointed, tmp_path: Path, words: str, outcome: str
) -> None:
    """What browser-use points at, in a frame as well, is found again and touched."""
    requests: list[Seen] = []

    def answer(seen: Seen) -> Answer:
        requests.append(seen)
        return _act(choose={"index": _index(seen, words)})

    step = {"click": f"the one that says {words}", "expect": [result(outcome)]}
    trace = point(answer, PAGE, step)
    went_well(trace, 1)
    assert trace.steps[1].target
    assert trace.steps[1].target.how == "model browser-use/eyes"
    assert [seen.images for seen in requests] == [1]
    (line,) = (tmp_path / "ledger.jsonl").read_text().splitlines()
    assert json.loads(line)["purpose"] == "ground"
    assert json.loads(line)["label"] == "test, step 1"


def test_page_is_left_as_it_is(point: Pointed) -> None:
    """Looking changes neither size, nor permissions, nor the page's own nodes."""
    page = """<button>Go</button><script>
        const now = async () => [
          document.querySelectorAll("*").length, innerWidth, innerHeight,
          devicePixelRatio, document.hidden, document.documentElement.outerHTML.length,
          ...(await Promise.all(["notifications", "clipboard-read"].map(
            async name => (await navigator.permissions.query({ name })).state)))].join();
        let before, isResized = false;
        addEventListener("resize", () => { isResized = true; });
        now().then(text => { before = text; });
        document.querySelector("button").onclick = async () =>
          R(isResized ? "resized" : (await now()) === before ? "same" : "other");
        </script>"""

    def answer(seen: Seen) -> Answer:
        return _act(choose={"index": _index(seen, "Go")})

    step = {"click": "the one that goes", "expect": [result("same")]}
    went_well(point(answer, page, step), 1)


def test_none_is_a_verdict(point: Pointed) -> None:
    """The page has no such thing: `target_missing`, with the reason."""
    trace = point(
        lambda _: _act(none={"reason": "There is no heart."}),
        PAGE,
        {"click": "a heart"},
    )
    number, kind, message = failure(trace)
    assert (number, kind) == (1, "target_missing")
    assert "There is no heart." in message


def test_action_is_read(point: Pointed) -> None:
    """A sentence about typing becomes text and field."""

    def answer(seen: Seen) -> Answer:
        form = {"text": "Ada", "into": _index(seen, ".*Name"), "clear": False}
        return _act(choose={**form, "submit": False})

    step = {
        "type": {"describe": "Write Ada where the name goes"},
        "expect": [{"value": "Ada", "in": {"label": "Name"}}],
    }
    went_well(point(answer, PAGE, step), 1)


def test_nothing_but_pointing_can_be_asked_for(point: Pointed) -> None:
    """An action of browser-use's own, such as to go elsewhere, is no answer."""
    bodies: list[object] = []

    def answer(seen: Seen) -> Answer:
        bodies.append(seen.body)
        return _act(navigate={"url": "http://127.0.0.1:9/", "new_tab": False})

    with pytest.raises(UngroundedError, match="browser-use/eyes gave no answer"):
        point(answer, PAGE, {"click": "the first"})
    assert '"navigate"' not in json.dumps(bodies[0])
    assert '"choose"' in json.dumps(bodies[0])


def test_endpoint_that_fails_is_nobodys_zero(point: Pointed) -> None:
    """It is an error of the endpoint."""
    with pytest.raises(EndpointError, match="browser-use/eyes gave no answer"):
        point(lambda _: Answer(status=401, text="no"), PAGE, {"click": "the first"})
