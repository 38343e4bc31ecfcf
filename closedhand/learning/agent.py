"""The agent `learned`: a network of any learner of this package, in any game.

1. Encode the views, and compute the scores of the legal actions.
2. Divide the scores by the temperature and draw by softmax, or take the best action at 0.
3. If the network chooses sub-steps but the agent's game has whole plays, draw full states that fit
   the views, and choose sub-steps on them until each play is complete. The sub-steps of a play
   depend on the player's own cards alone, so the draw has no effect.
"""

from typing import Any

import numpy as np
import torch

from closedhand.core import batch, contract
from closedhand.core.batch_agent import BatchAgent, through_substeps
from closedhand.core.game import Game
from closedhand.core.numba.jit import Floats, Ids
from closedhand.learning.features import Features, Legal
from closedhand.learning.weights import check_finite

COLDEST = 1e-6
"""Least temperature above 0: scores divided by a lower one may overflow."""


class NetworkAgent(BatchAgent):
    """Agent that plays by a network; a score that is not finite is an `InputError`."""

    def __init__(
        self,
        game: Game,
        network: Any,
        features: Features,
        temperature: float = 1.0,
        seed: int = 0,
        name: str = "learned",
    ) -> None:
        """Play `features.game`, or its `flat`, by a network with a method `scores` (`networks`).

        The temperature divides the scores before the softmax; below `COLDEST` it counts as 0.
        """
        super().__init__(game, name)
        self.features = features
        self._network = network
        self._temperature = temperature if temperature >= COLDEST else 0.0
        self._rng = np.random.default_rng(seed)
        self._in_form = game.num_actions == features.actions  # else `game` is `features.game.flat`

    def act_batch(self, views: np.ndarray) -> Ids:
        """Choose an action, int64 [n], for each view, states [n]."""
        # One random number per decision, which serves all its sub-steps (`Legal.draw`). A decision
        # therefore does not depend on the others of a batch.
        numbers = self._rng.random(len(views))
        if self._in_form:
            return self._draw(views, numbers)[0]
        actions = np.full(len(views), -1)
        states, undecided = self._full(views), np.arange(len(views))
        while len(undecided):
            chosen, numbers = self._draw(batch.views(self.features.game, states), numbers)
            actions[undecided] = self._play(states, chosen)
            going_on = actions[undecided] < 0
            states, undecided, numbers = states[going_on], undecided[going_on], numbers[going_on]
        return actions

    def probabilities(self, views: np.ndarray) -> Floats:
        """Return probabilities of actions, float64 [n, num_actions], in each view, states [n]."""
        if self._in_form:
            return self._shares(views)
        return through_substeps(
            self._full(views),
            self.game.num_actions,
            lambda states: self._shares(batch.views(self.features.game, states)),
            self._play,
        )

    def _draw(self, views: np.ndarray, numbers: Floats) -> tuple[Ids, Floats]:
        """Draw actions of `features.game`; return also new uniform numbers, see `Legal.draw`."""
        legal, shares = self._policy(views)
        drawn, left = legal.draw(shares, torch.from_numpy(numbers))
        return legal.actions[drawn].numpy(), left.numpy()

    def _shares(self, views: np.ndarray) -> Floats:
        """Return the probabilities of all actions of `features.game`, float64 [n, actions]."""
        legal, shares = self._policy(views)
        found = torch.zeros((len(views), self.features.actions), dtype=torch.float64)
        found[legal.rows, legal.actions] = shares
        return found.numpy()

    def _policy(self, views: np.ndarray) -> tuple[Legal, torch.Tensor]:
        """Compute the legal actions and their probabilities, float64 [k]."""
        observations, masks = self.features.encode(views)
        legal = Legal.of(masks)
        with torch.inference_mode():
            scores = self._network.scores(
                torch.from_numpy(observations).float(),
                torch.from_numpy(views["player"].astype(np.int64)),
                legal,
            ).double()
            check_finite(scores)
            if self._temperature:
                return legal, legal.log_softmax(scores / self._temperature).exp()
            shares = torch.zeros_like(scores)
            shares[legal.best(scores)] = 1.0
            return legal, shares

    def _full(self, views: np.ndarray) -> np.ndarray:
        """Draw full states that fit the views."""
        rng = np.random.default_rng(0)
        states = views.copy()
        for state in states:
            contract.redeal(self.game.rules, state, state["player"], rng)
        return states

    def _play(self, states: np.ndarray, steps: np.ndarray) -> Ids:
        """Play a sub-step in each state; return the whole plays, int64 [n], -1 where incomplete."""
        before, players = states["moves"].copy(), states["player"].copy()
        batch.step(self.features.game, states, steps)
        moves, rows = states["moves"], np.arange(len(states))
        made = moves == before + 1
        whole = states["history"][rows, np.where(made, before, 0)].astype(np.int64)
        # A new deal clears the history. The action before the deal was this one sub-step: parse it.
        anew = ~made & ((moves != before) | (states["player"] != players))
        flat = self.game.flat
        for i in np.flatnonzero(anew):
            whole[i] = flat.parse(self.features.game.text(int(steps[i])))
        return np.where(made | anew, whole, -1)
