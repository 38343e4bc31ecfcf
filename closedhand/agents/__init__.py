"""Agents and learners, one folder per game.

`closedhand.make_agent` makes agents by name, `from_function` makes one of a function. Import only
what the `__all__` of a folder lists.
"""

from closedhand.agents.function import from_function

__all__ = ["from_function"]
