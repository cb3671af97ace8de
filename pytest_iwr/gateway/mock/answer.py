"""An answer of the script → status, headers and bytes, as a real endpoint has them."""

import json
import math
import re
import time
from email.utils import formatdate
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from pytest_iwr.errors import UsageError
from pytest_iwr.gateway.mock.script import Answer, ErrorBody, TokenUsage
from pytest_iwr.gateway.mock.seen import Seen

_ERRORS = {
    400: ErrorBody(message="The request is invalid.", type="invalid_request_error"),
    401: ErrorBody(message="The key is wrong.", code="invalid_api_key"),
    402: ErrorBody(message="Nothing is left to pay with.", code="insufficient_quota"),
    403: ErrorBody(message="This key may not do that.", code="permission_denied"),
    404: ErrorBody(message="There is no such model.", code="model_not_found"),
    413: ErrorBody(message="The request is too large.", code="request_too_large"),
    429: ErrorBody(message="Too many requests.", code="rate_limit_exceeded"),
    500: ErrorBody(message="Something broke.", type="server_error"),
    503: ErrorBody(message="The model is overloaded.", type="server_error"),
}


class Wire(NamedTuple):
    """What goes over the wire."""

    status: int
    headers: dict[str, str]
    body: bytes


def render(answer: Answer, seen: Seen) -> Wire:
    """Give the bytes of an answer to a request; raises UsageError as `read_page`."""
    status = answer.status or (500 if answer.error else 200)
    headers = _retry_after(answer) | answer.headers
    if answer.body is not None:
        kind = {"content-type": answer.content_type}
        return Wire(status, kind | headers, answer.body.encode())
    if answer.json_ is not None:
        return _json(status, headers, answer.json_)
    is_reply = any(answer.is_given(name) for name in ("page", "text", "refusal"))
    if answer.error is not None or (status >= 400 and not is_reply):  # noqa: PLR2004
        return _json(status, headers, {"error": _error(answer.error, status)})
    completion = _completion(answer, seen)
    if (seen.body or {}).get("stream") is True:
        kind = {"content-type": "text/event-stream"}
        return Wire(status, kind | headers, _events(completion))
    return _json(status, headers, completion)


def read_page(path: Path) -> str:
    """Give a page of the script; raises UsageError where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        what = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(
            f"{path}: the page cannot be read: {what}. Correct the path or the file."
        ) from error


def small_page(seen: Seen) -> str:
    """Give a page that is the same for the same messages, and tells what they held."""
    name = seen.digest[:8]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>Mock page {name}</title>\n</head>\n<body>\n"
        f"<h1>Mock page {name}</h1>\n<p>Made from {seen.images} images and "
        f"{len(seen.text)} characters of text.</p>\n</body>\n</html>\n"
    )


def _json(status: int, headers: dict[str, str], data: JsonValue) -> Wire:
    body = json.dumps(data, ensure_ascii=False).encode()
    return Wire(status, {"content-type": "application/json"} | headers, body)


def _error(error: ErrorBody | None, status: int) -> JsonValue:
    known = error or _ERRORS.get(status) or ErrorBody(message=f"Status {status}.")
    return {name: getattr(known, name) for name in ("message", "type", "param", "code")}


def _retry_after(answer: Answer) -> dict[str, str]:
    seconds = answer.retry_after_s
    if seconds is None:
        return {}
    match answer.retry_after_as:
        case "seconds":
            return {"retry-after": str(math.ceil(seconds))}
        case "date":
            at = math.ceil(time.time() + seconds)
            return {"retry-after": formatdate(at, usegmt=True)}
        case "ms":
            return {"retry-after-ms": str(round(seconds * 1000))}


def _completion(answer: Answer, seen: Seen) -> dict[str, JsonValue]:
    content = _content(answer, seen)
    message: dict[str, JsonValue] = {"role": "assistant", "content": content}
    message["refusal"] = answer.refusal
    if answer.reasoning is not None:
        message["reasoning_content"] = answer.reasoning
    usage = answer.usage or TokenUsage(
        prompt=len(seen.text) // 4, completion=len(content or "") // 4
    )
    choice: JsonValue = {
        "index": 0,
        "message": message,
        "finish_reason": answer.finish_reason,
    }
    return {
        "id": f"mock-{seen.nth}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": seen.model,
        "choices": [choice],
        "usage": _usage(usage),
    }


def _content(answer: Answer, seen: Seen) -> str | None:
    if answer.text is not None or answer.refusal is not None:
        return answer.text
    page = small_page(seen) if answer.page is None else read_page(answer.page)
    runs = re.findall(r"`{3,}", page)
    fence = "`" * max(3, 1 + max(map(len, runs), default=0))
    return f"{fence}html\n{page.rstrip()}\n{fence}\n"


def _usage(usage: TokenUsage) -> dict[str, JsonValue]:
    counts: dict[str, JsonValue] = {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.prompt + usage.completion,
    }
    if usage.cached is not None:
        counts["prompt_tokens_details"] = {"cached_tokens": usage.cached}
    if usage.reasoning is not None:
        counts["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning}
    if usage.cost is not None:
        counts["cost"] = usage.cost
    return counts


def _events(completion: dict[str, JsonValue]) -> bytes:
    """Give a completion as a stream: its message, its end, its usage."""
    match completion["choices"]:
        case [{"message": delta, "finish_reason": reason}]:
            pass
        case other:
            raise AssertionError(other)
    head = {k: v for k, v in completion.items() if k not in {"choices", "usage"}}
    head["object"] = "chat.completion.chunk"
    said: JsonValue = {"index": 0, "delta": delta, "finish_reason": None}
    end: JsonValue = {"index": 0, "delta": {}, "finish_reason": reason}
    chunks = [
        head | {"choices": [said]},
        head | {"choices": [end]},
        head | {"choices": [], "usage": completion["usage"]},
    ]
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()
