"""Targets that are known by their look alone."""

from pathlib import Path

import pytest

from pytest_iwr import images
from pytest_iwr import records as r
from tests.drive.kit import Drive, failure, result, went_well

HEART = "M10 17 L3 9 A4 4 0 0 1 10 5 A4 4 0 0 1 17 9 Z"
STAR = "M10 2 L12 8 L18 8 L13 12 L15 18 L10 14 L5 18 L7 12 L2 8 L8 8 Z"
HOUSE = "M2 10 L10 3 L18 10 L15 10 L15 17 L5 17 L5 10 Z"


def icon(path: str, name: str, colour: str = "#c33", size: int = 40) -> str:
    """Give a button without words that shows a drawing."""
    return (
        f"<button onclick=\"R('{name}')\" style='border:0;background:#fff;padding:9px'>"
        f"<svg width={size} height={size} viewBox='0 0 20 20' fill='{colour}'>"
        f"<path d='{path}'/></svg></button>"
    )


@pytest.fixture
def heart(drive: Drive, tmp_path: Path) -> str:
    """Cut the heart out of a shot of a reference page, for a task's folder."""
    page = f"<div style='margin:100px'>{icon(HEART, 'heart')}</div>"
    drive(page, {"wait": {"visible": {"role": "button"}}})
    shot = images.read(tmp_path / "shots" / "shot-00.png")
    place = r.Box(x=113, y=105, width=50, height=50)
    images.write(tmp_path / "heart.png", images.crop(shot, place))
    return "heart.png"


def test_look_finds_the_icon_that_is_meant(drive: Drive, heart: str) -> None:
    """Among icons without names, also one drawn a little smaller."""
    for size in (40, 36):
        icons = (
            icon(STAR, "star"),
            icon(HEART, "heart", size=size),
            icon(HOUSE, "house"),
        )
        page = "<p>Some text above</p>" + "".join(icons)
        step = {"click": {"look": heart}, "expect": [result("heart")]}
        went_well(drive(page, step), 1)


def test_look_that_is_not_there_is_missing(drive: Drive, heart: str) -> None:
    """Other icons of the same colour and size do not stand for it."""
    page = icon(STAR, "star") + icon(HOUSE, "house")
    assert failure(drive(page, {"click": {"look": heart}}))[1] == "target_missing"
    went_well(drive(page, {"wait": {"hidden": {"look": heart}}}), 1)


def test_look_that_is_there_twice_needs_a_number(drive: Drive, heart: str) -> None:
    """Two hearts are a tie; `nth` counts them in reading order."""
    page = icon(HEART, "first") + icon(STAR, "star") + icon(HEART, "second")
    missing = failure(drive(page, {"click": {"look": heart}}))
    assert "2 times" in missing[2]
    step = {"click": {"look": heart, "nth": 2}, "expect": [result("second")]}
    went_well(drive(page, step), 1)


def test_box_means_what_lies_there(drive: Drive) -> None:
    """A place in fractions of the viewport leads to the element that holds it."""
    page = "".join(icon(path, name) for path, name in [(STAR, "a"), (HEART, "b")])
    box = [90 / 1280, 20 / 720, 20 / 1280, 20 / 720]
    went_well(drive(page, {"click": {"box": box}, "expect": [result("b")]}), 1)


def test_look_names_the_place_of_an_expectation(drive: Drive, heart: str) -> None:
    """What is expected in the icon's button is not looked for beside it."""
    marked = icon(HEART, "heart").replace("</button>", "<i>kept</i></button>")
    page = f"<div style='margin:100px'>{marked}<button>other</button></div>"
    place = {"look": heart}
    lacks = {"no_text": "other", "in": place}
    went_well(
        drive(page, {"wait": {"text": "kept", "in": place}, "expect": [lacks]}), 1
    )
    trace = drive(page, {"wait": {"text": "other", "in": place}, "timeout_s": 0.3})
    assert failure(trace)[1] == "expectation"
