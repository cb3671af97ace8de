"""The deterministic reader of targets: sentences → what a person would point at.

It knows quoted text, ordinals, places and kinds of element.
"""

import re

from pytest_iwr import records as r

QUOTED = re.compile(
    r"[\"“”„]([^\"“”„]+)[\"“”]|(?<!\w)['‘]((?:[^'’]|['’](?=\w))+)['’](?!\w)"
    r"|«\s*([^«»]+?)\s*»"
)
_KINDS = {
    "text field": "textbox",
    "input field": "textbox",
    "text box": "textbox",
    "input": "textbox",
    "field": "textbox",
    "textbox": "textbox",
    "textarea": "textbox",
    "filter button": "button",
    "toggle button": "button",
    "button": "button",
    "hyperlink": "link",
    "link": "link",
    "check box": "checkbox",
    "checkbox": "checkbox",
    "radio button": "radio",
    "radio": "radio",
    "switch": "switch",
    "toggle": "checkbox",
    "tab": "tab",
    "menu item": "menuitem",
    "drop-down": "combobox",
    "dropdown": "combobox",
    "select box": "combobox",
    "combobox": "combobox",
    "option": "option",
    "heading": "heading",
    "image": "img",
    "picture": "img",
    "icon": "img",
    "slider": "slider",
    "dialog": "dialog",
    "row": "row",
    "list item": "listitem",
    "item": "listitem",
    "card": "listitem",
}
_ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
}
_HINTS = {
    "placeholder": "placeholder",
    "labelled": "name",
    "labeled": "name",
    "label": "label",
    "named": "name",
    "called": "name",
    "titled": "name",
    "tooltip": "title",
    "alt text": "alt",
}
_BETWEEN = re.compile(
    r"\b(?:next to|near|beside|below|under|above|for|of|in the row (?:of|for|with)|"
    r"in the card (?:of|for|with)|on the card (?:of|for|with))\b",
    re.IGNORECASE,
)
_INSIDE = re.compile(
    r"\b(?:in|inside|within|of|on|at) (?:the|a|an)\b|\bamong\b"
    r"|\b(?:in|inside|within|on)(?=\s+§)",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?:\b(?:at|in) the )?\b(top|bottom)[ -](left|right)\b"
    r"|\b(?:at|in) the (top|bottom|left|right|center)\b(?! of)",
    re.IGNORECASE,
)
_FROM_THE_END = re.compile(r"\b(?:last|penultimate|lowest)\b(?! name)")


def quoted(sentence: str) -> list[str]:
    """Give the quoted parts of a sentence, in order."""
    return [inner(match) for match in QUOTED.finditer(sentence)]


def inner(match: re.Match[str]) -> str:
    """Give what stands between the quotes."""
    return next(group for group in match.groups() if group)


def read_target(sentence: str) -> r.Target | None:
    """Read a target from a sentence; `None` when it names nothing for certain.

    `the Delete button in the row for "Beta"` is a button named Delete near Beta; an
    unquoted place (`in the cookie banner`) only gives its ordinal, if it has one.
    """
    words = " ".join(sentence.split())
    texts = quoted(words)
    outside = QUOTED.sub(" § ", words)
    relation = _BETWEEN.search(outside)
    main = outside[: relation.start()] if relation else outside
    inside = _INSIDE.search(main)
    place = main[inside.end() :] if inside else ""
    head = main[: inside.start()] if inside and inside.start() > 0 else main
    if _FROM_THE_END.search(head):
        return None
    marks = head.count("§")
    kind = _kind_in(head)
    found: dict[str, object] = {"role": kind} if kind is not None else {}
    nth = _ordinal(head) or _ordinal(place)
    if nth is not None:
        found["nth"] = nth
    if marks and texts:
        found[_signal(head, kind)] = texts[0]
    elif name := _named_without_quotes(head):
        found["name"] = name
    if place.count("§") and len(texts) > marks:
        found["in_"] = {"text": texts[marks]}
    elif relation is not None:
        rest = texts[marks] if len(texts) > marks else ""
        rest = rest or _bare_words(outside[relation.end() :])
        if rest:
            found["near"] = {"text": rest}
    if where := _PLACE.search(outside):
        found["position"] = " ".join(part.lower() for part in where.groups() if part)
    is_named = bool(found.keys() & {"name", "text", "placeholder", "label", "near"})
    is_placed = bool(found.keys() & {"nth", "in_", "position"})
    if not is_named and not ("role" in found and is_placed):
        return None
    return r.Target.model_validate(found)


def _ordinal(words: str) -> int | None:
    lowered = words.lower()
    for word, number in _ORDINALS.items():
        if re.search(rf"\b{word}\b", lowered):
            return number
    digits = re.search(r"\b(\d+)(?:st|nd|rd|th)\b", lowered)
    return int(digits.group(1)) if digits else None


def _signal(words: str, kind: str | None) -> str:
    lowered = words.lower()
    for hint, signal in _HINTS.items():
        if hint in lowered:
            return signal
    return "name" if kind is not None else "text"


def _kind_in(words: str) -> str | None:
    lowered = words.lower()
    known = [k for k in _KINDS if re.search(rf"\b{re.escape(k)}\b", lowered)]
    return _KINDS[max(known, key=len)] if known else None


def _bare_words(words: str) -> str:
    """Give what is left of a phrase without articles and punctuation."""
    cleaned = re.sub(r"§|^\s*(?:the|a|an)\b", " ", words, flags=re.IGNORECASE)
    return " ".join(cleaned.strip(" .,;:").split())


_VERBS = re.compile(
    r"^(?:click|tap|press|hover)(?: on)?\s+"
    r"|^(?:choose|select|open)\s+(?=(?:the|a|an)\s)",  # `Open receipt` is a name
    re.IGNORECASE,
)
_ARTICLES = re.compile(r"^(?:(?:the|a|an)(?:\s+|$))+", re.IGNORECASE)
_VAGUE = re.compile(
    r"\b(?:that|which|who|whose|where|it|this|these|there|here)\b", re.IGNORECASE
)
_MOST_WORDS = 5


def _named_without_quotes(words: str) -> str | None:
    """Read `the Pay now button`, `the heart` and `Accept`: names without quotes."""
    name = _ARTICLES.sub("", _VERBS.sub("", words.strip(" .")))
    kinds = "|".join(re.escape(kind) for kind in sorted(_KINDS, key=len, reverse=True))
    name = re.sub(rf"\s*\b(?:{kinds})$", "", name)
    kept = " ".join(word for word in name.split() if _ordinal(word) is None)
    if not kept or _VAGUE.search(kept) or len(kept.split()) > _MOST_WORDS:
        return None
    return kept


def is_certain(sentence: str) -> bool:
    """Tell whether a sentence names its target in the page's own words.

    Quoted text does, and a name that begins with a capital letter or a digit; `the
    heart` may be a picture that only a model recognises.
    """
    if QUOTED.search(sentence):
        return True
    name = _named_without_quotes(_INSIDE.split(_BETWEEN.split(sentence)[0])[0])
    return name is not None and (name[0].isupper() or name[0].isdigit())
