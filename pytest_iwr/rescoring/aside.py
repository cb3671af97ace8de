"""A folder that is there as a whole or not at all."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_iwr.errors import UsageError


@contextmanager
def aside(target: Path) -> Iterator[Path]:
    """Give a folder of the same name to write into, which moves to `target` at the end.

    Where the block raises, nothing of it stays. Raises UsageError where `target` cannot
    be written, or is there by then.
    """
    home = next(parent for parent in target.parents if parent.exists())
    try:
        place = TemporaryDirectory(prefix=f".{target.name}-", dir=home)
    except OSError as error:
        raise _refused(target, error) from error
    with place as unfinished:
        folder = Path(unfinished) / target.name
        folder.mkdir()
        yield folder
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            folder.rename(target)
        except OSError as error:
            raise _refused(target, error) from error


def _refused(target: Path, error: OSError) -> UsageError:
    why = f"cannot be written: {error.strerror}"
    return UsageError(f"{target}: {why}. Name another folder.")
