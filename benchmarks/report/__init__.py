"""A run that was never evaluated, and how long its report takes."""
