"""Kuhn poker for closedhand: a complete game in its own package, found by its entry points."""
