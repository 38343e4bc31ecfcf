"""Kuhn poker for closedhand: a whole game from outside, found by its entry points."""
