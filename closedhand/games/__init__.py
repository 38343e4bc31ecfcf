"""The rules of the games, one folder each; they need NumPy and Numba only."""

from closedhand.core.moved import old_names

__getattr__ = old_names(__name__)
