"""What a game is, and what everything else stands on; NumPy and Numba only, names no game."""
