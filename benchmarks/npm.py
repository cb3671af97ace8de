"""Packages of the npm registry, unpacked in a cache folder."""

import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path


class FetchError(Exception):
    """A package that cannot be fetched; its text says what to do."""


def fetch(name: str, version: str, cache: Path | None = None) -> Path:
    """Give the folder with the unpacked files of `name` at `version`.

    The folder is `npm/NAME-VERSION` in `cache`, or in `default_cache()` where
    `cache` is None. It appears whole or not at all, and a package that is there
    already is not fetched again. npm checks the integrity of what it fetches, and
    no script of the package runs.

    Raises `FetchError` where npm is missing, fails, or hands over a strange file.
    """
    home = (default_cache() if cache is None else cache) / "npm"
    folder = home / f"{name}-{version}"
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home, prefix=".fetch-") as scratch:
        unpacked = _unpack(_pack(f"{name}@{version}", Path(scratch)), Path(scratch))
        try:
            unpacked.rename(folder)
        except OSError:
            # Another process was faster; its folder is as good as this one.
            if not folder.is_dir():
                raise
    return folder


def default_cache() -> Path:
    """Give `$IWR_CACHE`, or `~/.cache/pytest-iwr` where that is not set."""
    named = os.environ.get("IWR_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "pytest-iwr"


def _pack(spec: str, scratch: Path) -> Path:
    """Let npm put the package's archive into `scratch`, and give its path."""
    npm = shutil.which("npm")
    if npm is None:
        raise FetchError(
            f"{spec}: no 'npm' on PATH. Install Node.js, which brings npm, or put "
            "the unpacked package into the cache folder yourself."
        )
    done = subprocess.run(
        [npm, "pack", spec, "--ignore-scripts", "--pack-destination", str(scratch)],
        capture_output=True,
        text=True,
        check=False,
    )
    archives = sorted(scratch.glob("*.tgz"))
    if done.returncode != 0 or len(archives) != 1:
        raise FetchError(
            f"{spec}: 'npm pack' ended with status {done.returncode} and left "
            f"{len(archives)} archives. Read what npm says:\n{done.stderr.strip()}"
        )
    return archives[0]


def _unpack(archive: Path, scratch: Path) -> Path:
    """Unpack into `scratch`, and give the archive's one top folder."""
    target = scratch / "unpacked"
    try:
        with tarfile.open(archive) as opened:
            opened.extractall(target, filter="data")
    except tarfile.TarError as error:
        raise FetchError(
            f"{archive.name}: {error}. Fetch it again; if it stays so, the package "
            "is not one to trust."
        ) from error
    tops = sorted(target.iterdir())
    if len(tops) != 1 or not tops[0].is_dir():
        raise FetchError(
            f"{archive.name}: holds {[top.name for top in tops]!r} at its top, not "
            "one folder. Look at the package by hand."
        )
    return tops[0]
