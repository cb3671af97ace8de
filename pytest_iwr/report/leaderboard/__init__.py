"""Runs beside the published rows of IWR-Bench, one protocol a table."""
