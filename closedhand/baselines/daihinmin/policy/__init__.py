"""The light policy of playouts, and the training of its weights."""

from closedhand.core.moved import old_names

__getattr__ = old_names(__name__)
