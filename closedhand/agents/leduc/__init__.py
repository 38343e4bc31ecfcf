"""Leduc: the agent `equilibrium`, the course slides' states, and a fast public tree for solvers."""
