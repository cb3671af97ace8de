"""A request for a page to an HTTP product: a form with files, sent until answered."""

import mimetypes
import time
from collections.abc import Mapping
from types import TracebackType
from typing import NamedTuple, Self

import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.connectionpool import ConnectionPool
from urllib3.util.retry import Retry

from pytest_iwr.addresses import is_loopback, shown_url
from pytest_iwr.errors import EndpointError, IwrError
from pytest_iwr.generate.request import PageRequest
from pytest_iwr.generate.site import MOST_BYTES

MOST_SENT = 256 << 20
"""Bytes of the files in a form, which is in memory as long as it is sent."""
_TRY_AGAIN = (408, 425, 429, 500, 502, 503, 504, 529)
_REDIRECTS = 5
_CONNECT_S = 30.0
_BLOCK = 1 << 16
_HALVES = 2
"""Further tries after half an answer."""


class Patience(NamedTuple):
    """How long a product is waited for."""

    timeout_s: float = 600.0
    """From the end of a request to the last byte of its answer."""
    retries: int = 4
    """Further tries after a fault that may pass; the first one at once."""
    pause_s: float = 1.0
    """Before the second of them, about; twice as long before each that follows."""
    longest_pause_s: float = 60.0
    """Also where the product asks for more by `Retry-After`."""


class Got(NamedTuple):
    """An answer of a product."""

    status: int
    mime: str
    """Its content type without parameters, in lower case."""
    body: bytes


def post(url: str, request: PageRequest, patience: Patience) -> Got:
    """Send a request as a form with files, and give the last answer to it.

    What may pass is tried again: no connection, status 408, 425, 429 and 5xx, half an
    answer. Raises EndpointError where there is no answer, or one that is too long,
    and IwrError where a file cannot be read or all are larger than `MOST_SENT`.
    """
    broken = ""
    files = _files(request)
    for _ in range(1 + min(_HALVES, patience.retries)):
        with _session(patience) as session:
            try:
                with session.post(
                    url,
                    data=_fields(request),
                    files=files,
                    headers={"Accept": "text/html, application/zip"},
                    timeout=(min(_CONNECT_S, patience.timeout_s), patience.timeout_s),
                    stream=True,
                ) as answer:
                    return Got(
                        answer.status_code,
                        answer.headers.get("Content-Type", "")
                        .partition(";")[0]
                        .lower(),
                        _read(url, answer, patience.timeout_s),
                    )
            except requests.RequestException as error:
                # Its own text holds the whole address, which may hold a secret.
                raise _failed(url, _reason(error, patience)) from None
            except urllib3.exceptions.ReadTimeoutError:
                raise _late(url, patience.timeout_s) from None
            except urllib3.exceptions.HTTPError as error:
                broken = type(error).__name__
    raise _failed(url, f"its answer breaks off ({broken})")


class _Retry(Retry):
    """Waits as long as the product says, within reason, and only once in full."""

    def get_retry_after(self, response: urllib3.BaseHTTPResponse) -> float | None:
        wanted = super().get_retry_after(response)
        return None if wanted is None else min(wanted, self.backoff_max)

    def increment(
        self,
        method: str | None = None,
        url: str | None = None,
        response: urllib3.BaseHTTPResponse | None = None,
        error: Exception | None = None,
        _pool: ConnectionPool | None = None,
        _stacktrace: TracebackType | None = None,
    ) -> Self:
        if isinstance(error, urllib3.exceptions.ReadTimeoutError):
            raise error
        return super().increment(method, url, response, error, _pool, _stacktrace)


class _Adapter(HTTPAdapter):
    """Reaches this machine directly, whatever proxy the user has for other hosts."""

    def send(  # noqa: PLR0913, PLR0917 - the signature of an adapter
        self,
        request: requests.PreparedRequest,
        stream: bool = False,  # noqa: FBT001, FBT002 - as above
        timeout: float | tuple[float, float] | tuple[float, None] | None = None,
        verify: bool | str = True,  # noqa: FBT001, FBT002 - as above
        cert: bytes | str | tuple[bytes | str, bytes | str] | None = None,
        proxies: Mapping[str, str] | None = None,
    ) -> requests.Response:
        direct = is_loopback(request.url or "")
        return super().send(
            request, stream, timeout, verify, cert, None if direct else proxies
        )


def _session(patience: Patience) -> requests.Session:
    session = requests.Session()
    session.max_redirects = _REDIRECTS
    retry = _Retry(
        total=patience.retries,
        allowed_methods=None,  # a product makes pages, it takes no orders
        status_forcelist=_TRY_AGAIN,
        backoff_factor=patience.pause_s,
        backoff_jitter=patience.pause_s / 2,
        backoff_max=patience.longest_pause_s,
        raise_on_status=False,
    )
    for scheme in ("http://", "https://"):
        session.mount(scheme, _Adapter(max_retries=retry))
    return session


def _fields(request: PageRequest) -> dict[str, str]:
    viewport = request.viewport
    return {
        "task": request.task,
        "model": request.model,
        "epoch": str(request.epoch),
        "prompt": request.prompt,
        "placeholder": request.placeholder,
        "width": str(viewport.width),
        "height": str(viewport.height),
        "scale": f"{viewport.scale:g}",
        "mobile": str(viewport.mobile).lower(),
        "touch": str(viewport.touch).lower(),
        "device": request.device or "",
    }


def _files(request: PageRequest) -> list[tuple[str, tuple[str, bytes, str]]]:
    """Give the parts of the form that are files: `video`, `assets`, `sheets`.

    They are read one after the other: a task may have more of them than a process may
    have open.
    """
    paths = [("video", request.video.name, request.video)] if request.video else []
    if request.assets is not None:
        paths += [("assets", n, request.assets / n) for n in request.asset_names]
    paths += [("sheets", path.name, path) for path in request.sheets]
    try:
        sizes = {path: path.stat().st_size for _, _, path in paths}
        if sum(sizes.values()) > MOST_SENT:
            raise IwrError(
                f"{max(sizes, key=sizes.__getitem__)}: with it there are "
                f"{sum(sizes.values())} bytes to send, more than {MOST_SENT}. Shorten "
                "the video, or leave assets out."
            )
        return [
            (field, (name, path.read_bytes(), _mime(name)))
            for field, name, path in paths
        ]
    except OSError as error:
        raise IwrError(
            f"{error.filename}: cannot be read ({error.strerror}). Let this user read "
            "the task's files."
        ) from error


def _mime(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def _read(url: str, answer: requests.Response, timeout_s: float) -> bytes:
    """Read an answer to its end, within `MOST_BYTES` and `timeout_s`."""
    raw: urllib3.HTTPResponse = answer.raw
    end_s = time.monotonic() + timeout_s - answer.elapsed.total_seconds()
    data = bytearray()
    while block := raw.read1(_BLOCK, decode_content=True):
        data += block
        if len(data) > MOST_BYTES:
            raise _failed(url, f"its answer has more than {MOST_BYTES} bytes")
        if time.monotonic() > end_s:
            raise _late(url, timeout_s)
    if raw.length_remaining:
        raise urllib3.exceptions.ProtocolError(raw.length_remaining)
    return bytes(data)


def _reason(error: requests.RequestException, patience: Patience) -> str:
    if isinstance(error, requests.Timeout):
        return f"no answer within {patience.timeout_s:g} s"
    if isinstance(error, requests.TooManyRedirects):
        return f"it redirects more than {_REDIRECTS} times"
    if isinstance(error, requests.ConnectionError):
        held = error.args[0] if error.args else error
        return f"it cannot be reached: {getattr(held, 'reason', held)}"
    return f"it cannot be asked ({type(error).__name__})"


def _late(url: str, timeout_s: float) -> EndpointError:
    return _failed(url, f"no whole answer within {timeout_s:g} s")


def _failed(url: str, what: str) -> EndpointError:
    return EndpointError(f"{shown_url(url)}: {what}. Run again; see that it is up.")
