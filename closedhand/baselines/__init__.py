"""Agents and learners, one folder per game."""
