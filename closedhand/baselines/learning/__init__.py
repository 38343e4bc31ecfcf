"""Learners that know no game."""
