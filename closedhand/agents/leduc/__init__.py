"""Leduc: the agent `equilibrium`, the slides' states, and a fast public tree for solvers."""
