"""One request over the wire to an endpoint."""

import asyncio
import json
import logging
import ssl
from collections.abc import Mapping
from importlib.metadata import version
from typing import Self

import httpx2
from pydantic import JsonValue

from pytest_iwr.errors import UsageError
from pytest_iwr.gateway.faults import Exchange, Fault
from pytest_iwr.records import ModelConfig

_CONNECT_S = 30.0
_MOST_BYTES = 100_000_000
"""Of an answer."""
_LOGGERS = ("httpx2", *(f"httpcore2.{part}" for part in ("connection", "http11")))
_DIRECT = ("all://127.0.0.1", "all://localhost", "all://[::1]")


class Upstream:
    """Sends requests to endpoints, through the proxies that the environment names.

    An endpoint of this machine is always reached directly. Redirects are not followed:
    the key goes to the configured endpoint and to nobody else.
    """

    def __init__(self) -> None:
        """Raises UsageError where the environment names proxies that are none."""
        unlimited = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
        try:
            self._client = httpx2.AsyncClient(
                timeout=httpx2.Timeout(None, connect=_CONNECT_S),
                limits=unlimited,
                mounts=dict.fromkeys(_DIRECT),
                headers={"User-Agent": f"pytest-iwr/{version('pytest-iwr')}"},
            )
        except (ValueError, ImportError, httpx2.InvalidURL) as error:
            raise UsageError(
                f"HTTP_PROXY, HTTPS_PROXY, ALL_PROXY: no proxy can be used: {error}. "
                "Correct or unset them."
            ) from error

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def send(
        self, config: ModelConfig, key: str | None, body: Mapping[str, JsonValue]
    ) -> Exchange | Fault:
        """Send a request and give the whole answer, or why none came."""
        try:
            async with asyncio.timeout(config.timeout_s):
                return await self._exchange(config, key, body)
        except TimeoutError:
            reason = f"no whole answer within {config.timeout_s:g} s"
            return Fault("late", reason, is_free=False)
        except httpx2.ConnectTimeout:
            return Fault("broken", f"no connection within {_CONNECT_S:g} s")
        except httpx2.ConnectError as error:
            is_final = _has_cause(error, ssl.SSLCertVerificationError)
            reason = f"it cannot be reached: {_words(error)}"
            return Fault("final" if is_final else "broken", reason)
        except (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError) as error:
            return Fault("final", f"the request cannot be sent: {_words(error)}")
        except httpx2.RequestError as error:
            reason = f"the connection broke off: {_words(error)}"
            return Fault("broken", reason, is_free=False)
        except httpx2.InvalidURL as error:
            return Fault("final", f"its base URL is wrong: {error}")

    async def _exchange(
        self, config: ModelConfig, key: str | None, body: Mapping[str, JsonValue]
    ) -> Exchange | Fault:
        base = httpx2.URL(config.base_url)
        url = base.copy_with(path=base.path.rstrip("/") + "/chat/completions")
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        content = json.dumps(body, separators=(",", ":")).encode("ascii")
        async with self._client.stream(
            "POST", url, content=content, headers=headers
        ) as response:
            if response.has_redirect_location:
                to = response.headers.get("location", "")
                reason = f"it redirects to {to}. Set that as the model's `base_url`."
                return Fault("final", reason)
            received = bytearray()
            async for part in response.aiter_bytes():
                received += part
                if len(received) > _MOST_BYTES:
                    reason = f"the answer is longer than {_MOST_BYTES} bytes"
                    return Fault("final", reason, is_free=False)
            named = {name.lower(): value for name, value in response.headers.items()}
            return Exchange(response.status_code, named, bytes(received))


class Hush(logging.Filter):
    """Keeps what the HTTP client says in one thread out of the logs."""

    def __init__(self, thread: str) -> None:
        """`thread` is its name."""
        super().__init__()
        self._thread = thread

    def filter(self, record: logging.LogRecord) -> bool:
        """Let records of other threads pass."""
        return record.threadName != self._thread

    def __enter__(self) -> Self:
        """Begin."""
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self)
        return self

    def __exit__(self, *_: object) -> None:
        """End."""
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self)


def _has_cause(error: BaseException, kind: type[BaseException]) -> bool:
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, kind):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__
