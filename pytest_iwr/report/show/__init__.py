"""Serves a finished run on this machine, with Playwright's trace viewer."""
