"""The report for people: an overview and a page for each evaluation."""

from pytest_iwr.report.site.single import MOST_BYTES, write_single_file
from pytest_iwr.report.site.write import write_site

__all__ = ["MOST_BYTES", "write_single_file", "write_site"]
