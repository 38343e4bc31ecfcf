"""The abstraction of the course slides: states without the order of the betting.

The slides use (turn, bets, own card, flop) as a player's state. The tuple omits how the bets were
made, so that different information sets share it. This is imperfect recall, for which CFR has no
guarantee. On the trees `SLIDES` solvers learn one strategy for each tuple; results are evaluated in
the real game (`solvers/tied.py`).
"""

import numpy as np

from closedhand.agents.leduc.tree import state_text
from closedhand.core.game import Game
from closedhand.solvers.tied import tied_trees
from closedhand.solvers.tree import InfoTree, views_of_sets


def classes(game: Game, tree: InfoTree) -> np.ndarray:
    """Number the slides' states from 0; return that of each information set, int64 [sets]."""
    numbers: dict[str, int] = {}
    found = np.empty(len(tree.owner), np.int64)
    for views, sets in views_of_sets(game, tree):
        for view, s in zip(views, sets, strict=True):
            found[s] = numbers.setdefault(state_text(game, view), len(numbers))
    return found


SLIDES = tied_trees(classes)
