"""Solvers of any small game: information trees, algorithms, and exact evaluation."""
