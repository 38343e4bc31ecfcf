"""Leduc: the agent `equilibrium`, the states of course slides, a fast public tree for solvers."""
