"""A local OpenAI-compatible endpoint that answers, fails and dawdles as it is told."""

from pytest_iwr.gateway.mock.endpoint import MockEndpoint
from pytest_iwr.gateway.mock.script import (
    Answer,
    ErrorBody,
    Rule,
    Script,
    TokenUsage,
    When,
)
from pytest_iwr.gateway.mock.seen import Seen

__all__ = [
    "Answer",
    "ErrorBody",
    "MockEndpoint",
    "Rule",
    "Script",
    "Seen",
    "TokenUsage",
    "When",
]
