"""Carries out a trajectory on a page in a real browser."""

from pytest_iwr.drive.browser import Browser, BrowserOptions

__all__ = ["Browser", "BrowserOptions"]
