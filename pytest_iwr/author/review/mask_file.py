"""Writes a mask into a task file; every other letter of it stays, comments too."""

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import yaml

from pytest_iwr import records as r
from pytest_iwr.author.pictures import checkpoint_of
from pytest_iwr.author.review.spots import Spot, find_spots
from pytest_iwr.errors import TaskError, UsageError
from pytest_iwr.load import load

Fractions = tuple[float, float, float, float]
"""Left, top, width, height as fractions of the viewport."""
Edit = tuple[int, int, str]
"""What stands between two places of a text from now on."""

_UNSAFE = re.compile(r"[,\[\]{}\n]|: |:$| #")
"""What ends a plain scalar between brackets."""
_COMMENT = re.compile(r"#[^\n]*")
_PLACES = 4


class CannotWriteError(UsageError):
    """A file that is written in a way in which no mask can be added by a program."""


def add_masks(path: Path, step: int, boxes: Sequence[Fractions]) -> bytes:
    """Give a task file with more masks for a checkpoint; 0 is the start picture.

    Nothing is written. Raises CannotWriteError where the file cannot be edited so that
    it means the same but for the masks; the message has what to add by hand.
    """
    data = path.read_bytes()
    try:
        bom, text = _decoded(data)
        edits = _edits(text, find_spots(text), step, [shown(box) for box in boxes])
        for start, end, new in sorted(edits, reverse=True):
            text = text[:start] + new + text[end:]
    except (CannotWriteError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise _by_hand(path, step, boxes, str(error)) from error
    edited = bom + text.encode()
    _prove(path, edited, step, boxes)
    return edited


def shown(box: Fractions) -> str:
    """Give a mask as it is written."""
    return f"{{box: [{', '.join(f'{edge:g}' for edge in _rounded(box))}]}}"


def _rounded(box: Fractions) -> Fractions:
    left, top, width, height = (round(edge, _PLACES) for edge in box)
    return left, top, width, height


def _decoded(data: bytes) -> tuple[bytes, str]:
    mark = b"\xef\xbb\xbf"
    bom = mark if data.startswith(mark) else b""
    return bom, data[len(bom) :].decode()


def _edits(text: str, root: Spot, step: int, fresh: Sequence[str]) -> list[Edit]:
    checkpoint = _checkpoint(text, root, step)
    if checkpoint.kind == "scalar":
        return [_from_scalar(text, checkpoint, fresh)]
    if checkpoint.kind != "map":
        raise CannotWriteError("its checkpoint stands elsewhere in the file")
    masks = checkpoint.entry(text, "mask")
    if masks is None:
        return [_new_key(text, checkpoint, f"mask: [{', '.join(fresh)}]")]
    if masks.kind == "alias":
        meant = _anchored(root, masks)
        copied = ", ".join([*_copies(text, meant), *fresh])
        return [(masks.start, masks.end, f"[{copied}]")]
    if masks.kind != "list":
        raise CannotWriteError("its masks are no list")
    return [_appended(text, masks, fresh), *_moved_anchor(text, root, masks)]


def _checkpoint(text: str, root: Spot, step: int) -> Spot:
    place: Spot | None
    if step == 0:
        place = root.entry(text, "start")
    else:
        steps = root.entry(text, "steps")
        place = steps.items[step - 1] if steps and step <= len(steps.items) else None
        place = place.entry(text, "checkpoint") if place else None
    if place is None:
        raise CannotWriteError("its checkpoint stands elsewhere in the file")
    return place


def _from_scalar(text: str, spot: Spot, fresh: Sequence[str]) -> Edit:
    name = text[spot.start : spot.end]
    is_quoted = name.startswith(("'", '"'))
    if not spot.is_flow or (not is_quoted and _UNSAFE.search(name)):
        raise CannotWriteError("the name of its picture needs quotes")
    return spot.start, spot.end, f"{{image: {name}, mask: [{', '.join(fresh)}]}}"


def _new_key(text: str, spot: Spot, entry: str) -> Edit:
    """Add a key to a map: the last one between braces, the second one in a block."""
    if spot.is_flow:
        return _before_end(text, spot, entry)
    key, value = spot.pairs[0]
    indent = _newline(text) + " " * key.column
    if value.kind == "scalar" and value.is_flow:
        end = _line_end(text, value.end)
        return end, end, f"{indent}{entry}"
    return key.start, key.start, f"{entry}{indent}"


def _appended(text: str, spot: Spot, fresh: Sequence[str]) -> Edit:
    if spot.is_flow:
        return _before_end(text, spot, ", ".join(fresh))
    last = spot.items[-1]
    dash = text.rfind("-", 0, last.start)
    start_of_line = max(text.rfind("\n", 0, dash) + 1, 0)
    end = _line_end(text, last.end)
    indent = " " * (dash - start_of_line)
    lines = [f"{_newline(text)}{indent}- {mask}" for mask in fresh]
    return end, end, "".join(lines)


def _before_end(text: str, spot: Spot, entry: str) -> Edit:
    end = spot.end - 1
    parts = [*spot.items, *(value for _, value in spot.pairs)]
    if not parts:
        return end, end, entry
    behind = _COMMENT.sub("", text[parts[-1].end : end])
    return end, end, f" {entry}" if "," in behind else f", {entry}"


def _moved_anchor(text: str, root: Spot, masks: Spot) -> list[Edit]:
    """Let an alias of the list mean what it did: the first one becomes its place."""
    if not masks.name:
        return []
    uses = [
        spot
        for spot in root.walk()
        if (spot.kind, spot.name) == ("alias", masks.name) and spot.start > masks.end
    ]
    if not uses:
        return []
    anchor = f"&{masks.name}"
    if not text.startswith(anchor, masks.start):
        raise CannotWriteError(f"its masks have an anchor, {anchor}")
    begin, behind = masks.start, masks.start + len(anchor)
    if masks.is_flow:
        behind += len(text[behind:]) - len(text[behind:].lstrip(" "))
    else:
        begin = len(text[:begin].rstrip(" "))
    copied = ", ".join(_copies(text, masks))
    first = uses[0]
    return [
        (begin, behind, ""),
        (first.start, first.end, f"{anchor} [{copied}]"),
    ]


def _anchored(root: Spot, alias: Spot) -> Spot:
    found = [
        spot
        for spot in root.walk()
        if spot.kind == "list" and spot.name == alias.name and spot.end <= alias.start
    ]
    if not found:
        raise CannotWriteError("its masks stand elsewhere in the file")
    return found[-1]


def _copies(text: str, masks: Spot) -> list[str]:
    """Give each mask of a list so that it can stand in another one."""
    copies = []
    for item in masks.items:
        if item.name:
            copies.append(f"*{item.name}")
        elif item.is_flow and not any(part.name for part in item.walk()):
            copies.append(" ".join(text[item.start : item.end].split()))
        else:
            raise CannotWriteError("it shares its masks with other checkpoints")
    return copies


def _line_end(text: str, index: int) -> int:
    end = text.find("\n", index)
    if end < 0:
        return len(text)
    return end - 1 if text[end - 1] == "\r" else end


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _prove(path: Path, edited: bytes, step: int, boxes: Sequence[Fractions]) -> None:
    """Read the file as a task, and find nothing changed but the masks."""
    unlike = {"path", "step_lines", "masks"}
    before = load(path, needs_files=False)
    home = Path(before.path)
    with tempfile.TemporaryDirectory() as scratch:
        # A task without an id is called after its folder.
        trial = Path(scratch) / home.parent.name / home.name
        trial.parent.mkdir(exist_ok=True)
        trial.write_bytes(edited)
        try:
            after = load(trial, needs_files=False)
        except TaskError as error:
            raise _by_hand(path, step, boxes, "it would not be read") from error
    fresh = [r.Target(box=_rounded(box)) for box in boxes]
    wanted = checkpoint_of(before, step)
    if wanted is None:
        raise AssertionError(step)
    wanted = wanted.model_copy(update={"mask": (*wanted.mask, *fresh)})
    if step:
        steps = list(before.steps)
        steps[step - 1] = steps[step - 1].model_copy(update={"checkpoint": wanted})
        expected = before.model_copy(update={"steps": tuple(steps)})
    else:
        expected = before.model_copy(update={"start": wanted})
    if after.model_dump(exclude=unlike) != expected.model_dump(exclude=unlike):
        raise _by_hand(path, step, boxes, "other checkpoints would be masked, too")


def _by_hand(
    path: Path, step: int, boxes: Sequence[Fractions], why: str
) -> CannotWriteError:
    where = f"the checkpoint of step {step}" if step else "the start picture"
    try:
        line = load(path, needs_files=False).line_of(step)
    except TaskError:
        line = 1
    added = ", ".join(map(shown, boxes))
    return CannotWriteError(
        f"{path}:{line}: {where}: {why}. Add to its masks by hand: {added}"
    )
