"""Whether a judge says yes or no, or neither."""

import re

from pydantic import JsonValue

from pytest_iwr.check.judge.reply import Reply, find, find_all, is_cited

_FIELDS = ("verdict", "answer", "result", "holds", "passed", "pass", "decision")
_YES = frozenset({"yes", "true", "pass", "passed", "是", "是的", "对", "正确", "通过"})
_NO = frozenset(
    {"no", "false", "fail", "failed", "不是", "否", "不对", "错", "错误", "不正确"}
    | {"不通过", "未通过"}
)
_WORD = r"[\"'(]*(?P<word>[^\W\d]+)"
_LABELLED = re.compile(
    r"(?P<last>\b(?:final|overall)\s+)?"
    r"(?:\b(?:verdict|answer|result|decision|conclusion)|结论|答案)[\"']?\s*"
    rf"(?P<mark>is\b\s*:?|[:=–—-]|是)\s*{_WORD}",
    re.IGNORECASE,
)
_LEADING = re.compile(rf"{_WORD}[\"')]*(?:\s*[.,:;!。]|\s*\n|\s+[-–—]\s)")
_TURNS = re.compile(
    r"\b(?:not|but|however|although|though|unless|except|partly|partially|only|maybe"
    r"|perhaps|unsure|unclear|cannot)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Words after which a yes may be no yes."""


def read_verdict(reply: Reply) -> bool | None:
    """Give what a judge decided; `None` where it is not clear.

    The last field of JSON counts, else the last labelled word (a final one before all
    others), else the whole reply, else its first word where nothing turns it around.
    Only whole words count: there is no "no" in "know" or "not".
    """
    is_there, value = find(reply, _FIELDS)
    if is_there:
        return _of_field(value)
    labelled = [m for m in _LABELLED.finditer(reply.text) if _decides(m)]
    if labelled:
        final = [match for match in labelled if match["last"]]
        return _of_word((final or labelled)[-1]["word"])
    whole = _of_word(reply.text.strip(" \t\r\n.!\"'()[]。"))
    return _leading(reply.text) if whole is None else whole


def sole_verdict(reply: Reply) -> bool | None:
    """Give the verdict of a reply that names no other one; else as `read_verdict`.

    One that is only cited counts as another one: the page may have said it.
    """
    named = {_of_field(value) for _, value in find_all(reply, _FIELDS)}
    named |= {
        None if is_cited(reply.text, match.start()) else _of_word(match["word"])
        for match in _LABELLED.finditer(reply.text)
        if _decides(match)
    }
    if len(named) > 1:
        return None
    return named.pop() if named else read_verdict(reply)


def _decides(match: re.Match[str]) -> bool:
    """Tell "the answer is yes" from "the result is a page"; a colon always decides."""
    is_spoken = match["mark"][:2].lower() == "is" and ":" not in match["mark"]
    known = _of_word(match["word"]) is not None or match["word"].lower() == "not"
    return known or not is_spoken


def _leading(text: str) -> bool | None:
    first = _LEADING.match(text)
    verdict = _of_word(first["word"]) if first else None
    if first is None or verdict is None:
        return None
    rest = text[first.end() :]
    says = {_of_word(word) for word in re.findall(r"[^\W\d]+", rest)}
    return None if _TURNS.search(rest) or (not verdict) in says else verdict


def _of_field(value: JsonValue) -> bool | None:
    if isinstance(value, bool):
        return value
    return _of_word(value.strip(" .!")) if isinstance(value, str) else None


def _of_word(word: str) -> bool | None:
    word = word.lower()
    return True if word in _YES else False if word in _NO else None
