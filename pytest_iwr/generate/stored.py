"""Pages that lie in a folder: `<root>/<model>/<task>/index.html` and its files."""

import hashlib
import os
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from pytest_iwr.artifacts import slug
from pytest_iwr.errors import IwrError, UsageError
from pytest_iwr.records import NoPage, Page, Site, Task

_BLANK = b" \t\r\n\f\v\0\xef\xbb\xbf"


class StoredPages:
    """A generator that takes pages from a folder of models.

    A model or task is found by its name as it is, or by its slug.
    """

    def __init__(self, root: Path, shown: str | None = None) -> None:
        """Raises UsageError where `root` is no folder.

        `shown` is what results call it, by default its path as it is.
        """
        self._root = root
        self._shown = root.as_posix() if shown is None else shown
        if not root.is_dir():
            what = "is not a folder" if root.exists() else "does not exist"
            raise UsageError(
                f"{root}: {what}. Give the folder that holds "
                "<model>/<task id>/index.html."
            )

    def models(self) -> tuple[str, ...]:
        """Give the names of the models that have a folder, sorted."""
        entries = (entry for entry in self._root.iterdir() if entry.is_dir())
        return tuple(sorted(e.name for e in entries if not e.name.startswith(".")))

    def page(self, task: Task, model: str, epoch: int) -> Page:
        """Give the whole folder of a model's page, or say that there is none.

        An epoch after the first has `<task>@<epoch>` where that is there, else the
        same folder. Raises UsageError for a model without a folder.
        """
        home = self._home(model)
        names = [task.id, slug(task.id)]
        later = [f"{name}@{epoch}" for name in names] if epoch > 1 else []
        folder = _existing(home, *later, *names) or home / slug(task.id)
        index = folder / "index.html"
        if not folder.is_dir():
            return NoPage(reason=f"there is no folder {self._name(folder)}")
        if not index.is_file():
            return NoPage(reason=f"there is no file {self._name(index)}")
        try:
            if not index.read_bytes().strip(_BLANK):
                return NoPage(reason=f"the file {self._name(index)} is empty")
            digest = folder_sha256(folder)
        except OSError as error:
            raise IwrError(
                f"{error.filename}: cannot be read ({error.strerror}). Let this user "
                "read the stored pages."
            ) from error
        return Site(
            folder=str(folder.absolute()),
            sha256=digest,
            origin=f"stored page {self._name(folder)}",
        )

    def _name(self, path: Path) -> str:
        return f"{self._shown}/{path.relative_to(self._root).as_posix()}"

    def _home(self, model: str) -> Path:
        home = _existing(self._root, model, slug(model))
        if home is not None:
            return home
        there = self.models()
        near = get_close_matches(model, there, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        listed = ", ".join(there) or "none"
        raise UsageError(
            f"{self._root / slug(model)}: no folder of the model {model!r}.{hint} "
            f"Models that are there: {listed}."
        )


def _existing(home: Path, *names: str) -> Path | None:
    """Give the first folder of these names, none of which may lead elsewhere."""
    for name in names:
        parts = name.split("/")
        is_safe = not any(p == "" or p.startswith(".") or "\0" in p for p in parts)
        if is_safe and (home / name).is_dir():
            return home / name
    return None


def folder_sha256(folder: Path) -> str:
    """Give the digest of all files that can be served, by name and content."""
    digest = hashlib.sha256()
    for name, path in sorted(_files(folder)):
        with path.open("rb") as opened:
            content = hashlib.file_digest(opened, "sha256").digest()
        digest.update(hashlib.sha256(name).digest() + content)
    return digest.hexdigest()


def _files(folder: Path) -> Iterator[tuple[bytes, Path]]:
    top = folder.resolve()
    for at, folders, files in os.walk(top):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            path = Path(at, name)
            is_inside = path.resolve().is_relative_to(top) and path.is_file()
            if is_inside and not name.startswith("."):
                yield os.fsencode(path.relative_to(top).as_posix()), path
