"""A scripted model with eyes: it answers from the picture and the tree that it is sent.

What it names by its number it has seen in the picture under that number, if it is on the
screen at all. It knows two kinds of words: those in quotes, which stand on the page, and
`the red thing`, which only the picture shows.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from pydantic import JsonValue

from pytest_iwr.gateway.mock import Answer, Seen
from pytest_iwr.images import Picture
from tests.ground.sight import Rect, Sight, picture_of

_COLOURS = {
    "red": (0, 0, 255),
    "lime": (0, 255, 0),
    "yellow": (0, 255, 255),
    "cyan": (255, 255, 0),
}
"""Pure ones; numbers are drawn in others. Blue, green, red."""
_QUOTED = re.compile(r'"([^"]+)"')
_ROLES = ("checkbox", "tab", "field", "button", "link")
_KINDS = {"field": "textbox", "tab": "button"}


@dataclass
class Sent:
    """What a request for a grounding holds."""

    system: str
    wanted: dict[str, Any]
    lines: list[dict[str, Any]]
    url: str
    """Of the picture."""
    turns: int
    """How many messages there are."""

    @property
    def picture(self) -> Picture:
        """The picture."""
        return picture_of(self.url)


def sent(body: dict[str, Any] | None) -> Sent:
    """Take a request apart."""
    assert body is not None
    system, user = body["messages"][:2]
    wanted, page, picture = user["content"]
    lines = page["text"].split("\n")
    assert (lines[0], lines[-1]) == ("<page-data>", "</page-data>")
    return Sent(
        system["content"],
        json.loads(wanted["text"].removeprefix("wanted: ")),
        [json.loads(line) for line in lines[1:-1]],
        picture["image_url"]["url"],
        len(body["messages"]),
    )


def say(**form: object) -> Answer:
    """Give an answer that fills in the form."""
    return speak(json.dumps({"reason": "as seen", **form}))


def speak(text: str) -> Answer:
    """Give an answer with some words, from a model that tells its version."""
    message = {"role": "assistant", "content": text}
    choices: list[JsonValue] = [{"finish_reason": "stop", "message": {**message}}]
    return Answer(json_={"model": "eyes-1", "choices": choices})


def choosing(**wanted: object) -> Callable[[Seen], Answer]:
    """Give a model that chooses the one line of the tree with these words."""

    def answer(seen: Seen) -> Answer:
        fit = [
            line["number"]
            for line in sent(seen.body).lines
            if "number" in line and wanted.items() <= line.items()
        ]
        if len(fit) != 1:
            return say(outcome="none", number=None)
        return say(outcome="found", number=fit[0])

    return answer


@dataclass
class ReadingModel:
    """Answers as somebody does who looks at the picture."""

    sight: Sight
    asked: list[Sent] = field(default_factory=list)

    def __call__(self, seen: Seen) -> Answer:
        """Answer a request."""
        request = sent(seen.body)
        self.asked.append(request)
        words = request.wanted["words"]
        if "action" in request.wanted:
            return self._fill_in(request, words)
        number = self.find(request, words)
        return say(outcome="found" if number else "none", number=number)

    def _fill_in(self, request: Sent, words: str) -> Answer:
        """Read `Type "x" into ...`; all else is unclear."""
        text = _QUOTED.search(words)
        if request.wanted["action"] != "type" or text is None:
            return say(outcome="unclear")
        into = self.find(request, words[text.end() :])
        submit = "press Enter" in words
        form = {"text": text[1], "into": into, "clear": False, "submit": submit}
        return say(outcome="found" if into else "none", **form)

    def find(self, request: Sent, words: str) -> int | None:
        """Give the number of what words mean, as far as the picture bears it out."""
        marks = self.sight.marks(request.picture)
        for colour, value in _COLOURS.items():
            if re.search(rf"\b{colour}\b", words):
                return _around(marks, _middle(request.picture, value))
        quoted = _QUOTED.findall(words)
        if not quoted:
            return None
        fit = [line for line in request.lines if quoted[0] in _shown(line)]
        role = next((_KINDS.get(r, r) for r in _ROLES if r in words), None)
        fit = [line for line in fit if line["role"] == role] or fit
        borne_out = [line for line in fit if self._is_seen(request, marks, line)]
        return borne_out[0]["number"] if len(borne_out) == 1 else None

    def _is_seen(
        self, request: Sent, marks: dict[int, Rect], line: dict[str, Any]
    ) -> bool:
        """Tell whether the picture shows a line's words in the frame of its number."""
        if "number" not in line:
            return False
        if str(line.get("place", "")).startswith("off screen"):
            return line["number"] not in marks
        left, top, right, bottom = marks[line["number"]]
        shown = line.get("text") or line.get("value") or line.get("hint")
        shown = shown or (line["name"] if line["role"] in {"link", "button"} else "")
        part = request.picture[max(0, top - 3) : bottom + 3, max(0, left - 3) : right]
        read = self.sight.words(np.ascontiguousarray(part)) if shown else ""
        return _bare(str(shown)) in _bare(read)


def _shown(line: dict[str, Any]) -> set[str]:
    return {str(line[key]) for key in ("name", "text", "hint") if key in line}


def _bare(words: str) -> str:
    return re.sub(r"[^a-z0-9]", "", words.lower())


def _middle(picture: Picture, colour: tuple[int, int, int]) -> tuple[float, float]:
    mask = cv2.inRange(picture, colour, colour)
    rows, columns = np.nonzero(mask)
    assert len(rows), "the picture has no such colour"
    return float(np.median(columns)), float(np.median(rows))


def _around(marks: dict[int, Rect], point: tuple[float, float]) -> int | None:
    """Give the number of the smallest frame around a point."""
    x, y = point
    around = {
        number: (right - left) * (bottom - top)
        for number, (left, top, right, bottom) in marks.items()
        if left <= x <= right and top <= y <= bottom
    }
    return min(around, key=lambda number: around[number]) if around else None
