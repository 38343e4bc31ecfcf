"""Leduc: its fast public tree for the solvers, the agent `equilibrium`, the slides' states."""
