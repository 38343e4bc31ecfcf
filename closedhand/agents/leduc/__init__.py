"""Leduc: its public tree, a fast one for the solvers of any small game, and the slides' states."""
