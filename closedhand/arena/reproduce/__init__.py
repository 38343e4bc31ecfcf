"""Published results, computed again: one module for each source."""
