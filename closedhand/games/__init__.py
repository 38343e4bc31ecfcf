"""The rules of the games, one folder each; they need NumPy and Numba only."""
