"""Sentences about whole actions that rules cannot read become typed actions."""

from typing import Any

import pytest

from pytest_iwr.errors import UngroundedError
from pytest_iwr.gateway.mock import Answer, Seen
from tests.drive.kit import failure, result, went_well
from tests.ground.kit import Grounded
from tests.ground.model import say, sent

FORM = """<form onsubmit="R(a.value + '|' + b.value); return false">
    <input id=a aria-label=First><input id=b aria-label=Second value=old>
    <button>Send</button></form>"""


def _number(seen: Seen, name: str) -> int:
    lines = sent(seen.body).lines
    return int(next(line["number"] for line in lines if line.get("name") == name))


def test_typing_is_read_by_a_model(ground: Grounded) -> None:
    """Text, field, clearing and Enter are what the model says."""
    asked: list[dict[str, Any]] = []

    def answer(seen: Seen) -> Answer:
        asked.append(sent(seen.body).wanted)
        into = _number(seen, "Second")
        return say(outcome="found", text="Ada", into=into, clear=True, submit=True)

    said = "Write Ada in the second box instead of what is there and press enter"
    step = {"type": {"describe": said}, "expect": [result("|Ada")]}
    trace = ground(answer, FORM, step)
    went_well(trace, 1)
    assert asked == [{"words": said, "action": "type"}]
    (grounded,) = trace.steps[1].grounded
    assert (grounded.part, grounded.fields["text"]) == ("", "Ada")


def test_what_the_task_says_holds(ground: Grounded) -> None:
    """The model fills in what is missing; the text is the task's."""

    def answer(seen: Seen) -> Answer:
        assert sent(seen.body).wanted["given"] == {"text": "mine", "submit": True}
        into = _number(seen, "First")
        return say(outcome="found", text="other", into=into, clear=False, submit=False)

    told = {"describe": "Fill it in there", "text": "mine", "submit": True}
    step = {"type": told, "expect": [result("mine|old")]}
    went_well(ground(answer, FORM, step, is_first=True), 1)


def test_dragging_is_read_by_a_model(ground: Grounded) -> None:
    """Both ends are elements of the list."""
    page = """<style>div { width: 90px; height: 60px; margin: 20px; background: #ccc }
        </style><div draggable=true>Card</div>
        <div ondragover="event.preventDefault()" ondrop="R('there')">Bin</div>"""

    def answer(seen: Seen) -> Answer:
        numbers = {line.get("text"): line["number"] for line in sent(seen.body).lines}
        return say(outcome="found", to=numbers["Bin"], by=None, **{"from": 1})

    step = {"drag": {"describe": "Put the card away"}, "expect": [result("there")]}
    went_well(ground(answer, page, step), 1)


def test_scrolling_is_read_by_a_model(ground: Grounded) -> None:
    """The part that scrolls is named by any element in it."""
    page = """<div id=d onscroll="R('panel')" style="height: 150px; overflow: auto">
        <p style="height: 900px">Chat</p></div><div style="height: 3000px"></div>"""

    def answer(seen: Seen) -> Answer:
        numbers = {line.get("text"): line["number"] for line in sent(seen.body).lines}
        return say(
            outcome="found", by=0.5, by_x=None, to=None, **{"in": numbers["Chat"]}
        )

    said = "Scroll down a bit in the chat"
    step = {"scroll": {"describe": said}, "expect": [result("panel")]}
    went_well(ground(answer, page, step), 1)


def test_unclear_sentence_is_nobodys_zero(ground: Grounded) -> None:
    """What does not fit the form stays unscored, with its place."""
    step = {"press": {"describe": "Press the arrow to the left twice"}}
    with pytest.raises(UngroundedError, match=r"task\.iwr\.yaml:\d+: steps\[0\]: "):
        ground(lambda _: say(outcome="unclear"), FORM, step)


def test_none_for_an_action_is_the_pages_fault(ground: Grounded) -> None:
    """The sentence means an element that the page does not have."""
    step = {"type": {"describe": "Write hello into the third box"}}
    trace = ground(lambda _: say(outcome="none"), FORM, step)
    assert failure(trace)[1] == "target_missing"


@pytest.mark.parametrize(
    ("verb", "told"),
    (
        ("upload", {"describe": "Upload the picture of the cat"}),
        ("goto", {"describe": "Open the page about us"}),
    ),
)
def test_files_and_addresses_are_not_for_models(
    ground: Grounded, verb: str, told: dict[str, str]
) -> None:
    """What rules cannot read there is an error, and nobody is asked."""
    asked: list[Seen] = []

    def answer(seen: Seen) -> Answer:
        asked.append(seen)
        return say(outcome="none")

    with pytest.raises(UngroundedError, match="cannot read"):
        ground(answer, FORM, {verb: told}, is_first=True)
    assert not asked
