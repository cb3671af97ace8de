"""Is a verdict right? Judges with a known truth to compare it with."""
