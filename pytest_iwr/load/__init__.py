"""YAML 1.2 text → Task, every problem of a file with its line."""
