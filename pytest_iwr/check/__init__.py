"""Checks a trace's files against the reference: verdicts, never a page."""

from pytest_iwr.check.cause import explain
from pytest_iwr.check.trajectory import check

__all__ = ["check", "explain"]
