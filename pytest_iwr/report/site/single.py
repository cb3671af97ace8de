"""The report in one file that fits: every failed step, then as much as there is room.

Pictures stand in it once each, as WebP in base64. Those of failed steps come first; all
are made smaller, or coarser, until these fit.
"""

import base64
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from html import escape
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from pytest_iwr import records as r
from pytest_iwr.artifacts import RunFolder
from pytest_iwr.report import pictures
from pytest_iwr.report.site import overview, paper, sections
from pytest_iwr.report.site.evidence import Evidence, Item, gather
from pytest_iwr.report.site.steps import StepView
from pytest_iwr.report.site.write import values

MOST_BYTES = 25_000_000
"""Of the file."""
TEXT_SHARE = 0.4
"""Of it, for the sections of evaluations. Failed ones share it, and tell the steps that
broke where all do not fit; passed ones that do not fit are left out."""
_BASE64 = 1.36
"""Letters for a byte, with what stands around a picture."""
_CAUTION = 1.1
_ROOM = 20_000
"""Bytes for what is written around the pictures."""
_SAMPLE = 8
"""Pictures that tell how large all will be."""
_THREADS = 2
_AT_ONCE = 8
"""Pictures in memory."""
_LARGEST = 4
"""A picture may take so many times its share of the room that is left."""
_SCRIPTS = ("overview.js", "viewer.js", "single.js")
_HERE = "<!--pictures-->"
"""Where they stand in the page; text of others has no such sign, it is escaped."""


class Level(NamedTuple):
    """How pictures are written."""

    width_px: int
    quality: int


LEVELS = (
    None,
    Level(1280, 70),
    Level(1280, 50),
    Level(1000, 45),
    Level(760, 40),
    Level(560, 35),
    Level(400, 30),
    Level(280, 25),
    Level(180, 20),
)
"""From as they are to hardly legible."""


@dataclass
class _Wanted:
    """Files of pictures, relative to the run's folder, in the order of their worth."""

    failed: dict[str, None] = field(default_factory=dict)
    beside: dict[str, None] = field(default_factory=dict)
    """Other steps of failed evaluations."""
    passed: dict[str, None] = field(default_factory=dict)

    def add(self, result: r.Result, steps: Sequence[StepView]) -> None:
        """Sort the pictures of an evaluation."""
        others = self.passed if result.status == "passed" else self.beside
        for step in steps:
            is_broken = step.status in sections.BROKEN
            for picture in (step.reference, step.shot, step.diff):
                if picture is not None:
                    (self.failed if is_broken else others)[picture.file] = None


def write_single_file(run: RunFolder, path: Path, most: int = MOST_BYTES) -> Path:
    """Write the report of a run in one file of at most `most` bytes; gives its path.

    Only a run whose table and broken steps alone take more makes a larger file.
    """
    evidence = gather(run)
    wanted = _Wanted()
    table, pictured, texts, no_section = _sections(
        evidence, wanted, int(most * TEXT_SHARE)
    )
    shown = values(evidence, table, pictured) | {
        "single": True,
        "sections": texts,
        "no_section": no_section,
    }
    text = paper.write("single.html.jinja", _SCRIPTS, shown, is_alone=True)
    head, _, tail = text.partition(_HERE)
    room = most - len(head.encode()) - len(tail.encode()) - _ROOM
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.part")
    with unfinished.open("w", encoding="utf-8") as out:
        out.write(head)
        out.writelines(_pictures(run.path, wanted, room))
        out.write(tail)
    unfinished.replace(path)
    return path


def _sections(
    evidence: Evidence, wanted: _Wanted, room: int
) -> tuple[list[dict[str, object]], list[dict[str, object]], list[Markup], int]:
    """Give the table, its rows with pictures, the sections, how many have no room."""
    rows: dict[int, dict[str, object]] = {}
    pictured: dict[int, dict[str, object]] = {}
    texts: list[Markup] = []
    no_section = 0
    shares = _shares(evidence, room)
    for number, row, item in _failed_first(evidence):
        rows[number] = overview.table_row(row, item) | {"href": "", "pictures": []}
        if item is None:
            continue
        section = sections.whole(item, number)
        if row.status == "passed" and section.size > room:
            no_section += 1
            continue
        if row.status != "passed" and shares is not None:
            most = room // max(1, shares)
            shares -= 1
            if section.size > most:
                section = sections.shorter(item, number, most)
        room -= section.size
        wanted.add(item.result, section.steps)
        texts.append(section.text)
        rows[number]["href"] = f"#item={number}"
        files = overview.broken_pictures(item, is_small=False)
        pictured[number] = rows[number] | {"pictures": files}
    table = [rows[number] for number in sorted(rows)]
    return table, [pictured[number] for number in sorted(pictured)], texts, no_section


def _shares(evidence: Evidence, room: int) -> int | None:
    """Give by how many failed evaluations the room is shared; `None`: all fit."""
    count = size = 0
    for number, row, item in _failed_first(evidence):
        if row.status == "passed":
            break
        if item is not None:
            count += 1
            size += sections.whole(item, number).size
    return count if size > room else None


def _failed_first(evidence: Evidence) -> Iterator[tuple[int, r.Row, Item | None]]:
    """Give the rows with their numbers and evidence, those that passed last."""
    for is_last in (False, True):
        for number, row in enumerate(evidence.rows()):
            if (row.status == "passed") is is_last:
                item = evidence.item(row) if isinstance(row, r.Result) else None
                yield number, row, item


def _pictures(folder: Path, wanted: _Wanted, room: int) -> Iterator[str]:
    """Give elements with pictures while there is room, a few of them in memory."""
    failed = [folder / name for name in wanted.failed]
    first = next(
        (i for i, level in enumerate(LEVELS) if _expected(failed, level) <= room),
        len(LEVELS) - 1,
    )
    others = [n for n in wanted.beside | wanted.passed if n not in wanted.failed]
    left_out = lacking = 0
    with ThreadPoolExecutor(_THREADS) as pool:
        for some, due in _chunks(list(wanted.failed)):
            most = room * min(1, _LARGEST / due)
            fit = partial(_fitting, levels=LEVELS[first:], most=most)
            for name, data in zip(some, pool.map(fit, _in(folder, some)), strict=True):
                line = _element(name, data)
                if len(line) > room:
                    lacking += 1
                    continue
                room -= len(line)
                yield line
        for some, due in _chunks(others):
            encode = partial(_encode, level=LEVELS[first])
            encoded = pool.map(encode, _in(folder, some))
            lines = [_element(*one) for one in zip(some, encoded, strict=True)]
            if sum(map(len, lines)) > room:
                left_out = due
                break
            room -= sum(map(len, lines))
            yield from lines
    told = paper.inert({"left": left_out, "lacking": lacking, "level": LEVELS[first]})
    yield f'<script type="application/json" id="told-data">{told}</script>\n'


def _chunks(names: Sequence[str]) -> Iterator[tuple[Sequence[str], int]]:
    """Give a few names at a time, and how many are due with them."""
    for start in range(0, len(names), _AT_ONCE):
        yield names[start : start + _AT_ONCE], len(names) - start


def _in(folder: Path, names: Iterable[str]) -> list[Path]:
    return [folder / name for name in names]


def _fitting(path: Path, levels: Sequence[Level | None], most: float) -> bytes | None:
    """Encode a picture at the first level at which it takes no more than `most`."""
    data = None
    for level in levels:
        data = _encode(path, level)
        if data is None or len(data) * _BASE64 <= most:
            break
    return data


def _element(name: str, data: bytes | None) -> str:
    if data is None:
        return ""
    text = base64.b64encode(data).decode()
    name = escape(name).encode("ascii", "xmlcharrefreplace").decode()
    return f'<script type="text/plain" data-file="{name}">{text}</script>\n'


def _expected(paths: Sequence[Path], level: Level | None) -> float:
    """Give how many bytes pictures will take, from a few of them."""
    if level is None:
        return sum(path.stat().st_size for path in paths if path.exists()) * _BASE64
    step = max(1, len(paths) // _SAMPLE)
    sample = paths[::step]
    sizes = [len(_encode(path, level) or b"") for path in sample]
    return sum(sizes) / max(1, len(sizes)) * len(paths) * _BASE64 * _CAUTION


def _encode(path: Path, level: Level | None) -> bytes | None:
    if not path.is_file():
        return None
    if level is None:
        return path.read_bytes()
    picture = pictures.read(path)
    if picture is None:
        return None
    return pictures.webp(pictures.shrink(picture, level.width_px), level.quality)
