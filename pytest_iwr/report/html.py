"""The summary as a piece of HTML; the template stands beside it."""

from jinja2 import Environment, PackageLoader, StrictUndefined

from pytest_iwr.records import Summary
from pytest_iwr.report.words import first_break, number


def render(summary: Summary, details: str) -> str:
    """Give the tables of a run as HTML, all text escaped; `details` is an address."""
    environment = Environment(
        loader=PackageLoader("pytest_iwr.report"),
        autoescape=True,
        undefined=StrictUndefined,
    )
    template = environment.get_template("summary.html.jinja")
    return template.render(
        summary=summary, details=details, first_break=first_break, number=number
    )
