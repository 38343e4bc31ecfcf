"""The agent `decompose`: partitions hands into plays and rates the hand that each play leaves."""

from closedhand.core.moved import old_names

__getattr__ = old_names(__name__)
