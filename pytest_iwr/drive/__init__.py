"""Carries out a trajectory on a page in a real browser."""
