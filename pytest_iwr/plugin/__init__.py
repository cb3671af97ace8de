"""The pytest plugin: options, and the rest when it is needed."""
