"""The right content types, charsets and ranges."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from http.client import HTTPResponse
from pathlib import Path

import pytest

from pytest_iwr.serve import Served

Ask = Callable[..., HTTPResponse]
Serve = Callable[..., AbstractContextManager[Served]]


@pytest.mark.parametrize(
    ("name", "expected"),
    (
        ("x.html", "text/html; charset=utf-8"),
        ("x.HTML", "text/html; charset=utf-8"),
        ("x.js", "text/javascript; charset=utf-8"),
        ("x.mjs", "text/javascript; charset=utf-8"),
        ("x.css", "text/css; charset=utf-8"),
        ("x.txt", "text/plain; charset=utf-8"),
        ("x.json", "application/json"),
        ("x.js.map", "application/json"),
        ("x.webmanifest", "application/manifest+json"),
        ("x.xml", "application/xml"),
        ("x.svg", "image/svg+xml"),
        ("x.wasm", "application/wasm"),
        ("x.webp", "image/webp"),
        ("x.avif", "image/avif"),
        ("x.png", "image/png"),
        ("x.JPG", "image/jpeg"),
        ("x.jpeg", "image/jpeg"),
        ("x.gif", "image/gif"),
        ("x.ico", "image/x-icon"),
        ("x.woff", "font/woff"),
        ("x.woff2", "font/woff2"),
        ("x.ttf", "font/ttf"),
        ("x.otf", "font/otf"),
        ("x.mp4", "video/mp4"),
        ("x.webm", "video/webm"),
        ("x.mp3", "audio/mpeg"),
        ("x.ogg", "audio/ogg"),
        ("x.wav", "audio/wav"),
        ("x.pdf", "application/pdf"),
        ("x.unknown", "application/octet-stream"),
        ("x", "application/octet-stream"),
    ),
)
def test_type_follows_the_suffix(
    served: Served, folder: Path, name: str, expected: str, ask: Ask
) -> None:
    """Types come from a table of the package, not from the machine's."""
    (folder / name).write_bytes(b"0123456789")
    reply = ask(served.url, f"/{name}")
    assert reply.headers["content-type"] == expected
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.read() == b"0123456789"


@pytest.mark.parametrize(
    ("content", "expected"),
    (
        ("\N{BYTE ORDER MARK}gr\xfcn".encode(), "text/html; charset=utf-8"),
        ("gr\xfcn".encode("latin-1"), "text/html"),
        ("gr\xfcn".encode("utf-16"), "text/html"),
        (b"", "text/html; charset=utf-8"),
        (b"a\r\nb\rc\n\0", "text/html; charset=utf-8"),
    ),
)
def test_bytes_stay_as_they_are(
    served: Served, folder: Path, content: bytes, expected: str, ask: Ask
) -> None:
    """Only what is UTF-8 is called so; nothing is encoded anew."""
    (folder / "x.html").write_bytes(content)
    reply = ask(served.url, "/x.html")
    assert (reply.read(), reply.headers["content-type"]) == (content, expected)


@pytest.mark.parametrize(
    ("asked", "expected"),
    (
        ("bytes=2-5", (206, b"2345", "bytes 2-5/10")),
        ("bytes=0-", (206, b"0123456789", "bytes 0-9/10")),
        ("bytes=0-0", (206, b"0", "bytes 0-0/10")),
        ("bytes=7-99", (206, b"789", "bytes 7-9/10")),
        ("bytes=-3", (206, b"789", "bytes 7-9/10")),
        ("bytes=-99", (206, b"0123456789", "bytes 0-9/10")),
        ("bytes=999999999-", (416, b"", "bytes */10")),
        ("bytes=10-", (416, b"", "bytes */10")),
        ("bytes=-0", (416, b"", "bytes */10")),
        ("potatoes", (200, b"0123456789", None)),
        ("bytes=", (200, b"0123456789", None)),
        ("bytes=-", (200, b"0123456789", None)),
        ("bytes=5-2", (200, b"0123456789", None)),
        ("bytes=a-b", (200, b"0123456789", None)),
        ("bytes=--3", (200, b"0123456789", None)),
        ("bytes=1-2,4-5", (200, b"0123456789", None)),
        ("lines=1-2", (200, b"0123456789", None)),
        ("bytes=" + "9" * 5000 + "-", (200, b"0123456789", None)),
    ),
)
def test_range_is_answered(
    served: Served, folder: Path, ask: Ask, asked: str, expected: tuple[object, ...]
) -> None:
    """One range gives 206 or 416; what is no single range gives all."""
    for name in ("clip.mp4", "notes.txt"):
        (folder / name).write_bytes(b"0123456789")
        reply = ask(served.url, f"/{name}", range_=asked)
        seen = (reply.status, reply.read(), reply.headers.get("content-range"))
        assert seen == expected


def test_range_counts_for_get_only(served: Served, ask: Ask) -> None:
    """HEAD has no ranges."""
    reply = ask(served.url, "/", method="HEAD", range_="bytes=0-1")
    assert (reply.status, reply.headers["content-length"]) == (200, "20")
