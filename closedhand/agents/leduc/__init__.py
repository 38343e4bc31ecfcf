"""Leduc: exact solving over the public tree, and learning judged by exact exploitability."""

from closedhand.agents.leduc.strategy import Strategy, load, save, uniform
from closedhand.agents.leduc.tree import Evaluation, evaluate

__all__ = ["Evaluation", "Strategy", "evaluate", "load", "save", "uniform"]
