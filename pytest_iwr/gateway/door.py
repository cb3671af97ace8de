"""The HTTP side of the gateway: OpenAI's API, for those who have the run's token."""

import json
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import get_args
from urllib.parse import unquote

from pydantic import JsonValue
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pytest_iwr.gateway.flights import Landed
from pytest_iwr.gateway.ledger import line
from pytest_iwr.gateway.question import Question, question
from pytest_iwr.records import (
    HEADER_ASKED,
    HEADER_CACHE,
    HEADER_EPOCH,
    HEADER_FRESH,
    HEADER_LABEL,
    HEADER_PURPOSE,
    HEADER_SAMPLE,
    GatewayCode,
    ModelConfig,
    Purpose,
)

_MOST_BYTES = 100_000_000
"""Of a request."""
_STATUS: Mapping[GatewayCode, HTTPStatus] = {
    "iwr_endpoint": HTTPStatus.BAD_GATEWAY,
    "iwr_budget": HTTPStatus.PAYMENT_REQUIRED,
    "iwr_cache_miss": HTTPStatus.FAILED_DEPENDENCY,
    "iwr_unknown_model": HTTPStatus.NOT_FOUND,
    "iwr_token": HTTPStatus.UNAUTHORIZED,
    "iwr_request": HTTPStatus.BAD_REQUEST,
}


class _Refused(Exception):  # noqa: N818 - an answer, no error of ours
    """A request that is not passed on."""

    def __init__(self, code: GatewayCode, message: str) -> None:
        super().__init__(message)
        self.code: GatewayCode = code


@dataclass(frozen=True)
class Door:
    """Takes requests in, and gives answers out."""

    token: str
    models: Mapping[str, ModelConfig]
    ask: Callable[[Question], Awaitable[Landed]]

    def app(self) -> Starlette:
        """Give the application; nothing but loopback names it."""
        return Starlette(
            routes=[
                Route("/v1/models", self._models, methods=["GET"]),
                Route("/v1/chat/completions", self._complete, methods=["POST"]),
            ],
            middleware=[
                Middleware(
                    TrustedHostMiddleware,
                    allowed_hosts=["127.0.0.1", "localhost"],
                    www_redirect=False,
                )
            ],
            exception_handlers={_Refused: _refuse},
        )

    async def _models(self, request: Request) -> Response:
        self._know(request)
        rows = [{"id": alias, "object": "model"} for alias in self.models]
        return JSONResponse({"object": "list", "data": rows})

    async def _complete(self, request: Request) -> Response:
        self._know(request)
        try:
            body = await _body(request)
        except ClientDisconnect:
            return Response(status_code=HTTPStatus.BAD_REQUEST)
        return _answer(await self.ask(self._question(request, body)))

    def _know(self, request: Request) -> None:
        given = request.headers.get("authorization", "").encode()
        if not secrets.compare_digest(given, f"Bearer {self.token}".encode()):
            raise _Refused(
                "iwr_token",
                "This gateway answers only the run that started it. Use its token as "
                "the API key.",
            )

    def _question(self, request: Request, body: dict[str, JsonValue]) -> Question:
        alias = body.get("model")
        config = self.models.get(alias) if isinstance(alias, str) else None
        if config is None:
            known = ", ".join(self.models) or "none"
            raise _Refused(
                "iwr_unknown_model", f"There is no model {alias!r}. Known are: {known}."
            )
        if body.get("stream"):
            raise _Refused(
                "iwr_request", "Streams are not given here. Ask without `stream`."
            )
        if not isinstance(body.get("messages"), list):
            raise _Refused("iwr_request", "There are no `messages`. Send a list.")
        try:
            return question(
                config,
                body,
                purpose=_purpose(request),
                epoch=_number(request, HEADER_EPOCH, 1),
                sample=_number(request, HEADER_SAMPLE, 0),
                label=unquote(request.headers.get(HEADER_LABEL, "")),
                is_fresh=_is_fresh(request),
            )
        except (ValueError, RecursionError) as error:
            raise _Refused(
                "iwr_request", f"The body cannot be sent as JSON: {error}."
            ) from error


async def _body(request: Request) -> dict[str, JsonValue]:
    received = bytearray()
    async for part in request.stream():
        received += part
        if len(received) > _MOST_BYTES:
            raise _Refused(
                "iwr_request",
                f"The request is longer than {_MOST_BYTES} bytes. Send fewer or "
                "smaller pictures.",
            )
    try:
        body = json.loads(received, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise _Refused("iwr_request", f"The body is no JSON: {error}.") from error
    if not isinstance(body, dict):
        raise _Refused("iwr_request", "The body is no JSON object.")
    return body


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _purpose(request: Request) -> Purpose:
    given = request.headers.get(HEADER_PURPOSE, "generate")
    for purpose in get_args(Purpose):
        if given == purpose:
            known: Purpose = purpose
            return known
    raise _Refused("iwr_request", f"{HEADER_PURPOSE}: {given!r} is no purpose.")


def _is_fresh(request: Request) -> bool:
    given = request.headers.get(HEADER_FRESH, "0")
    if given not in {"0", "1"}:
        raise _Refused("iwr_request", f"{HEADER_FRESH}: {given!r} is neither 0 nor 1.")
    return given == "1"


def _number(request: Request, header: str, least: int) -> int:
    given = request.headers.get(header, str(least))
    if not (given.isascii() and given.isdigit() and least <= int(given)):
        raise _Refused(
            "iwr_request", f"{header}: {given!r} is no whole number from {least} on."
        )
    return int(given)


def _answer(landed: Landed) -> Response:
    headers = {}
    if landed.asked is not None:
        headers[HEADER_ASKED] = line(landed.asked)
    if landed.body is None:
        code = landed.code or "iwr_endpoint"
        return _error(code, landed.message, headers)
    is_hit = landed.asked is not None and landed.asked.is_hit
    headers[HEADER_CACHE] = "hit" if is_hit else "miss"
    return Response(landed.body, media_type="application/json", headers=headers)


def _refuse(_: Request, refused: Exception) -> Response:
    assert isinstance(refused, _Refused)  # noqa: S101 - registered for nothing else
    return _error(refused.code, str(refused), {})


def _error(code: GatewayCode, message: str, headers: Mapping[str, str]) -> Response:
    held = {"error": {"message": message, "type": "iwr_gateway", "code": code}}
    return JSONResponse(held, _STATUS[code], headers)
