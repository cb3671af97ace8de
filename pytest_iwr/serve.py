"""A folder → `http://<token>.localhost:<port>/`, one origin per item."""
