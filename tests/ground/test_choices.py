"""A model's choice is carried out on the page: real browser, gateway and endpoint."""

import json

import pytest

from tests.drive.kit import result, went_well
from tests.ground.kit import Grounded
from tests.ground.model import ReadingModel

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
