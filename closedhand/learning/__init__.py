"""Learners that do not depend on a game."""
