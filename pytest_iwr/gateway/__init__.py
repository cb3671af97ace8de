"""The one door to model APIs: keys, cache, limits, retries, budget, ledger."""

from pytest_iwr.gateway.books import Mode
from pytest_iwr.gateway.ledger import read_ledger
from pytest_iwr.gateway.retry import Patience
from pytest_iwr.gateway.server import Gateway, Status

__all__ = ["Gateway", "Mode", "Patience", "Status", "read_ledger"]
