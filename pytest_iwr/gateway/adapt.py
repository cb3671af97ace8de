"""Parameters that an endpoint refuses: what is sent instead, and for how long."""

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import JsonValue, TypeAdapter

from pytest_iwr.gateway.complaint import Complaint
from pytest_iwr.gateway.question import shown_url
from pytest_iwr.records import ModelConfig
from pytest_iwr.records.scalars import Record

_KEPT = {"model", "messages", "tools", "tool_choice", "stream", "n"}
"""Without these it would be another question."""
_NO_WORDS = {"temperature", "verbosity", "seed", "logprobs", "modalities"}
"""Names of parameters that are hardly ever words of another sentence."""
_OTHER_NAMES = {
    "response_format": ("response format", "response_schema", "json_schema"),
}
"""What endpoints call a parameter that they refuse."""
_TWINS = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}
_REFUSED = re.compile(
    r"unsupported|(?:not|n't|nor) (?:\w+ )?support|unknown|unrecogni[sz]ed|unexpected"
    r"|extra (?:inputs?|fields?)|not (?:permitted|allowed|compatible|available)"
    r"|deprecated|only (?:\S+ ){0,4}(?:default|allowed|supported|set to)|use only one"
    r"|cannot (?:both )?be|may only be|must not|is not (?:a )?valid|no longer"
    r"|instead|cannot find field|unavailable",
    re.IGNORECASE,
)
_CODES = {
    "unsupported_parameter",
    "unsupported_value",
    "unknown_parameter",
    "extra_forbidden",
    "unsupported_params",
}
_MOST = re.compile(
    r"(?:at most|up to|maximum (?:of|is|value of)|less than or equal to|<=|limit of"
    r"|> ?|\[\s*\d+\s*,)\s*['\"`]?(\d{2,9})",
    re.IGNORECASE,
)


class Change(Record):
    """One parameter that is sent otherwise than it was asked for."""

    param: str
    to: str | None = None
    """Its new name; `None`: it is left out, or `most` holds."""
    most: int | None = None
    """The largest number that is taken."""

    @property
    def does(self) -> Literal["rename", "lower", "drop"]:
        """What it does with the parameter."""
        if self.to is not None:
            return "rename"
        return "drop" if self.most is None else "lower"


def apply(
    changes: Sequence[Change], body: Mapping[str, JsonValue]
) -> tuple[dict[str, JsonValue], tuple[str, ...]]:
    """Give the body that an endpoint takes, and in words what differs."""
    sent, words = dict(body), []
    for change in changes:
        if change.param not in sent:
            continue
        value = sent[change.param]
        match change.does:
            case "rename" if change.to is not None and change.to not in sent:
                sent[change.to] = sent.pop(change.param)
                words.append(f"{change.param} sent as {change.to}")
            case "lower":
                if isinstance(value, int) and change.most and value > change.most:
                    sent[change.param] = change.most
                    words.append(f"{change.param} {change.most} instead of {value}")
            case _:
                del sent[change.param]
                words.append(f"{change.param} left out, it was {_short(value)}")
    return sent, tuple(words)


def change_for(
    complaint: Complaint,
    sent: Mapping[str, JsonValue],
    changes: Sequence[Change],
) -> Change | None:
    """Give the change that a refusal of `sent` asks for, or `None`.

    `changes` are those that made `sent`; none of them is asked for twice.
    """
    param = _blamed(complaint, sent)
    if param is None:
        return None
    most = _MOST.search(complaint.message) if param in _TWINS else None
    value = sent[param]
    if most is not None and isinstance(value, int) and 0 < int(most[1]) < value:
        change = Change(param=param, most=int(most[1]))
        return None if change in changes else change
    twin = _TWINS.get(param)
    is_tried = any(twin in (change.param, change.to) for change in changes)
    if twin is not None and twin not in sent and not is_tried:
        return Change(param=param, to=twin)
    return Change(param=param)


class Adapted:
    """Remembers what each model of each endpoint refused, also between runs."""

    def __init__(self, folder: Path | None) -> None:
        """`None`: only for this run."""
        self._folder = folder
        self._known: dict[Path, tuple[Change, ...]] = {}

    def of(self, config: ModelConfig) -> tuple[Change, ...]:
        """Give the changes that a model needs; a file that cannot be read has none."""
        name = _name(config)
        if name not in self._known:
            self._known[name] = self._stored(name)
        return self._known[name]

    def remember(self, config: ModelConfig, changes: tuple[Change, ...]) -> None:
        """Add the changes with which a model answered; raises OSError."""
        name, known = _name(config), self.of(config)
        added = tuple(change for change in changes if change not in known)
        self._known[name] = changes = known + added
        if added and self._folder is not None:
            path = self._folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            held = {
                "endpoint": shown_url(config.base_url),
                "model": config.model,
                "changes": [change.model_dump(mode="json") for change in changes],
            }
            passing = path.with_suffix(f".{id(self):x}")
            passing.write_text(json.dumps(held, indent=1), encoding="ascii")
            passing.replace(path)

    def _stored(self, name: Path) -> tuple[Change, ...]:
        if self._folder is None:
            return ()
        try:
            held = _HELD.validate_json((self._folder / name).read_bytes())
            return _CHANGES.validate_python(held.get("changes"))
        except (OSError, ValueError):
            return ()


_HELD = TypeAdapter(dict[str, JsonValue])
_CHANGES = TypeAdapter(tuple[Change, ...])


def _blamed(complaint: Complaint, sent: Mapping[str, JsonValue]) -> str | None:
    """Give the parameter that is refused, of those that were sent."""
    names = [name for name in sent if name not in _KEPT]
    if re.match(r"\W*messages\b", complaint.param or complaint.message):
        return None
    is_named = complaint.code in _CODES or complaint.kind in _CODES
    param = re.split(r"[.\[]", complaint.param)[0]
    if not is_named and not _REFUSED.search(complaint.message):
        is_limit = param in _TWINS or any(n in complaint.message for n in _TWINS)
        if not is_limit or not _MOST.search(complaint.message):
            return None
    if param in names:
        return param
    found = [
        (_place(said, complaint.message), name)
        for name in names
        for said in (name, *_OTHER_NAMES.get(name, ()))
    ]
    return min(((at, name) for at, name in found if at >= 0), default=(0, None))[1]


def _place(name: str, message: str) -> int:
    """Find a name in a message; one that is also a plain word must be quoted."""
    is_plain = name.isalpha() and name not in _NO_WORDS
    quoted = rf"['\"`\[]{name}\b|^{name}:"
    pattern = quoted if is_plain else rf"(?<![\w-]){re.escape(name)}\b"
    found = re.search(pattern, message)
    return found.start() if found else -1


def _name(config: ModelConfig) -> Path:
    told = json.dumps([config.base_url.rstrip("/"), config.model]).encode()
    return Path("adapted", f"{sha256(told).hexdigest()[:32]}.json")


def _short(value: JsonValue) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:60] + "…"  # noqa: PLR2004 - in words
