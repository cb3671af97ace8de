"""Causes: why a step failed, as far as that can be told without a model."""

from typing import Literal

from pytest_iwr.records.scalars import Record

CauseKind = Literal[
    "target_missing",
    "hidden",
    "covered",
    "ambiguous",
    "not_interactive",
    "no_handler",
    "handler_threw",
    "changed_elsewhere",
    "looks_different_only",
    "wrong_result",
    "broke_down",
]
"""Each failed step has one; `docs/reports.md` says when it has which."""


class Cause(Record):
    """Why a step or a checkpoint failed."""

    kind: CauseKind
    words: str
    """One sentence for a person; what it quotes of the page is clipped."""
    details: tuple[str, ...] = ()
    """Evidence, a line each: errors, what changed, what listens, what was blocked."""
