"""What a step changed, in words: from the snapshots and shots before and after it.

What moves by itself, as a second look shows it, is no change; nor is what a pointer or
a keystroke does of itself to the element that it touches.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from pytest_iwr import images
from pytest_iwr import records as r

Kind = Literal["became", "appeared", "went", "moved", "looks"]

_LONGEST = 60
_NEAR_PX = 48.0
"""What stood so near is the same thing with another text."""
_RIM_PX = 24.0
"""Around what is touched: the ring of focus, a shadow under the pointer."""
_SAME_PX = 2.0
_FEW = 4
"""Pixels that may differ (as in `images`)."""
_MOST = 150
"""Elements that came, and that went: of another page the first will do."""
_KEPT = 120
"""Characters that are kept of a text that comes and goes."""
_DRAWN = {"canvas", "svg", "img", "video"}
"""What these show is no mere sign that they were touched."""


class Node(NamedTuple):
    """A visible element of a snapshot, but for its place."""

    role: str
    name: str
    value: str
    is_checked: bool
    is_disabled: bool
    frame: str


class Placed(NamedTuple):
    """A visible element and where it is."""

    node: Node
    box: r.Box
    is_focused: bool = False


class Change(NamedTuple):
    """One thing that is otherwise after a step."""

    kind: Kind
    words: str
    places: tuple[r.Box, ...]
    """Before and after, CSS pixels of the window."""
    texts: tuple[str, ...] = ()
    """What it said before or says now."""
    is_own: bool = False
    """What was touched took the input: a text, a tick, a choice."""


@dataclass(frozen=True)
class Changes:
    """All that a step changed."""

    known: bool
    """Both snapshots are there."""
    found: tuple[Change, ...] = ()

    @property
    def real(self) -> tuple[Change, ...]:
        """Those that the input does not make of itself."""
        return tuple(change for change in self.found if not change.is_own)


def changes_of(trace: r.Trace, number: int, folder: Path) -> Changes:
    """Compare the page before and after a step (counted from 1)."""
    step, before = trace.steps[number], trace.steps[number - 1]
    one, two = _read(folder, before.snapshot), _read(folder, step.snapshot)
    if one is None or two is None:
        return Changes(known=False)
    restless = set(step.facts.restless_texts) if step.facts else set()
    touched = step.target.box if step.target else None
    found = _texts(one, two, restless, touched)
    if not found:
        found = _motions(one, two, restless)
    if not found and not _is_scrolled(one, two):
        aims = [aim for aim in (before.target, step.target) if aim is not None]
        quiet = [aim.box for aim in aims if aim.tag not in _DRAWN]
        quiet += [
            placed.box
            for placed in (*one, *two)
            if placed.is_focused and placed.node.role not in _DRAWN
        ]
        found = _looks(trace, (before, step), folder, quiet)
    return Changes(known=True, found=tuple(found))


def _read(folder: Path, name: str | None) -> list[Placed] | None:
    path = folder / name if name else None
    if path is None or not path.is_file():
        return None
    return [
        Placed(
            Node(
                role=one["role"],
                name=" ".join(one.get("name", "").split()),
                value=one.get("value", ""),
                is_checked=bool(one.get("checked")),
                is_disabled=bool(one.get("disabled")),
                frame=one.get("frame", ""),
            ),
            r.Box(**one["box"]),
            bool(one.get("focused")),
        )
        for one in json.loads(path.read_text(encoding="utf-8"))
    ]


def _less(some: Sequence[Placed], others: Iterable[Placed]) -> list[Placed]:
    """Give those of `some` that `others` has not, or not so often."""
    left = Counter(placed.node for placed in others)
    rest = []
    for placed in some:
        if left[placed.node]:
            left[placed.node] -= 1
        else:
            rest.append(placed)
    return rest


def _is_of(placed: Placed, texts: set[str]) -> bool:
    """Tell whether an element says one of some texts, as far as these were kept."""
    said = {placed.node.name[:_KEPT], placed.node.value[:_KEPT]} - {""}
    return bool(said & texts)


# --- texts, values, states


def _texts(
    before: list[Placed],
    after: list[Placed],
    restless: set[str],
    touched: r.Box | None,
) -> list[Change]:
    gone, new = _less(before, after)[:_MOST], _less(after, before)[:_MOST]
    found: list[Change] = []
    for old in list(gone):
        twin = _twin(old, new)
        if twin is None:
            continue
        gone.remove(old)
        new.remove(twin)
        if not (_is_of(old, restless) or _is_of(twin, restless)):
            found.append(_became(old, twin, touched))
    found += [_came(one, "appeared") for one in new if not _is_of(one, restless)]
    found += [_came(one, "went") for one in gone if not _is_of(one, restless)]
    named = [change for change in found if any(change.texts)]
    return _innermost(named or found)


def _twin(old: Placed, new: Sequence[Placed]) -> Placed | None:
    """Give what stands where `old` stood and is of its kind, the nearest."""
    kin = [
        (_distance(old.box, one.box), number, one)
        for number, one in enumerate(new)
        if (one.node.role, one.node.frame) == (old.node.role, old.node.frame)
    ]
    best = min(kin, default=None)
    return best[2] if best is not None and best[0] <= _NEAR_PX else None


def _distance(one: r.Box, two: r.Box) -> float:
    corners = abs(one.x - two.x) + abs(one.y - two.y)
    ends = abs(one.x + one.width - two.x - two.width) + abs(one.y - two.y)
    return min(corners, ends)


def _became(old: Placed, new: Placed, touched: r.Box | None) -> Change:
    was, now = old.node, new.node
    is_own = touched is not None and _meet(new.box, touched) and was.name == now.name
    if was.name != now.name:
        words = f"{_kind(was)} {_quoted(was.name)} became {_quoted(now.name)}"
    elif was.value != now.value:
        words = f"{_named(now)} holds {_quoted(now.value)}"
    elif was.is_checked != now.is_checked:
        words = f"{_named(now)} is {'' if now.is_checked else 'no longer '}ticked"
    else:
        words = f"{_named(now)} is {'disabled' if now.is_disabled else 'enabled'}"
    return Change(
        kind="became",
        words=f"{words} at {_at(new.box)}",
        places=(old.box, new.box),
        texts=(was.name, now.name, now.value),
        is_own=is_own,
    )


def _came(one: Placed, kind: Literal["appeared", "went"]) -> Change:
    place = f" at {_at(one.box)}" if kind == "appeared" else ""
    words = f"{_named(one.node)} {kind}{place}"
    return Change(kind, words, (one.box,), (one.node.name, one.node.value))


def _innermost(changes: list[Change]) -> list[Change]:
    """Leave out what only says again what a smaller element inside it says."""
    kept: list[Change] = []
    for change in sorted(changes, key=lambda c: _area(c.places[-1])):
        says = set(" ".join(change.texts).split())
        is_again = any(
            inner.kind == change.kind
            and _holds(change.places[-1], inner.places[-1])
            and says <= {word for text in inner.texts for word in text.split()}
            for inner in kept
        )
        if not is_again:
            kept.append(change)
    order = ("became", "appeared", "went")
    return sorted(kept, key=lambda c: (order.index(c.kind), c.places[-1].y))


# --- places


def _shifts(before: list[Placed], after: list[Placed]) -> list[tuple[Placed, Placed]]:
    """Give what is there once before and once after, in pairs."""
    once = [Counter(placed.node for placed in side) for side in (before, after)]
    there = {placed.node: placed for placed in before if once[0][placed.node] == 1}
    return [
        (there[new.node], new)
        for new in after
        if once[1][new.node] == 1 and new.node in there
    ]


def _usual(pairs: Sequence[tuple[Placed, Placed]]) -> tuple[float, float]:
    """Give how far most elements moved: so far the page was scrolled."""
    ways = Counter(
        (round(new.box.x - old.box.x), round(new.box.y - old.box.y))
        for old, new in pairs
    )
    return max(ways, key=lambda way: ways[way], default=(0, 0))


def _is_scrolled(before: list[Placed], after: list[Placed]) -> bool:
    return _usual(_shifts(before, after)) != (0, 0)


def _motions(
    before: list[Placed], after: list[Placed], restless: set[str]
) -> list[Change]:
    pairs = _shifts(before, after)
    dx, dy = _usual(pairs)
    return [
        Change(
            kind="moved",
            words=f"{_named(new.node)} moved from {_at(old.box)} to {_at(new.box)}",
            places=(old.box, new.box),
            texts=(new.node.name,),
        )
        for old, new in pairs
        if (new.node.name or new.node.value) and not _is_of(new, restless)
        if abs(new.box.x - old.box.x - dx) > _SAME_PX
        or abs(new.box.y - old.box.y - dy) > _SAME_PX
    ]


# --- looks


def _looks(
    trace: r.Trace,
    steps: tuple[r.TraceStep, r.TraceStep],
    folder: Path,
    quiet: Sequence[r.Box],
) -> list[Change]:
    before, step = steps
    one, two = _picture(folder, before.shot), _picture(folder, step.shot)
    if one is None or two is None or one.shape != two.shape:
        return []
    masks = [_rimmed(box).scaled(trace.scale) for box in quiet]
    by_itself = step.facts.restless if step.facts else ()
    masks += [box.scaled(trace.scale) for box in by_itself]
    motion = images.motion(one, two, masks)
    if not motion or motion.pixels <= _FEW:
        return []
    box = motion.box.scaled(1 / trace.scale)
    size = f"{box.width:.0f} × {box.height:.0f}"
    words = f"what is drawn within {size} at {_at(box)} looks different"
    return [Change("looks", words, (box,))]


def _picture(folder: Path, name: str | None) -> images.Picture | None:
    path = folder / name if name else None
    return images.read(path) if path is not None and path.is_file() else None


# --- boxes and words


def _rimmed(box: r.Box) -> r.Box:
    return r.Box(
        x=box.x - _RIM_PX,
        y=box.y - _RIM_PX,
        width=box.width + 2 * _RIM_PX,
        height=box.height + 2 * _RIM_PX,
    )


def _area(box: r.Box) -> float:
    return box.width * box.height


def _holds(outer: r.Box, inner: r.Box) -> bool:
    return (
        outer.x <= inner.x + 1
        and outer.y <= inner.y + 1
        and outer.x + outer.width >= inner.x + inner.width - 1
        and outer.y + outer.height >= inner.y + inner.height - 1
    )


def _meet(one: r.Box, two: r.Box) -> bool:
    return (
        one.x < two.x + two.width
        and two.x < one.x + one.width
        and one.y < two.y + two.height
        and two.y < one.y + one.height
    )


def is_within(change: Change, boxes: Sequence[r.Box]) -> bool:
    """Tell whether a change touches any of some places."""
    return any(_meet(place, box) for place in change.places for box in boxes)


def _at(box: r.Box) -> str:
    return f"{box.x:.0f},{box.y:.0f}"


def _kind(node: Node) -> str:
    return (
        "text" if node.role in {"generic", "paragraph", "presentation"} else node.role
    )


def _named(node: Node) -> str:
    name = node.name or node.value
    return f"{_kind(node)} {_quoted(name)}" if name else f"{_kind(node)}"


def _quoted(text: str) -> str:
    folded = " ".join(text.split())
    clipped = folded if len(folded) <= _LONGEST else folded[: _LONGEST - 1] + "…"
    return repr(clipped)
