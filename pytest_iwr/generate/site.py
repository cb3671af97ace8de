"""A page's bytes → a folder that can be served, whole or not there at all."""

import io
import secrets
import shutil
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from pytest_iwr.errors import IwrError
from pytest_iwr.generate.stored import folder_sha256
from pytest_iwr.records import Generation, Site

ENTRY = "index.html"
MOST_BYTES = 64 * 1024 * 1024
"""Of a page with all its files, unpacked."""
MOST_FILES = 2000

_BLOCK = 1 << 16
_LONGEST_NAME = 255
_LINK = 0o120000
_KIND = 0o170000
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)
_DROPPED = frozenset({"__MACOSX"})


class NotASiteError(Exception):
    """A zip file that no page can be taken from; its text says why."""


def is_zip(content: bytes) -> bool:
    """Tell whether bytes are a zip file's, which no page of HTML begins with."""
    return content.startswith(_ZIP)


def check(content: bytes) -> None:
    """Raise NotASiteError where `store_page` would."""
    if is_zip(content):
        for _ in _unpacked(content):
            pass


def pack(files: Mapping[str, bytes]) -> bytes:
    """Give a zip of files by name; equal bytes for equal files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name), files[name])
    return packed.getvalue()


def store_page(
    folder: Path, content: bytes, origin: str, generation: Generation | None = None
) -> Site:
    """Write a page, HTML byte for byte or the files of a zip, and give its site.

    `folder` appears with all its files at once, in place of an earlier one;
    `generation` lies beside it, as `<folder>.generation.json`. In a zip the page is
    `index.html`, at the top or in its only folder. Raises NotASiteError for a zip
    that leads out of the folder, holds links, no page, or too much, and IwrError where
    nothing can be written.
    """
    files = _unpacked(content) if is_zip(content) else iter([(ENTRY, content)])
    fresh = folder.parent / f".{folder.name}.{secrets.token_hex(4)}"
    try:
        fresh.mkdir(parents=True)
        for name, data in files:
            path = fresh / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        digest = folder_sha256(fresh)
        _replace(fresh, folder)
    except OSError as error:
        raise _unwritable(folder, error) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    if generation is not None:
        write_generation(folder, generation)
    return Site(
        folder=str(folder.absolute()),
        sha256=digest,
        origin=origin,
        generation=generation,
    )


def write_beside(folder: Path, name: str, data: bytes) -> Path:
    """Write a file beside a page's folder, at once: `<folder>.<name>`.

    Raises IwrError where it cannot be written.
    """
    path = folder.parent / f"{folder.name}.{name}"
    fresh = path.parent / f".{path.name}.{secrets.token_hex(4)}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_bytes(data)
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise _unwritable(path, error) from error
    return path


def write_generation(folder: Path, generation: Generation) -> None:
    """Write how a page was made, or why there is none; raises as `write_beside`."""
    text = generation.model_dump_json(indent=1) + "\n"
    write_beside(folder, "generation.json", text.encode())


def _unwritable(path: Path, error: OSError) -> IwrError:
    return IwrError(
        f"{path}: cannot be written ({error.strerror}). See that there is room, and "
        "that this user may write there."
    )


def _replace(fresh: Path, folder: Path) -> None:
    """Put a folder in its place, over an older one."""
    if folder.is_dir() and not folder.is_symlink():
        old = folder.parent / f".{folder.name}.{secrets.token_hex(4)}"
        folder.rename(old)
        fresh.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    else:
        folder.unlink(missing_ok=True)
        fresh.rename(folder)


def _unpacked(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Give the files of a zip, its only folder taken off; nothing is trusted."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = _members(archive)
            prefix = _prefix([name for name, _ in members])
            left = MOST_BYTES
            for name, member in members:
                data = _read(archive, member, left)
                left -= len(data)
                yield name.removeprefix(prefix), data
    except _FAULTS as error:
        raise NotASiteError(f"the zip file cannot be unpacked: {error}") from error


def _members(archive: zipfile.ZipFile) -> list[tuple[str, zipfile.ZipInfo]]:
    """Give the files by their safe names; raises NotASiteError for any other."""
    infos = archive.infolist()
    if len(infos) > MOST_FILES:
        raise NotASiteError(f"the zip file holds {len(infos)} files: too many")
    members: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        path = PurePosixPath(info.filename.replace("\\", "/"))
        if info.is_dir() or _DROPPED & set(path.parts):
            continue
        if not _is_inside(path):
            raise NotASiteError(f"the zip file's {info.filename!r} leads out of it")
        if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise NotASiteError(f"the zip file's {info.filename!r} is not deflated")
        if info.external_attr >> 16 & _KIND == _LINK:
            raise NotASiteError(f"the zip file's {info.filename!r} is a link")
        if str(path) in members:
            raise NotASiteError(f"the zip file holds {info.filename!r} twice")
        members[str(path)] = info
    names = set(members)
    for name in names:
        if names & {str(parent) for parent in PurePosixPath(name).parents}:
            raise NotASiteError(f"the zip file's {name!r} lies below a file")
    return list(members.items())


def _is_inside(path: PurePosixPath) -> bool:
    """Tell whether a name stays below its folder, on every system."""
    parts = path.parts
    is_short = all(len(part.encode()) <= _LONGEST_NAME for part in parts)
    is_below = not path.is_absolute() and ".." not in parts
    return bool(parts) and is_below and ":" not in parts[0] and is_short


def _prefix(names: list[str]) -> str:
    """Give the folder of the page: the top, or the only one; with a final slash."""
    if ENTRY in names:
        return ""
    tops = {name.partition("/")[0] for name in names}
    if len(tops) == 1:
        prefix = f"{tops.pop()}/"
        if prefix + ENTRY in names:
            return prefix
    raise NotASiteError(f"the zip file has no {ENTRY} at its top or in its only folder")


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> bytes:
    """Unpack a file, whatever size it says that it has."""
    data = bytearray()
    with archive.open(info) as opened:
        while block := opened.read(_BLOCK):
            data += block
            if len(data) > most:
                raise NotASiteError(
                    f"the zip file unpacks to more than {MOST_BYTES} bytes"
                )
    return bytes(data)
