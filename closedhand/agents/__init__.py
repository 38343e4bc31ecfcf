"""Agents and learners, one folder per game.

`closedhand.make_agent` makes agents by name, `from_function` makes one of a function. Import only
what the `__all__` of a folder lists.

Arguments of kernels (`rules`, `state`, `ids` and others) are as in `closedhand.core.contract`. A
`view` is a state in which everything that a player cannot know is blank. A policy's `kernels` names
the module whose functions, such as `decide`, are called for it (`closedhand.core.policies`).
"""

from closedhand.agents.function import from_function

__all__ = ["from_function"]
