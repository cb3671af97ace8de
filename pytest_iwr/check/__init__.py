"""Checks a trace's files against the reference: verdicts, never a page."""

from pytest_iwr.check.cause import explain
from pytest_iwr.check.told import digests, refuse_changed
from pytest_iwr.check.trajectory import check

__all__ = ["check", "digests", "explain", "refuse_changed"]
