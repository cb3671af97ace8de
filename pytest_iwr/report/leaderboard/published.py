"""The numbers that the paper printed, and what they were made with."""

from functools import cache
from importlib.resources import files

from pytest_iwr.records import Record, Weights


class PublishedRow(Record):
    """A model's line, in per cent, as it was printed."""

    model: str
    ifs: float
    vfs: float
    final: float


class Published(Record):
    """The published table."""

    source: str
    """Where it was printed."""
    protocol: str
    """The id of the protocol here that its numbers can be compared with."""
    tasks: int
    actions: int
    """Of all tasks together."""
    weights: Weights
    metrics: dict[str, str]
    """What it was measured with, by the names of this project's metrics."""
    rows: tuple[PublishedRow, ...]


@cache
def published() -> Published:
    """Give the table of arXiv 2509.24709."""
    file = files(__package__).joinpath("published.json")
    return Published.model_validate_json(file.read_text(encoding="utf-8"))
