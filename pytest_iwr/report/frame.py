"""A page in one file that asks for no other, to be run in a sandboxed frame.

A frame without an origin of its own may load no other file, neither from a disk nor,
with all kinds of resources, from a server. So what the page names is written into it.
"""

import base64
import json
import re
from contextlib import suppress
from html import escape
from pathlib import Path
from urllib.parse import unquote

from pytest_iwr.serve.answer import PLACEHOLDER
from pytest_iwr.serve.files import content_type

MOST_BYTES = 6_000_000
"""Of the file; what would make it larger stays a name that leads nowhere."""
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' data: blob:; "
    "style-src 'unsafe-inline' data: blob:; img-src data: blob:; font-src data: blob:; "
    "media-src data: blob:; worker-src data: blob:; frame-src 'none'; "
    "base-uri 'none'; form-action 'none'"
)
"""Whatever the page does, nothing is asked for outside of it. WebRTC is checked by no
policy: `frame.js` takes it away, and scripts from frames inside, that have it."""
MOST_NAMES = 5000
"""That are looked for; further ones stay."""
_DEEPEST = 8
"""Style sheets that ask for each other: each is written into the one before, and grows
by a third."""
_SCRIPT = (Path(__file__).parent / "static" / "frame.js").read_text(encoding="utf-8")
_BARE = re.compile(PLACEHOLDER.encode() + rb"(?!/[\w.%~+@-])")
"""Scripts that put the names of assets together have it so. `data:,` before it keeps
the browser from looking for a file until the frame's own script has found the asset."""
_ASSET = re.compile(
    rb"(?:(?<![\w.:/-])(?:\.{0,2}/)+)?" + PLACEHOLDER.encode() + rb"/([\w.%~+@/-]+)"
)
_NAMED = re.compile(
    rb"""(?P<before>\b(?:src|href|poster)\s*=\s*["']?|\burl\(\s*["']?)"""
    rb"""(?P<name>(?!data:|blob:|\#|\w+:|//)[\w.%~+@/-]+)"""
    rb"""(?P<query>\?[\w.%~+@/&=-]*)?"""
)
_SPACE = re.compile(rb"\s*")
_NO_STYLE = b"data:text/css,"
_PAGES = {"text/html", "application/xhtml+xml"}
_WIDE = (b"\xff\xfe", b"\xfe\xff")
"""Marks of encodings whose letters take more than a byte."""


class Frame:
    """Puts a page and what it names together."""

    def __init__(self, folder: Path, assets: Path | None) -> None:
        """Take files from the page's folder, and from the task's assets."""
        self._folder = folder.resolve()
        self._assets = assets.resolve() if assets is not None else None
        self._left = MOST_BYTES
        self._names = 0
        self._known: dict[Path, bytes | None] = {}
        self._open: list[Path] = []
        """Style sheets that are being written, the outermost first."""
        self.unresolved: dict[str, None] = {}
        """Names that lead nowhere, in the order of the page."""

    def put_together(self, entry: str) -> bytes | None:
        """Give the page as one file; `None` where it cannot be changed or is huge."""
        page = (self._folder / entry).read_bytes()
        if page.startswith(_WIDE) or len(page) > MOST_BYTES:
            return None
        self._left -= len(page)
        body = self._inline(page, (self._folder / entry).parent)
        body = _BARE.sub(b"data:," + PLACEHOLDER.encode(), body)
        at = _after_doctype(body)
        return body[:at] + self._head(page) + body[at:]

    def _head(self, page: bytes) -> bytes:
        files = {}
        if self._assets is not None and _BARE.search(page):
            for path in sorted(self._assets.rglob("*")):
                name = path.relative_to(self._assets).as_posix()
                uri = self._uri(self._assets, name) if path.is_file() else None
                if uri is not None:
                    files[name] = uri.decode()
        assets = escape(json.dumps({"mark": PLACEHOLDER, "files": files}))
        policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        script = f'<script data-assets="{assets}">{_SCRIPT}</script>'
        return f"{_charset(page)}{policy}{script}".encode()

    def _inline(self, text: bytes, base: Path) -> bytes:
        text = _ASSET.sub(self._asset, text)
        return _NAMED.sub(lambda m: self._named(m, base), text)

    def _asset(self, match: re.Match[bytes]) -> bytes:
        name = match[1].decode("ascii", "replace")
        uri = self._uri(self._assets, name) if self._assets else None
        return match[0] if uri is None else uri

    def _named(self, match: re.Match[bytes], base: Path) -> bytes:
        name = match["name"].decode("ascii", "replace")
        found = self._uri(base if not name.startswith("/") else self._folder, name)
        plain = name.lstrip("./")
        if found is None and self._assets and plain.startswith("assets/"):
            found = self._uri(self._assets, plain.removeprefix("assets/"))
        if found is None:
            is_name = "." in Path(name).name and not name.endswith((".html", ".htm"))
            if is_name:
                self.unresolved[name] = None
            return match[0]
        return match["before"] + found

    def _uri(self, base: Path | None, name: str) -> bytes | None:
        """Give a file as a data URI, if it lies where a page may have it."""
        if base is None:
            return None
        self._names += 1
        if self._names > MOST_NAMES:
            return None
        # A page may name anything: what no disk can have is not there.
        with suppress(OSError, ValueError, RuntimeError):
            path = (base / unquote(name).lstrip("/")).resolve()
            roots = (self._folder, self._assets or self._folder)
            if any(path.is_relative_to(root) for root in roots) and path.is_file():
                return self._file(path)
        return None

    def _file(self, path: Path) -> bytes | None:
        if path in self._open:
            return _NO_STYLE  # a browser asks for no sheet inside of itself
        if path not in self._known:
            self._known[path] = self._read(path)
        found = self._known[path]
        if found is None or len(found) > self._left:
            return None
        self._left -= len(found)
        return found

    def _read(self, path: Path) -> bytes | None:
        kind = content_type(path)
        if kind in _PAGES or path.stat().st_size * 4 // 3 > self._left:
            return None
        data = path.read_bytes()
        if kind == "text/css":
            if len(self._open) >= _DEEPEST:
                return None
            self._open.append(path)
            data = self._inline(data, path.parent)
            self._open.pop()
        return f"data:{kind};base64,{base64.b64encode(data).decode()}".encode()


def _after_doctype(page: bytes) -> int:
    """Give where the doctype ends: text before it would change how a page looks."""
    at = 3 if page.startswith(b"\xef\xbb\xbf") else 0
    while True:
        space = _SPACE.match(page, at)
        at = space.end() if space else at
        if page[at : at + 9].lower() == b"<!doctype":
            return page.find(b">", at) + 1
        end = page.find(b"-->", at) if page.startswith(b"<!--", at) else -1
        if end < 0:
            return 0
        at = end + 3


def _charset(page: bytes) -> str:
    """Say that a page is UTF-8 where it is, as the server does."""
    try:
        page.decode()
    except UnicodeDecodeError:
        return ""
    return '<meta charset="utf-8">'


def text_of(path: Path, most: int) -> str | None:
    """Give the first `most` bytes of a file as text; `None`: it is something else."""
    kind = content_type(path)
    if not kind.startswith("text/") and kind not in {
        "application/json",
        "image/svg+xml",
        "application/xml",
        "application/manifest+json",
        *_PAGES,
    }:
        return None
    with path.open("rb") as opened:
        return opened.read(most).decode("utf-8", "replace")
