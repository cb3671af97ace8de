"""A task file is read as bytes: its encoding and its line ends never matter."""

import codecs
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_iwr.errors import TaskError
from pytest_iwr.load import load
from pytest_iwr.records import Task

Loaded = Callable[[bytes], Task]
Problems = Callable[[bytes], list[str]]

TEXT = 'iwr: 1\nid: c37\nsteps:\n  - {click: "Café — “Save” 🛒"}\n  - press: Enter\n'


@pytest.mark.parametrize(
    "content",
    (
        codecs.BOM_UTF8 + TEXT.encode(),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("\n", "\r").encode(),
        TEXT.encode("utf-16"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
        codecs.BOM_UTF8 + TEXT.replace("\n", "\r\n").encode(),
        f"---\n{TEXT}...\n".encode(),
        TEXT.rstrip().encode(),
    ),
    ids=(
        "bom",
        "crlf",
        "cr",
        "utf16",
        "utf16be",
        "le-no-bom",
        "be-no-bom",
        "utf32",
        "bom-crlf",
        "marks",
        "no-end",
    ),
)
def test_encoding_does_not_matter(loaded: Loaded, content: bytes) -> None:
    """The same text in another encoding is the same task."""
    plain = loaded(TEXT.encode())
    same = loaded(content)
    assert same.steps == plain.steps
    assert same.id == plain.id
    shift = 1 if content.startswith(b"---") else 0
    assert same.step_lines == tuple(line + shift for line in plain.step_lines)


@pytest.mark.parametrize(
    ("content", "message"),
    (
        ('iwr: 1\nid: x\ntitle: "Café"\n'.encode("latin-1"), "3: byte 0xe9 is not"),
        (b'iwr: 1\r\rtitle: "\xff"\n', "3: byte 0xff is not UTF-8"),
        (codecs.BOM_UTF16_LE + b"a\n\x00", "1: byte 0x00 is not UTF-16"),
        (b'iwr: 1\nsteps: ["a\x00b"]\n', "2: the invisible character U+0000"),
        (b'iwr: 1\nsteps: ["a\x1bb"]\n', "2: the invisible character U+001B"),
        ('iwr: 1\ntitle: "a\x85b"\n'.encode(), "2: the invisible character U+0085"),
        ('iwr: 1\ntitle: a\u2028b"\n'.encode(), "2: the invisible character U+2028"),
        (b"iwr: 1\nsteps:\n\t- {press: a}\n", "3: found character that cannot start"),
        (b"", "1: empty task."),
        (b"\n\n# nothing yet\n", "1: empty task."),
        (b"---\n", "1: empty task."),
        (codecs.BOM_UTF8, "1: empty task."),
        (b"---\niwr: 1\nsteps: []\n---\niwr: 1\n", "4: a second document"),
        (b"iwr: 1\nsteps: []\n...\n---\n", "4: a second document"),
        (b"iwr: 1\nsteps: []\n--- a\n", "3: a second document"),
    ),
)
def test_unreadable_file_is_one_problem(
    problems: Problems, content: bytes, message: str
) -> None:
    """What cannot be read is one problem, with the line and what to do."""
    (problem,) = problems(content)
    assert problem.startswith(message)
    assert problem.endswith(".")


@pytest.mark.parametrize(
    ("line", "message"),
    (
        ("title: @home", "Put the text in quotes."),
        ("title: a: b", "Put a text that contains ': ' in quotes."),
        ("title: *bold*", "Put a text that starts with '*' in quotes."),
        ("title: *bold", "Put a text that starts with '*' in quotes."),
        ("title: &", "Put a text that starts with '&' in quotes."),
        ('title: "a', "Close the quote."),
        ('title: "\\q"', "Double the backslash, or use single quotes."),
        ('title: "\\UFFFFFFFF"', "Write the character itself."),
        ("title: {a", "Check the indentation, the quotes and the brackets here."),
        (r'title: "\ud83d"', "Write the character itself."),
        ("\ttitle: a", "Indent with spaces instead of tabs."),
        ("title: {text: a:}", "Put a text that contains ':' in quotes."),
        ("title: !a,b c", "Put a text that starts with '!' in quotes."),
        ("a: &a b\nc: &a b", "Give one of the two anchors another name."),
    ),
)
def test_syntax_error_says_what_to_do(
    problems: Callable[[str], list[str]], line: str, message: str
) -> None:
    """A mistake in YAML itself has a line and advice."""
    (problem,) = problems(f"iwr: 1\n{line}\n")
    assert problem[0] in "23"
    assert problem.endswith(message)


def test_missing_file_is_a_problem(tmp_path: Path) -> None:
    """A path without a file is told like every other problem."""
    missing = tmp_path / "task.iwr.yaml"
    with pytest.raises(TaskError, match=r"task\.iwr\.yaml:1: cannot be read: "):
        load(missing)
    with pytest.raises(TaskError, match=r":1: cannot be read: "):
        load(tmp_path)
