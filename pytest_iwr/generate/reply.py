"""What a model's answer holds: a page, byte for byte, or why there is none."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from pytest_iwr.errors import EndpointError
from pytest_iwr.generate.documents import Document, find_documents, find_headless
from pytest_iwr.generate.fences import line_before
from pytest_iwr.generate.thinking import drop_thinking
from pytest_iwr.letters import whole
from pytest_iwr.records import Reply

_ONLY_THINKS = "it thinks, and then says nothing"
_THOUGHTS = ("reasoning_content", "reasoning", "reasoning_details", "thinking")
_THINKING_PARTS = ("thinking", "reasoning", "redacted_thinking")
_JSON_FENCE = re.compile(r"^```(?:json)?\s*\n(.*?)\n```\s*$", re.DOTALL | re.MULTILINE)
_CUT_OFF = frozenset({"length", "max_tokens", "model_length", "max_output_tokens"})
_FILTERED = frozenset(
    {
        "content_filter",
        "safety",
        "prohibited_content",
        "recitation",
        "blocklist",
        "spii",
    }
)
_REFUSED = frozenset({"refusal", "refused"})
_REFUSAL = re.compile(
    r"\b(?:I(?:['’]m| am)|we(?:['’]re| are))\s+(?:\w+\s+)?"
    r"(?:sorry|afraid|unable|not able)"
    r"|\bI\s+(?:can(?:['’]?t|not| not)|won['’]?t|will not|(?:must|have to) decline)\b"
    r"|\b(?:sorry|apologi[sz]e)\b.{0,40}\b(?:can(?:['’]?t|not| not)|unable)\b"
    r"|抱歉|对不起|(?:无法|不能)(?:提供|协助|完成|查看|观看|处理)",
    re.IGNORECASE | re.DOTALL,
)
_REFUSAL_WITHIN = 400
"""Characters from the start in which a refusal says that it is one."""
_NAME = re.compile(r"[\w./-]+\.html?\b", re.IGNORECASE)
_ENTRY = "index.html"
_SHOWN = 120


class _Choice(NamedTuple):
    """The first choice of an answer."""

    text: str
    finish_reason: str
    refusal: str
    instead: str
    """What it holds where it says nothing; may be empty."""


def read_reply(body: Mapping[str, JsonValue]) -> Reply:
    """Give what the answer of a chat-completions endpoint holds.

    Raises EndpointError where it is no answer of a model: an error, no choice, or a
    choice without a message that no filter took away.
    """
    choice = _choice(body)
    reply = extract(choice.text, choice.finish_reason)
    if reply.outcome == "page":
        return reply
    if choice.refusal:
        return Reply(outcome="refused", reason=f"it refuses: {_shown(choice.refusal)}")
    if choice.instead and not choice.text.strip() and reply.outcome != "filtered":
        limit = ", cut off at its limit" if reply.outcome == "cut_off" else ""
        return Reply(outcome="no_page", reason=choice.instead + limit)
    return reply


def extract(text: str, finish_reason: str | None = None) -> Reply:
    """Give the last complete document of what a model says, as it wrote it.

    In a fence or not; thinking parts do not count. A line break right after its end
    belongs to it. `finish_reason` is the endpoint's; `None`: it did not say.
    """
    end = (finish_reason or "").lower()
    said = drop_thinking(whole(text))
    source = said.text
    found = find_documents(source)
    for begin, until, held in _wrapped(source):
        if all(begin <= page.start < until for page in found):
            source, found = held, find_documents(held)
            break
    found = found or find_headless(source)
    page = _chosen(source, found, is_cut_off=end in _CUT_OFF)
    if page is not None:
        return Reply(outcome="page", html=source[page.start : page.end])
    if end in _FILTERED:
        return Reply(outcome="filtered", reason=f"the endpoint filtered it ({end})")
    limit = " (cut off at its limit)" if end in _CUT_OFF else ""
    if found or (limit and not said.is_thinking):
        return Reply(outcome="cut_off", reason=f"it breaks off {_where(found)}{limit}")
    is_refusal = end in _REFUSED or (
        "```" not in source and _REFUSAL.search(source[:_REFUSAL_WITHIN]) is not None
    )
    if is_refusal:
        return Reply(outcome="refused", reason=f"it refuses: {_shown(source)}")
    if said.is_thinking:
        return Reply(outcome="no_page", reason=f"its thinking has no end{limit}")
    if not source.strip():
        if said.has_thought:
            return Reply(outcome="no_page", reason=_ONLY_THINKS)
        return Reply(outcome="empty", reason="it says nothing")
    return Reply(outcome="no_page", reason=f"no HTML document: {_shown(source)}")


def _chosen(
    text: str, found: Sequence[Document], *, is_cut_off: bool
) -> Document | None:
    """Choose the last whole document; where some are named, of `index.html`."""
    if is_cut_off:
        if found and found[-1].ending in {"text", "none"}:
            return None
        whole = [page for page in found if page.ending in {"tag", "fence"}]
    else:
        whole = [page for page in found if page.ending != "none"]
    if not all(page.is_quoted for page in whole):
        whole = [page for page in whole if not page.is_quoted]
    names = [_name(text, page) for page in whole]
    if _ENTRY in names:
        whole = [p for p, n in zip(whole, names, strict=True) if n in {"", _ENTRY}]
    return whole[-1] if whole else None


def _name(text: str, page: Document) -> str:
    """Give the HTML file that is named before a document; may be empty."""
    fence = page.fence
    start, end = line_before(text, page.start)
    places = [text[page.start : page.start + _SHOWN].partition("-->")[0]]
    places = places if places[0].lstrip().startswith("<!--") else []
    if fence is not None:
        places.append(fence.info)
        start, end = line_before(text, fence.start)
    places.append(text[start:end])
    for place in places:
        named = [str(n).rpartition("/")[2].lower() for n in _NAME.findall(place)]
        if named:
            return _ENTRY if _ENTRY in named else named[-1]
    return ""


def _wrapped(text: str) -> Iterator[tuple[int, int, str]]:
    """Give texts of JSON that hold a page, and where in `text` that JSON stands."""
    spans = [match.span(1) for match in _JSON_FENCE.finditer(text)]
    for start, end in [(0, len(text)), *reversed(spans)]:
        body = text[start:end].strip()
        if not body.startswith(("{", "[", '"')):
            continue
        try:
            value: JsonValue = json.loads(body)
        except (ValueError, RecursionError):
            continue
        for held in reversed([whole(held) for held in _texts(value)]):
            if any(page.ending != "none" for page in find_documents(held)):
                yield start, end, held


def _texts(value: JsonValue) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for held in value.values():
                yield from _texts(held)
        case list():
            for held in value:
                yield from _texts(held)
        case _:
            return


def _where(found: Sequence[Document]) -> str:
    if not found:
        return "before a page begins"
    length = found[-1].end - found[-1].start
    return f"after {length} characters of a page that has no end"


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…")


def _choice(body: Mapping[str, JsonValue]) -> _Choice:
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    error = body.get("error") or (
        choice.get("error") if isinstance(choice, dict) else 0
    )
    if error:
        said = error.get("message") if isinstance(error, dict) else error
        raise _unusable(f"an error: {_shown(str(said or error))}")
    if not isinstance(choice, dict):
        raise _unusable("no choice in it")
    end, message = choice.get("finish_reason"), choice.get("message")
    finish_reason = end.lower() if isinstance(end, str) else ""
    if finish_reason == "error":
        raise _unusable("an end by an error")
    if isinstance(message, dict):
        return _told(message, finish_reason)
    if finish_reason in _FILTERED:
        return _Choice("", finish_reason, "", "")
    raise _unusable("no message in it")


def _told(message: Mapping[str, JsonValue], finish_reason: str) -> _Choice:
    """Read a message, whose content may come in parts."""
    content, refusal = message.get("content"), message.get("refusal")
    parts = content if isinstance(content, list) else [content]
    said = "".join(_part(part) for part in parts)
    refusals = [refusal, *(p.get("refusal") for p in parts if isinstance(p, dict))]
    instead = ""
    if message.get("tool_calls"):
        instead = "it calls a tool that nobody offered"
    elif any(message.get(name) for name in _THOUGHTS) or any(
        isinstance(part, dict) and part.get("type") in _THINKING_PARTS for part in parts
    ):
        instead = _ONLY_THINKS
    refused = next((text for text in refusals if text and isinstance(text, str)), "")
    return _Choice(said, finish_reason, refused, instead)


def _part(part: JsonValue) -> str:
    """Give what a part says; thinking parts say nothing."""
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and part.get("type", "text") in {"text", "output_text"}:
        text = part.get("text")
        return text if isinstance(text, str) else ""
    return ""


def _unusable(what: str) -> EndpointError:
    return EndpointError(
        f"the endpoint's answer: {what} instead of a model's reply. Run again; see "
        "whether the endpoint is up and the model's name is right."
    )
