"""The deterministic reader: sentences about actions and targets → arguments.

It knows quoted text, key names, directions, amounts, ordinals and kinds of element.
What it cannot read is an UngroundedError, never a failed page.
"""

import re

from pydantic import TypeAdapter

from pytest_iwr import records as r
from pytest_iwr.errors import UngroundedError

_QUOTED = re.compile(
    r"[\"“”„]([^\"“”„]+)[\"“”]|(?<!\w)['‘]((?:[^'’]|['’](?=\w))+)['’](?!\w)"
)
_KINDS = {
    "text field": "textbox",
    "input field": "textbox",
    "text box": "textbox",
    "search field": "textbox",
    "search box": "textbox",
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
    r"\b(?:in|inside|within|of|on|at) (?:the|a|an)\b|\bamong\b", re.IGNORECASE
)
_AMOUNTS = {
    "half": 0.5,
    "a half": 0.5,
    "quarter": 0.25,
    "a quarter": 0.25,
    "one": 1.0,
    "a": 1.0,
    "full": 1.0,
    "whole": 1.0,
    "two": 2.0,
    "three": 3.0,
}
_KEYS = (
    "Enter",
    "Return",
    "Escape",
    "Esc",
    "Tab",
    "Backspace",
    "Delete",
    "Space",
    "Home",
    "End",
    "PageUp",
    "PageDown",
    "Page Up",
    "Page Down",
    "ArrowUp",
    "ArrowDown",
    "ArrowLeft",
    "ArrowRight",
)


def ground_action(step: r.Step, task: r.Task, number: int) -> r.Action:
    """Give a step's action with every sentence in it read.

    Raises UngroundedError with the sentence and its place.
    """
    action = step.action
    where = f"{task.path}:{task.line_of(number)}: steps[{number - 1}]"
    if isinstance(action, r.Described) and action.describe is not None:
        read = read_action(action)
        if read is None:
            raise _ungrounded(where, action.describe)
        action = read
    updates = {
        name: ground_target(value, where)
        for name in type(action).model_fields
        if isinstance(value := getattr(action, name), r.Target)
    }
    return action.model_copy(update=updates)


def ground_expectation(
    expectation: r.Expectation, task: r.Task, number: int
) -> r.Expectation:
    """Give an expectation with the sentences of its targets read."""
    where = f"{task.path}:{task.line_of(number)}: steps[{number - 1}].expect"
    updates = {
        name: ground_target(value, where)
        for name in r.Expectation.model_fields
        if isinstance(value := getattr(expectation, name), r.Target)
    }
    return expectation.model_copy(update=updates)


def ground_target(target: r.Target, where: str) -> r.Target:
    """Give a target without sentences. Raises UngroundedError."""
    updates: dict[str, object] = {}
    for name in ("near", "in_"):
        inner = getattr(target, name)
        if inner is not None:
            updates[name] = ground_target(inner, where)
    if target.describe is not None:
        read = read_target(target.describe)
        if read is None:
            raise _ungrounded(where, target.describe)
        given = target.model_dump(exclude_none=True, exclude={"describe"})
        known = read.model_dump(exclude_none=True)
        return r.Target.model_validate(known | given | updates)
    return target.model_copy(update=updates)


def refuse_guess(step: r.Step, task: r.Task, number: int) -> None:
    """Raise UngroundedError when a missing target was only guessed from a sentence."""
    action = step.action
    targets = [getattr(action, name) for name in type(action).model_fields]
    for target in targets:
        sentence = target.describe if isinstance(target, r.Target) else None
        if sentence is not None and not is_certain(sentence):
            where = f"{task.path}:{task.line_of(number)}: steps[{number - 1}]"
            raise _ungrounded(where, sentence)


def _ungrounded(where: str, sentence: str) -> UngroundedError:
    return UngroundedError(
        f"{where}: cannot read {sentence!r} without a model. "
        "Name the target with role, name, text or near"
    )


def quoted(sentence: str) -> list[str]:
    """Give the quoted parts of a sentence, in order."""
    return [a or b for a, b in _QUOTED.findall(sentence)]


def read_target(sentence: str) -> r.Target | None:
    """Read a target from a sentence; `None` when it names nothing for certain.

    `the Delete button in the row for "Beta"` is a button named Delete near Beta; an
    unquoted place (`in the cookie banner`) only gives its ordinal, if it has one.
    """
    words = " ".join(sentence.split())
    texts = [a or b for a, b in _QUOTED.findall(words)]
    outside = _QUOTED.sub(" § ", words)
    relation = _BETWEEN.search(outside)
    main = outside[: relation.start()] if relation else outside
    inside = _INSIDE.search(main)
    place = main[inside.end() :] if inside else ""
    head = main[: inside.start()] if inside and inside.start() > 0 else main
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
    is_named = bool(found.keys() & {"name", "text", "placeholder", "label", "near"})
    if not is_named and not ("role" in found and found.keys() & {"nth", "in_"}):
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
    r"^(?:click|tap|press|hover|choose|select|open)(?: on)?\s+", re.IGNORECASE
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
    kept = " ".join(word for word in name.split() if word.lower() not in _ORDINALS)
    if not kept or _VAGUE.search(kept) or len(kept.split()) > _MOST_WORDS:
        return None
    return kept


def is_certain(sentence: str) -> bool:
    """Tell whether a sentence names its target in the page's own words.

    Quoted text does, and a name that begins with a capital letter or a digit; `the
    heart` may be a picture that only a model recognises.
    """
    if _QUOTED.search(sentence):
        return True
    name = _named_without_quotes(_INSIDE.split(_BETWEEN.split(sentence)[0])[0])
    return name is not None and (name[0].isupper() or name[0].isdigit())


def read_action(action: r.Described) -> r.Action | None:
    """Read the missing arguments of an action from its sentence."""
    sentence = action.describe or ""
    match action:
        case r.Type():
            return _read_type(action, sentence)
        case r.Press():
            key = action.key or _read_key(sentence)
            return None if key is None else _filled(action, key=key)
        case r.Scroll():
            return _read_scroll(action, sentence)
        case r.Select():
            texts = quoted(sentence)
            return _filled(action, option=texts[0]) if texts else None
        case r.Goto():
            path = re.search(r"(?<!\S)/\S*", sentence)
            return _filled(action, path=path.group(0)) if path else None
        case r.Swipe():
            way = _direction(sentence)
            return _filled(action, direction=way) if way else None
        case _:
            return None


def _filled(action: r.Described, **values: object) -> r.Action:
    given = action.model_dump(exclude={"describe"}, exclude_none=True)
    return TypeAdapter(r.Action).validate_python(values | given)


def _read_type(action: r.Type, sentence: str) -> r.Action | None:
    texts = list(_QUOTED.finditer(sentence))
    if action.text is None and not texts:
        return None
    text = action.text
    rest = sentence
    if text is None:
        text = texts[0].group(1) or texts[0].group(2)
        rest = sentence[texts[0].end() :]
    values: dict[str, object] = {"text": text}
    if re.search(r"\b(?:replace|clear)\b", sentence, re.IGNORECASE):
        values["clear"] = True
    if re.search(r"\bpress(?:es)? (?:the )?enter\b", rest, re.IGNORECASE):
        values["submit"] = True
    place = re.search(r"\b(?:into|in|to)\b(.*)", rest, re.IGNORECASE | re.DOTALL)
    if place is not None and action.into is None:
        target = read_target(place.group(1))
        if target is not None:
            values["into"] = target.model_dump(exclude_none=True)
    return _filled(action, **values)


def _read_key(sentence: str) -> str | None:
    chord = re.search(
        r"\b((?:Ctrl|Control|Alt|Shift|Meta|Cmd|Command)(?: ?\+ ?\w+)+)", sentence
    )
    if chord is not None:
        return chord.group(1).replace(" ", "")
    for key in sorted(_KEYS, key=len, reverse=True):
        if re.search(rf"\b{key}\b", sentence, re.IGNORECASE):
            return key.replace(" ", "")
    arrow = re.search(r"\b(up|down|left|right)\b(?: arrow)?", sentence, re.IGNORECASE)
    if arrow is not None and "arrow" in sentence.lower():
        return f"Arrow{arrow.group(1).capitalize()}"
    texts = quoted(sentence)
    if texts:
        return texts[0]
    single = re.search(r"\b(?:key|press) (?:the )?(\w)\b", sentence)
    return single.group(1) if single is not None else None


def _direction(sentence: str) -> str | None:
    found = re.search(r"\b(up|down|left|right)\b", sentence, re.IGNORECASE)
    return found.group(1).lower() if found is not None else None


def _read_scroll(action: r.Scroll, sentence: str) -> r.Action | None:
    lowered = sentence.lower()
    way = _direction(sentence)
    amount = 1.0 if way else None
    named = re.search(
        r"\b(a half|half|a quarter|quarter|one|full|whole|two|three|a)\b[^.]*?"
        r"\b(?:page|screen|viewport|height)s?\b",
        lowered,
    )
    number = re.search(r"(\d+(?:\.\d+)?) ?(%|px|pixels|pages?|screens?)", lowered)
    if number is not None:
        scale = {"%": 0.01, "px": 1 / 720, "pixels": 1 / 720}.get(number.group(2), 1.0)
        amount = float(number.group(1)) * scale
    elif named is not None:
        amount = _AMOUNTS[named.group(1)]
    if re.search(r"\b(?:bottom|end) of\b|\bto the (?:bottom|end)\b", lowered):
        way, amount = "down", 50.0
    elif re.search(r"\bto the (?:top|start)\b", lowered):
        way, amount = "up", 50.0
    if way is None or amount is None:
        return None
    sign = -1 if way in {"up", "left"} else 1
    key = "by" if way in {"up", "down"} else "by_x"
    values: dict[str, object] = {key: sign * amount}
    texts = quoted(sentence)
    if texts and action.in_ is None:
        values["in_"] = {"text": texts[0]}
    return _filled(action, **values)
