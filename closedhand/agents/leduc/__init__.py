"""Leduc: a fast public tree for the solvers, the agent `equilibrium`, states of course slides."""
