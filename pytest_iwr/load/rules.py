"""What a task must keep to beyond the types of its fields."""

import importlib.util
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath, PureWindowsPath

from pytest_iwr.load.parse import Finding, Part, Where
from pytest_iwr.records import VERBS, Plain

RESERVED_TAGS = frozenset(
    {
        *("skip", "skipif", "xfail", "parametrize", "usefixtures", "filterwarnings"),
        *("tryfirst", "trylast", "asyncio", "anyio", "xdist_group"),
        *("browser_context_args", "only_browser", "skip_browser"),
    }
)
"""Markers that mean something to pytest or to a plugin that comes along."""
_FOLDERS = {"assets", "sheets"}
_FILES = {"video", "look", "reference", "file"}
_PICTURES = {"start", "checkpoint"}
"""A picture, or a mapping with `image`."""


def findings(root: Part, folder: Path, *, needs_files: bool) -> Iterator[Finding]:
    """Give the breaches of all rules; entries of wrong types are passed over."""
    for where, part in root.walk():
        yield from _file_findings(where, part, folder, needs_files=needs_files)
        yield from _pair_findings(where, part)
        yield from _text_findings(where, part)


def _file_findings(
    where: Where, part: Part, folder: Path, *, needs_files: bool
) -> Iterator[Finding]:
    name = part.value
    if not isinstance(name, str) or not where or (isinstance(name, Plain) and not name):
        return
    is_folder = len(where) == 1 and where[0] in _FOLDERS
    is_picture = where[-1] in _PICTURES or (
        where[-1] == "image" and len(where) > 1 and where[-2] in _PICTURES
    )
    if not (is_folder or is_picture or where[-1] in _FILES):
        return
    fault = escape(name)
    if fault is None and needs_files:
        fault = absence(folder, name, is_folder=is_folder)
    if fault is not None:
        yield Finding(where, part.line, fault, part)


def escape(name: str) -> str | None:
    """Give how a name leads out of the task's folder; `None` where it stays in it."""
    windows = PureWindowsPath(name)
    if PurePosixPath(name).is_absolute() or windows.drive or windows.root:
        return f"{name!r} is an absolute path. Write it relative to the task's folder"
    if ".." in windows.parts:
        return f"{name!r} leaves the task's folder. Put the file into it"
    if "\\" in name:
        return f"{name!r} has a backslash. Write forward slashes"
    if "\0" in name:
        return f"{name!r} is no path. Remove the NUL character"
    return None


def absence(folder: Path, name: str, *, is_folder: bool) -> str | None:
    """Give why there is no such file in a folder; `None` where there is one."""
    path = folder / name
    kind = "folder" if is_folder else "file"
    try:
        if not (path.is_dir() if is_folder else path.is_file()):
            place = "in the task's folder"
            return f"there is no {kind} {name!r} {place}. Add or correct it"
        is_inside = path.resolve().is_relative_to(folder.resolve())
    except OSError as error:
        return f"{name!r} cannot be looked up: {error.strerror}. Correct the name"
    if not is_inside:
        return f"{name!r} is a link out of the task's folder. Put the {kind} into it"
    return None


def _pair_findings(where: Where, part: Part) -> Iterator[Finding]:
    """Say what the records say too, but only once all their fields are right."""
    match where:
        case () if {"viewport", "device"} <= part.parts.keys():
            message = "has both `viewport` and `device`. Keep one of them"
            yield Finding(where, part.line, message, part)
        case ("steps", int()):
            given = [verb for verb in VERBS if verb in part.parts]
            if len(given) > 1:
                message = f"needs exactly one action, has {', '.join(given)}"
                yield Finding(where, part.line, message, part)


def _text_findings(where: Where, part: Part) -> Iterator[Finding]:
    text = part.value
    if not isinstance(text, str):
        return
    fault = None
    match where:
        case ("id",) if not text.strip():
            fault = "is empty. Write a name, or remove the key"
        case ("tags", int()):
            fault = _tag_fault(text)
        case ("device",) if text:
            fault = _device_fault(text)
        case ("steps", int(), "goto") | ("steps", int(), "goto", "path"):
            if re.match(r"([A-Za-z][A-Za-z0-9+.-]*:|//)", text):
                fault = f"{text!r} leaves the site. Write a path such as `/about`"
    if fault is not None:
        yield Finding(where, part.line, fault, part)


def _tag_fault(tag: str) -> str | None:
    if tag in RESERVED_TAGS:
        return f"the tag {tag!r} is a marker of pytest's own. Choose another name"
    if not tag.isidentifier() or tag.startswith("_") or tag in {"and", "or", "not"}:
        return (
            f"the tag {tag!r} cannot be a pytest marker."
            " Start with a letter, and use letters, digits and underscores only"
        )
    return None


def _device_fault(name: str) -> str | None:
    known = devices()
    if not known or name in known:
        return None
    words = name.lower().split()
    alike = [device for device in known if device.lower().split()[:1] == words[:1]]
    advice = f"Known: {', '.join(alike)}" if alike else f"Known: {', '.join(known)}"
    return f"Playwright knows no device {name!r}. {advice}"


@cache
def devices() -> tuple[str, ...]:
    """Give the names of Playwright's devices, sorted.

    They are read from the type declarations that it ships, since asking it would
    start its driver. Empty where it ships none: then the driving stage refuses.
    """
    spec = importlib.util.find_spec("playwright")
    if spec is None or spec.origin is None:
        return ()
    types = Path(spec.origin).parent / "driver" / "package" / "types" / "types.d.ts"
    if not types.is_file():
        return ()
    text = types.read_text(encoding="utf-8")
    return tuple(sorted(set(re.findall(r'"([^"\n]+)": DeviceDescriptor;', text))))
