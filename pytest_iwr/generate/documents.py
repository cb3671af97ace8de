"""Documents of HTML in a text: where each begins and ends, by HTML's own rules.

A document reaches from its doctype, or from `<html>` without one, to the `</html>` that
a browser would take for its end: not one in a script, a comment or an attribute.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pytest_iwr.generate.fences import Fence, fence_before
from pytest_iwr.marks import THINK_END, is_quoted

_MOST_TRIES = 40
"""Beginnings of documents that are looked at; an answer has a handful."""
_START = re.compile(r"<!doctype\s+html\b|<html(?=[\s>/])", re.IGNORECASE)
_HEADLESS = re.compile(
    r"^[ \t>]*(?:`{3,}|~{3,})[^`\r\n]*\r?\n\s*(<(?:head|body|meta|title|link|style)\b)",
    re.IGNORECASE | re.MULTILINE,
)
_RAW = ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")
_TAG_END = r"""(?=[\s>/])(?:=\s*"[^"]*"|=\s*'[^']*'|[^>])*+>"""
_NEXT = re.compile(
    r"<!--(?:>|->|.*?--!?>)"
    r"|<!doctype\s+(?P<doctype>html)\b[^>]*>"
    rf"|<(?P<raw>{'|'.join(_RAW)}){_TAG_END}"
    r"|</(?P<end>[a-z][^\s>/]*)[^>]*>"
    rf"|<(?P<tag>[a-z][^\s>/]*){_TAG_END}"
    r"|(?P<open><!--|</?[a-z])",
    re.IGNORECASE | re.DOTALL,
)
_RAW_END = {name: re.compile(rf"</{name}(?=[\s>/])", re.IGNORECASE) for name in _RAW}
_LEADING = re.compile(
    r"(?:\ufeff|(?:<\?xml[^>]*\?>|<!--(?:(?!--).)*-->)\s*)+\Z", re.DOTALL
)
_TRAILING = re.compile(
    r"(?:[ \t]*<!--.*?-->|\s*<(script|style)\b[^>]*>.*?</\1\s*>)*(?:\r\n|\n|\r)?",
    re.IGNORECASE | re.DOTALL,
)
_VERY_LAST = re.compile(
    r"</html\s*>(?=[ \t]*(?:\r?\n\s*(?:`{3}|~{3}|\Z)|\Z))", re.IGNORECASE
)
_NEAR = 2000


class Document(NamedTuple):
    """A part of a text that is a page of its own."""

    start: int
    end: int
    ending: Literal["tag", "fence", "text", "none"]
    """What ends it: `</html>`, its fence, the text's end, or nothing: it breaks off."""
    fence: Fence | None
    """What it stands in."""
    is_quoted: bool
    """A quote stands right before it, as where code holds it as a text."""


@dataclass
class _Scan:
    """How far a document can be read."""

    start: int
    """Where the last document begins of those that begin one in the other."""
    end: int | None = None
    """After its `</html>`; `None`: it has none."""
    is_open: bool = False
    """The text ends within a tag, a comment or a script."""
    html_tags: int = 0
    tags: int = 0
    """Others than `<html>`."""
    is_body_open: bool = False
    body_end: int | None = None


def find_documents(text: str) -> list[Document]:
    """Give the documents of a text in order, none within another.

    One that breaks off is given only where no other one begins after it.
    """
    found: list[Document] = []
    place = tries = 0
    while tries < _MOST_TRIES and (match := _START.search(text, place)):
        tries += 1
        document = _document(text, match.start(), place)
        if document is None:
            place = match.end()
            continue
        if found and found[-1].ending == "none":
            found.pop()
        found.append(document)
        place = match.end() if document.ending == "none" else document.end
    return found


def find_headless(text: str) -> list[Document]:
    """Give the page that stands alone in a fence without `<html>`, by HTML's rules.

    It begins with what only a page has: its head, or its body.
    """
    found = []
    for match in _HEADLESS.finditer(text):
        document = _fenced(text, match.start(1), 0)
        if document is not None:
            found.append(document)
    return found if len(found) == 1 else []


def _document(text: str, start: int, floor: int) -> Document | None:
    """Give the document that begins at a place, or one that begins within it."""
    scan = _scan(text, start)
    if scan.end is None:
        return _unended(text, start, floor, scan)
    scan.start = _latest(text, scan.start, scan.end)
    if not _is_meant(text, scan.start, scan.end, scan.tags):
        return None
    return _placed(text, floor, scan.start, scan.end, "tag")


def _unended(text: str, start: int, floor: int, scan: _Scan) -> Document | None:
    """Give a document that has no `</html>` where one belongs."""
    fenced = _fenced(text, start, floor)
    if fenced is not None:
        return fenced
    if not _is_meant(text, start, len(text), scan.tags):
        return None
    is_apart = _is_first(text, start) or fence_before(text, start) is not None
    if text[start + 1] != "!" and not is_apart:
        return None  # `<html>` and other tags are spoken of
    last = _VERY_LAST.search(text, start)
    if last is not None and not any(_apart(text, start, last.start())):
        # A script that is never closed hides it from a tokeniser.
        return _placed(text, floor, start, last.end(), "tag")
    is_done = not scan.is_open and text.rstrip().endswith(">")
    if scan.body_end is not None and not scan.is_open:
        return _placed(text, floor, start, scan.body_end, "text")
    if is_done and not scan.html_tags and not scan.is_body_open:
        return _placed(text, floor, start, len(text), "text")
    return _placed(text, floor, start, len(text), "none")


def _fenced(text: str, start: int, floor: int) -> Document | None:
    """Give a document that ends where its fence does."""
    fence = fence_before(text, start)
    for close in fence.closings(text, start) if fence else ():
        part = _scan(text, start, close)
        if not part.is_open and part.tags:
            return _placed(text, floor, part.start, close, "fence")
    return None


def _scan(text: str, start: int, stop: int | None = None) -> _Scan:
    """Read on from a beginning as a browser's tokeniser does (HTML, 13.2.5)."""
    stop = len(text) if stop is None else stop
    scan = _Scan(start)
    place = start
    while match := _NEXT.search(text, place, stop):
        place = match.end()
        kind, name = match.lastgroup, (match[match.lastgroup or 0] or "").lower()
        if kind == "open":
            scan.is_open = True
            break
        if kind == "raw":
            scan.tags += 1
            close = _RAW_END[name].search(text, place, stop)
            if close is None:
                scan.is_open = True
                break
            place = close.start()
        elif kind == "doctype" and match.start() > start:
            scan = _Scan(match.start())
        elif kind == "end" and name == "html":
            scan.end = match.end()
            break
        elif kind is not None:
            scan = _passed(scan, kind, name, match)
    return scan


def _passed(scan: _Scan, kind: str, name: str, match: re.Match[str]) -> _Scan:
    """Take in a tag that begins or ends something."""
    if kind == "tag" and name == "html":
        if scan.html_tags:
            scan = _Scan(match.start())
        scan.html_tags += 1
    elif kind == "tag":
        scan.tags += 1
        scan.is_body_open |= name == "body"
    elif name == "body":
        scan.is_body_open, scan.body_end = False, match.end()
    elif THINK_END.fullmatch(match[0]):
        scan.html_tags += 1  # so the next `<html>` begins anew
    return scan


def _latest(text: str, start: int, end: int) -> int:
    """Skip a draft that breaks off within a script, right into the next document."""
    for place in _apart(text, start, end):
        if (inner := _scan(text, place)).end == end:
            return inner.start
    return start


def _apart(text: str, start: int, end: int) -> Iterator[int]:
    """Give beginnings within a document that look like another document's.

    They open a fence of their own, or come after the end of a thinking part.
    """
    for match in list(_START.finditer(text, start + 1, end))[-_MOST_TRIES:]:
        place = match.start()
        fence = fence_before(text, place)
        if (fence is not None and fence.start > start) or (
            _is_first(text, place) and THINK_END.search(text, start, place)
        ):
            yield place


def _is_first(text: str, place: int) -> bool:
    """Tell whether nothing stands before a place on its line."""
    return not text[text.rfind("\n", 0, place) + 1 : place].strip(" \t>\ufeff")


def _is_meant(text: str, start: int, end: int, tags: int) -> bool:
    """Tell a page from a mention of `<html>` in prose."""
    return bool(tags) and not (is_quoted(text, start) and "\n" not in text[start:end])


def _placed(
    text: str,
    floor: int,
    start: int,
    end: int,
    ending: Literal["tag", "fence", "text", "none"],
) -> Document:
    """Add what belongs to a document around it: comments, scripts, a line break."""
    near = max(floor, start - _NEAR)
    leading = _LEADING.search(text[near:start])
    begin = start - len(leading[0]) if leading else start
    if ending == "tag":
        trailing = _TRAILING.match(text, end)
        end = trailing.end() if trailing else end
    return Document(
        begin, end, ending, fence_before(text, begin), is_quoted(text, begin)
    )
