"""What all agents of Chinese Poker share: they arrange hands, whatever the actions are called."""

from abc import ABC, abstractmethod

import numpy as np

from closedhand.games.chinese_poker import substeps
from closedhand.games.chinese_poker.plays import FRONTS
from closedhand.games.chinese_poker.rules import UNSET, Rules
from closedhand.games.game import Game, State


class ArrangingAgent(ABC):
    """An agent that arranges a hand of thirteen cards; the rest is bookkeeping.

    It looks at nothing but the hand: neither at who has set his before, which tells nothing, nor at
    how many play. Options that pay for hands (royalties, naturals) do not change what it does.

    Attributes:
        name: What tables and records call it.
        game: The game.
        rules: Those of the flat game.
    """

    def __init__(self, game: Game, name: str) -> None:
        """Play `game`, flat or in sub-steps."""
        self.name = name
        self.game = game
        self.rules: Rules = getattr(game.rules, "flat", game.rules)

    @abstractmethod
    def arrange(self, hands: np.ndarray) -> np.ndarray:
        """The arrangements of hands, int8 [n, 13], cards high to low; int32 [n]."""

    def act(self, view: State) -> int:
        """The action of the player to act."""
        return int(self.act_batch(np.array([view], self.game.dtype))[0])

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        """The action of the player to act in each view, states [n]; int32 [n]."""
        rows = np.arange(len(views))
        arrangements = self.arrange(views["hands"][rows, views["player"]])
        if self.game.num_actions != substeps.ACTIONS:
            return arrangements
        chosen = views["backs"][rows, views["player"]]
        actions = np.where(
            chosen == UNSET, arrangements // FRONTS, substeps.FIRST_FRONT + arrangements % FRONTS
        )
        for i in np.flatnonzero((chosen != UNSET) & (chosen != arrangements // FRONTS)):
            # Somebody else chose the back, as where a person asks for a hint: the strongest middle.
            actions[i] = self.game.legal(views[i])[0]
        return actions.astype(np.int32)
