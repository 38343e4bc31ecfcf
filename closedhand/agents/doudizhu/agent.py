"""Base of the Dou Dizhu agents that rate plays."""

from abc import abstractmethod

import numpy as np

from closedhand.agents.agent import PlayAgent
from closedhand.core.game import State
from closedhand.games.doudizhu.auction import is_opening


class RatingAgent(PlayAgent):
    """A `PlayAgent` that rates some flat plays and makes the best one."""

    @abstractmethod
    def rate_plays(self, view: State) -> tuple[np.ndarray, np.ndarray]:
        """List the flat plays that the agent considers while cards are played, and their values.

        Values are float64; -inf marks plays without a value, as another play is much better.
        """

    def values(self, view: State, actions: np.ndarray) -> np.ndarray:
        """Rate legal actions; the value of a main group is that of its best play.

        NaN marks plays with other kickers than the best, which the agent does not consider. Bids,
        other words and kickers have no values: the agent's choice alone is marked.

        Args:
            view: View of the player to act.
            actions: Legal actions, integers [n].
        """
        whole = self.game.flat  # the game whose actions are whole plays
        in_steps = whole is not self.game
        if is_opening(whole.rules, view) or (in_steps and view.group >= 0):
            return np.where(actions == self.act(view), 0.0, np.nan)
        plays, found = self.rate_plays(view)
        best = np.full(self.game.num_actions, np.nan)
        np.fmax.at(best, whole.rules.plays.group[plays] if in_steps else plays, found)
        return best[actions]
