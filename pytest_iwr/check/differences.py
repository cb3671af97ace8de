"""Which words are missing or added, and which blocks moved: a comparison for people."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from unicodedata import category

from pytest_iwr import records as r
from pytest_iwr.check.blocks import Match, blocks, match_blocks
from pytest_iwr.check.ocr import Line, Ocr
from pytest_iwr.check.pair import Pair
from pytest_iwr.check.readings import Rect
from pytest_iwr.images import Picture

STILL_PX = 6
"""Blocks nearer than this are in their place: recognition draws the boxes of equal
lines up to some pixels apart."""
NONE: tuple[Sequence[Line], Sequence[Line]] = ((), ())
"""Pictures on which nothing had to be read."""
SAME_SIZE = 0.7
"""A block lower than this part of the other one has not its size."""


def tell(
    diff: Path | None, pair: Pair, lines: tuple[Sequence[Line], Sequence[Line]] = NONE
) -> None:
    """Write what differs beside the picture of it, with the suffix `.json`."""
    if diff is not None:
        text = find(pair, lines).model_dump_json(exclude_defaults=True)
        diff.with_suffix(".json").write_text(text, encoding="utf-8")


def read_and_tell(ocr: Ocr, pair: Pair, diff: Path) -> None:
    """Write what differs between two pictures, which are read where it matters."""
    if pair.is_all_ignored or pair.is_equal:
        tell(diff, pair)
    else:
        lines = ocr.read(pair.reference), ocr.read(pair.shot)
        tell(diff, pair, lines)


def find(
    pair: Pair, lines: tuple[Sequence[Line], Sequence[Line]] = NONE
) -> r.Differences:
    """Give what differs between the reference and the shot, from what was read.

    Blocks are paired as for the score. Words of a block without a partner are missing
    or added; those of a pair are compared in their order, in any letter case.
    """
    ours, theirs = (blocks(side) for side in lines)
    matches = match_blocks(ours, theirs, pair.reference.shape[1])
    missing = _alone(ours, [match.reference for match in matches])
    added = _alone(theirs, [match.shot for match in matches])
    for match in matches:
        lost, gained = _unlike(match)
        missing += lost
        added += gained
    return r.Differences(
        reference=_size(pair.reference),
        shot=_size(pair.shot),
        missing=tuple(sorted(missing, key=_place)),
        added=tuple(sorted(added, key=_place)),
        moved=tuple(_moved(match) for match in matches if not _stays(match)),
        masks=pair.masks,
    )


def _alone(side: Sequence[Line], paired: Sequence[Line]) -> list[r.Word]:
    """Give the words of the blocks that have no partner."""
    have = set(paired)
    alone = [block for block in side if block not in have]
    return [word for block in alone for word in _words(block)]


def _unlike(match: Match) -> tuple[list[r.Word], list[r.Word]]:
    """Give the words that only one of two paired blocks has."""
    ours, theirs = list(_words(match.reference)), list(_words(match.shot))
    if len(ours) == len(theirs) and _folded(ours) == _folded(theirs):
        return [], []
    matcher = SequenceMatcher(None, _folded(ours), _folded(theirs), autojunk=False)
    lost, gained = [], []
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind != "equal":
            lost += ours[first:last]
            gained += theirs[start:end]
    return lost, gained


def _words(block: Line) -> Iterator[r.Word]:
    """Give the words of a block, each at its part of the block's width."""
    left, top, right, bottom = block.rect
    letter = (right - left) / max(1, len(block.text))
    at = 0
    for text in block.text.split():
        at = block.text.index(text, at)
        box = r.Box(
            x=round(left + at * letter, 1),
            y=top,
            width=round(len(text) * letter, 1),
            height=bottom - top,
        )
        if not _is_noise(text):
            yield r.Word(text=text, box=box)
        at += len(text)


def _is_noise(text: str) -> bool:
    """Tell what icons are taken for: signs, and letters that stand alone."""
    rest = _plain(text)
    return not rest or (len(rest) == 1 and not rest.isdigit())


def _plain(text: str) -> str:
    return "".join(sign for sign in text if category(sign) != "So").casefold()


def _folded(words: Sequence[r.Word]) -> list[str]:
    return [_plain(word.text) for word in words]


def _stays(match: Match) -> bool:
    """Tell whether a block is in its place, however its box was drawn.

    Recognition takes an icon beside a text into its box or not, so one edge or the
    middle that stays is enough, across and down.
    """
    one, two = match.reference.rect, match.shot.rect
    across = _shift((one.left, one.right), (two.left, two.right))
    down = _shift((one.top, one.bottom), (two.top, two.bottom))
    low, high = sorted((one.height, two.height))
    return max(across, down) < STILL_PX and low >= SAME_SIZE * high


def _shift(one: tuple[int, int], two: tuple[int, int]) -> float:
    edges = [abs(a - b) for a, b in zip(one, two, strict=True)]
    return min(*edges, abs(sum(one) - sum(two)) / 2)


def _moved(match: Match) -> r.Moved:
    return r.Moved(
        text=match.reference.text,
        reference=_box(match.reference.rect),
        shot=_box(match.shot.rect),
    )


def _box(rect: Rect) -> r.Box:
    return r.Box(x=rect.left, y=rect.top, width=rect.width, height=rect.height)


def _size(picture: Picture) -> r.Size:
    return r.Size(width=picture.shape[1], height=picture.shape[0])


def _place(word: r.Word) -> tuple[float, float]:
    return word.box.y, word.box.x
