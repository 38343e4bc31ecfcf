"""Matches between agents, their statistics and pictures, and games against a person."""
