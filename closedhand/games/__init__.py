"""The rules of the games, a folder each; NumPy and Numba only."""
