"""A run that is killed at any moment, controller or worker, repeats nothing finished."""

import random
from pathlib import Path

import pytest

from benchmarks.generation.kills import Victim, kill
from benchmarks.generation.project import Project


@pytest.mark.parametrize(
    ("victim", "seed"), (("controller", 1), ("controller", 2), ("worker", 3))
)
def test_killed_run_goes_on_where_it_stopped(
    tmp_path: Path, victim: Victim, seed: int
) -> None:
    """No finished page is asked for again, and each is paid for once in the ledgers."""
    project = Project(tmp_path / "project", tasks=8, has_videos=False)
    killed = kill(project, random.Random(seed), victim)  # noqa: S311 - a moment
    assert killed.is_right, killed
