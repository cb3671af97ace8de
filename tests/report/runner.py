"""What the runner of GitHub Actions makes of the lines that a step prints.

After its `ActionCommand.cs`: `::name …::…` at the start of a line, blanks left out, or
`##[name …]…` anywhere. `stop-commands` holds until its token is a command.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

_KNOWN = {
    "add-mask",
    "add-matcher",
    "debug",
    "echo",
    "endgroup",
    "error",
    "group",
    "notice",
    "remove-matcher",
    "save-state",
    "set-output",
    "stop-commands",
    "warning",
}


class Command(NamedTuple):
    """A command that the runner obeys."""

    name: str
    properties: dict[str, str]
    data: str


def obeyed(lines: Iterable[str]) -> list[Command]:
    """Give the commands of what a step prints, `stop-commands` left out."""
    found: list[Command] = []
    token: str | None = None
    for line in "\n".join(lines).splitlines():
        command = parse(line, {token} if token else _KNOWN)
        if command is None:
            continue
        if command.name == token:
            token = None
        elif command.name == "stop-commands":
            token = command.data
        else:
            found.append(command)
    return found


def parse(line: str, known: Iterable[str] = _KNOWN) -> Command | None:
    """Give the command of a line, `None` for text."""
    first = re.match(r"\s*::(.*?)::(.*)", line, re.DOTALL)
    second = re.search(r"##\[(.*?)\](.*)", line, re.DOTALL)
    for match, between in ((first, ","), (second, ";")):
        if match is None:
            continue
        name, _, rest = match[1].partition(" ")
        if name not in known:
            continue
        pairs = (pair.partition("=") for pair in rest.split(between) if "=" in pair)
        return Command(
            name,
            {key.strip(): _plain(value, ":,") for key, _, value in pairs},
            _plain(match[2], ""),
        )
    return None


def _plain(text: str, more: str) -> str:
    for sign in f"\r\n{more}%":
        text = text.replace(f"%{ord(sign):02X}", sign)
    return text
