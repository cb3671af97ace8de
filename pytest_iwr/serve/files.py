"""What the path of a request means: a file below a root, or nothing."""

import os
import stat
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

TYPES = {
    ".aac": "audio/aac",
    ".apng": "image/apng",
    ".avif": "image/avif",
    ".bmp": "image/bmp",
    ".cjs": "text/javascript",
    ".css": "text/css",
    ".csv": "text/csv",
    ".cur": "image/x-icon",
    ".flac": "audio/flac",
    ".gif": "image/gif",
    ".glb": "model/gltf-binary",
    ".gltf": "model/gltf+json",
    ".htm": "text/html",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".js": "text/javascript",
    ".json": "application/json",
    ".m4a": "audio/mp4",
    ".m4v": "video/mp4",
    ".map": "application/json",
    ".md": "text/markdown",
    ".mjs": "text/javascript",
    ".mov": "video/quicktime",
    ".mp3": "audio/mpeg",
    ".mp4": "video/mp4",
    ".oga": "audio/ogg",
    ".ogg": "audio/ogg",
    ".ogv": "video/ogg",
    ".opus": "audio/ogg",
    ".otf": "font/otf",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
    ".ttf": "font/ttf",
    ".txt": "text/plain",
    ".vtt": "text/vtt",
    ".wasm": "application/wasm",
    ".wav": "audio/wav",
    ".weba": "audio/webm",
    ".webm": "video/webm",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".xhtml": "application/xhtml+xml",
    ".xml": "application/xml",
}
"""Content types by suffix: the machine's own table has `.js` wrong on some systems."""


def content_type(path: Path) -> str:
    """Give the content type of a file, without a charset."""
    return TYPES.get(path.suffix.lower(), "application/octet-stream")


@dataclass(frozen=True)
class Asked:
    """The path of a request, decoded once."""

    segments: tuple[str, ...]
    """Never empty ones, never any that begins with a dot."""
    is_folder: bool
    """The path ends with a slash."""

    @property
    def encoded(self) -> str:
        """The path as a URL has it, with the slash in front, without one behind."""
        return "/" + "/".join(quote(os.fsencode(name)) for name in self.segments)

    def below(self, *prefix: str) -> "Asked | None":
        """Give what follows `prefix`, or None where the path is not below it."""
        count = len(prefix)
        if self.segments[:count] != prefix:
            return None
        return Asked(self.segments[count:], is_folder=self.is_folder)


def read_path(raw: bytes, *, reserved: str = "") -> Asked | None:
    """Read a request's target up to its query, or give None where it can be no file.

    Decodes once. Refuses what is not absolute (a proxy's `http://…`), a leading
    double slash, NUL, backslashes, and names that begin with a dot, so `..` too;
    `reserved` is the one such name that may come first. Doubled slashes further on
    count as one.
    """
    if not raw.startswith(b"/"):
        return None
    decoded = os.fsdecode(unquote_to_bytes(raw))
    if decoded.startswith("//") or "\0" in decoded or "\\" in decoded:
        return None
    segments = tuple(name for name in decoded.split("/") if name)
    hidden = [name for name in segments if name.startswith(".")]
    if hidden and (hidden != [reserved] or segments[0] != reserved):
        return None
    return Asked(segments, is_folder=decoded.endswith("/"))


class Folder(Enum):
    """A folder with an `index.html`, as it was asked for."""

    WITHOUT_SLASH = 1
    """Its own relative links would miss it: the asker is sent to the right path."""


def find_file(root: Path, asked: Asked) -> Path | Folder | None:
    """Give the regular, readable file that a path names below `root`, links resolved.

    A folder stands for its `index.html`, once it is asked for with a slash at its
    end. None: there is nothing to serve. A link
    that leads out of `root`, or to a hidden name in it, is nothing.
    """
    try:
        top = Path(os.path.realpath(root, strict=True))
        path = top.joinpath(*asked.segments)
        if path.is_dir():
            index = _regular_file(top, path / "index.html")
            is_whole = index is None or asked.is_folder
            return index if is_whole else Folder.WITHOUT_SLASH
        return None if asked.is_folder else _regular_file(top, path)
    except (OSError, ValueError):
        # No such name, too long a name, a loop of links, an unreadable folder.
        return None


def _regular_file(top: Path, path: Path) -> Path | None:
    real = Path(os.path.realpath(path, strict=True))
    if not real.is_relative_to(top):
        return None
    if any(name.startswith(".") for name in real.relative_to(top).parts):
        return None
    is_file = stat.S_ISREG(real.stat().st_mode)
    return real if is_file and os.access(real, os.R_OK) else None
