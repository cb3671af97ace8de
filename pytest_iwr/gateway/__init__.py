"""The one door to model APIs: keys, cache, limits, retries, budget, ledger."""
