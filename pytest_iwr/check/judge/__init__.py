"""A judge model: what it is asked, and what its replies say."""
