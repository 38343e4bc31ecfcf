"""The definition of a game and the functions that all packages share; it names no game.

It depends on NumPy and Numba alone.
"""
