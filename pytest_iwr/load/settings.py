"""A YAML file that is no task → a record, every problem of it with its line."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from pytest_iwr.errors import UsageError
from pytest_iwr.load.parse import Finding, Part, Unreadable, parse
from pytest_iwr.load.problems import problems_of
from pytest_iwr.load.validate import validate
from pytest_iwr.records import Record

_R = TypeVar("_R", bound=Record)


def read_settings(
    path: Path,
    record: type[_R],
    rules: Callable[[Part], Iterable[Finding]],
    *,
    noun: str,
    least: str,
) -> tuple[_R, Part]:
    """Give the record of a file, and where its parts stand.

    `rules` gives what is wrong beyond the types of the fields, whether or not these are
    right; of a part that it names, nothing else is said. `noun` is what messages call
    the file, `least` what it must hold. Raises UsageError with all problems, in the
    order of their lines.
    """
    try:
        root, found = parse(path.read_bytes(), noun, least)
    except OSError as error:
        message = f"cannot be read: {error.strerror}. Correct the path or its rights"
        raise UsageError(f"{path}: the {noun} {message}.") from error
    except Unreadable as error:
        raise _error(path, [error.finding]) from error
    content, invalid = validate(root, record)
    broken = list(rules(root))
    named = {id(finding.part) for finding in broken}
    unnamed = [finding for finding in invalid if id(finding.part) not in named]
    if found or unnamed or broken or content is None:
        raise _error(path, [*found, *unnamed, *broken])
    return content, root


def _error(path: Path, findings: Iterable[Finding]) -> UsageError:
    problems = sorted(problems_of(path, findings), key=lambda p: (p.line, p.where))
    return UsageError("\n".join(map(str, problems)))
