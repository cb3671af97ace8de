"""Fixtures of the plugin's tests."""

import pytest

from tests.plugin.kit import WAYS, Project


@pytest.fixture
def project(pytester: pytest.Pytester) -> Project:
    """Give an empty project."""
    return Project(pytester)


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    """Give each way in which pytest is run."""
    return str(request.param)
