"""The agent `search`: determinised search over the plays that `decompose` likes best."""

from closedhand.core.moved import old_names

__getattr__ = old_names(__name__)
