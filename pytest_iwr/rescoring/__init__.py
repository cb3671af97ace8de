"""Scores a stored run again: another judge, protocol or metric, without a browser."""
