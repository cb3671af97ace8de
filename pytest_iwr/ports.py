"""Ports: the roles that stages and extensions play, as Protocols."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

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

        Writes a picture of the differences to `diff`. Raises CheckpointError.
        """
        ...
