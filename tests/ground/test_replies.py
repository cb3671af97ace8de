"""Replies of models: filled forms are read, all others are asked for once more."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from pytest_iwr import ports
from pytest_iwr import records as r
from pytest_iwr.errors import UngroundedError
from pytest_iwr.gateway.mock import Answer, Seen
from pytest_iwr.ground.form import UnreadableError, read, schema
from pytest_iwr.ground.model import ModelGrounder
from tests.ground.model import speak

LINES = (
    r.Listed(depth=0, role="list"),
    r.Listed(number=1, depth=1, role="button", name="A", place="on screen"),
    r.Listed(number=2, depth=1, role="button", name="B", place="below"),
)

FOUND = '{"reason": "", "outcome": "found", "number": 2}'
NONE = '{"reason": "", "outcome": "none", "number": null}'


def _question(action: str = "click", part: str = "target") -> r.GroundingQuestion:
    return r.GroundingQuestion(
        sentence="the second", action=action, part=part, lines=LINES, picture=b"png"
    )


def test_number_is_read() -> None:
    """The form as it is asked for."""
    reply = '{"reason": "It says B.", "outcome": "found", "number": 2}'
    choice = read(reply, _question())
    assert (choice.outcome, choice.number, choice.reason) == ("found", 2, "It says B.")


@pytest.mark.parametrize(
    "reply",
    (
        '```json\n{"outcome": "found", "number": 2}\n```',
        '<think>It is {"number": 1}.</think>{"outcome": "found", "number": 2}',
        'Here it is:\n{"outcome": "found", "number": 2, "reason": ""}\nDone.',
        '{"outcome": "found", "number": 2, "reason": "{\\"number\\": 1} </think>"}',
    ),
)
def test_only_form_counts(reply: str) -> None:
    """Fences, thoughts and words around it are left out."""
    assert read(reply, _question()).number == 2


@pytest.mark.parametrize(
    "reply",
    (
        f"{NONE}\nThe page prints {FOUND}; I ignored it.",
        f"{FOUND}\nBetter: {NONE}",
        f"None. The page prints {FOUND}.",
        'None fits. It prints:\n{"outcome": "found", "number": 2}',
        f'{{"reason": "it prints "{FOUND}"", "outcome": "none", "number": null}}',
        '{"reason": "it prints ","outcome":"found","number":2}", "outcome": "none"}',
        '{"reason": "it prints ","outcome":"found","x":"", "outcome": "none"}',
        'It could be {"number": 1}. No:\n{"outcome": "found", "number": 2}',
    ),
)
def test_form_that_may_be_quoted_cannot_be_read(reply: str) -> None:
    """A page may print a filled form, and a model may tell so."""
    with pytest.raises(UnreadableError):
        read(reply, _question())


@pytest.mark.parametrize(
    "reply",
    (
        "",
        "2",
        "The number is 2.",
        "null",
        '{"number": 2}',
        '{"outcome": "found"}',
        '{"outcome": "found", "number": 3}',
        '{"outcome": "found", "number": 0}',
        '{"outcome": "found", "number": "2"}',
        '{"outcome": "found", "number": 2.0}',
        '{"outcome": "found", "number": true}',
        '{"outcome": "found", "number": null}',
        '{"outcome": "found", "number": 2, "then": "goto"}',
        '{"outcome": "unclear", "number": 2}',
        '{"outcome": "Found", "number": 2}',
        '{"outcome": "found", "number": 2, "reason": 1}',
        '{"outcome": "found", "number": 2',
        '[{"outcome"',
        "{" * 50_000,
    ),
)
def test_other_replies_cannot_be_read(reply: str) -> None:
    """No guess is made, no number outside of the list taken."""
    with pytest.raises(UnreadableError):
        read(reply, _question())


ACTIONS: list[tuple[str, dict[str, Any], dict[str, Any] | None]] = [
    ("type", {"text": "x", "into": 1}, {"text": "x", "into": 1}),
    ("type", {"text": "x", "into": None}, {"text": "x"}),
    ("type", {"text": None, "into": 1}, None),
    ("type", {"text": "x", "into": 9}, None),
    ("type", {"text": 7, "into": 1}, None),
    ("press", {"key": "Enter", "in": 2}, {"key": "Enter", "in": 2}),
    ("press", {"key": None, "in": 2}, None),
    ("scroll", {"by": 0.5, "to": None, "in": 1}, {"by": 0.5, "in": 1}),
    ("scroll", {"by": 0.5, "to": 1}, None),
    ("drag", {"from": 1, "to": 2, "by": None}, {"from": 1, "to": 2}),
    ("drag", {"from": 1, "by": {"x": 5, "y": 0}}, {"from": 1, "by": {"x": 5, "y": 0}}),
    ("drag", {"from": 1}, None),
    ("select", {"in": 1, "option": "L"}, {"in": 1, "option": "L"}),
    ("swipe", {"direction": "up", "by": 0.5}, {"direction": "up", "by": 0.5}),
    ("swipe", {"direction": "in", "by": 0.5}, None),
]


@pytest.mark.parametrize(("action", "form", "fields"), ACTIONS)
def test_action_is_checked_as_in_a_task(
    action: str, form: dict[str, Any], fields: dict[str, Any] | None
) -> None:
    """What the records do not take is no filled form."""
    reply = json.dumps({"outcome": "found", "reason": "", **form})
    if fields is None:
        with pytest.raises(UnreadableError):
            read(reply, _question(action, ""))
    else:
        assert read(reply, _question(action, "")).fields == fields


@pytest.mark.parametrize("action", r.ELEMENTS)
def test_schema_asks_for_every_field(action: str) -> None:
    """As strict structured output wants it: all required, no others."""
    form: Any = schema(_question(action, ""))
    assert form["required"] == list(form["properties"])
    assert form["additionalProperties"] is False
    assert set(r.ELEMENTS[action]) < set(form["properties"])


def test_unreadable_reply_is_asked_for_once_more(
    chat: Callable[..., ports.Chat],
) -> None:
    """The second request holds the first reply, and why it was none."""
    bodies: list[Any] = []

    def answer(seen: Seen) -> Answer:
        bodies.append(seen.body)
        if len(bodies) == 1:
            return speak("The second one!")
        return speak('{"outcome": "found", "number": 2}')

    asked = chat(answer)
    choice = ModelGrounder(lambda: asked, "eyes").ground(_question())
    assert (choice.number, choice.model) == (2, "eyes-1")
    assert choice.replies == ("The second one!", '{"outcome": "found", "number": 2}')
    assert len(choice.asked) == 2
    first, second = (body["messages"] for body in bodies)
    assert second[:2] == first
    assert second[2] == {"role": "assistant", "content": "The second one!"}
    assert "it holds no JSON object" in second[3]["content"]


def test_second_unreadable_reply_is_an_error(chat: Callable[..., ports.Chat]) -> None:
    """Nobody is to blame but the model: `ungrounded`, with what it said."""
    asked = chat(lambda _: speak("Maybe."))
    with pytest.raises(UngroundedError, match=r"asked twice.*'Maybe\.'"):
        ModelGrounder(lambda: asked, "eyes").ground(_question())


def test_unreadable_replies_in_the_cache_do_not_stay(
    chat: Callable[..., ports.Chat],
) -> None:
    """The next question asks past them once, and what it gets is kept."""
    left = ["Hm.", "Hm.", '{"outcome": "found", "number": 2}']
    asked = chat(lambda _: speak(left.pop(0)))
    eyes = ModelGrounder(lambda: asked, "eyes")
    with pytest.raises(UngroundedError):
        eyes.ground(_question())
    assert [eyes.ground(_question()).number for _ in range(2)] == [2, 2]
    assert not left
