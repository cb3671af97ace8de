"""A script of the mock endpoint as YAML, every problem with its line."""

from collections.abc import Callable, Iterator
from pathlib import Path

from pytest_iwr.gateway.mock.script import Rule, Script
from pytest_iwr.load.parse import Finding, Part
from pytest_iwr.load.settings import read_settings


def load_script(file: Path) -> Script:
    """Give the script of a file, with pages relative to the file's folder.

    Raises UsageError with all problems of the file.
    """
    folder = file.parent
    script, _ = read_settings(
        file, Script, _pages_in(folder), noun="script", least="`rules:`"
    )
    rules = tuple(_placed(rule, folder) for rule in script.rules)
    return script.model_copy(update={"rules": rules})


def _placed(rule: Rule, folder: Path) -> Rule:
    if rule.page is None:
        return rule
    return rule.model_copy(update={"page": folder / rule.page})


def _pages_in(folder: Path) -> Callable[[Part], Iterator[Finding]]:
    def find(root: Part) -> Iterator[Finding]:
        for where, part in root.walk():
            match where:
                case ("rules", int(), "page") if isinstance(part.value, str):
                    if not (folder / str(part.value)).is_file():
                        message = (
                            f"there is no file {str(part.value)!r} beside the script."
                            " Correct the path"
                        )
                        yield Finding(where, part.line, message, part)

    return find
