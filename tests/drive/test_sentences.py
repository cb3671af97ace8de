"""Sentences become the arguments that a person means, or none at all."""

import pytest

from pytest_iwr import records as r
from pytest_iwr.drive.read import read_action
from pytest_iwr.drive.read_target import read_target

TARGETS = {
    'the input labelled "E-mail" in "Billing"': {
        "role": "textbox",
        "name": "E-mail",
        "in": {"text": "Billing"},
    },
    'the 2nd button in "Filters"': {
        "role": "button",
        "nth": 2,
        "in": {"text": "Filters"},
    },
    'the "Shop" link at the top right': {
        "role": "link",
        "name": "Shop",
        "position": "top right",
    },
    "the search field": {"role": "textbox", "name": "search"},
    "the « Envoyer » button": {"role": "button", "name": "Envoyer"},
    'the last "Delete" button': None,
    "Open receipt": {"name": "Open receipt"},
    "Select all": {"name": "Select all"},
    "open the receipt": {"name": "receipt"},
    "Click Save": {"name": "Save"},
    "the button at the bottom left": {"role": "button", "position": "bottom left"},
}


@pytest.mark.parametrize(("sentence", "target"), TARGETS.items())
def test_target_is_read(sentence: str, target: dict[str, object] | None) -> None:
    """Kind, name, place and container; what cannot be said is not guessed."""
    read = read_target(sentence)
    shown = read.model_dump(exclude_none=True, by_alias=True) if read else None
    assert shown == target


NAME = {"role": "textbox", "name": "Name"}
ACTIONS: list[tuple[type[r.Described], str, dict[str, object] | None]] = [
    (
        r.Type,
        'Type "milk" into the search field and press Enter',
        {
            "text": "milk",
            "into": {"role": "textbox", "name": "search"},
            "submit": True,
        },
    ),
    (r.Type, 'In the "Name" field, type "Bob"', {"text": "Bob", "into": NAME}),
    (r.Type, 'Fill the "Name" field with "Bob"', {"text": "Bob", "into": NAME}),
    (
        r.Type,
        'Replace "old" with "new" in the "Name" field',
        {"text": "new", "into": NAME, "clear": True},
    ),
    (r.Press, "ctrl + z", {"key": "ctrl+z"}),
    (r.Press, "Press the F5 key", {"key": "F5"}),
    (r.Press, "Press the left key", {"key": "ArrowLeft"}),
    (r.Press, "Press arrow left twice", None),
    (r.Scroll, 'Scroll down to "Reviews"', {"to": {"text": "Reviews"}}),
    (r.Scroll, "Scroll down by 1/2 page", {"by": 0.5}),
    (r.Scroll, "Scroll up one and a half pages", {"by": -1.5}),
    (r.Scroll, "Scroll down in the sidebar", None),
    (
        r.Select,
        'In "Size" choose "Large"',
        {"option": "Large", "in": {"role": "combobox", "name": "Size"}},
    ),
    (r.Drag, 'Drag "A" onto "B"', {"from": {"text": "A"}, "to": {"text": "B"}}),
    (r.Drag, 'Drag "A" left by 40 px', {"from": {"text": "A"}, "by": {"x": -40.0}}),
    (r.Upload, 'Upload "a.png"', {"file": "a.png"}),
    (r.Goto, "Open /shop?x=1.", {"path": "/shop?x=1"}),
]


@pytest.mark.parametrize(("kind", "sentence", "arguments"), ACTIONS)
def test_action_is_read(
    kind: type[r.Described], sentence: str, arguments: dict[str, object] | None
) -> None:
    """Every argument that the sentence gives, and no other."""
    read = read_action(kind(describe=sentence))
    shown = None
    if read is not None:
        fields = read.model_dump(exclude_none=True, by_alias=True, exclude_unset=True)
        shown = {name: value for name, value in fields.items() if name != "kind"}
    assert shown == arguments


FAR = [
    ("Scroll down", {"by": 2.0}),
    ('Scroll until "Imprint" is in view', {"by": 2.0}),
    ('Scroll down in the "Log"', {"by": 2.0, "in": {"text": "Log"}}),
    ('Read "News", then scroll in "Log"', {"by": 2.0, "in": {"text": "Log"}}),
    ("Scroll a bit within the page", {"by": 2.0}),
    ("Scroll down in the chat window", None),
]


@pytest.mark.parametrize(("sentence", "arguments"), FAR)
def test_given_way_is_kept(sentence: str, arguments: dict[str, object] | None) -> None:
    """How far the task says to scroll holds; the sentence tells where, or nobody."""
    read = read_action(r.Scroll(describe=sentence, by=2.0))
    shown = read.model_dump(exclude_none=True, by_alias=True) if read else None
    assert shown == (None if arguments is None else {"kind": "scroll", **arguments})
