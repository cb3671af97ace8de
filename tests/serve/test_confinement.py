"""A page's folder and the task's assets, and nothing else."""

import json
import os
import re
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from http.client import HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pytest_iwr.serve import Served

Ask = Callable[..., HTTPResponse]
Connect = Callable[[str], socket.socket]
Serve = Callable[..., AbstractContextManager[Served]]


def test_entry_page_is_at_the_root(served: Served, ask: Ask) -> None:
    """The URL of a site with `index.html` ends with the origin's slash."""
    assert re.fullmatch(r"http://[0-9a-f]{32}\.localhost:\d+/", served.url)
    assert ask(served.url, "/").read() == b"<title>Entry</title>"
    assert ask(served.url, "/index.html?x=1#y").status == 200


def test_other_entry_is_in_the_url(serve: Serve, folder: Path, ask: Ask) -> None:
    """An entry in a folder keeps its path, so its relative links hold."""
    (folder / "my app").mkdir()
    (folder / "my app" / "50%.html").write_text("deep")
    with serve(folder, entry="my app/50%.html") as hosted:
        assert urlsplit(hosted.url).path == "/my%20app/50%25.html"
        assert ask(hosted.url, urlsplit(hosted.url).path).read() == b"deep"


@pytest.mark.parametrize(
    "target",
    (
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/%2E%2e%2Fsecret.txt",
        "/..%2fsecret.txt",
        "/%252e%252e%252fsecret.txt",
        "/..\\secret.txt",
        "/..%5csecret.txt",
        "/%5c%5c..%5csecret.txt",
        "//etc/passwd",
        "///etc/passwd",
        "/%2fetc/passwd",
        "/%2Fetc%2Fpasswd",
        "/x/..%2f..%2fsite-leak/secret.txt",
        "/../site-leak/secret.txt",
        "/index.html/../../secret.txt",
        "/sub/../../secret.txt",
        "/.../secret.txt",
        "/..;/secret.txt",
        "/%c0%ae%c0%ae/secret.txt",
        "/%uff0e%uff0e/secret.txt",
        "/\xff\xfe/secret.txt",
        "/%EF%BC%8E%EF%BC%8E/secret.txt",
        "/..%00/secret.txt",
        "/index.html%00.txt",
        "/index.html\0.txt",
        "/link.txt",
        "/out/secret.txt",
        "/hidden-link",
        "/loop",
        "/pipe",
        "/.git/config",
        "/%2egit/config",
        "/sub/.env",
        "/sub/%2eenv",
        "/index.html/",
        "/" + "a" * 5000,
        "http://127.0.0.1:1/secret",
        "file:///etc/passwd",
        "*",
        "secret.txt",
        "/.iwr-assets/../secret.txt",
        "/.iwr-assets/..%2fsecret.txt",
        "/.iwr-assets/%2e%2e/secret.txt",
        "/.iwr-assets//etc/passwd",
        "/.iwr-assets/.iwr-assets/asset_001.png",
        "/.iwr-assets/link.txt",
        "/.iwr-assets/.git/config",
        "/sub/.iwr-assets/asset_001.png",
        "/assets/..%2fsecret.txt",
        "/assets/link.txt",
    ),
)
def test_nothing_outside_is_served(
    served: Served, folder: Path, assets: Path, target: str, ask: Ask
) -> None:
    """No way of writing a path leaves the folders or reads hidden files."""
    for top in (folder, assets):
        (top / ".git").mkdir()
        (top / ".git" / "config").write_text("SECRET")
        (top / "link.txt").symlink_to("../secret.txt")
    (folder / "sub").mkdir()
    (folder / "sub" / ".env").write_text("SECRET")
    (folder / "out").symlink_to("../site-leak", target_is_directory=True)
    (folder / "hidden-link").symlink_to(".git/config")
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "pipe")
    reply = ask(served.url, target)
    assert b"SECRET" not in reply.read()
    assert b"root:" not in reply.read()
    assert reply.status in {400, 404}


@pytest.mark.parametrize(
    "request_",
    (
        b"GET /secret.txt\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ),
)
def test_broken_request_gets_nothing(
    served: Served, request_: bytes, capfd: pytest.CaptureFixture[str], ask: Ask
) -> None:
    """What is no proper request is refused, without a word on stderr."""
    port = urlsplit(served.url).port
    with socket.create_connection(("127.0.0.1", port), timeout=10) as wire:
        wire.sendall(request_)
        wire.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: wire.recv(65536), b""))
    assert b"Entry" not in answer
    assert capfd.readouterr() == ("", "")
    assert ask(served.url, "/").status == 200


def test_link_inside_is_served(served: Served, folder: Path, ask: Ask) -> None:
    """A link to another file of the same folder is that file."""
    (folder / "again.html").symlink_to("index.html")
    assert ask(served.url, "/again.html").read() == b"<title>Entry</title>"


def test_linked_root_is_served(serve: Serve, folder: Path, ask: Ask) -> None:
    """The page's folder itself may be a link."""
    link = folder.parent / "latest"
    link.symlink_to(folder, target_is_directory=True)
    with serve(link) as hosted:
        assert ask(hosted.url, "/").status == 200


@pytest.mark.parametrize(
    ("name", "target"),
    (
        ("a b.svg", "/a%20b.svg"),
        ("c#1.svg", "/c%231.svg"),
        ("50%.svg", "/50%.svg"),
        ("50%.svg", "/50%25.svg"),
        ("图.svg", "/%E5%9B%BE.svg"),
        ("q?.svg", "/q%3F.svg"),
        ("a+b.svg", "/a+b.svg"),
        ("%41.svg", "/%2541.svg"),
        ("a;b,c=d.svg", "/a;b,c=d.svg"),
        ("two..dots.svg", "/two..dots.svg"),
    ),
)
def test_odd_name_is_decoded_once(
    served: Served, folder: Path, name: str, target: str, ask: Ask
) -> None:
    """Spaces, signs and other scripts in names are found."""
    (folder / name).write_bytes(b"<svg/>")
    reply = ask(served.url, target)
    assert (reply.status, reply.read()) == (200, b"<svg/>")


def test_folder_is_its_index(served: Served, folder: Path, ask: Ask) -> None:
    """`/dir` is sent to `/dir/`, with its query, and `/dir/` is its index."""
    (folder / "a dir").mkdir()
    (folder / "empty").mkdir()
    (folder / "a dir" / "index.html").write_text("inside")
    reply = ask(served.url, "/a%20dir?x=//y")
    assert (reply.status, reply.headers["location"]) == (307, "/a%20dir/?x=//y")
    assert ask(served.url, "/a%20dir/").read() == b"inside"
    assert ask(served.url, "//a%20dir").status == 404
    assert ask(served.url, "/empty").status == 404
    assert ask(served.url, "/empty/").status == 404


@pytest.mark.parametrize("method", ("POST", "PUT", "DELETE", "OPTIONS", "TRACE"))
def test_only_reading_is_allowed(served: Served, method: str, ask: Ask) -> None:
    """A method that is not GET or HEAD gets 405."""
    reply = ask(served.url, "/", method=method)
    assert (reply.status, reply.headers["allow"]) == (405, "GET, HEAD")


def test_head_has_no_body(served: Served, ask: Ask) -> None:
    """HEAD gives the headers of GET."""
    reply = ask(served.url, "/", method="HEAD")
    assert (reply.status, reply.read()) == (200, b"")
    assert reply.headers["content-length"] == "20"


def test_unknown_path_is_no_page(served: Served, ask: Ask) -> None:
    """A navigation to a path without a file is 404, not the entry page."""
    reply = ask(served.url, "/cart")
    assert reply.status == 404


def test_missing_paths_are_listed(served: Served, ask: Ask) -> None:
    """Each path that was not found is named once, sorted, the favicon is not."""
    for target in ("/z.png?1", "/a%20b.js", "/z.png?2", "/favicon.ico", "/"):
        ask(served.url, target)
    assert served.missing() == ("/a b.js", "/z.png")


def test_missing_name_may_be_any_bytes(served: Served, ask: Ask) -> None:
    """A path that is no UTF-8 is listed in a form that can be written as JSON."""
    ask(served.url, "/%ff.png")
    assert json.dumps(served.missing()).isascii()
    assert served.missing()[0].encode()
