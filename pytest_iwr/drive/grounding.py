"""Sentences of a step → what is done: by rules first, else by a model that sees it.

A model's choice is an element, kept in the page's isolated world and found again when
it is acted on; whether it can be reached is checked as for any other.
"""

import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from pydantic import JsonValue, TypeAdapter, ValidationError

from pytest_iwr import ports
from pytest_iwr import records as r
from pytest_iwr.drive.camera import Camera
from pytest_iwr.drive.chosen import Chosen
from pytest_iwr.drive.locate import StepFailed
from pytest_iwr.drive.read import (
    ground_action,
    ground_fields,
    ground_target,
    place_of,
    read_action,
    read_whole,
    ungrounded,
)
from pytest_iwr.drive.rest import settle
from pytest_iwr.drive.survey import Survey, list_only, survey
from pytest_iwr.drive.views import ViewLostError
from pytest_iwr.drive.watch import Watch
from pytest_iwr.drive.windows import Windows
from pytest_iwr.errors import UngroundedError

T = TypeVar("T")

_LOOK_MS = 25
"""How often the window's events are let in while somebody is asked."""
_CHANGE_MS = 100
_SETTLE_S = 3.0
_TWICE = 2
"""So often a model is asked for one thing: again where the page has changed."""


@dataclass
class Grounding:
    """Reads the steps of one drive."""

    task: r.Task
    windows: Windows
    camera: Camera
    watch: Watch
    grounder: ports.Grounder | None
    """`None`: rules alone."""
    is_first: bool = False
    """The model is asked for every prose target, also where rules could read it."""
    devtools: str = ""
    """Where the browser's DevTools are reached, where the grounder needs them."""
    asked: list[r.Grounding] = field(default_factory=list)
    """What was asked since the step began."""
    waited_s: float = 0.0
    """How long that took: not the page's time."""
    _number: int = 0
    _keys: int = 0

    def read(self, step: r.Step, number: int, deadline: float) -> r.Action:
        """Give a step's action without sentences.

        Raises UngroundedError for a sentence that nobody could read, StepFailed
        `target_missing` where a model sees no such thing by `deadline` (monotonic
        seconds, without the time of asking).
        """
        self.asked, self.waited_s, self._number = [], 0.0, number
        action = step.action
        if self.grounder is not None and self.is_first:
            return self._fill(self.grounder, action, sentences(action), deadline)
        try:
            return ground_action(step, self.task, number)
        except UngroundedError:
            if self.grounder is None:
                raise
        return self._fill(self.grounder, action, unread(action, self.task), deadline)

    def read_again(
        self, step: r.Step, tried: r.Action, failed: StepFailed, deadline: float
    ) -> r.Action | None:
        """Ask a model for what rules have read and the page does not show like that.

        `None`: there is nobody to ask, or nothing to ask for. Raises as `read`.
        """
        kinds = {"target_missing", "ambiguous"}
        if self.grounder is None or self.asked or failed.failure.kind not in kinds:
            return None
        action = step.action
        known = sentences(action)
        derived = _derived(action, tried) if "" in known else set()
        for name in known | derived:
            if name and failed.target is getattr(tried, name):
                names = {""} if name in derived else {name}
                return self._fill(self.grounder, action, names, deadline)
        return None

    # --- what to ask for

    def _fill(
        self,
        grounder: ports.Grounder,
        action: r.Action,
        names: Collection[str],
        deadline: float,
    ) -> r.Action:
        """Have some places of an action filled by a model, the others by rules."""
        kind = action.kind
        if "" in names and isinstance(action, r.Described):
            action = self._whole(grounder, action, deadline)
        else:
            action = read_whole(action, self.task, self._number)
        updates: dict[str, object] = {}
        for name in sorted(set(names) - {""}):
            target: r.Target = getattr(action, name)
            ask = _Ask(_whole_phrase(target), kind, name.rstrip("_"), {}, deadline)
            choice, marks = self._find(grounder, ask)
            updates[name] = _chosen(ask, choice, marks[choice.number or 0])
        action = action.model_copy(update=updates)
        return ground_fields(action, self.task, self._number)

    def _whole(
        self, grounder: ports.Grounder, action: r.Described, deadline: float
    ) -> r.Action:
        """Have a model read an action from its sentence; what the task says holds."""
        given = {
            field.alias or name: getattr(action, name)
            for name, field in type(action).model_fields.items()
            if name in action.model_fields_set and name != "describe"
        }
        kind = str(action.model_dump()["kind"])
        said = action.model_dump(mode="json", by_alias=True, exclude_none=True)
        known = {name: said[name] for name in given if name in said and name != "kind"}
        ask = _Ask(action.describe or "", kind, "", known, deadline)
        choice, marks = self._find(grounder, ask)
        fields: dict[str, object] = {
            name: value for name, value in choice.fields.items() if value is not None
        }
        for name in r.ELEMENTS[kind]:
            number = choice.fields.get(name)
            if isinstance(number, int):
                fields[name] = _chosen(ask, choice, marks[number])
        try:
            return TypeAdapter(r.Action).validate_python(
                fields | given | {"kind": kind}
            )
        except ValidationError as error:
            raise ungrounded(self.task, self._number, ask.sentence) from error

    # --- asking

    def _find(
        self, grounder: ports.Grounder, ask: "_Ask"
    ) -> tuple[r.GroundingChoice, dict[int, str]]:
        """Ask what is meant; give the answer, and the keys of the elements in it.

        Raises UngroundedError, and StepFailed `target_missing`.
        """
        for turn in range(1, _TWICE + 1):
            is_last = turn == _TWICE
            seen = survey(self.windows, self.camera)
            choice = self._ask(grounder, ask, seen)
            if choice.outcome == "unclear":
                raise ungrounded(self.task, self._number, ask.sentence)
            if choice.outcome == "none":
                if is_last or not self._changes(seen, ask.deadline):
                    raise _missing(ask, _none_of(seen, choice, grounder))
                continue
            placed = self._placed(seen, choice)
            if placed is None:
                continue
            marks = self._keep(seen, _numbers(ask, placed), anyway=is_last)
            if marks is not None:
                return placed, marks
        raise _missing(ask, "it went away while a model was asked for it")

    def _keep(
        self, seen: Survey, numbers: set[int], *, anyway: bool
    ) -> dict[int, str] | None:
        """Keep elements under new keys; `None` where one of them is gone.

        `anyway`: also one that shows something else by now.
        """
        marks: dict[int, str] = {}
        for number in sorted(numbers):
            view, index = seen.found[number]
            self._keys += 1
            marks[number] = f"{self._number}.{self._keys}"
            request = {"number": index, "key": marks[number], "anyway": anyway}
            try:
                state = view.ask("keep", request)
            except ViewLostError:
                return None
            if state == "gone" or (state == "changed" and not anyway):
                return None
        return marks

    def _placed(
        self, seen: Survey, choice: r.GroundingChoice
    ) -> r.GroundingChoice | None:
        """Give a choice by numbers of the list; `None`: it is not in the list."""
        numbers: dict[str, JsonValue] = {}
        for name, node in choice.nodes.items():
            number = self._number_of(seen, node)
            if number is None:
                return None
            numbers[name] = number
        if "number" in numbers:
            return choice.model_copy(update=numbers)
        return choice.model_copy(update={"fields": choice.fields | numbers})

    def _number_of(self, seen: Survey, node: r.BrowserNode) -> int | None:
        views = self.windows.views.all()
        inside = [view for view in views if view.target == node.target]
        for view in inside or [v for v in views if v.session is views[0].session]:
            try:
                index = view.ask_of_node(node.node, "indexOfThing")
            except ViewLostError:
                continue
            for number, found in seen.found.items():
                if found.view is view and found.place == index:
                    return number
        return None

    def _changes(self, seen: Survey, deadline: float) -> bool:
        """Wait for the page to show something else; tell whether it does in time."""
        while time.monotonic() < deadline + self.waited_s:
            self.windows.wait(_CHANGE_MS)
            if list_only(self.windows) != seen.lines:
                settle(self.windows, time.monotonic() + _SETTLE_S)
                return True
        return False

    def _ask(
        self, grounder: ports.Grounder, ask: "_Ask", seen: Survey
    ) -> r.GroundingChoice:
        """Ask once, and note it; the watch and the step's time stand still."""
        name = f"ground-{self._number:02d}-{len(self.asked) + 1}.png"
        (self.camera.folder / name).write_bytes(seen.picture)
        question = r.GroundingQuestion(
            sentence=ask.sentence,
            action=ask.action,
            part=ask.part,
            given=ask.given,
            lines=seen.lines,
            left_out=seen.left_out,
            picture=seen.picture,
            label=f"{self.task.id}, step {self._number}",
            devtools=self.devtools,
            window=self._window() if self.devtools else "",
        )
        begun = time.monotonic()
        try:
            with self.watch.paused():
                choice = self._wait_for(lambda: grounder.ground(question))
        except UngroundedError as error:
            where = place_of(self.task, self._number)
            raise UngroundedError(f"{where}: {error}") from error
        took_s = time.monotonic() - begun
        self.waited_s += took_s
        self.asked.append(
            r.Grounding(
                sentence=ask.sentence,
                part=ask.part,
                listed=len(seen.found),
                picture=name,
                took_s=round(took_s, 3),
                **choice.model_dump(exclude={"asked", "nodes"}),
            )
        )
        return choice

    def _window(self) -> str:
        """Give the newest window's target of DevTools."""
        told = self.windows.views.session.send("Target.getTargetInfo")
        return str(told["targetInfo"]["targetId"])

    def _wait_for(self, work: Callable[[], T]) -> T:
        """Wait for work in another thread, while the windows go on living."""
        pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="iwr-ground")
        try:
            future = pool.submit(work)
            while not future.done():
                self.windows.wait(_LOOK_MS)
            return future.result()
        finally:
            pool.shutdown(wait=False)


class _Ask(NamedTuple):
    """What a model is asked for."""

    sentence: str
    action: str
    part: str
    """The field of the action; "": all of it."""
    given: dict[str, JsonValue]
    deadline: float
    """Monotonic seconds, without the time of asking."""


def sentences(action: r.Action) -> set[str]:
    """Give the places of an action that sentences about things on the page fill.

    Names of fields, and "" for a sentence about the whole action.
    """
    fields = type(action).model_fields
    names = {
        name
        for name in fields
        if isinstance(value := getattr(action, name), r.Target) and _has_prose(value)
    }
    if (
        isinstance(action, r.Described)
        and action.describe
        and action.kind in r.ELEMENTS
    ):
        read = read_action(action)
        is_open = isinstance(action, r.Type) and action.into is None
        if read is None or is_open or _derived(action, read):
            names.add("")
    return names


def unread(action: r.Action, task: r.Task) -> set[str]:
    """Give those of them that rules cannot read."""

    def is_read(name: str) -> bool:
        if not name:
            return isinstance(action, r.Described) and read_action(action) is not None
        try:
            ground_target(getattr(action, name), "", task)
        except UngroundedError:
            return False
        return True

    return {name for name in sentences(action) if not is_read(name)}


def _derived(action: r.Action, read: r.Action) -> set[str]:
    """Give the targets of an action that were read from its sentence."""
    return {
        name
        for name in type(action).model_fields
        if getattr(action, name) is None and isinstance(getattr(read, name), r.Target)
    }


def _has_prose(target: r.Target) -> bool:
    inner = (t for t in (target.near, target.in_) if t is not None)
    return target.describe is not None or any(_has_prose(t) for t in inner)


def _whole_phrase(target: r.Target) -> str:
    """Give a target in words, with all that the task says of it."""
    rest = target.model_dump(exclude_none=True, exclude={"describe"})
    if target.describe is None or not rest:
        return target.describe or target.phrase()
    return f"{target.describe} ({r.Target.model_validate(rest).phrase()})"


def _numbers(ask: _Ask, choice: r.GroundingChoice) -> set[int]:
    """Give the numbers of all elements in an answer."""
    if ask.part:
        return {choice.number} if choice.number is not None else set()
    found = (choice.fields.get(name) for name in r.ELEMENTS[ask.action])
    return {number for number in found if isinstance(number, int)}


def _chosen(ask: _Ask, choice: r.GroundingChoice, mark: str) -> Chosen:
    return Chosen(mark=mark, by=choice.model, said=ask.sentence)


def _missing(ask: _Ask, why: str) -> StepFailed:
    return StepFailed("target_missing", f"{ask.sentence!r} was not found: {why}")


def _none_of(seen: Survey, choice: r.GroundingChoice, asked: ports.Grounder) -> str:
    why = f" ({choice.reason})" if choice.reason else ""
    return f"{choice.model or asked.name} sees none of {len(seen.found)} fit{why}"
