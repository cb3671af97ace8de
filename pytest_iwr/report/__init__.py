"""Shows the results of a run."""
