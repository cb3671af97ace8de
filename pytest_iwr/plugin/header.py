"""The line at the top: models, pages, browser."""

from pytest_iwr.errors import NoBrowserError
from pytest_iwr.plugin.plan import Plan, shown

_MOST = 6
"""Models named on the line; of more the rest is counted."""


def header(plan: Plan) -> str:
    """Give the line."""
    names = list(plan.models[:_MOST])
    if len(plan.models) > _MOST:
        names.append(f"{len(plan.models) - _MOST} more")
    parts = [f"models {', '.join(names)}"]
    if plan.options.pages is not None:
        parts.append(f"pages {shown(plan.options.pages, plan.config)}")
    if not plan.is_dry:
        parts.append(_browser(plan))
    return f"iwr: {'; '.join(parts)}"


def _browser(plan: Plan) -> str:
    if not plan.searches_browser:
        return "browser as configured"
    try:
        found = plan.browser
    except NoBrowserError:
        return "no browser found"
    return f"browser {found.source}"
