"""`docs/authoring.md`: its files and commands work, one after the other."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from pytest_iwr.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "authoring.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"(?:<!--|#) (\S+)")


def test_every_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are written, commands end with 0, the program prints the frames."""
    monkeypatch.chdir(tmp_path)
    kinds = set()
    for kind, text in BLOCKS:
        kinds.add(kind)
        match kind:
            case "html" | "svg" | "yaml":
                named = NAMED.match(text)
                assert named is not None
                file = tmp_path / named[1]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text.split("\n", 1)[1])
            case "console":
                for line in text.splitlines():
                    _command(shlex.split(line))
            case "python":
                said = io.StringIO()
                with contextlib.redirect_stdout(said):
                    exec(text, {})  # noqa: S102 - the page's own example
                assert said.getvalue().startswith("0.00 (500, 800, 3)")
    assert kinds == {"console", "html", "svg", "yaml", "text", "python"}
    assert (tmp_path / "tasks" / "guestbook" / "sheets" / "sheet_01.png").exists()


def _command(words: list[str]) -> None:
    if words[:2] == ["pip", "install"]:
        assert words[2:] == ["pytest-iwr[author]"]
        return
    assert words[0] == "iwr"
    try:
        status = main(words[1:])
    except SystemExit as end:
        status = int(end.code or 0)
    assert status == 0, words
