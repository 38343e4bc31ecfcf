"""Agents and learners, a folder a game."""
