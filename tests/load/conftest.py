"""Task files made on the spot."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_iwr.errors import TaskError
from pytest_iwr.load import load
from pytest_iwr.records import Task


@pytest.fixture
def task_file(tmp_path: Path) -> Path:
    """Give the path of a task file that is not there yet, in a folder of its own."""
    folder = tmp_path / "shop"
    folder.mkdir()
    return folder / "task.iwr.yaml"


@pytest.fixture
def loaded(task_file: Path) -> Callable[[str | bytes], Task]:
    """Give a function that loads a text."""

    def load_text(content: str | bytes) -> Task:
        task_file.write_bytes(_bytes(content))
        return load(task_file)

    return load_text


@pytest.fixture
def problems(task_file: Path) -> Callable[[str | bytes], list[str]]:
    """Give a function that tells the problems of a text, without the file's name."""

    def problems_of(content: str | bytes) -> list[str]:
        task_file.write_bytes(_bytes(content))
        with pytest.raises(TaskError) as caught:
            load(task_file)
        assert all(problem.path == task_file for problem in caught.value.problems)
        return [str(p).removeprefix(f"{task_file}:") for p in caught.value.problems]

    return problems_of


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content
