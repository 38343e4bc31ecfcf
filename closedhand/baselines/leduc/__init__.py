"""Leduc: exact solving over the public tree, and learning judged by exact exploitability."""

from closedhand.baselines.leduc.strategy import Strategy, load, save, uniform
from closedhand.baselines.leduc.tree import Evaluation, evaluate

__all__ = ["Evaluation", "Strategy", "evaluate", "load", "save", "uniform"]
