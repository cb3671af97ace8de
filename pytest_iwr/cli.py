"""The `iwr` command."""
