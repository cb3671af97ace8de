"""A local OpenAI-compatible endpoint that follows a script."""

import asyncio
import dataclasses
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Self

from pydantic import JsonValue
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from pytest_iwr.gateway.mock.answer import Wire, read_page, render
from pytest_iwr.gateway.mock.rules import Rules
from pytest_iwr.gateway.mock.script import Answer, ErrorBody, Script
from pytest_iwr.gateway.mock.seen import (
    Seen,
    count_images,
    digest,
    parse,
    texts,
    without_images,
)
from pytest_iwr.loopback import Loopback

Ask = Callable[[Seen], Answer | None]
_SLICE_S = 0.05
"""Between two pieces of a slow body."""


class MockEndpoint:
    """Answers chat completions on 127.0.0.1 while its context is open.

    It takes any key and any model.
    """

    def __init__(
        self,
        script: Script | None = None,
        *,
        answer: Ask | None = None,
        port: int = 0,
        keeps_images: bool = True,
        log: Callable[[str], None] | None = None,
    ) -> None:
        """Prepare; nothing listens yet.

        `answer` is asked first, in the endpoint's own thread, and leaves what it gives
        no answer for to the script. `keeps_images=False` keeps digests of pictures in
        `requests`, for runs of many. `log` gets a line for each request. Raises
        UsageError where a page of the script cannot be read.
        """
        self._script = script or Script()
        self._rules = Rules(self._script)
        for rule in self._script.rules:
            if rule.page is not None:
                read_page(rule.page)
        self._ask = answer
        self._keeps_images = keeps_images
        self._log = log
        self._seen: list[Seen] = []
        self._attempts: Counter[str] = Counter()
        self._now = 0
        self._peak = 0
        self._loopback = Loopback(self._app, name="iwr-serve-mock", port=port)

    @property
    def url(self) -> str:
        """The base URL for clients, which ends in `/v1`."""
        return f"http://127.0.0.1:{self._loopback.port}/v1"

    @property
    def requests(self) -> tuple[Seen, ...]:
        """All requests for completions, in the order in which they came."""
        return tuple(self._seen)

    @property
    def peak(self) -> int:
        """The most requests that were in progress at once."""
        return self._peak

    def start(self) -> None:
        """Listen; raises IwrError where the port is taken."""
        self._loopback.start()

    def close(self) -> None:
        """End all connections at once; may be called again."""
        self._loopback.close()

    def __enter__(self) -> Self:
        """Start."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            raw = await Request(scope, receive).body()
        except ClientDisconnect:
            return
        path = scope["path"]
        if scope["method"] == "POST" and path.endswith("/chat/completions"):
            self._now += 1
            self._peak = max(self._peak, self._now)
            try:
                await self._complete(_Exchange(scope, receive, send), raw)
            finally:
                self._now -= 1
            return
        known: JsonValue = {"id": "mock", "object": "model", "owned_by": "iwr"}
        models: JsonValue = {"object": "list", "data": [known]}
        error: JsonValue = {"error": {"message": f"There is no {path}."}}
        is_known = scope["method"] == "GET" and path.endswith("/models")
        status, content = (200, models) if is_known else (404, error)
        await JSONResponse(content, status)(scope, receive, send)

    async def _complete(self, exchange: "_Exchange", raw: bytes) -> None:
        seen = self._see(exchange.scope, raw)
        number, answer = self._choose(seen)
        latency_s = answer.latency_s
        if latency_s is None:
            latency_s = self._script.latency_s
        is_waiting = await exchange.wait(None if answer.hangs else latency_s)
        status = None
        is_whole = False
        if is_waiting and answer.drops:
            self._loopback.hang_up(exchange.scope["client"])
            await exchange.wait(None)
        elif is_waiting:
            wire = render(answer, seen)
            status = wire.status
            is_whole = await exchange.deliver(wire, answer)
        ended_s = time.monotonic() if is_whole else None
        done = dataclasses.replace(seen, status=status, ended_s=ended_s)
        self._seen[seen.nth - 1] = done
        if self._log is not None:
            self._log(_line(done, number, answer))

    def _see(self, scope: Scope, raw: bytes) -> Seen:
        body = parse(raw)
        name = digest(body)
        self._attempts[name] += 1
        seen = Seen(
            nth=len(self._seen) + 1,
            attempt=self._attempts[name],
            path=scope["path"],
            headers={
                k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]
            },
            body=body,
            digest=name,
            text="\n".join(texts(body)),
            images=count_images(body),
        )
        if not self._keeps_images and body is not None:
            kept = {key: without_images(value) for key, value in body.items()}
            seen = dataclasses.replace(seen, body=kept)
        self._seen.append(seen)
        return seen

    def _choose(self, seen: Seen) -> tuple[int | None, Answer]:
        """Give the answer, and the number of the rule that it stands in, from 1."""
        if seen.body is None:
            message = "The body is no JSON object."
            return None, Answer(status=400, error=ErrorBody(message=message))
        given = self._ask(seen) if self._ask is not None else None
        if given is not None:
            return None, given
        return self._rules.choose(seen)


class _Exchange:
    """One request's connection, as ASGI has it."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope = scope
        self._receive = receive
        self._send = send

    async def wait(self, seconds: float | None) -> bool:
        """Wait that long, or for ever; False once the client is gone."""
        if seconds == 0:
            return True
        try:
            async with asyncio.timeout(seconds):
                while (await self._receive())["type"] != "http.disconnect":
                    pass
        except TimeoutError:
            return True
        return False

    async def deliver(self, wire: Wire, answer: Answer) -> bool:
        """Send an answer; tells whether all of it was sent to a client that waits."""
        headers = {"content-length": str(len(wire.body))} | wire.headers
        pairs = [(k.lower().encode(), v.encode()) for k, v in headers.items()]
        start = {"type": "http.response.start", "status": wire.status}
        await self._send(start | {"headers": pairs})
        part = {"type": "http.response.body", "more_body": True}
        body = wire.body
        if answer.cut_at is not None:
            body = body[: int(len(body) * answer.cut_at)]
        for piece in _pieces(body, answer.bytes_per_s):
            await self._send(part | {"body": piece})
            if answer.bytes_per_s is not None and not await self.wait(_SLICE_S):
                return False
        if answer.cut_at is not None:
            return False  # the server closes the connection of an unfinished answer
        await self._send(part | {"body": b"", "more_body": False})
        return True


def _pieces(body: bytes, bytes_per_s: float | None) -> Iterator[bytes]:
    if bytes_per_s is None:
        yield body
        return
    sent, number = 0, 0
    while sent < len(body):
        number += 1
        end = math.ceil(number * _SLICE_S * bytes_per_s)
        yield body[sent:end]
        sent = end


def _line(seen: Seen, number: int | None, answer: Answer) -> str:
    """Say what was asked and answered, without a word of either."""
    rule = "" if number is None else f" by rule {number}"
    if seen.status is None:
        said = "hung up" if answer.drops else "no answer: the client has gone"
    elif seen.ended_s is None:
        said = f"{seen.status}, cut off"
    else:
        said = f"{seen.status} in {seen.ended_s - seen.at_s:.2f} s"
    model = "".join(c if c.isprintable() else "?" for c in seen.model[:80])
    return (
        f"#{seen.nth} {model}: {seen.images} images, {len(seen.text)} characters,"
        f" attempt {seen.attempt} -> {said}{rule}"
    )
