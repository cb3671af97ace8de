"""Overrides of the plugin's fixtures for this repository; no logic."""
