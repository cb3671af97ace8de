"""A row of the official data and its files → what a task file would say."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from pytest_iwr.load.official_row import OfficialAction, OfficialRow, Parameters
from pytest_iwr.load.parse import Finding, Where
from pytest_iwr.load.rules import absence, escape

_RESOLUTION = re.compile(r"\s*(\d{1,5})\s*[xX×*]\s*(\d{1,5})\s*")
_LEAST_PX, _MOST_PX = 100, 8192
_HAND_HELD = re.compile(
    r"(?i:(?<![a-z])(?:mobile|(?:smart|cell|i)?phone|android|ios|ipad|ipod|tablet))"
    r"|(?<=[a-z])(?:Mobile|Phone|Android|IOS|Tablet)"
)
"""A word that begins so, also beside digits and `_` and inside of `webMobile`."""
_POINTING = {
    "double_click": re.compile(r"\s*double[- ]?click(?: on)?\s+(?=\S)", re.IGNORECASE),
    "right_click": re.compile(r"\s*right[- ]?click(?: on)?\s+(?=\S)", re.IGNORECASE),
    "hover": re.compile(
        r"\s*(?:hover|(?:move|put|place) the (?:mouse|cursor|pointer))"
        r"(?: (?:over|on|onto|to))?\s+(?=\S)",
        re.IGNORECASE,
    ),
}
"""How a description of a Click begins that means another act."""
_VIDEOS = ("video.mp4", "video.webm")
_SHEETS = re.compile(r"(?:stitched_image|step_).*\.(?:png|jpe?g|webp)", re.IGNORECASE)


@dataclass(frozen=True)
class Draft:
    """What a task file would say, and what is wrong with it."""

    content: Mapping[str, object]
    findings: tuple[Finding, ...]


def draft(row: OfficialRow, folder: Path, line: int) -> Draft:
    """Write a row as the content of a task file that lies in `folder`.

    The files of the task lie in `data/<id>/` below it, or in `<id>/`.
    """
    files = _Files(folder, row.id, line)
    said: dict[str, object] = {"iwr": 1, "id": row.id, "source": _source(row)}
    level = row.classification.interaction_complexity
    if level is not None:
        said["tags"] = [level]
    said["viewport"] = _viewport(row, files)
    said |= files.shown()
    said["start"] = files.picture(0, None, ("start",))
    said["steps"] = [
        _step(action, number, files)
        for number, action in enumerate(row.action_sequence, start=1)
    ]
    return Draft(said, tuple(files.findings))


def _source(row: OfficialRow) -> dict[str, object]:
    given = {
        "site": row.source_website,
        "domain": row.classification.domain,
        "sub_domain": row.classification.sub_domain,
        "interaction": row.classification.interaction_complexity,
        "visual": row.classification.visual_complexity,
    }
    return {key: value for key, value in given.items() if value is not None}


def _viewport(row: OfficialRow, files: "_Files") -> dict[str, object]:
    details = row.recording_details
    match = _RESOLUTION.fullmatch(details.resolution)
    sides = (int(match[1]), int(match[2])) if match else ()
    if not sides or not all(_LEAST_PX <= side <= _MOST_PX for side in sides):
        message = (
            f"must be a width and a height, each {_LEAST_PX} to {_MOST_PX}, such as"
            f" 1920x1080, is {details.resolution!r}"
        )
        files.find(("recording_details", "resolution"), message)
        return {}
    window: dict[str, object] = dict(zip(("width", "height"), sides, strict=True))
    if details.environment and _HAND_HELD.search(details.environment):
        window |= {"mobile": True, "touch": True}
    return window


def _step(action: OfficialAction, number: int, files: "_Files") -> dict[str, object]:
    where: Where = ("action_sequence", number - 1)
    told = action.parameters
    missing = {
        "Click": told.description is None and "description",
        "Type": told.description is None and told.text is None and "description",
        "Press": told.description is None and told.key is None and "key",
        "Scroll": told.description is None and told.direction is None and "direction",
    }[action.type]
    if missing:
        files.find((*where, "parameters"), f"has no `{missing}`. Add it")
        return {}
    step = _act(action.type, told)
    if told.description is not None:
        step["say"] = told.description
    if action.logical_assertion is not None:
        step["expect"] = [action.logical_assertion]
    place = (*where, "checkpoint_screenshot")
    if action.visual_evaluation_flag:
        step["checkpoint"] = files.picture(number, action.checkpoint_screenshot, place)
    return step


def _act(kind: str, told: Parameters) -> dict[str, object]:
    sentence = {} if told.description is None else {"describe": told.description}
    match kind:
        case "Click":
            verb, what = _pointing(told.description or "")
            return {verb: what}
        case "Type":
            text = {} if told.text is None else {"text": told.text}
            return {"type": {**sentence, **text}}
        case "Press":
            return {"press": sentence if told.key is None else told.key}
        case _:
            return {"scroll": {**sentence, **_way(told)}}


def _pointing(sentence: str) -> tuple[str, str]:
    """Give what is done with the pointer, and on what: a Click may be another act."""
    for verb, pattern in _POINTING.items():
        begun = pattern.match(sentence)
        if begun and not re.search(r"\bclick", sentence[begun.end() :], re.IGNORECASE):
            return verb, sentence[begun.end() :]
    return "click", sentence


def _way(told: Parameters) -> dict[str, float]:
    """Give how far to scroll; nothing where the sentence alone knows.

    Without a direction, a page is a way down, and a way by less than nothing up.
    """
    has_amount = told.scroll_page is not None
    if not has_amount and told.description is not None:
        return {}
    pages = told.scroll_page if told.scroll_page is not None else 1.0
    direction = told.direction or _direction(told.description or "") or "down"
    far = -abs(pages) if direction in {"up", "left"} else pages
    return {"by_x" if direction in {"left", "right"} else "by": far}


def _direction(sentence: str) -> str | None:
    found = re.search(r"\b(up|down|left|right)\b", sentence, re.IGNORECASE)
    return found[1].lower() if found else None


@dataclass
class _Files:
    """The files of one task, as paths relative to the folder of its `data.jsonl`."""

    root: Path
    id: str
    line: int
    findings: list[Finding] = field(default_factory=list)

    def find(self, where: Where, message: str) -> None:
        """Note what is wrong."""
        self.findings.append(Finding(where, self.line, message))

    def shown(self) -> Iterator[tuple[str, str]]:
        """Give what a model sees of the task, as far as it is there."""
        for name in (f"{self._home}/{video}" for video in _VIDEOS):
            if self._may_be(name):
                yield "video", self._checked(name, ("video",))
                break
        name = f"{self._home}/assets"
        if self._may_be(name, is_folder=True):
            yield "assets", self._checked(name, ("assets",), is_folder=True)
        name = f"{self._home}/stitched_assets"
        if self._may_be(name, is_folder=True) and self._has_sheets(name):
            yield "sheets", self._checked(name, ("stitched_assets",), is_folder=True)

    def picture(self, number: int, named: str | None, where: Where) -> str:
        """Give the picture after a step: the named one, else by its number."""
        usual = f"{self._home}/checkpoints/step_{number}.png"
        if named is None:
            return self._checked(usual, where)
        if (fault := escape(named)) is not None:
            self.find(where, fault)
            return usual
        name = PurePosixPath(named).as_posix()
        parent = PurePosixPath(self._home).parent
        places = ((parent / name).as_posix(), f"{self._home}/{name}", name)
        there = [place for place in places if self._may_be(place)]
        return self._checked(there[0] if there else places[0], where)

    @property
    def _home(self) -> str:
        nested = f"data/{self.id}"
        is_nested = self._may_be(nested, is_folder=True)
        is_flat = not is_nested and self._may_be(self.id, is_folder=True)
        return self.id if is_flat else nested

    def _may_be(self, name: str, *, is_folder: bool = False) -> bool:
        """Tell whether it is there; what cannot be looked up is told when it counts."""
        path = self.root / name
        try:
            return path.is_dir() if is_folder else path.is_file()
        except OSError:
            return True

    def _has_sheets(self, name: str) -> bool:
        try:
            return any(_SHEETS.fullmatch(f.name) for f in (self.root / name).iterdir())
        except OSError as error:
            message = f"{name!r} cannot be listed: {error.strerror}. Correct its rights"
            self.find(("stitched_assets",), message)
            return False

    def _checked(self, name: str, where: Where, *, is_folder: bool = False) -> str:
        fault = absence(self.root, name, is_folder=is_folder)
        if fault is not None:
            self.find(where, fault)
        return name
