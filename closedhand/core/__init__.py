"""The definition of a game, and functions for any game that the other subpackages use.

The modules need NumPy and Numba; filelock to lock files, and numba-cuda to compile for GPUs.
"""
