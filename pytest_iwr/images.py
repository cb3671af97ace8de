"""Pictures: open, align, pad, crop, compare pixels."""
