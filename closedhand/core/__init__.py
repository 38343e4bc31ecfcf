"""The definition of a game and the functions that all packages share; it names no game.

It needs NumPy and Numba; also filelock to lock files, and numba-cuda to compile for GPUs.
"""
