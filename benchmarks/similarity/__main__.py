"""Writes the tables of `docs/scoring.md`: `python -m benchmarks.similarity`."""

import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from pathlib import Path
from statistics import fmean

from benchmarks.similarity.rebuilds import ROOT, Compared, compare_pages, compare_sites
from benchmarks.similarity.studio import CHANGES, PAGES, Studio
from pytest_iwr import records as r
from pytest_iwr.check.offline import OfflineScorer

DOCS = ROOT / "docs" / "scoring.md"
NUMBERS = ("text", "structure", "lfs", "hfs", "similarity")
MINIMA = (0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9)
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Of HFS in the similarity."""


def main() -> None:
    """Measure, print, and put the tables into the document."""
    with tempfile.TemporaryDirectory() as scratch:
        scorer = OfflineScorer(Path(scratch) / "cache", threads=2)
        small = list(changed_pages(scorer, Path(scratch)))
        compared = [*compare_pages(scorer), *compare_sites(scorer)]
    known = ["pairs", "text", "structure", "LFS", "HFS", "similarity", "lowest–highest"]
    tables = (
        "Small pages:",
        _table(["change", *known], small),
        "The tasks' pages:",
        _table(["page", *known], by_kind(compared)),
        "The same by task, HFS and similarity:",
        _table(["task", "right, lowest", "wrong, highest"], by_task(compared)),
        "Errors by the minimum:",
        _table(
            ["minimum", "right, refused", "fault, refused", "wrong, accepted"],
            by_minimum(compared),
        ),
        "The gap between right and wrong by the share of HFS in the similarity:",
        _table(["share", "right, lowest", "wrong, highest", "gap"], by_share(compared)),
    )
    measured = "\n\n".join(tables)
    print(measured)
    text = DOCS.read_text(encoding="utf-8")
    pattern = r"(<!-- measured -->\n).*?(\n?<!-- end -->)"
    fresh = re.sub(
        pattern, lambda m: f"{m[1]}{measured}\n<!-- end -->", text, flags=re.DOTALL
    )
    DOCS.write_text(fresh, encoding="utf-8")


def changed_pages(scorer: OfflineScorer, folder: Path) -> Iterator[list[str]]:
    """Give a line for each known change, over all small pages."""
    with Studio(folder) as studio:
        for change in CHANGES:
            pairs = [(studio.shoot(p), studio.shoot(p, change)) for p in PAGES]
            yield _row(change, (scorer.compare(*pair) for pair in pairs))
        pairs = [(studio.shoot(p), studio.shoot_half(p)) for p in PAGES]
        yield _row("lower half lost", (scorer.compare(*pair) for pair in pairs))
        pairs = [
            (studio.shoot(one), studio.shoot(two))
            for one, two in permutations(PAGES, 2)
        ]
        yield _row("another page", (scorer.compare(*pair) for pair in pairs))
        pairs = [(studio.shoot(p), studio.shoot_blank()) for p in PAGES]
        yield _row("blank page", (scorer.compare(*pair) for pair in pairs))


def by_kind(compared: Sequence[Compared]) -> Iterator[list[str]]:
    """Give a line for each kind of page, over all tasks."""
    for kind in dict.fromkeys(one.kind for one in compared):
        chosen = [one for one in compared if one.kind == kind]
        yield _row(f"{kind} ({chosen[0].group})", (one.comparison for one in chosen))


def by_task(compared: Sequence[Compared]) -> Iterator[list[str]]:
    """Give the lowest numbers of right pages and the highest of wrong ones."""
    for task in dict.fromkeys(one.task for one in compared):
        mine = [one for one in compared if one.task == task]
        edges = zip(_edge(mine, share=1.0), _edge(mine, share=0.5), strict=True)
        yield [task, *(f"{hfs:.3f}, {similarity:.3f}" for hfs, similarity in edges)]


def by_minimum(compared: Sequence[Compared]) -> Iterator[list[str]]:
    """Count, for each minimum, the pictures on the wrong side of it."""
    for minimum in MINIMA:
        below = [one for one in compared if one.comparison.similarity < minimum]
        cells = []
        for group in ("right", "fault", "wrong"):
            total = sum(one.group == group for one in compared)
            count = sum(one.group == group for one in below)
            cells.append(f"{total - count if group == 'wrong' else count} of {total}")
        yield [f"{minimum:g}", *cells]


def by_share(compared: Sequence[Compared]) -> Iterator[list[str]]:
    """Give how far right and wrong lie apart, for each weight of HFS."""
    for share in SHARES:
        low, high = _edge(compared, share=share)
        yield [f"{share:g}", f"{low:.3f}", f"{high:.3f}", f"{low - high:.3f}"]


def _edge(compared: Sequence[Compared], *, share: float) -> tuple[float, float]:
    """Give the lowest number of a right page, and the highest of a wrong one.

    The number is HFS by its `share`, 0..1, and LFS by the rest.
    """
    numbers = [
        (one.group, share * one.comparison.hfs + (1 - share) * one.comparison.lfs)
        for one in compared
    ]
    return (
        min(number for group, number in numbers if group == "right"),
        max(number for group, number in numbers if group == "wrong"),
    )


def _row(name: str, compared: Iterable[r.Comparison]) -> list[str]:
    known = list(compared)
    means = [fmean(getattr(c, number) for c in known) for number in NUMBERS]
    all_of_it = sorted(c.similarity for c in known)
    spread = f"{all_of_it[0]:.3f}–{all_of_it[-1]:.3f}"
    return [name, str(len(known)), *(f"{mean:.3f}" for mean in means), spread]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


if __name__ == "__main__":
    main()
