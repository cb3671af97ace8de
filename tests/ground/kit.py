"""What tests of grounding say over and over."""

from collections.abc import Callable
from dataclasses import dataclass

from pytest_iwr import ports
from pytest_iwr import records as r

Grounded = Callable[..., r.Trace]
"""An endpoint's answers, pages and steps in, trace out."""


@dataclass
class Relay:
    """Hands questions on to whom a test has named."""

    to: ports.Grounder | None = None
    name: str = "eyes"
    needs_devtools: bool = False

    def ground(self, question: r.GroundingQuestion) -> r.GroundingChoice:
        """Have it answered."""
        assert self.to is not None
        return self.to.ground(question)

    def close(self) -> None:
        """What it hands on to is a test's."""
