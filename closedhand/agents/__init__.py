"""Agents and their training, one folder per game.

`closedhand.make_agent` makes agents by name, `from_function` makes one from a function.

Arguments of kernels (`rules`, `state`, `ids` and others) are as in `closedhand.core.contract`. A
`view` is a state in which everything that a player cannot know is blank. A policy is a NamedTuple;
the attribute `kernels` of its class names the module of its `decide` and other functions
(`closedhand.core.policies`). The flat game, `game.flat`, is the one whose actions are whole plays.
"""

from closedhand.agents.function import from_function

__all__ = ["from_function"]
