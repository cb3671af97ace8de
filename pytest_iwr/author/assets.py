"""Every picture, font, video and sound that a page loaded, under names without meaning.

What a model gets of a site: never its HTML, its style sheets or its scripts.
"""

import hashlib
import http.client
import json
import re
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

MAP = ".assets-map.json"
"""The private file that tells what each asset was called."""
_MADE = re.compile(r"asset_\d{3,}\.\w+")
_KINDS = {"Image", "Font", "Media"}
"""What the browser takes for an asset, whatever the type that the server names."""
_FAMILIES = {"image", "font", "audio", "video"}
_ENDINGS = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/avif": "avif",
    "image/bmp": "bmp",
    "image/svg+xml": "svg",
    "image/x-icon": "ico",
    "image/vnd.microsoft.icon": "ico",
    "font/woff2": "woff2",
    "font/woff": "woff",
    "font/ttf": "ttf",
    "font/otf": "otf",
    "video/mp4": "mp4",
    "video/webm": "webm",
    "video/ogg": "ogv",
    "audio/mpeg": "mp3",
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/ogg": "oga",
    "audio/mp4": "m4a",
    "audio/webm": "weba",
}
_TIMEOUT_S = 30.0
_LONGEST = 120


class Asset(NamedTuple):
    """One file that the page loaded."""

    name: str
    """`asset_001.png`, numbered in the order of first use."""
    data: bytes
    was: str
    """Its address on the site."""


def gather(loads: Mapping[str, tuple[str, str]]) -> Iterator[Asset]:
    """Fetch the assets among what was loaded (address → kind, type), each once.

    Files of equal content are one asset. What is answered with an error is none.
    """
    seen: set[str] = set()
    for url, (resource, mime) in loads.items():
        if not _is_asset(resource, mime):
            continue
        data = _fetch(url)
        if data is None:
            continue
        digest = hashlib.sha256(data).hexdigest()
        if digest in seen:
            continue
        seen.add(digest)
        name = f"asset_{len(seen):03d}.{_ending(url, mime)}"
        yield Asset(name, data, _short(url))


def write(assets: list[Asset], folder: Path, private: Path) -> None:
    """Write the assets to `folder` and their former names to the file `private`.

    Assets of an earlier capture go away, other files stay. Without any, there is no
    folder either.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if _MADE.fullmatch(old.name):
            old.unlink()
    if not assets and not any(folder.iterdir()):
        folder.rmdir()
    for asset in assets:
        (folder / asset.name).write_bytes(asset.data)
    names = {asset.name: asset.was for asset in assets}
    text = json.dumps(names, indent=1, ensure_ascii=False)
    private.write_text(text + "\n", encoding="utf-8")


def _is_asset(resource: str, mime: str) -> bool:
    return resource in _KINDS or mime.partition("/")[0] in _FAMILIES


def _fetch(url: str) -> bytes | None:
    """Give what is at an address, `None` where nothing is; no proxy, no cookie."""
    parts = urlsplit(url)
    if parts.scheme == "data":
        with urllib.request.urlopen(url) as answer:  # noqa: S310 - `data:` alone
            return bytes(answer.read())
    if parts.scheme not in {"http", "https"} or parts.hostname is None:
        return None  # `blob:` lives in the page only
    # Not every system knows that all names below `localhost` are this machine.
    is_here = parts.hostname.endswith(".localhost")
    host = "127.0.0.1" if is_here else parts.hostname
    make = http.client.HTTPSConnection
    connection = (http.client.HTTPConnection if parts.scheme == "http" else make)(
        host, parts.port, timeout=_TIMEOUT_S
    )
    query = f"?{parts.query}" if parts.query else ""
    try:
        headers = {"Host": parts.netloc}
        connection.request("GET", (parts.path or "/") + query, headers=headers)
        answer = connection.getresponse()
        data = answer.read()
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
    return data if answer.status == http.client.OK and data else None


def _ending(url: str, mime: str) -> str:
    """Give the ending that fits the type, else the address's own."""
    parts = urlsplit(url)
    named = Path(parts.path).suffix[1:].lower() if parts.scheme != "data" else ""
    known = _ENDINGS.get(mime.partition(";")[0].strip().lower())
    return known or (named if named.isalnum() else "") or "bin"


def _short(url: str) -> str:
    """Give an address without its origin, which is another in every capture."""
    parts = urlsplit(url)
    if parts.scheme == "data":
        return url if len(url) <= _LONGEST else url[: _LONGEST - 1] + "…"
    return unquote(parts.path) + (f"?{parts.query}" if parts.query else "")
