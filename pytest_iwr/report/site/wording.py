"""The report's words: kinds of failure, numbers, times and amounts."""

from datetime import UTC, datetime

from pytest_iwr.report.words import number

KINDS = {
    "no_page": "no page",
    "refused": "the model refused",
    "filtered": "filtered",
    "empty": "empty reply",
    "cut_off": "reply cut off",
    "target_missing": "target missing",
    "hidden": "target hidden",
    "covered": "target covered",
    "ambiguous": "target ambiguous",
    "not_interactive": "not interactive",
    "input_lost": "input lost",
    "nothing_scrolled": "nothing scrolled",
    "expectation": "expectation not met",
    "assertion": "assertion false",
    "checkpoint": "looks different",
    "threshold": "below the threshold",
    "page_unresponsive": "page unresponsive",
    "page_crashed": "page crashed",
    "load_failed": "did not load",
    "too_many_dialogs": "too many dialogs",
    "navigation_failed": "navigation failed",
    "lost": "worker lost",
    "browser_gone": "browser gone",
    "ungrounded": "sentence not understood",
    "unstable": "not stable",
    "task_invalid": "task invalid",
    "checkpoint_unusable": "reference unusable",
    "budget": "out of budget",
    "endpoint": "endpoint failed",
    "judge_unreadable": "judge unreadable",
    "infrastructure": "infrastructure",
}
STATUSES = {
    "passed": "passed",
    "failed": "failed",
    "error": "not scored",
    "not_run": "not run",
}


def kind_words(kind: str | None) -> str:
    """Say a kind of failure; one that is new here by its name."""
    return KINDS.get(kind, kind.replace("_", " ")) if kind else ""


def seconds(value: float | None) -> str:
    """Give a time with the places that matter."""
    if value is None:
        return "–"
    if value < 10:  # noqa: PLR2004 - a second digit matters below it
        return f"{value:.2f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s" if minutes else f"{value:.1f} s"


def moment(text: str) -> str:
    """Give a time in ISO 8601 as people read it, to the minute, in UTC."""
    when = datetime.fromisoformat(text).astimezone(UTC)
    return f"{when:%Y-%m-%d %H:%M} UTC"


def dollars(value: float | None) -> str:
    """Give an amount in US dollars; unknown is not nothing."""
    return "unknown" if value is None else f"${value:.4f}"


def count(amount: int, noun: str) -> str:
    """Give a number with its noun."""
    return f"{amount:,} {noun}" + ("" if amount == 1 else "s")


def megabytes(size: int) -> str:
    """Give a size in MB, or KB where it is small."""
    if size < 1_000_000:  # noqa: PLR2004 - one MB
        return f"{size / 1000:.0f} KB"
    return f"{size / 1_000_000:.1f} MB"


__all__ = [
    "KINDS",
    "STATUSES",
    "count",
    "dollars",
    "kind_words",
    "megabytes",
    "moment",
    "number",
    "seconds",
]
