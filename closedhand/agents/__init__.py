"""Agents and learners, one folder per game.

`closedhand.make_agent` makes agents by name. Import only what the `__all__` of a folder lists.
"""

__all__: list[str] = []
