"""Fixtures of the plugin's tests."""

import pytest

from tests.keeper import Keeper
from tests.plugin.kit import WAYS, Project


@pytest.fixture
def project(keeper: Keeper, pytester: pytest.Pytester) -> Project:
    """Give an empty project."""
    return Project(pytester, keeper)


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    """Give each way in which pytest is run."""
    return str(request.param)
