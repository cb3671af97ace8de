"""A folder → `http://<token>.localhost:<port>/`, one origin per item."""

from pytest_iwr.serve.server import Served, Server

__all__ = ["Served", "Server"]
