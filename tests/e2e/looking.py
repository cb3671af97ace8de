"""A judge's endpoint that decodes the pictures it is sent, and answers from them alone.

It reads the screens by text recognition, and compares pictures pixel by pixel with the
references it knows. So a pair that is swapped or shifted gets another answer.
"""

import base64
import json
import re
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pytest_iwr import images
from pytest_iwr.check import judge
from pytest_iwr.check.judge.rubric import PARTS
from pytest_iwr.check.judge.tripwire import pairs
from pytest_iwr.check.ocr import Ocr
from pytest_iwr.check.structure import similarity
from pytest_iwr.gateway.mock import Answer, Seen

PAIRS = Path(judge.__file__).parent / "pairs"
_LIGHT = 180
"""Mean brightness of a page from which on it is light."""
_CLOSE = 2.0
"""Mean difference of a channel up to which two pictures show the same."""


class Looker:
    """Answers what a judge is asked; called from many threads."""

    def __init__(self, references: Iterable[Path]) -> None:
        """Know the pictures that can be a reference."""
        self._known = [images.read(path) for path in references]
        self._labelled = list(_labelled())
        self._ocr = Ocr(None, threads=2)
        self._lock = threading.Lock()
        self.claims: dict[str, list[bool]] = {}
        """What was decided, by claim."""

    def __call__(self, seen: Seen) -> Answer:
        """Look at both pictures."""
        (first, one), (second, two) = shown(seen)
        for known, other, claim, answer in self._labelled:
            if _equal(known, one) and _equal(other, two) and claim == _claim(seen):
                return answer
        with self._lock:
            if (first, second) == ("Picture REFERENCE:", "Picture CANDIDATE:"):
                return _reply(**_points(self._alike(one, two)))
            if (first, second) == ("Picture BEFORE:", "Picture AFTER:"):
                claim = _claim(seen) or ""
                verdict = self._holds(claim, one, two)
                self.claims.setdefault(claim, []).append(verdict)
                return _reply(verdict=verdict)
        raise AssertionError(first, second)

    def _holds(self, claim: str, before: images.Picture, after: images.Picture) -> bool:
        if claim == "The page is light.":
            return float(after.mean()) > _LIGHT
        match = re.fullmatch(r"The text “(.+)” (appeared|is gone)\.", claim)
        assert match, claim
        was, is_ = (match[1] in self._read(p) for p in (before, after))
        return is_ and not was if match[2] == "appeared" else was and not is_

    def _read(self, picture: images.Picture) -> str:
        return " ".join(line.text for line in self._ocr.read(picture))

    def _alike(self, reference: images.Picture, shot: images.Picture) -> float:
        """Give how alike they are; 0 where the first is no reference of this shot."""
        ours = [known for known in self._known if _far(known, reference) == 0]
        if not ours:
            return 0.0
        far = _far(shot, reference)
        nearer = [
            known
            for known in self._known
            if _far(known, reference) > 0 and _far(known, shot) < min(far, _CLOSE)
        ]
        if nearer:
            return 0.0
        ignored = np.zeros(shot.shape[:2], bool)
        return similarity(reference, shot, ignored)


def shown(seen: Seen) -> list[tuple[str, images.Picture]]:
    """Give what a request shows: the text before each picture, and the picture."""
    found: list[tuple[str, images.Picture]] = []
    label = ""
    for part in _parts(seen):
        if part["type"] == "text":
            label = part["text"]
        else:
            data = part["image_url"]["url"].partition(",")[2]
            found.append((label, images.decode(base64.b64decode(data))))
    return found


def without_pictures(seen: Seen) -> str:
    """Give a request as text, all that is marked as data left out."""
    body: Any = json.loads(json.dumps(seen.body))
    for part in body["messages"][1]["content"]:
        if part["type"] == "image_url":
            part["image_url"]["url"] = "…"
    return json.dumps(body, sort_keys=True)


def _claim(seen: Seen) -> str | None:
    """Give the claim that a request marks as data, where it has one."""
    first = _parts(seen)[0]["text"]
    match = re.search(r"^(claim [0-9a-f]{16})\n(.*)\n\1\n*$", first)
    return json.loads(match[2]) if match else None


def _labelled() -> Iterator[tuple[images.Picture, images.Picture, str | None, Answer]]:
    """Give the pairs of the tripwire, and the right answer to each."""
    for pair in pairs():
        one, two = (images.read(PAIRS / name) for name in (pair.first, pair.second))
        right = _points((pair.least + pair.most) / 200)
        told = right if pair.claim is None else {"verdict": pair.verdict}
        yield one, two, pair.claim, _reply(**told)


def _equal(one: images.Picture, two: images.Picture) -> bool:
    return np.array_equal(one, two)


def _parts(seen: Seen) -> list[dict[str, Any]]:
    body: Any = seen.body
    parts: list[dict[str, Any]] = body["messages"][1]["content"]
    return parts


def _far(one: images.Picture, two: images.Picture) -> float:
    """Give the mean difference of a channel outside of masks."""
    if one.shape != two.shape:
        return 255.0
    masked = (one == images.MASKED).all(axis=2) | (two == images.MASKED).all(axis=2)
    apart = np.abs(one.astype(np.int16) - two)[~masked]
    return float(apart.mean()) if apart.size else 0.0


def _points(share: float) -> dict[str, float]:
    return {name: round(most * share * 2) / 2 for name, most in PARTS.items()}


def _reply(**said: object) -> Answer:
    return Answer(text=json.dumps({"seen": "", "reason": "as it looks", **said}))
