"""A row as properties of a test: names and values, all text.

They stand in the file of pytest's `--junitxml`, and travel with a test's reports from
worker processes.
"""

from pytest_iwr.records import Result, Row
from pytest_iwr.report.words import one_line

_FIELDS = (
    "task",
    "model",
    "epoch",
    "level",
    "domain",
    "device",
    "status",
    "kind",
    "failed_step",
    "failed_checkpoint",
    "steps_done",
    "steps_total",
    "ifs",
    "vfs",
    "lfs",
    "hfs",
    "final",
    "reason",
)


def properties(row: Row) -> list[tuple[str, str]]:
    """Give the properties of a row, `iwr_task` first; what is `None` is left out."""
    named = {name: getattr(row, name) for name in _FIELDS}
    if isinstance(row, Result):
        cause = row.cause
        named |= {
            "cause": cause.kind if cause else None,
            "why": cause.words if cause else None,
            "protocol": row.protocol.id,
            "folder": row.folder,
        }
    return [
        (f"iwr_{name}", one_line(str(value)))
        for name, value in named.items()
        if value is not None
    ]
