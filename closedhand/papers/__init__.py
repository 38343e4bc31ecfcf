"""Published results, computed again: one folder for each document."""
