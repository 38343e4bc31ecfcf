"""The agent `search`: determinised search over the plays that `decompose` rates highest."""

from closedhand.core.moved import old_names

__getattr__ = old_names(__name__)
