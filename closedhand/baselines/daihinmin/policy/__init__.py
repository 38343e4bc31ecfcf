"""The light policy of playouts, and how its weights are fitted."""

from closedhand.core.moved import old_names

__getattr__ = old_names(__name__)
