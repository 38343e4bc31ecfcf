"""The agent `decompose`: hands divided into plays, and what each play leaves."""

from closedhand.core.moved import old_names

__getattr__ = old_names(__name__)
