"""What judges were asked about an evaluation, and what they said, from their files."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pydantic import ValidationError

from pytest_iwr import records as r
from pytest_iwr.report.site.evidence import Item

MOST_LETTERS = 200_000
"""Of a file or a reply that are shown."""
_NAME = re.compile(r"judge-(\d+)-")
_OTHERS = {".png", ".webp", ".jpg", ".jpeg"}


class Seen(NamedTuple):
    """A picture that a judge was shown."""

    label: str
    small: str
    href: str


class Evidence(NamedTuple):
    """A file of a judge."""

    name: str
    step: int | None
    judgement: r.Judgement | None
    """`None`: the file holds something else."""
    text: str
    """The file, where it is no judgement."""
    pictures: tuple[Seen, ...]


def evidence(item: Item, up: str) -> tuple[Evidence, ...]:
    """Give all that judges left in an item's folder, in the order of the steps."""
    found = []
    for path in sorted(item.folder.path.glob("judge-*.json")):
        text = path.read_text(encoding="utf-8", errors="replace")
        named = _NAME.match(path.name)
        step = int(named[1]) if named else None
        try:
            judgement = r.Judgement.model_validate_json(text)
        except ValidationError:
            judgement = None
        pictures = tuple(_pictures(judgement, item, step, up)) if judgement else ()
        shown = "" if judgement else text[:MOST_LETTERS]
        found.append(Evidence(path.name, step, judgement, shown, pictures))
    return tuple(found)


def cost_usd(found: Iterable[Evidence]) -> float | None:
    """Give what the judges' replies have cost; `None`: nobody says so."""
    samples = [s for one in found if one.judgement for s in one.judgement.samples]
    known = [sample.cost_usd for sample in samples if sample.cost_usd is not None]
    return sum(known) if known else None


def loose_pictures(item: Item) -> tuple[str, ...]:
    """Give the pictures that judges left beside their files."""
    found = sorted(item.folder.path.glob("judge-*"))
    return tuple(path.name for path in found if path.suffix in _OTHERS)


def _pictures(
    judgement: r.Judgement, item: Item, step: int | None, up: str
) -> Iterator[Seen]:
    for told in judgement.pictures:
        name = told.rpartition(": ")[2]
        shown = item.kept.pictures.get(name)
        base = ""
        if shown is None and item.task is not None and step is not None:
            shown, base = item.task.references.get(step), f"{up}/{item.kept.task}/"
        if shown is not None:
            yield Seen(told, base + (shown.small or shown.full), base + shown.full)
