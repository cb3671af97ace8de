"""Goes through the changed checkpoints of a run: accept, mask, reject."""
