"""Fixtures of the tests that run the whole chain."""

import pytest

from tests.plugin.kit import Project


@pytest.fixture
def project(pytester: pytest.Pytester) -> Project:
    """Give an empty project."""
    return Project(pytester)
