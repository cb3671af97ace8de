"""What an endpoint's answer is: an answer of the model, or which kind of fault."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Literal

from pydantic import JsonValue

from pytest_iwr.gateway.complaint import (
    Complaint,
    find_complaint,
    is_html,
    read_complaint,
)
from pytest_iwr.gateway.usage import read_usage

Kind = Literal["busy", "broken", "late", "final", "request"]
"""`busy`: it asks for fewer requests. `broken`: it may work the next time. `late`: it
took too long. `final`: it will not work. `request`: nor will it, but perhaps with
other parameters."""

_CUT_OFF = {"length", "max_tokens", "model_length"}
_BUSY = {408, 425, 429, 503, 529}
_REFUSED = {400, 422}
_NEVER = {501, 505, 511}
_QUOTA = {
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_not_active",
    "account_deactivated",
    "exceeded_current_quota_error",
    "access_terminated",
    "insufficient_balance",
    "arrearage",
}
_QUOTA_WORDS = re.compile(
    r"credit balance|insufficient (?:balance|credits?|funds|quota)|billing details"
    r"|out of credits|payment required|spending limit",
    re.IGNORECASE,
)
_CONTEXT_WORDS = re.compile(
    r"context[ _](?:length|window|size)|too many (?:tokens|images)|prompt is too long"
    r"|input (?:is|are) too long|at most \d+ image|maximum (?:number of )?tokens"
    r"|token count exceeds|exceeds? the (?:maximum|limit)|too large"
    r"|max(?:imum)? .*size",
    re.IGNORECASE,
)
_PASSING_WORDS = re.compile(
    r"overloaded|temporar|try again|timed? ?out|unavailable|internal (?:server )?error"
    r"|rate limit|too many requests|upstream",
    re.IGNORECASE,
)
"""Of an error without a number, in an answer with HTTP status 200."""
_LIMIT = re.compile(r"\bmax_(?:completion_)?tokens\b")


@dataclass(frozen=True)
class Exchange:
    """An answer of an endpoint, as it came."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


@dataclass(frozen=True)
class Answer:
    """An answer of the model."""

    body: bytes
    data: Mapping[str, JsonValue]
    is_cut_off: bool
    is_free: bool = False


@dataclass(frozen=True)
class Fault:
    """Why there is no answer."""

    kind: Kind
    reason: str
    complaint: Complaint | None = None
    headers: Mapping[str, str] | None = None
    data: Mapping[str, JsonValue] | None = None
    """JSON of the answer, where its tokens may have been billed."""
    is_free: bool = True
    """Surely nothing was billed."""
    status: int = 0
    """Of HTTP, or named by the answer's JSON; 0: none."""


def read(exchange: Exchange) -> Answer | Fault:
    """Tell what an endpoint's answer is."""
    if not _is_success(exchange.status):
        return _refusal(exchange.status, exchange, read_complaint(exchange.body))
    if is_html(exchange.body):
        said = read_complaint(exchange.body).message
        return Fault(
            "broken", f"HTML instead of JSON: {said!r}", None, exchange.headers
        )
    if exchange.body.startswith((b"data:", b"event:", b": ")):
        reason = "a stream instead of JSON. Set `extra_body: {stream: false}`"
        return Fault("final", reason, None, exchange.headers, is_free=False)
    try:
        data: JsonValue = json.loads(exchange.body.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        reason = f"the answer is not JSON, or not all of it: {error}"
        return Fault("broken", reason, None, exchange.headers, is_free=False)
    complaint = find_complaint(data)
    if complaint is not None:
        return _refusal(complaint.number or 0, exchange, complaint)
    return _answer(exchange, data if isinstance(data, dict) else {})


def is_context(complaint: Complaint) -> bool:
    """Tell whether a request was too long or too large."""
    words = f"{complaint.code} {complaint.kind} {complaint.message}"
    if _LIMIT.search(f"{complaint.param} {complaint.message}"):
        return "context" in words
    return _CONTEXT_WORDS.search(words) is not None


def is_quota(complaint: Complaint) -> bool:
    """Tell whether a quota is used up, rather than a rate exceeded.

    Google says "check your plan and billing details" for both; what passes within a
    minute comes with a delay.
    """
    if _names(complaint) & _QUOTA:
        return True
    for detail in complaint.details:
        if "PerDay" in json.dumps(detail):
            return True
    has_delay = any("retryDelay" in detail for detail in complaint.details)
    return not has_delay and _QUOTA_WORDS.search(complaint.message) is not None


def _is_success(status: int) -> bool:
    return HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES


def _answer(exchange: Exchange, data: dict[str, JsonValue]) -> Answer | Fault:
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return _unusable(exchange, data, "an answer without choices")
    complaint = find_complaint({"error": choice.get("error")})
    if complaint is not None:
        return _refusal(complaint.number or 0, exchange, complaint)
    end = str(choice.get("finish_reason") or "").lower()
    if end == "error":
        return _unusable(exchange, data, "an answer that ended with an error")
    is_filtered = end.startswith("content_filter")
    if not isinstance(choice.get("message"), dict) and not is_filtered:
        return _unusable(exchange, data, "an answer without a message")
    return Answer(exchange.body, data, end in _CUT_OFF)


def _unusable(exchange: Exchange, data: dict[str, JsonValue], reason: str) -> Fault:
    used = read_usage(data)
    is_free = not used.input and not used.output
    return Fault(
        "broken", reason, None, exchange.headers, None if is_free else data, is_free
    )


def _refusal(status: int, exchange: Exchange, complaint: Complaint) -> Fault:
    """Give the fault of an HTTP status, or of one that an answer's JSON names."""
    name = f"HTTP {exchange.status}"
    if _is_success(exchange.status):
        name += " with an error"
    reason = f"{name}: {complaint.message or 'no reason given'}"
    kind = _kind(status, exchange.headers, complaint)
    return Fault(kind, reason, complaint, exchange.headers, status=status)


def _kind(status: int, headers: Mapping[str, str], complaint: Complaint) -> Kind:
    wish = headers.get("x-should-retry", "").lower()
    words = _names(complaint)
    if is_quota(complaint) or wish == "false":
        return "final"
    if "request too large" in complaint.message.lower():
        return "final"  # for the rate of a minute: it does not fit into the next either
    if status in _BUSY or words & {"overloaded_error", "rate_limit_exceeded"}:
        return "busy"
    if status in _REFUSED:
        return "final" if is_context(complaint) else "request"
    is_passing = status == HTTPStatus.CONFLICT or (
        status >= HTTPStatus.INTERNAL_SERVER_ERROR and status not in _NEVER
    )
    is_passing |= bool(words & {"server_error", "internal_error", "api_error"})
    is_passing |= status == 0 and _PASSING_WORDS.search(complaint.message) is not None
    return "broken" if is_passing or wish == "true" else "final"


def _names(complaint: Complaint) -> set[str]:
    return {complaint.code.lower(), complaint.kind.lower()}
