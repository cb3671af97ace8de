"""The report for people: an overview and a page for each evaluation."""

from pytest_iwr.report.site.single import write_single_file
from pytest_iwr.report.site.write import write_site

__all__ = ["write_single_file", "write_site"]
