"""What an endpoint says when it refuses, whatever shape it says it in."""

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

_LONGEST = 500
"""Characters of a message that are kept."""
_NOT_TEXT = re.compile(
    r"<(script|style|head)\b.*?</\1\s*>|<!--.*?-->|<[^>]*>", re.DOTALL | re.IGNORECASE
)


@dataclass(frozen=True)
class Complaint:
    """An error in an endpoint's own words."""

    message: str
    code: str = ""
    """Its name for the error, or the number of an HTTP status."""
    kind: str = ""
    """`type` or `status` of the error."""
    param: str = ""
    """The parameter that is refused, where it is named apart."""
    details: tuple[Mapping[str, JsonValue], ...] = field(default=())
    """Google's details of an error."""

    @property
    def number(self) -> int | None:
        """The HTTP status that `code` names, if it does."""
        is_status = self.code.isascii() and re.fullmatch(r"[45]\d\d", self.code)
        return int(self.code) if is_status else None


def read_complaint(body: bytes) -> Complaint:
    """Give the error that a body holds: JSON of any known shape, HTML or text."""
    try:
        value: JsonValue = json.loads(body)
    except (ValueError, RecursionError):
        return Complaint(_plain(body.decode("utf-8", "replace")))
    found = find_complaint(value)
    return found or Complaint(_short(json.dumps(value)))


def find_complaint(value: JsonValue) -> Complaint | None:
    """Give the error that a JSON value holds, or `None` where it holds none."""
    if isinstance(value, list):  # Google's compatible endpoint wraps it so
        return next((c for c in map(find_complaint, value) if c is not None), None)
    if not isinstance(value, dict):
        return None
    error = value.get("error") or value.get("errors") or value.get("detail")
    if isinstance(error, dict):
        return _complaint(error)
    if isinstance(error, str):
        return _complaint({**value, "message": error})
    if isinstance(error, list):
        return _listed(error)
    if value.get("object") == "error" or (
        isinstance(value.get("message"), str) and "choices" not in value
    ):
        return _complaint(value)
    return None


def is_html(body: bytes) -> bool:
    """Tell whether a body is a page of HTML or XML."""
    return body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<"


def _complaint(error: Mapping[str, JsonValue]) -> Complaint:
    message = error.get("message") or error.get("msg") or json.dumps(dict(error))
    text = message if isinstance(message, str) else json.dumps(message)
    metadata = error.get("metadata")  # OpenRouter: what the provider behind it said
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    if isinstance(raw, str):
        text = f"{text}: {raw}"
    details = error.get("details")
    return Complaint(
        message=_short(text),
        code=_word(error.get("code")),
        kind=_word(error.get("type")) or _word(error.get("status")),
        param=_word(error.get("param")),
        details=tuple(d for d in details if isinstance(d, dict))
        if isinstance(details, list)
        else (),
    )


def _listed(errors: list[JsonValue]) -> Complaint | None:
    """Read pydantic's and FastAPI's list of what is wrong, and where."""
    found = list(_places(errors))
    if not found:
        return None
    message = "; ".join(f"{place}: {text}" if place else text for place, text in found)
    return Complaint(_short(message), param=found[0][0])


def _places(errors: list[JsonValue]) -> Iterator[tuple[str, str]]:
    for error in errors:
        if isinstance(error, str):
            yield "", error
        elif isinstance(error, dict):
            where = error.get("loc")
            names = where if isinstance(where, list) else []
            place = [str(name) for name in names if name != "body"]
            yield ".".join(place), _word(error.get("msg") or error.get("message"))


def _plain(text: str) -> str:
    return _short(" ".join(html.unescape(_NOT_TEXT.sub(" ", text)).split()))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _word(value: JsonValue) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value) if isinstance(value, str | int | float) else ""
