"""Why a step failed: one cause for each, told from a trace's files without a model.

`docs/reports.md` says which findings make which cause.
"""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import assert_never

from pytest_iwr import records as r
from pytest_iwr.check.changes import Change, Changes, changes_of, is_within

_LONGEST = 200
_SHOWN = 3
"""Changes that are told in the sentence; more are in the details."""
_MOST = 12
"""Details."""
_CAUGHT = re.compile(r"\b\w*(Error|Exception): ")
"""What a script writes to the console about an error that it caught."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_MOST_LETTERS = 800
"""Of a sentence, whose parts are clipped already."""
_WORD = re.compile(r"[^\W\d_]+")
_WANTED = {"text", "text_is", "visible"}
_OWN = {"value", "checked", "selected", "focused", "scroll", "url"}
"""Expectations that what was touched may meet by itself."""
_UNTOUCHED = {"wait", "goto", "back", "forward", "reload", "scroll"}
"""Steps whose input is not for a handler."""
_ONCE = {"click", "right_click", "tap", "select"}
"""Steps that a handler hears once."""
_NUMBER = re.compile(r"\d+")
_INPUTS = {
    "double_click": "the double click",
    "right_click": "the right click",
    "hover": "the pointer",
    "tap": "the tap",
    "type": "the keys",
    "press": "the key",
    "drag": "the drag",
    "select": "the choice",
    "swipe": "the swipe",
}


def explain(trace: r.Trace, verdicts: r.Verdicts, folder: Path) -> r.Verdicts:
    """Give the verdicts with a cause for every step and checkpoint that failed.

    `folder` holds the trace's files. The same files give the same words.
    """
    steps = tuple(
        verdict
        if verdict.passed
        else verdict.model_copy(update={"cause": cause_of(trace, verdict, folder)})
        for verdict in verdicts.steps
    )
    checkpoints = tuple(
        checked
        if checked.is_similar
        else checked.model_copy(update={"cause": _unlike(trace, checked, folder)})
        for checked in verdicts.checkpoints
    )
    return verdicts.model_copy(update={"steps": steps, "checkpoints": checkpoints})


def cause_of(trace: r.Trace, verdict: r.Verdict, folder: Path) -> r.Cause | None:
    """Tell why a step failed; `None` where there was no page, or nobody looked."""
    case = _Case(trace, verdict.step, folder)
    message = " ".join((verdict.reason or "").split())
    match verdict.kind:
        case "target_missing" | "hidden" | "covered" | "ambiguous" | "not_interactive":
            return case.told(verdict.kind, message, case.script_trouble)
        case "navigation_failed":
            return case.told("target_missing", message)
        case "input_lost" | "nothing_scrolled":
            why = f"{message}: {case.facts.still}" if case.facts.still else message
            return case.threw() or case.told("not_interactive", why)
        case "load_failed" | "page_crashed" | "page_unresponsive" | "too_many_dialogs":
            return case.told("broke_down", message)
        case "expectation" | "assertion":
            return case.unmet()
        case "no_page" | "refused" | "filtered" | "empty" | "cut_off":
            return None
        case "checkpoint" | "threshold" | None:
            return None
        case _:
            assert_never(verdict.kind)


class _Case:
    """A step that failed, and what is known of it."""

    def __init__(self, trace: r.Trace, number: int, folder: Path) -> None:
        """Put together what the trace holds of it."""
        steps = {step.number: step for step in trace.steps}
        self.step = steps.get(number) or trace.steps[0]
        self.facts = self.step.facts or r.Facts()
        self.is_told = self.step.number == number and number > 0
        self.outcome = next((o for o in self.step.outcomes if o.holds is False), None)
        self.changes = (
            changes_of(trace, number, folder) if self.is_told else Changes(known=False)
        )
        earlier = [step for step in trace.steps if step.number < number]
        self._before = [m for step in earlier for m in _uncaught(step)]
        known = {_sort(m) for m in self._before}
        thrown = _uncaught(self.step)
        often = Counter(map(_sort, thrown))
        # What one input runs throws once. An error that came before, too, or that comes
        # more often, is no answer to it: a timer throws so.
        is_one = self.step.verb in _ONCE
        self._new = [
            m
            for m in thrown
            if _sort(m) not in known and not (is_one and often[_sort(m)] > 1)
        ]
        self._again = [m for m in thrown if m not in self._new]
        self._scripts = [
            request
            for step in (*earlier, self.step)
            for request in step.requests
            if request.resource == "script"
        ]
        self._requests = [q for q in self.step.requests if q.resource != "script"]

    # --- what the causes have in common

    def told(self, kind: r.CauseKind, words: str, trouble: str = "") -> r.Cause:
        """Give a cause with its evidence."""
        sentence = f"{words}; {trouble}" if trouble else words
        return r.Cause(kind=kind, words=_plain(sentence), details=self._details())

    def _details(self) -> tuple[str, ...]:
        facts = self.facts
        lines = [f"uncaught: {self._error(m)}" for m in (*self._new, *self._again)]
        lines += [f"changed: {change.words}" for change in self.changes.found]
        lines += [f"dialog: {one}" for one in self._said]
        lines += [f"listens: {_listener(one)}" for one in facts.listeners]
        lines += [f"by itself: {one}" for one in (facts.default, facts.own) if one]
        lines += [_request(one) for one in (*self._requests, *self._scripts)]
        lines += [f"uncaught before: {self._error(m)}" for m in self._before]
        return tuple(dict.fromkeys(map(_plain, lines)))[:_MOST]

    def _error(self, message: r.Message) -> str:
        text = _clipped(message.text.strip().split("\n", 1)[0])
        placed = [m.where for m in self.facts.thrown if m.text and m.text in text]
        where = message.where or next(iter(placed), "")
        return f"{text} ({where})" if where else text

    @property
    def script_trouble(self) -> str:
        """Say which script failed or was blocked before: it may have had the answer."""
        if self._before:
            return f"a script failed before: {self._error(self._before[0])}"
        if self._scripts:
            return f"a script is missing: {_request(self._scripts[0])}"
        return ""

    @property
    def _trouble(self) -> str:
        return _request(self._requests[0]) if self._requests else self.script_trouble

    @property
    def _input(self) -> str:
        return _INPUTS.get(self.step.verb, "the click")

    @property
    def _is_deaf(self) -> bool:
        """Nothing that the input passed could answer it."""
        facts = self.facts
        return facts.is_whole and not facts.listeners and not facts.default

    def _nothing_listens(self) -> r.Cause:
        through = self.step.received.get("through")
        if through:
            words = f"{through} lets the pointer through to {self.facts.reached}"
            return self.told("not_interactive", words, self.script_trouble)
        words = f"nothing listens to {self._input} on {self.facts.reached}"
        return self.told("no_handler", words, self.script_trouble)

    # --- causes

    def threw(self) -> r.Cause | None:
        """Tell of an error that came in this step for the first time."""
        if not self._new:
            return None
        who = "a script" if self.step.verb in _UNTOUCHED else f"what {self._input} runs"
        return self.told("handler_threw", f"{who} threw {self._error(self._new[0])}")

    def unmet(self) -> r.Cause | None:
        """Tell why an action that arrived did not make an expectation true.

        `None` where nobody looked.
        """
        cause = self.threw()
        if cause is not None or not (self.step.facts or self.changes.known):
            return cause
        if self.outcome is not None and self.outcome.kind == "unchanged":
            listed = _listed(self.changes.real) or "it looks different"
            return self.told("changed_elsewhere", f"what was to stay changed: {listed}")
        lost = [one for one in self._requests if one.resource == "document"]
        if lost:
            words = f"the page that was asked for did not come: {_request(lost[0])}"
            return self.told("wrong_result", words)
        if self.step.verb in _UNTOUCHED:
            return self._not_there()
        return self._otherwise() if self.changes.real else self._unanswered()

    def _not_there(self) -> r.Cause:
        """Tell of a step that only looks at the page, or goes elsewhere in it."""
        kind = self.outcome.kind if self.outcome else ""
        if self.facts.hidden:
            return self.told("hidden", f"{self.facts.hidden} is there but not visible")
        if self.facts.is_place_missing or kind in _WANTED:
            return self.told("target_missing", self._missing, self._trouble)
        return self.told("wrong_result", self._seen, self._trouble)

    def _unanswered(self) -> r.Cause:
        """Tell of an input after which nothing is otherwise."""
        facts = self.facts
        kind = self.outcome.kind if self.outcome else ""
        is_hover = kind == "changed" and self.step.verb == "hover"
        if self._is_deaf and not (facts.own and (kind in _OWN or is_hover)):
            return self._nothing_listens()
        for how, errors in (("threw", self._again), ("caught", _caught(self.step))):
            if errors:
                words = f"what {self._input} runs {how} {self._error(errors[0])}"
                return self.told("handler_threw", words)
        if facts.is_place_missing:
            return self.told("target_missing", self._missing, self._trouble)
        if facts.hidden:
            words = f"{facts.hidden} is there but stays hidden; {self._answer}"
            return self.told("hidden", words)
        return self.told("wrong_result", self._answer, self._trouble)

    def _otherwise(self) -> r.Cause:
        """Tell of an input after which something else is otherwise than wanted."""
        facts, real = self.facts, self.changes.real
        if facts.is_place_missing:
            words = f"{self._missing}; {_listed(real)}"
            return self.told("target_missing", words, self._trouble)
        watched = [
            change
            for change in real
            if is_within(change, facts.watched) or _is_reworded(change, facts.wanted)
        ]
        if watched:
            return self.told("wrong_result", _listed(watched), self._trouble)
        if self._is_deaf and all(change.kind == "went" for change in real):
            return self._nothing_listens()  # what goes may go by itself
        hidden = f"{facts.hidden} is there but hidden" if facts.hidden else ""
        return self.told("changed_elsewhere", _listed(real), hidden)

    # --- words

    @property
    def _missing(self) -> str:
        asked = self.outcome.asked if self.outcome else ""
        if self.facts.is_place_missing:
            return f"the place to look in is not there: {_clipped(asked)}"
        return f"{_clipped(self.facts.wanted)!r} is nowhere on the page"

    @property
    def _seen(self) -> str:
        seen = self.outcome.seen if self.outcome else ""
        return f"the page shows {_clipped(seen)!r}" if seen else self._nothing

    @property
    def _said(self) -> list[str]:
        return [f"{one.kind} {_clipped(one.text)!r}" for one in self.step.dialogs]

    @property
    def _nothing(self) -> str:
        own = _listed(self.changes.found)
        if own:
            return f"nothing else changed than {own}"
        if self._said:
            return f"only a dialog opened: {', '.join(self._said[:_SHOWN])}"
        if not self.changes.known:
            return "what changed on the page is not known"
        return "nothing on the page changed"

    @property
    def _answer(self) -> str:
        """Say what answered the input, though nothing came of it."""
        facts = self.facts
        if self.step.dialogs and not self.changes.found:
            return self._nothing
        if facts.is_new_document:
            return f"the page was loaded anew, and {self._nothing}"
        if facts.listeners:
            first = facts.listeners[0]
            heard = f"{first.on} listens to {first.event} (line {first.line})"
            return f"{self._nothing}, though {heard}"
        by_itself = facts.default or facts.own
        return f"{self._nothing}, though {by_itself}" if by_itself else self._nothing


def _unlike(trace: r.Trace, checked: r.Checked, folder: Path) -> r.Cause:
    """Tell what is unlike in a picture, where all that was expected holds."""
    case = _Case(trace, checked.step, folder)
    likeness = checked.comparison
    parts = {
        "words": likeness.text,
        "shapes and colours": likeness.structure,
        "features": likeness.dino,
        "blocks or the judge's view": likeness.hfs,
    }
    known = {name: value for name, value in parts.items() if value is not None}
    shown = ", ".join(f"{name} {value:.2f}" for name, value in known.items())
    words = f"all that is expected holds, but the picture is unlike: {shown}"
    return case.told("looks_different_only", words, case.script_trouble)


def _uncaught(step: r.TraceStep) -> list[r.Message]:
    return [message for message in step.console if message.level == "uncaught"]


def _sort(message: r.Message) -> tuple[str, str]:
    """Give what errors of one kind have in common: the same place, other numbers."""
    return _NUMBER.sub("", message.text), message.where


def _caught(step: r.TraceStep) -> list[r.Message]:
    return [m for m in step.console if m.level == "error" and _CAUGHT.search(m.text)]


def _is_reworded(change: Change, wanted: str) -> bool:
    """Tell whether a text differs from the wanted one by its numbers at the most."""
    words = _stems(wanted)
    return bool(words) and any(_stems(text) == words for text in change.texts)


def _stems(text: str) -> list[str]:
    return [word.casefold().removesuffix("s") for word in _WORD.findall(text)]


def _listed(changes: Sequence[Change]) -> str:
    shown = ", ".join(change.words for change in changes[:_SHOWN])
    more = len(changes) - _SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _listener(one: r.Listener) -> str:
    return _clipped(f"{one.event} on {one.on} (line {one.line}): {one.source}")


def _request(one: r.Request) -> str:
    status = f" ({one.status})" if one.status else ""
    return _clipped(f"{one.method} {one.url} {one.outcome}{status}")


def _plain(text: str) -> str:
    """Give a sentence as one line, without signs that steer a screen."""
    return " ".join(_CONTROL.sub(" ", text).split())[:_MOST_LETTERS]


def _clipped(text: str) -> str:
    folded = " ".join(text.split())
    return folded if len(folded) <= _LONGEST else folded[: _LONGEST - 1] + "…"
