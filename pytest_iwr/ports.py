"""Ports: the roles that stages and extensions play, as Protocols."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from pydantic import JsonValue

from pytest_iwr import records as r


class Generator(Protocol):
    """Makes a page for a task, or says that there is none."""

    def page(self, task: r.Task, model: str, epoch: int) -> r.Page:
        """Give the page of one model for one task."""
        ...


class Hosted(Protocol):
    """A site while it is served."""

    @property
    def url(self) -> str:
        """The address of its entry page."""
        ...

    def missing(self) -> tuple[str, ...]:
        """Give the paths that were asked for and not found, sorted."""
        ...


class Host(Protocol):
    """Serves sites on loopback, each on an origin of its own."""

    def serve(
        self, site: r.Site, assets: Path | None
    ) -> AbstractContextManager[Hosted]:
        """Serve a site and the task's assets until the context ends."""
        ...


class Driver(Protocol):
    """Carries out a task's trajectory on a served page."""

    def drive(self, task: r.Task, url: str, folder: Path) -> r.Trace:
        """Drive the page and leave shots and snapshots in `folder`.

        Raises BrowserGoneError or UngroundedError; a wrong page is in the trace.
        """
        ...


class Observer(Protocol):
    """Watches a drive from its own thread, which waits for it.

    Times are seconds since 1970, by the machine's clock.
    """

    @property
    def is_filming(self) -> bool:
        """Tell whether `frame`, `felt` and `loaded` are wanted."""
        ...

    @property
    def pause_s(self) -> float:
        """How long the driver waits before each step, and after the last."""
        ...

    @property
    def key_pause_s(self) -> float:
        """How long it waits after each key that it types."""
        ...

    def before(self, step: int, ask: Callable[[], tuple[r.Outcome, ...]]) -> None:
        """Know that a step (from 1) begins; `ask()` says what holds already."""
        ...

    def after(self, done: r.TraceStep, look: Callable[[float], Path]) -> None:
        """Know what a step did; `look(seconds)` waits and gives a shot of then.

        Each shot is written over the one before.
        """
        ...

    def frame(self, at_s: float, jpeg: bytes) -> None:
        """Get what the newest window shows from that time on."""
        ...

    def felt(self, at_s: float, event: Mapping[str, Any]) -> None:
        """Get an input event of the page.

        `type` as in the browser, `x` and `y` in CSS pixels of the window or `key` with
        `modifiers`.
        """
        ...

    def loaded(self, url: str, resource: str, mime: str) -> None:
        """Get what a page loads, when it asks (`mime` empty) and when it is answered.

        `resource` is the kind of thing that the browser takes it for, e.g. `Image`.
        """
        ...


class Scorer(Protocol):
    """Compares a page's pictures with the reference's."""

    @property
    def protocol(self) -> r.Protocol:
        """Its identity: metrics, versions and weights."""
        ...

    def compare(
        self,
        reference: Path,
        shot: Path,
        *,
        masks: Sequence[r.Box] = (),
        diff: Path | None = None,
    ) -> r.Comparison:
        """Compare two pictures; `masks` in pixels of the shot.

        Writes a picture of the differences to `diff`. Where there is a judge, called
        from several threads at a time. Raises CheckpointError.
        """
        ...


@runtime_checkable
class Telling(Protocol):
    """A scorer that can also tell what differs between pictures without a score."""

    def tell(
        self, reference: Path, shot: Path, *, masks: Sequence[r.Box], diff: Path
    ) -> None:
        """Write a picture of the differences to `diff`, and them as data beside it.

        Costs no request. Raises CheckpointError and OcrError.
        """
        ...


class Judge(Protocol):
    """Looks at pictures and answers questions about them; called from many threads."""

    @property
    def at_once(self) -> int:
        """How many questions may be asked at a time."""
        ...

    def decide(
        self, claim: str, before: Path | None, after: Path, *, label: str
    ) -> r.Judgement:
        """Decide whether a claim holds on the screen after a step.

        `label` says in words what it is for. Raises JudgeError for replies that cannot
        be read, EndpointError or BudgetError where there is none.
        """
        ...

    def rate(
        self, reference: Path, shot: Path, *, masks: Sequence[r.Box] = (), label: str
    ) -> r.Judgement:
        """Say how alike two pictures are, 0 to 100; raises as `decide`."""
        ...


class Chat(Protocol):
    """Asks a model, through the one door to all of them."""

    def ask(  # noqa: PLR0913 - what tells one question from another
        self,
        messages: Sequence[Mapping[str, JsonValue]],
        *,
        model: str,
        purpose: r.Purpose,
        label: str,
        epoch: int = 1,
        sample: int = 0,
        parameters: Mapping[str, JsonValue] | None = None,
        is_fresh: bool = False,
    ) -> r.ChatReply:
        """Give what the model with that alias says to messages of a chat completion.

        `label` says in words what it is for. Equal questions have one answer, kept in
        the cache; another `sample` (from 0) is another question. `parameters` are
        further fields of the request, e.g. `response_format`. `is_fresh`: asked anew,
        past the cache. Raises EndpointError or BudgetError.
        """
        ...


class Grounder(Protocol):
    """Finds what a sentence means among the elements of a page; a model, as a rule."""

    @property
    def name(self) -> str:
        """Who it is, e.g. the model's alias."""
        ...

    @property
    def needs_devtools(self) -> bool:
        """Tell whether it looks at the window itself, through DevTools."""
        ...

    def ground(self, question: r.GroundingQuestion) -> r.GroundingChoice:
        """Say which element is meant, or what the action is.

        It may take minutes; the page goes on living meanwhile. Raises UngroundedError
        for an answer that cannot be read, EndpointError or BudgetError for none.
        """
        ...

    def close(self) -> None:
        """Free what it holds; may be called again."""
        ...
