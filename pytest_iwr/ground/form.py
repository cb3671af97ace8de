"""The forms that a model fills in, and how a filled one is read."""

from collections.abc import Mapping

from pydantic import JsonValue, TypeAdapter, ValidationError

from pytest_iwr import records as r
from pytest_iwr.spoken import find_objects, without_thoughts

_MOST_CHARS = 100_000
"""Of a reply; a longer one is no filled form."""
_NUMBER: JsonValue = {"type": ["integer", "null"]}
_REAL: JsonValue = {"type": ["number", "null"]}
_WORDS: JsonValue = {"type": ["string", "null"]}
_FLAG: JsonValue = {"type": "boolean"}
_WAY: JsonValue = {
    "type": ["object", "null"],
    "properties": {"x": {"type": "number"}, "y": {"type": "number"}},
    "required": ["x", "y"],
    "additionalProperties": False,
}
FIELDS: Mapping[str, Mapping[str, JsonValue]] = {
    "type": {"text": _WORDS, "into": _NUMBER, "clear": _FLAG, "submit": _FLAG},
    "press": {"key": _WORDS, "in": _NUMBER},
    "scroll": {"by": _REAL, "by_x": _REAL, "to": _NUMBER, "in": _NUMBER},
    "drag": {"from": _NUMBER, "to": _NUMBER, "by": _WAY},
    "select": {"in": _NUMBER, "option": _WORDS},
    "swipe": {
        "direction": {
            "type": ["string", "null"],
            "enum": ["up", "down", "left", "right", None],
        },
        "in": _NUMBER,
        "by": {"type": "number"},
    },
}
"""For each action its fields and their JSON schemas; those that may be integers are
numbers of elements."""


class UnreadableError(Exception):
    """A reply that is no filled form; says why in words of ours alone."""


def schema(question: r.GroundingQuestion) -> dict[str, JsonValue]:
    """Give the JSON schema of the reply."""
    outcomes: list[JsonValue] = ["found", "none"]
    asked: Mapping[str, JsonValue] = {"number": _NUMBER}
    if not question.part:
        outcomes.append("unclear")
        asked = FIELDS[question.action]
    fields: dict[str, JsonValue] = {
        "reason": {"type": "string"},
        "outcome": {"type": "string", "enum": outcomes},
        **asked,
    }
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def read(reply: str, question: r.GroundingQuestion) -> r.GroundingChoice:
    """Read a filled form: the one object of a reply, which may quote the page.

    It stands on lines of its own, and alone where it is not whole. Raises
    UnreadableError.
    """
    if len(reply) > _MOST_CHARS:
        raise UnreadableError("it is too long")
    found = find_objects(without_thoughts(reply))
    if not found.objects:
        raise UnreadableError("it holds no JSON object")
    if len(found.objects) > 1 or not found.is_clear:
        raise UnreadableError("it holds more than one JSON object, or a broken one")
    (form,) = found.objects
    asked = {"number"} if question.part else FIELDS[question.action].keys()
    names = {"outcome", "reason", *asked}
    if form.keys() - names:
        raise UnreadableError("it has fields that the form has not")
    if not found.is_alone and not (found.is_apart and form.keys() == names):
        raise UnreadableError("words stand beside its JSON object")
    reason = form.get("reason", "")
    if not isinstance(reason, str):
        raise UnreadableError("`reason` is no text")
    match form.get("outcome"):
        case "none":
            return r.GroundingChoice(outcome="none", reason=reason)
        case "unclear" if not question.part:
            return r.GroundingChoice(outcome="unclear", reason=reason)
        case "found" if question.part:
            number = _element(form.get("number"), "number", question)
            return r.GroundingChoice(outcome="found", number=number, reason=reason)
        case "found":
            fields = _action(form, question)
            return r.GroundingChoice(outcome="found", fields=fields, reason=reason)
        case _:
            raise UnreadableError("`outcome` is none of the words that it may be")


def _element(value: JsonValue, name: str, question: r.GroundingQuestion) -> int:
    if type(value) is not int or value not in question.numbers:
        raise UnreadableError(f"`{name}` is no number of the list")
    return value


def _action(
    form: Mapping[str, JsonValue], question: r.GroundingQuestion
) -> dict[str, JsonValue]:
    """Read the fields of an action, and see that it is whole."""
    names = FIELDS[question.action].keys() - question.given.keys()
    fields = {n: form[n] for n in sorted(names) if form.get(n) is not None}
    targets = r.ELEMENTS[question.action]
    for name in fields.keys() & set(targets):
        _element(fields[name], name, question)
    stand_in = {name: {"role": "button"} for name in targets if name in fields}
    whole = {**fields, **stand_in, **question.given, "kind": question.action}
    try:
        TypeAdapter[r.Action](r.Action).validate_python(whole)
    except ValidationError as error:
        where = {str(one["loc"][-1]) for one in error.errors() if one["loc"]}
        known = sorted(where & {*names, *targets})
        what = ", ".join(f"`{name}`" for name in known) or "a field"
        raise UnreadableError(f"{what} does not fit the action") from error
    return fields
