"""What makes tasks out of sites: capture, and the check against the original."""
