"""The deterministic reader: sentences about actions → arguments.

It knows quoted text, key names, directions and amounts; `read_target.py` the rest.
What it cannot read is an UngroundedError, never a failed page.
"""

import re
from pathlib import Path

from pydantic import TypeAdapter

from pytest_iwr import records as r
from pytest_iwr.drive.keys import KNOWN
from pytest_iwr.drive.read_target import (
    QUOTED,
    inner,
    is_certain,
    quoted,
    read_target,
)
from pytest_iwr.errors import UngroundedError

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


def ground_action(step: r.Step, task: r.Task, number: int) -> r.Action:
    """Give a step's action with every sentence in it read.

    Raises UngroundedError with the sentence and its place.
    """
    return ground_fields(read_whole(step.action, task, number), task, number)


def read_whole(action: r.Action, task: r.Task, number: int) -> r.Action:
    """Give an action without a sentence about all of it; raises as above."""
    if not isinstance(action, r.Described) or action.describe is None:
        return action
    read = read_action(action)
    if read is None:
        raise ungrounded(task, number, action.describe)
    return read


def ground_fields(action: r.Action, task: r.Task, number: int) -> r.Action:
    """Give an action with the sentences of its targets read; raises as above."""
    updates = {
        name: ground_target(value, place_of(task, number), task)
        for name in type(action).model_fields
        if isinstance(value := getattr(action, name), r.Target)
    }
    return action.model_copy(update=updates)


def place_of(task: r.Task, number: int) -> str:
    """Give the place of a step, for messages."""
    return f"{task.path}:{task.line_of(number)}: steps[{number - 1}]"


def ungrounded(task: r.Task, number: int, sentence: str) -> UngroundedError:
    """Give the error of a sentence that nobody could read."""
    return _ungrounded(place_of(task, number), sentence)


def ground_expectation(
    expectation: r.Expectation, task: r.Task, number: int
) -> r.Expectation:
    """Give an expectation with the sentences of its targets read."""
    where = f"{place_of(task, number)}.expect"
    updates = {
        name: ground_target(value, where, task)
        for name in r.Expectation.model_fields
        if isinstance(value := getattr(expectation, name), r.Target)
    }
    return expectation.model_copy(update=updates)


def ground_checkpoint(
    checkpoint: r.Checkpoint | None, task: r.Task, number: int
) -> r.Checkpoint | None:
    """Give a checkpoint with the sentences of its masks read."""
    if checkpoint is None or not checkpoint.mask:
        return checkpoint
    where = f"{task.path}:{task.line_of(number)}: mask"
    masks = tuple(ground_target(mask, where, task) for mask in checkpoint.mask)
    return checkpoint.model_copy(update={"mask": masks})


def ground_target(target: r.Target, where: str, task: r.Task) -> r.Target:
    """Give a target without sentences, its look by its full path.

    Raises UngroundedError.
    """
    updates: dict[str, object] = {}
    if target.look is not None:
        updates["look"] = str(Path(task.path).parent / target.look)
    for name in ("near", "in_"):
        inner = getattr(target, name)
        if inner is not None:
            updates[name] = ground_target(inner, where, task)
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
            raise ungrounded(task, number, sentence)


def _ungrounded(where: str, sentence: str) -> UngroundedError:
    return UngroundedError(
        f"{where}: cannot read {sentence!r} without a model. "
        "Name the target with role, name, text or near"
    )


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
            return _read_select(action, sentence)
        case r.Goto():
            path = re.search(r"(?<!\S)/\S*", sentence)
            return _filled(action, path=path.group(0).rstrip(".,;")) if path else None
        case r.Swipe():
            way = _direction(sentence)
            return _filled(action, direction=way, **_inside(sentence)) if way else None
        case r.Drag():
            return _read_drag(action, sentence)
        case r.Upload():
            texts = quoted(sentence)
            return _filled(action, file=texts[0]) if texts else None
        case _:
            return None


def _inside(sentence: str) -> dict[str, object]:
    texts = quoted(sentence)
    return {"in_": {"text": texts[0]}} if texts else {}


def _filled(action: r.Described, **values: object) -> r.Action:
    """Give the action with what was read, where the task does not say it."""
    given = action.model_dump(exclude={"describe"}, exclude_unset=True)
    kind = {"kind": action.model_dump()["kind"]}
    return TypeAdapter(r.Action).validate_python(values | given | kind)


_TYPING = re.compile(
    r"\b(?:type|types|enter|enters|write|writes|input|put|insert|search)\b",
    re.IGNORECASE,
)
_AND_THEN = re.compile(
    r"(?:,|\band\b|\bthen\b)[^\"“”„'’«»]*\b(?:press|hit|confirm|submit).*$",
    re.IGNORECASE | re.DOTALL,
)


def _meant(sentence: str, verbs: re.Pattern[str]) -> re.Match[str] | None:
    """Give the quoted text that belongs to the verb, else the first."""
    texts = list(QUOTED.finditer(sentence))
    end = 0
    for text in texts:
        if verbs.search(sentence[end : text.start()]):
            return text
        end = text.end()
    return texts[0] if texts else None


def _read_type(action: r.Type, sentence: str) -> r.Action | None:
    values: dict[str, object] = {}
    before, after = "", sentence
    if action.text is None:
        texts = list(QUOTED.finditer(sentence))
        withs = [m for m in texts if re.search(r"\bwith\s+$", sentence[: m.start()])]
        text = withs[0] if withs else _meant(sentence, _TYPING)
        if text is None:
            return None
        values["text"] = inner(text)
        before, after = sentence[: text.start()], sentence[text.end() :]
    unquoted = QUOTED.sub(" ", sentence)
    if re.search(r"\b(?:replace|clear)\b", unquoted, re.IGNORECASE):
        values["clear"] = True
    if re.search(r"\b(?:press|hit)(?:es|s)? (?:the )?enter\b", unquoted, re.IGNORECASE):
        values["submit"] = True
    if action.into is None:
        for part in (_AND_THEN.sub("", after), before):
            place = re.search(
                r"\b(?:into|in|to|fill)\b(.*)", part, re.IGNORECASE | re.DOTALL
            )
            target = read_target(place.group(1).strip(" ,")) if place else None
            if target is not None:
                values["into"] = target.model_dump(exclude_none=True, by_alias=True)
                break
    return _filled(action, **values)


_CHOOSING = re.compile(r"\b(?:select|choose|pick|set)\b", re.IGNORECASE)


def _read_select(action: r.Select, sentence: str) -> r.Action | None:
    option = _meant(sentence, _CHOOSING)
    if option is None:
        return None
    others = [t for t in quoted(sentence) if t != inner(option)]
    values: dict[str, object] = {"option": inner(option)}
    if others:
        values["in_"] = {"role": "combobox", "name": others[0]}
    return _filled(action, **values)


def _read_drag(action: r.Drag, sentence: str) -> r.Action | None:
    """Read `drag "A" onto "B"` and `drag "A" right by 100 px`."""
    texts = quoted(sentence)
    values: dict[str, object] = {}
    if texts:
        values["from_"] = {"text": texts[0]}
    number = re.search(r"(\d+(?:\.\d+)?) ?(?:px|pixels)", sentence)
    way = _direction(sentence)
    if len(texts) > 1:
        values["to"] = {"text": texts[1]}
    elif number is not None and way is not None:
        sign = -1 if way in {"up", "left"} else 1
        axis = "y" if way in {"up", "down"} else "x"
        values["by"] = {axis: sign * float(number.group(1))}
    has_from = action.from_ is not None or "from_" in values
    has_end = action.to is not None or action.by is not None or len(values) > 1
    return _filled(action, **values) if has_from and has_end else None


def _read_key(sentence: str) -> str | None:
    if re.search(r"\b(?:twice|\d+ times|three times)\b", sentence, re.IGNORECASE):
        return None
    chord = re.search(
        r"\b((?:Ctrl|Control|Alt|Shift|Meta|Cmd|Command)(?: ?\+ ?\w+)+)",
        sentence,
        re.IGNORECASE,
    )
    if chord is not None:
        return chord.group(1).replace(" ", "")
    words = re.sub(r"\bpage (up|down)\b", r"page\1", sentence.lower())
    words = re.sub(r"\barrow (up|down|left|right)\b", r"arrow\1", words)
    arrow = re.search(r"\b(up|down|left|right)(?: arrow| key)", words)
    if arrow is not None:
        return f"Arrow{arrow.group(1).capitalize()}"
    for word in re.findall(r"\w+", QUOTED.sub(" ", words)):
        is_way = word in {"up", "down", "left", "right", "option", "plus", "minus"}
        if word in KNOWN and not is_way:
            return KNOWN[word]
    texts = quoted(sentence)
    if texts:
        return texts[0]
    single = re.search(r"\b(?:key|press) (?:the )?(\w)\b", sentence)
    return single.group(1) if single is not None else None


def _direction(sentence: str) -> str | None:
    found = re.search(r"\b(up|down|left|right)\b", sentence, re.IGNORECASE)
    return found.group(1).lower() if found is not None else None


_UNCLEAR = re.compile(
    r"\b(?:a bit|a little|slightly|some)\b|\b(?:in|inside) the (?!page)"
)
_SOMEWHERE = re.compile(r"\b(?:in|inside|within) the (?!page|window|browser|viewport)")
_IN_QUOTED = re.compile(r"\b(?:in|inside|within)\b[^§]*§")


def _read_container(
    action: r.Scroll, lowered: str, outside: str, texts: list[str]
) -> r.Action | None:
    """Read where to scroll, when the task says how far."""
    named = _IN_QUOTED.search(outside)
    if action.in_ is not None or (named is None and not _SOMEWHERE.search(lowered)):
        return _filled(action)
    if named is None:
        return None
    index = outside[: named.end()].count("§") - 1
    return _filled(action, in_={"text": texts[index]})


def _read_scroll(action: r.Scroll, sentence: str) -> r.Action | None:
    lowered = sentence.lower()
    texts = quoted(sentence)
    outside = QUOTED.sub("§", sentence)
    if action.by is not None or action.by_x is not None:
        return _read_container(action, lowered, outside, texts)
    if texts and re.search(
        r"\b(?:to|until|till)\b (?!the (?:bottom|end|top|start))", outside
    ):
        return _filled(action, to={"text": texts[-1]})
    if _UNCLEAR.search(lowered) and not texts and action.in_ is None:
        return None
    way = _direction(sentence)
    amount = 1.0 if way else None
    share = re.search(r"(\d+)/(\d+)", lowered)
    and_half = re.search(r"\b(one|two|three) and a half\b", lowered)
    named = re.search(
        r"\b(a half|half|a quarter|quarter|one|full|whole|two|three|a)\b[^.]*?"
        r"\b(?:page|screen|viewport|height)s?\b",
        lowered,
    )
    number = re.search(r"(\d+(?:\.\d+)?) ?(%|px|pixels|pages?|screens?)", lowered)
    if share is not None:
        amount = float(share.group(1)) / max(1.0, float(share.group(2)))
    elif and_half is not None:
        amount = _AMOUNTS[and_half.group(1)] + 0.5
    elif "three quarters" in lowered:
        amount = 0.75
    elif number is not None:
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
    if texts and action.in_ is None:
        values["in_"] = {"text": texts[0]}
    return _filled(action, **values)
