"""The options of the paper's protocol: told wrongly they end the run at once."""

from pathlib import Path

import pytest

from pytest_iwr.plugin.paper_options import read_paper
from tests.plugin.kit import Project


def test_absent_weights_are_told(project: Project) -> None:
    """A path without a file ends the run before it begins, with what to do."""
    project.task("shop")
    result = project.run("--iwr-dino-weights=none.pth")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: --iwr-dino-weights=none.pth: there is no *"])


def test_absent_weights_of_the_ini_file_are_told(project: Project) -> None:
    """The message names the ini value, so that it can be found."""
    project.pytester.makeini("[pytest]\niwr_dino_weights = none.pth\n")
    result = project.run()
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: iwr_dino_weights = *none.pth: there is no *"])


def test_unknown_preprocessing_is_refused(project: Project) -> None:
    """There are two, and both are named."""
    result = project.run("--iwr-dino-preprocessing=half")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*invalid choice: 'half' (choose from*paper*full*"])


def test_options_in_help(project: Project) -> None:
    """Both are in `--help`, with their defaults."""
    result = project.run("--help")
    result.stdout.fnmatch_lines(
        [
            "*--iwr-dino-weights=FILE*",
            "*--iwr-dino-preprocessing={paper,full}*",
            "*iwr_dino_weights (string)*",
        ]
    )


def test_weights_are_absolute_and_the_option_goes_before_the_ini_value(
    pytester: pytest.Pytester,
) -> None:
    """One is relative to where pytest is started, the other to the ini file."""
    pytester.makeini("[pytest]\niwr_dino_weights = ini.pth\n")
    for name in ("ini.pth", "told.pth"):
        (pytester.path / name).touch()

    def weights(*arguments: str) -> Path | None:
        return read_paper(pytester.parseconfig(*arguments)).dino_weights

    assert weights() == pytester.path / "ini.pth"
    assert weights("--iwr-dino-weights=told.pth") == pytester.path / "told.pth"


def test_paper_is_the_default(pytester: pytest.Pytester) -> None:
    """Nothing told: the published preprocessing, and weights from the hub."""
    paper = read_paper(pytester.parseconfig())
    assert (paper.dino_weights, paper.dino_preprocessing) == (None, "paper")
