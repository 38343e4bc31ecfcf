"""Agents and learners, a folder a game.

Agents are made by name, by `closedhand.make_agent`: import from here only what is listed in the
`__all__` of a folder.
"""

__all__: list[str] = []
