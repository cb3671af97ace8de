"""Workflow commands of GitHub Actions: ours written, those in other text disarmed.

The runner reads every line that a step prints. It obeys `::name …::…` at the start of
a line, and `##[name …]…` wherever it stands.
"""

import re
from pathlib import Path
from typing import Literal, NamedTuple

Level = Literal["error", "warning", "notice"]

_UNSEEN = "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
_UNSEEN += "\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\x00-\x1f\x7f-\x9f"
"""Letters that a comparison by the rules of a language leaves out."""
_STARTS = re.compile(rf"^([\s{_UNSEEN}]*:)([{_UNSEEN}]*:)")
_INSIDE = re.compile(rf"(#[{_UNSEEN}]*)(#[{_UNSEEN}]*\[)")
_LINE_ENDS = re.compile(r"(\r\n|\r|\n)")


class Annotation(NamedTuple):
    """A note on a line of a file, as GitHub shows it."""

    level: Level
    title: str
    message: str
    file: str | None
    """Relative to the checked-out repository; `None`: it lies elsewhere."""
    line: int | None

    def __str__(self) -> str:
        """Give the command, one line."""
        place = {} if self.file is None else {"file": self.file, "line": self.line}
        properties = ",".join(
            f"{name}={_property(str(value))}"
            for name, value in {**place, "title": self.title}.items()
            if value is not None
        )
        return f"::{self.level} {properties}::{_data(self.message)}"


def harmless(text: str) -> str:
    """Give a text whose lines the runner takes for text, whatever they say."""
    parts = _LINE_ENDS.split(text)  # lines and what ends them, in turn
    parts[::2] = [
        _INSIDE.sub(r"\1 \2", _STARTS.sub(r"\1 \2", line)) for line in parts[::2]
    ]
    return "".join(parts)


def below(path: Path, root: Path | None) -> str | None:
    """Give a path relative to a folder, `None` where it does not lie below it."""
    if root is None:
        return None
    for file, folder in ((path, root), (path.resolve(), root.resolve())):
        if file.is_relative_to(folder):
            return file.relative_to(folder).as_posix()
    return None


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
