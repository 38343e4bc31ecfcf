"""Agents that decide in sub-steps (main group, kickers), for flat and for sub-stepped games.

In a flat game the sub-steps are played on copies of the views until each play is complete.
"""

import numpy as np

from closedhand.core.batch_agent import BatchAgent, through_substeps
from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu import substeps
from closedhand.games.doudizhu.auction import is_opening, pass_id
from closedhand.games.doudizhu.game import in_substeps
from closedhand.games.doudizhu.plays import PASS_GROUP


@kernel
def play_each(rules, views, chosen, steps, actions):
    """Play sub-step `steps[k]` in `views[i]`, where i is `chosen[k]`.

    If the sub-step completes a play, or is a bid or another word, its flat action is written into
    `actions[i]`.
    """
    for k in range(len(chosen)):
        i = chosen[k]
        step = np.int64(steps[k])
        if is_opening(rules.flat, views[i]):
            # A word is converted, not played: the last pass of an auction would deal anew.
            value = 0 if step == PASS_GROUP else step - substeps.FIRST_BID + 1
            actions[i] = pass_id(rules.flat) + value
            continue
        move = views[i].moves
        substeps.play(rules, views[i], step)
        if views[i].moves > move:
            actions[i] = views[i].history[move]


class SubstepAgent(BatchAgent):
    """Base of agents that choose sub-steps, of the game `substeps`; subclasses define `choose`."""

    def __init__(self, game: Game, name: str) -> None:
        """Create the agent `name` for `game`, Dou Dizhu with any options."""
        super().__init__(game, name)
        self.substeps = in_substeps(game.flat)

    def choose(self, views: np.ndarray) -> np.ndarray:
        """Choose the next sub-step of the player to act, int32 [n], for states [n]."""
        raise NotImplementedError

    def step_probabilities(self, views: np.ndarray) -> np.ndarray:
        """Return the probabilities of the next sub-step for states [n], float64 [n, sub-steps]."""
        raise NotImplementedError

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        """Choose an action, int32 [n], for each view, states [n]."""
        if self.game.options["substeps"]:
            return self.choose(views)
        return self.complete(views, self.choose(views))

    def probabilities(self, views: np.ndarray) -> np.ndarray:
        """Return the probabilities of the actions, float64 [n, num_actions].

        In a flat game the probability of a play is that of its main group times those of its
        kickers. `act` takes the most probable sub-step at every step, so that the most probable
        play may be another one.
        """
        if self.game.options["substeps"]:
            return self.step_probabilities(views)

        def play(states: np.ndarray, steps: np.ndarray) -> np.ndarray:
            actions = np.full(len(states), -1, np.int32)
            play_each(self.substeps.rules, states, np.arange(len(states)), steps, actions)
            return actions

        return through_substeps(views, self.game.num_actions, self.step_probabilities, play)

    def complete(self, views: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """Complete the flat actions that begin with `steps`, int32 [n]."""
        views = views.copy()
        actions = np.full(len(views), -1, np.int32)
        unfinished = np.arange(len(views))
        while len(unfinished):
            play_each(self.substeps.rules, views, unfinished, steps, actions)
            unfinished = np.flatnonzero(actions < 0)
            if len(unfinished):
                steps = self.choose(views[unfinished])
        return actions
