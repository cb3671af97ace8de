"""Carries out a task's trajectory in one window, step by step, into a trace."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from playwright import sync_api as pw

from pytest_iwr import ports
from pytest_iwr import records as r
from pytest_iwr.drive.act import Done, Hands
from pytest_iwr.drive.camera import Camera, Seen
from pytest_iwr.drive.diagnose import DIAGNOSE_S, Question, diagnose, needs_facts
from pytest_iwr.drive.expect import Before, wait_for
from pytest_iwr.drive.grounding import Grounding
from pytest_iwr.drive.locate import StepFailed
from pytest_iwr.drive.read import (
    ground_checkpoint,
    ground_expectation,
    refuse_guess,
)
from pytest_iwr.drive.rest import settle
from pytest_iwr.drive.views import SelectorError, ViewLostError
from pytest_iwr.drive.watch import Watch
from pytest_iwr.drive.windows import Windows
from pytest_iwr.errors import Problem, TaskError

LOAD_S = 10.0
"""How long the entry page may take to answer and to come to rest."""
SETTLE_S = 3.0
"""How long a page may take to come to rest after an action."""
GRACE_S = 5.0
"""What is added to a step's time-out before the browser is ended from outside."""
EXPECT_S = 0.5
"""Expectations get at least this long, however long the action took."""
OBSERVE_S = 60.0
"""How long an observer may keep the drive waiting at a time."""


@dataclass
class Trip:
    """One drive over one page."""

    task: r.Task
    url: str
    origin: str
    windows: Windows
    camera: Camera
    watch: Watch
    grounding: Grounding
    step_timeout_s: float
    observer: ports.Observer | None = None
    mark: Callable[[str], None] = lambda _: None
    """Is told when a step begins, in words."""
    steps: list[r.TraceStep] = field(default_factory=list)
    _begun: float = field(default_factory=time.monotonic)
    _shot: Path | None = None

    def go(self) -> None:
        """Open the page and carry out every step; stops at the first failure."""
        self.mark("open the page")
        is_well = self._open()
        for number, step in enumerate(self.task.steps, start=1):
            self._show()
            if not is_well:
                return
            self._announce(number, step)
            self.mark(f"{number}. {step.say or _said(step)}")
            is_well = self._step(number, step)
        self._show()

    def _announce(self, number: int, step: r.Step) -> None:
        """Let the observer know what comes."""
        if self.observer is None:
            return
        self.watch.allow(OBSERVE_S)
        self.windows.wait(self.observer.pause_s * 1000)
        self.observer.before(number, lambda: self._ask(number, step))

    def _show(self) -> None:
        """Let the observer know what was done."""
        if self.observer is None:
            return
        self.watch.allow(OBSERVE_S)
        self.observer.after(self.steps[-1], self._look_later)
        if len(self.steps) > len(self.task.steps):
            self.windows.wait(self.observer.pause_s * 1000)

    def _look_later(self, seconds: float) -> Path:
        self.watch.allow(seconds + OBSERVE_S)
        self.windows.wait(seconds * 1000)
        return self.camera.look()

    def _typing_s(self, step: r.Step) -> float:
        """Give the time that the observer's pauses after keys add to a step."""
        if self.observer is None or step.type is None:
            return 0.0
        return self.observer.key_pause_s * len(step.type.text or "")

    def _ask(self, number: int, step: r.Step) -> tuple[r.Outcome, ...]:
        """Say which expectations of a step hold at this moment."""
        wanted = [ground_expectation(e, self.task, number) for e in step.expect]
        now = Before(self._shot, self.camera.scale)
        look = self.camera.look
        try:
            return wait_for(self.windows, wanted, now, look, time.monotonic())
        except SelectorError:
            return ()  # the step itself tells it

    def _open(self) -> bool:
        begun = time.monotonic()
        self.watch.allow(LOAD_S + GRACE_S)
        start = r.TraceStep(
            number=0, verb="open", said="the page before the first step"
        )
        failure = None
        try:
            response = self.windows.page.goto(
                self.url, wait_until="commit", timeout=LOAD_S * 1000
            )
            if response is not None and response.status >= 400:  # noqa: PLR2004 (HTTP)
                text = f"the page answers with status {response.status}"
                failure = r.Failure(kind="load_failed", message=text)
        except pw.TimeoutError:
            text = f"the page did not answer within {LOAD_S:g} s"
            failure = r.Failure(kind="load_failed", message=text)
        unsettled = settle(self.windows, begun + LOAD_S / 2)
        settled = time.monotonic()
        seen = self._take(0, ground_checkpoint(self.task.start, self.task, 0))
        timings = {"settle": settled - begun, "shot": time.monotonic() - settled}
        self._record(start, Done(), seen, begun, timings, unsettled, (), failure)
        return failure is None

    def _step(self, number: int, step: r.Step) -> bool:
        begun = time.monotonic()
        allowed = (step.timeout_s or self.step_timeout_s) + self._typing_s(step)
        deadline = begun + allowed
        self.watch.allow(allowed + SETTLE_S + GRACE_S)
        self.windows.plan_dialogs(step.dialogs)
        hands = Hands(self.windows, self.task, number, deadline, self.origin)
        if self.observer is not None:
            hands.key_pause_s = self.observer.key_pause_s
        outcomes: tuple[r.Outcome, ...] = ()
        failure = None
        timings: dict[str, float] = {}
        unsettled = ""
        before = Before(self._shot, self.camera.scale)
        wanted: list[r.Expectation] = []
        action: r.Action | None = None
        try:
            action = self._act(hands, step, allowed)
            timings["act"] = time.monotonic() - begun - self.grounding.waited_s
            timings["ground"] = self.grounding.waited_s
            rest = time.monotonic()
            unsettled = settle(self.windows, rest + SETTLE_S)
            timings["settle"] = time.monotonic() - rest
            wanted = [ground_expectation(e, self.task, number) for e in step.expect]
            if isinstance(action, r.Wait):
                until = ground_expectation(action.until, self.task, number)
                wanted.insert(0, until)
            asked = time.monotonic()
            last = max(hands.deadline, asked + EXPECT_S)
            look = self.camera.look
            outcomes = wait_for(self.windows, wanted, before, look, last)
            timings["expect"] = time.monotonic() - asked
            failure = _broken(outcomes)
        except StepFailed as failed:
            failure = failed.failure
            if failure.kind == "target_missing" and not self.grounding.asked:
                refuse_guess(step, self.task, number)
        except ViewLostError as lost:
            text = f"the page went away in the middle of the step: {lost}"
            failure = r.Failure(kind="navigation_failed", message=text)
        except SelectorError as error:
            raise self._task_error(number, str(error)) from error
        shooting = time.monotonic()
        self.watch.allow(SETTLE_S + GRACE_S)
        seen = self._see(number, step if failure is None else None)
        timings["shot"] = time.monotonic() - shooting
        start = r.TraceStep(number=number, verb=step.verb, said=step.say or _said(step))
        self._record(
            start, hands.done, seen, begun, timings, unsettled, outcomes, failure
        )
        if needs_facts(failure):
            self._ask_why(action, _false_one(wanted, outcomes), begun)
        return failure is None

    def _act(self, hands: Hands, step: r.Step, allowed_s: float) -> r.Action:
        """Read the step's action and carry it out; give it as it was done.

        What asking a model takes is added to the deadline.
        """
        grounding = self.grounding
        action = grounding.read(step, hands.step, hands.deadline)
        hands.deadline += grounding.waited_s
        try:
            hands.carry_out(action)
        except StepFailed as failed:
            other = grounding.read_again(step, action, failed, hands.deadline)
            if other is None:
                raise
            hands.deadline = time.monotonic() + allowed_s
            self.watch.allow(allowed_s + SETTLE_S + GRACE_S)
            hands.carry_out(other)
            return other
        return action

    def _task_error(self, number: int, message: str) -> TaskError:
        line, where = self.task.line_of(number), f"steps[{number - 1}]"
        return TaskError([Problem(Path(self.task.path), line, where, message)])

    def _ask_why(
        self, action: r.Action | None, expectation: r.Expectation | None, begun: float
    ) -> None:
        """Add to the last step, which failed, what can tell why."""
        self.watch.allow(DIAGNOSE_S + GRACE_S)
        *_, before, step = self.steps
        question = Question(step, action, expectation, before, begun)
        facts = diagnose(self.windows, self.camera, question)
        self.steps[-1] = step.model_copy(update={"facts": facts})

    def _see(self, number: int, step: r.Step | None) -> Seen:
        """Take the pictures of a step; without it those that need no checkpoint."""
        wanted = step.checkpoint if step else None
        return self._take(number, ground_checkpoint(wanted, self.task, number))

    def _take(self, number: int, checkpoint: r.Checkpoint | None) -> Seen:
        deadline = time.monotonic() + SETTLE_S
        while True:
            try:
                seen = self.camera.take(number, checkpoint, deadline)
            except ViewLostError:
                if time.monotonic() >= deadline:
                    return Seen()
                settle(self.windows, deadline)
                continue
            self._shot = self.camera.folder / seen.shot if seen.shot else None
            return seen

    def _record(  # noqa: PLR0913, PLR0917 (the parts of one record)
        self,
        step: r.TraceStep,
        done: Done,
        seen: Seen,
        begun: float,
        timings: dict[str, float],
        unsettled: str,
        outcomes: tuple[r.Outcome, ...],
        failure: r.Failure | None,
    ) -> None:
        log = self.windows.fresh_log()
        self.steps.append(
            step.model_copy(
                update={
                    "url": self.windows.short(self.windows.page.url),
                    "started_s": round(begun - self._begun, 3),
                    "duration_s": round(time.monotonic() - begun, 3),
                    "timings_s": {k: round(v, 4) for k, v in timings.items()},
                    "target": done.target,
                    "hit": done.hit,
                    "grounded": tuple(self.grounding.asked) if step.number else (),
                    "received": done.received,
                    "outcomes": outcomes,
                    "shot": seen.shot,
                    "full_shot": seen.full_shot,
                    "again": seen.again,
                    "clipped": seen.clipped,
                    "snapshot": seen.snapshot,
                    "masks": seen.masks,
                    "masked": seen.masked,
                    "console": tuple(log.console),
                    "requests": tuple(log.requests),
                    "dialogs": tuple(log.dialogs),
                    "unsettled": unsettled,
                    "windows": self.windows.count,
                    "failure": failure,
                }
            )
        )

    def blame(self, failure: r.Failure) -> None:
        """Record a step that ended because the browser was ended for it."""
        number = len(self.steps)
        step = self.task.steps[number - 1] if number else None
        log = self.windows.fresh_log()
        self.steps.append(
            r.TraceStep(
                number=number,
                verb=step.verb if step else "open",
                said=(step.say or _said(step)) if step else "open the page",
                console=tuple(log.console),
                requests=tuple(log.requests),
                dialogs=tuple(log.dialogs),
                failure=failure,
            )
        )


def _broken(outcomes: tuple[r.Outcome, ...]) -> r.Failure | None:
    for outcome in outcomes:
        if outcome.holds is False:
            text = f"expected {outcome.asked}, but: {outcome.seen}"
            return r.Failure(kind="expectation", message=text)
    return None


def _false_one(
    wanted: list[r.Expectation], outcomes: tuple[r.Outcome, ...]
) -> r.Expectation | None:
    """Give the first expectation that does not hold, with its target."""
    pairs = zip(wanted, outcomes, strict=False)
    return next((e for e, outcome in pairs if outcome.holds is False), None)


def _said(step: r.Step) -> str:
    """Give a step in words, where the task has none."""
    value = getattr(step, step.verb)
    if isinstance(value, r.Target):
        return f"{step.verb} {value.phrase()}"
    if isinstance(value, bool):
        return step.verb
    described = value.describe if isinstance(value, r.Described) else None
    if described:
        return f"{step.verb}: {described}"
    fields = value.model_dump(exclude_defaults=True, by_alias=True, exclude={"kind"})
    shown = ", ".join(f"{name} {fields[name]!r}" for name in fields)
    return f"{step.verb} {shown}"
