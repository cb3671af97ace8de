"""Pictures made to fit what a model takes: fewer, smaller, the same way each time."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import cv2

from pytest_iwr.images import Picture
from pytest_iwr.records import ImageLimits

Kind = Literal["sheet", "frame"]

MOST_IMAGES = 70
"""In one request. Source: IWR-Bench, arXiv 2509.24709."""
MOST_FRAMES = 64
"""As above."""
TOKEN_PX = 28
"""A token of a picture stands for a square of so many pixels, as Qwen2.5-VL counts;
others take fewer tokens for it."""

_QUALITIES = (85, 70, 55, 40)
_SMALLER = 0.75
_SMALLEST_PX = 64
_STEPS = (
    (None, None),
    (1568, None),
    (1280, None),
    (1024, None),
    (1024, 16),
    (1024, 8),
    (768, 8),
    (768, 4),
    (512, 4),
    (512, 2),
    (384, 2),
    (256, 2),
)
"""Longest side and most frames, tried in this order until the tokens suffice."""


class Shown(NamedTuple):
    """What a picture is, before it is made to fit."""

    kind: Kind
    width: int
    height: int


class Encoded(NamedTuple):
    """A picture as it is sent."""

    kind: Kind
    mime: Literal["image/png", "image/jpeg"]
    data: bytes
    width: int
    height: int

    @property
    def tokens(self) -> int:
        """How many tokens it takes, by estimate."""
        return tokens_of(self.width, self.height)


class Fitted(NamedTuple):
    """Pictures that a model takes."""

    pictures: tuple[Encoded, ...]
    dropped: tuple[str, ...]
    """What was left out or made smaller, in words."""


@dataclass(frozen=True)
class Plan:
    """Which pictures are sent, and how large they may be."""

    sheets: int
    """So many of the first ones."""
    frames: int
    """So many, evenly spread."""
    side_px: int | None
    """The longest that a side may be."""
    dropped: tuple[str, ...] = ()
    """What is left out, in words."""

    def sizes(self, shown: Sequence[Shown]) -> list[tuple[int, int]]:
        """Give the width and height of each picture that is sent."""
        kept = _kept(shown, self.sheets, self.frames)
        return [_within(shown[i].width, shown[i].height, self.side_px) for i in kept]

    def tokens(self, shown: Sequence[Shown]) -> int:
        """Estimate how many tokens the pictures take."""
        return sum(tokens_of(width, height) for width, height in self.sizes(shown))


def fit(
    pictures: Sequence[tuple[Kind, Picture]],
    limits: ImageLimits,
    tokens: int | None = None,
) -> Fitted:
    """Shrink and thin pictures to a model's limits; equal bytes for equal pictures.

    Sheets come before frames: where there are too many, the first sheets stay, with
    the first and the last frame and evenly spread ones between. `tokens`: the most
    that all pictures may take by estimate.
    """
    shown = [Shown(kind, p.shape[1], p.shape[0]) for kind, p in pictures]
    chosen = plan(shown, limits, tokens)
    kept = _kept(shown, chosen.sheets, chosen.frames)
    return encode((pictures[index] for index in kept), chosen, limits)


def plan(
    shown: Sequence[Shown], limits: ImageLimits, tokens: int | None = None
) -> Plan:
    """Choose what is sent of some pictures, and how large it may be."""
    sheets = sum(picture.kind == "sheet" for picture in shown)
    frames = len(shown) - sheets
    most = MOST_IMAGES
    if limits.max_images is not None:
        most = min(most, limits.max_images)
    kept = min(sheets, max(0, most - min(2, frames)))
    sides = [limits.max_side_px]
    if min(len(shown), MOST_IMAGES) > limits.many:  # also where few of them are sent
        sides.append(limits.max_side_px_when_many)
    by_count = Plan(
        sheets=kept,
        frames=min(frames, most - kept, MOST_FRAMES),
        side_px=min((side for side in sides if side is not None), default=None),
    )
    chosen = by_count if tokens is None else _within_tokens(by_count, shown, tokens)
    by_limit = f"at most {_many(most, 'picture')}"
    told = [
        *_left_out("contact sheets", sheets, by_count.sheets, chosen.sheets, by_limit),
        *_left_out("frames", frames, by_count.frames, chosen.frames, by_limit),
    ]
    return replace(chosen, dropped=tuple(told))


def encode(
    pictures: Iterable[tuple[Kind, Picture]], chosen: Plan, limits: ImageLimits
) -> Fitted:
    """Encode the pictures of a plan, one after the other.

    Sheets as PNG where that is small enough, all else as JPEG.
    """
    left = limits.max_total_bytes
    remaining = chosen.sheets + chosen.frames
    made: list[Encoded] = []
    changes: dict[str, int] = {}
    for kind, picture in pictures:
        shares = [limits.max_image_bytes]
        shares.append(None if left is None else left // max(remaining, 1))
        most = min((share for share in shares if share is not None), default=None)
        encoded, change = _encode(kind, picture, chosen.side_px, most)
        for what in change:
            changes[what] = changes.get(what, 0) + 1
        made.append(encoded)
        left = None if left is None else left - len(encoded.data)
        remaining -= 1
    told = [f"{what} ({_many(number, 'picture')})" for what, number in changes.items()]
    return Fitted(tuple(made), chosen.dropped + tuple(told))


def tokens_of(width: int, height: int) -> int:
    """Estimate the tokens of a picture of a size in pixels."""
    return math.ceil(width / TOKEN_PX) * math.ceil(height / TOKEN_PX)


def _within_tokens(chosen: Plan, shown: Sequence[Shown], tokens: int) -> Plan:
    best = chosen
    for side, frames in _STEPS:
        sides = [s for s in (side, chosen.side_px) if s is not None]
        best = replace(
            chosen,
            side_px=min(sides, default=None),
            frames=chosen.frames if frames is None else min(frames, chosen.frames),
        )
        if best.tokens(shown) <= tokens:
            return best
    while best.sheets > 1 and best.tokens(shown) > tokens:
        best = replace(best, sheets=best.sheets - 1)
    return best


def _left_out(
    what: str, there: int, counted: int, kept: int, by_limit: str
) -> Iterator[str]:
    """Say how many were left out, and why."""
    if kept < there:
        why = by_limit
        if kept != counted:
            why = "to fit the model's context"
        elif what == "frames" and kept == MOST_FRAMES:
            why = f"at most {MOST_FRAMES}"
        yield f"{there - kept} of {there} {what} left out ({why})"


def _kept(shown: Sequence[Shown], sheets: int, frames: int) -> list[int]:
    """Give the places of what is sent, in order."""
    frame_places = [i for i, picture in enumerate(shown) if picture.kind == "frame"]
    sheet_places = [i for i, picture in enumerate(shown) if picture.kind == "sheet"]
    chosen = [frame_places[place] for place in spread(len(frame_places), frames)]
    return sorted(sheet_places[:sheets] + chosen)


def spread(count: int, most: int) -> list[int]:
    """Give evenly spread places of 0..count-1, the first and the last among them."""
    if most >= count:
        return list(range(count))
    if most <= 1:
        return [0][:most]
    return [round(place * (count - 1) / (most - 1)) for place in range(most)]


def _within(width: int, height: int, side_px: int | None) -> tuple[int, int]:
    """Give the size of a picture that has been shrunk to a longest side."""
    longest = max(width, height)
    if side_px is None or longest <= side_px:
        return width, height
    scale = side_px / longest
    return max(1, round(width * scale)), max(1, round(height * scale))


def _encode(
    kind: Kind, picture: Picture, side_px: int | None, most: int | None
) -> tuple[Encoded, list[str]]:
    """Encode a picture, smaller and coarser until it has at most `most` bytes."""
    height, width = picture.shape[:2]
    size = _within(width, height, side_px)
    change = []
    if size != (width, height):
        change.append(_shrunk(kind, (width, height), size))
    small = _resized(picture, size)
    if kind == "sheet":
        data = _bytes(".png", small, [cv2.IMWRITE_PNG_COMPRESSION, 9])
        if most is None or len(data) <= most:
            return Encoded(kind, "image/png", data, *size), change
    while True:
        for quality in _QUALITIES:
            data = _jpeg(small, quality)
            is_small = most is None or len(data) <= most
            if is_small or (max(size) <= _SMALLEST_PX and quality == _QUALITIES[-1]):
                if quality != _QUALITIES[0]:
                    change.append(f"{kind}s coarser: JPEG of quality {quality}")
                return Encoded(kind, "image/jpeg", data, *size), change
        size = _within(*size, math.floor(max(size) * _SMALLER))
        change = [_shrunk(kind, (width, height), size)]
        small = _resized(picture, size)


def _jpeg(picture: Picture, quality: int) -> bytes:
    full = cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444  # small coloured letters stay legible
    options = [cv2.IMWRITE_JPEG_QUALITY, quality]
    return _bytes(".jpg", picture, [*options, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, full])


def _bytes(suffix: str, picture: Picture, options: Sequence[int]) -> bytes:
    is_made, data = cv2.imencode(suffix, picture, options)
    if not is_made:
        raise AssertionError(picture.shape)
    return data.tobytes()


def _resized(picture: Picture, size: tuple[int, int]) -> Picture:
    height, width = picture.shape[:2]
    if size == (width, height):
        return picture
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA).astype("uint8")


def _shrunk(kind: Kind, before: tuple[int, int], after: tuple[int, int]) -> str:
    return f"{kind}s made smaller: {before[0]}×{before[1]} → {after[0]}×{after[1]}"


def _many(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
