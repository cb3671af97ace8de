"""Measurements of the package against public data, run by hand and in CI."""
