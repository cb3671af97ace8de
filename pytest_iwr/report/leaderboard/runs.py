"""The folder of a finished run → its summary, whose scores are of one protocol."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from pytest_iwr.artifacts import RunFolder
from pytest_iwr.errors import UsageError
from pytest_iwr.records import Protocol, Summary


class StoredRun(NamedTuple):
    """A run as it lies on the disk."""

    name: str
    summary: Summary

    @property
    def has_scores(self) -> bool:
        """Tell whether any task was scored: else its protocol says nothing."""
        return any(model.scored for model in self.summary.models.values())


def read_runs(folders: Sequence[Path]) -> tuple[StoredRun, ...]:
    """Read runs, each once, in the order given; raises as `read_run`."""
    return tuple(read_run(path) for path in dict.fromkeys(map(Path.resolve, folders)))


def read_run(folder: Path) -> StoredRun:
    """Read a run. Raises UsageError where it is none, or mixes protocols."""
    files = RunFolder(folder.resolve())
    try:
        text = files.summary.read_bytes()
    except OSError as error:
        latest = RunFolder(folder / "latest").summary
        example = str(latest.parent) if latest.is_file() else "reports/latest"
        message = f"{folder}: has no {files.summary.name} ({error.strerror})."
        raise UsageError(f"{message} Name a run's folder, as {example!r}.") from error
    try:
        summary = Summary.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        message = (
            f"{files.summary}: {where}: {first['msg']}. Evaluate anew, or read it with"
            " the version of pytest-iwr that wrote it."
        )
        raise UsageError(message) from error
    _refuse_mixed(files.results, summary.protocol)
    return StoredRun(files.path.name, summary)


def differences(one: Protocol, other: Protocol) -> Iterator[str]:
    """Say in which parts two protocols differ, one a text; none: they are equal."""
    if one.id != other.id:
        yield f"protocol {one.id!r} and {other.id!r}"
        return
    if one.weights != other.weights:
        pair = [f"{w.ifs:g}·IFS + {w.vfs:g}·VFS" for w in (one.weights, other.weights)]
        yield " and ".join(pair)
    for name in sorted(one.metrics.keys() | other.metrics.keys()):
        versions = [p.metrics.get(name, "none") for p in (one, other)]
        if versions[0] != versions[1]:
            yield f"{name} {versions[0]!r} and {versions[1]!r}"


def _refuse_mixed(results: Path, protocol: Protocol) -> None:
    """Raise UsageError for a result that was not scored as the summary says."""
    if not results.is_file():
        return  # a summary that was kept alone
    for number, line in enumerate(results.read_bytes().splitlines(), start=1):
        try:
            result = json.loads(line)
            told = result.get("protocol")
            own = None if told is None else Protocol.model_validate(told)
        except (ValueError, AttributeError) as error:
            message = f"{results}:{number}: is no result: {error}. Evaluate anew."
            raise UsageError(message) from error
        found = [] if own is None else list(differences(protocol, own))
        if found:
            message = (
                f"{results}:{number}: {result['task']!r} of {result['model']!r} is not"
                f" scored as the rest of its run: {'; '.join(found)}. Evaluate anew."
            )
            raise UsageError(message)
