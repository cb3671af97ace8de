"""Findings at places of a file → problems with path, line and place in words."""

from collections.abc import Iterable
from pathlib import Path

from pytest_iwr.errors import Problem
from pytest_iwr.load.parse import Finding, Where


def problems_of(path: Path, findings: Iterable[Finding]) -> tuple[Problem, ...]:
    """Give each finding once, although an alias repeats what it names."""
    problems: dict[tuple[int | Where, int, str], Problem] = {}
    for found in findings:
        message = found.message if found.message[-1] in ".?!" else f"{found.message}."
        part = id(found.part) if found.part else found.where
        problem = Problem(path, found.line, _shown(found.where), message)
        problems.setdefault((part, found.line, message), problem)
    return tuple(problems.values())


def _shown(where: Where) -> str:
    text = ""
    for key in where:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text
