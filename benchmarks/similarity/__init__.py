"""What the numbers of the protocol `offline` are worth, on pages with known faults."""
