"""Workflow commands: ours say what they should, those of pages are text."""

from pathlib import Path

import pytest

from pytest_iwr.report.commands import Annotation, below, harmless
from tests.report.runner import obeyed, parse

ATTACKS = (
    "::error::x",
    "  ::stop-commands::x",
    "\t::add-mask::secret",
    "\u00a0\u3000::error::x",
    "fine\n::error::x",
    "fine\r::error::x",
    "fine\r\n  ::error file=a::x",
    "text ##[error]x",
    "##[stop-commands]x",
    "##[group]x ##[endgroup]",
    "###[error]x",
    "::::error::x",
    ":: ::error::x",
)


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_text_is_a_command(attack: str) -> None:
    """Whatever the lines say, the runner obeys none of them."""
    assert obeyed([harmless(attack)]) == []


@pytest.mark.parametrize(
    "attack", ("\u200b::error::x", "#\u200b#[error]x", ":\u00ad:a::")
)
def test_letters_without_width_hide_no_command(attack: str) -> None:
    """A comparison that leaves out letters of no width finds no command either."""
    seen = harmless(attack).translate({0x200B: None, 0xAD: None})
    assert parse(seen, {"error", "a"}) is None


@pytest.mark.parametrize(
    "text", ("std::vector<int>", "a::b", "Total: 2", "#1 [x]", "", "x\r\ny\n", "##")
)
def test_other_text_stays_as_it_is(text: str) -> None:
    """What is no command is not touched."""
    assert harmless(text) == text


def test_annotation_is_read_as_it_was_meant() -> None:
    """Every part comes through, whatever signs it has."""
    nasty = "50 %: a, b\r\n::error::c %0A"
    note = Annotation("warning", nasty, nasty, "a,b:c%/x.yaml", 14)
    command = parse(str(note))
    assert command is not None
    assert "\n" not in str(note)
    assert command.name == "warning"
    assert command.data == nasty
    assert command.properties == {
        "file": "a,b:c%/x.yaml",
        "line": "14",
        "title": nasty,
    }


def test_annotation_without_a_place() -> None:
    """What lies outside of the repository has neither file nor line."""
    assert str(Annotation("error", "t", "m", None, None)) == "::error title=t::m"


def test_paths_are_relative_to_the_workspace(tmp_path: Path) -> None:
    """Below the workspace, through a link too; else there is none."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    file = tmp_path / "real" / "tasks" / "x.yaml"
    assert below(file, tmp_path / "real") == "tasks/x.yaml"
    assert below(file, tmp_path / "link") == "tasks/x.yaml"
    assert below(file, tmp_path / "other") is None
    assert below(file, None) is None
