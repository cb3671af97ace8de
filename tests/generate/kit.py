"""Small tasks with real videos, and a service that answers as it is told."""

import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import cv2
import imageio_ffmpeg
import numpy as np

from pytest_iwr import records as r
from pytest_iwr.images import Picture
from pytest_iwr.load import load

FFMPEG = imageio_ffmpeg.get_ffmpeg_exe()
PAGE = "<!DOCTYPE html>\n<html><head><title>A</title></head><body>a</body></html>\n"
HIDDEN = "Press the hidden lever"
"""Stands in every step, expectation and sentence of the tasks made here."""


def picture(width: int, height: int, shade: int = 0) -> Picture:
    """Draw something with edges; `shade` tells one from another."""
    drawn = np.full((height, width, 3), 255, np.uint8)
    cv2.rectangle(
        drawn, (width // 8, height // 8), (width // 2, height // 2), (0, 0, 0)
    )
    drawn[height // 2 :, : width // 2] = (shade % 256, 90, 200)
    return drawn


def write_video(path: Path, seconds: float, size: tuple[int, int] = (320, 180)) -> Path:
    """Encode a video of ten frames a second, each shaded by its number."""
    raw = ("-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{size[0]}x{size[1]}")
    count = round(seconds * 10)
    data = b"".join(picture(*size, shade=n).tobytes() for n in range(count))
    plain = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")
    command = [FFMPEG, "-loglevel", "error", "-y", *raw, "-r", "10", "-i", "-", *plain]
    subprocess.run([*command, str(path)], check=True, input=data)
    return path


def make_task(  # noqa: PLR0913 - each by its name
    folder: Path,
    *,
    seconds: float = 2.5,
    size: tuple[int, int] = (320, 180),
    assets: Mapping[str, bytes] | None = None,
    sheets: Sequence[Picture] = (),
    lines: str = "",
) -> r.Task:
    """Write a task with a video of so many seconds (0: none), assets and sheets."""
    folder.mkdir(parents=True, exist_ok=True)
    said = [f"iwr: 1\nid: {folder.name}\ntitle: Try a form\n{lines}"]
    if seconds:
        write_video(folder / "video.mp4", seconds, size)
        said.append("video: video.mp4")
    if assets is not None:
        for name, data in assets.items():
            (folder / "assets" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "assets" / name).write_bytes(data)
        said.append("assets: assets/")
    if sheets:
        (folder / "sheets").mkdir()
        for number, sheet in enumerate(sheets, start=1):
            cv2.imwrite(str(folder / "sheets" / f"sheet_{number}.png"), sheet)
        said.append("sheets: sheets/")
    said.append(f'steps:\n  - click: "{HIDDEN}"\n    say: {HIDDEN}\n')
    said.append(f"    expect: [{{visible: {HIDDEN}}}, {HIDDEN} again]\n")
    path = folder / "task.iwr.yaml"
    path.write_text("\n".join(said), encoding="utf-8")
    return load(path)


def config(**fields: Any) -> r.ModelConfig:
    """Give how a model is asked."""
    known = {"alias": "m", "model": "maker/m:free", "base_url": "http://127.0.0.1:9/v1"}
    return r.ModelConfig.model_validate(known | fields)


@dataclass
class Reply:
    """What the service answers to one request."""

    body: bytes = PAGE.encode()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    sends: int | None = None
    """Bytes of the body that are sent before the connection is closed."""
    waits_for: threading.Event | None = None
    """Before it answers."""


@dataclass(frozen=True)
class Sent:
    """What the service was sent."""

    path: str
    fields: Mapping[str, str]
    files: tuple[tuple[str, str, bytes], ...]
    """Field, file name and content."""
    headers: Mapping[str, str]


class Service:
    """An HTTP service on loopback that gives its replies one after the other.

    The last one is given to all further requests.
    """

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.replies = list(replies)
        self.sent: list[Sent] = []
        self.port = 0

    @property
    def url(self) -> str:
        """Where it takes requests."""
        return f"http://127.0.0.1:{self.port}/make"


@contextmanager
def serve(*replies: Reply) -> Iterator[Service]:
    """Run a service while the context is open."""
    service = Service(replies or [Reply()])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            service.sent.append(_parsed(self.path, dict(self.headers.items()), body))
            self._answer()

        def do_GET(self) -> None:
            self._answer()

        def _answer(self) -> None:
            more = len(service.replies) > 1
            reply = service.replies.pop(0) if more else service.replies[0]
            if reply.waits_for is not None:
                reply.waits_for.wait(30)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body[: reply.sends])

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield service
    finally:
        for reply in replies:
            if reply.waits_for is not None:
                reply.waits_for.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _parsed(path: str, headers: Mapping[str, str], body: bytes) -> Sent:
    """Read a form of several parts."""
    head = f"Content-Type: {headers['Content-Type']}\r\n\r\n".encode()
    message = BytesParser(EmailMessage, policy=HTTP).parsebytes(head + body)
    fields, files = {}, []
    for part in message.iter_parts():
        name = str(part.get_param("name", header="content-disposition"))
        data = cast("bytes", part.get_payload(decode=True))
        file = part.get_filename()
        if file is None:
            fields[name] = data.decode()
        else:
            files.append((name, file, data))
    return Sent(path, fields, tuple(files), headers)
