"""Pages shot by a real browser, and a text recognition that is loaded once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.similarity.studio import Studio
from pytest_iwr import images
from pytest_iwr.check.ocr import Ocr

CHECKPOINTS = Path(__file__).parents[2] / "tasks" / "shop" / "checkpoints"


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """Give pictures of small pages with known changes."""
    with Studio(tmp_path_factory.mktemp("studio")) as studio:
        yield studio


@pytest.fixture(scope="session")
def ocr() -> Ocr:
    """Give a text recognition without a folder to keep readings in."""
    return Ocr(None, threads=1)


@pytest.fixture(scope="session")
def shop() -> images.Picture:
    """Give a picture of a real site: its first screen."""
    return images.read(CHECKPOINTS / "00.png")
