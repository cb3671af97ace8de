"""What the tests of authoring share beside fixtures."""

from collections.abc import Callable
from pathlib import Path

Write = Callable[[dict[str, str | bytes]], Path]
"""Writes files by name; gives their folder."""
