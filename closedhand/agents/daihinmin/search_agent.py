"""Base of the search agents of Daihinmin: exact play where possible, search elsewhere.

1. Play a sure win if there is one (`endgame.py`).
2. Between the last two players, who know each other's cards, solve the rest of the round.
3. Otherwise search to the end of the round.
"""

import numpy as np

from closedhand.agents.daihinmin.endgame import DEEPEST, is_duel, open_hands, sure_win
from closedhand.core.batch import prepared
from closedhand.core.copies import OwnArrays
from closedhand.core.game import Game, State
from closedhand.core.numba.jit import Policy
from closedhand.search.alpha_beta import WON, solve
from closedhand.search.ranking import Simulation

DUEL_DEPTH = 48
DUEL_NODES = 20_000
"""Limits of the search between the last two players: depth in states, and positions visited."""


class SearchAgent(OwnArrays):
    """Base of agents that play sure wins and solved endings, and search otherwise (`searched`)."""

    spent: np.ndarray

    def __init__(self, game: Game, name: str, seed: int, policy: Policy) -> None:
        """Search with playouts by `policy`, whose `worthwhile` lists the plays tried in endings."""
        self.game = game
        self.name = name
        self._rng = np.random.default_rng((seed, 0x5EA2C4))
        self._policy = policy
        self._flat = game.flat
        # The rules of a match that ends with the current round.
        options = game.flat.rules.options.copy()
        options.rounds = 1
        self._rules = game.flat.rules._replace(options=options)
        self._states = game.empty(DUEL_DEPTH)
        self._actions = np.empty((DUEL_DEPTH, self._flat.num_actions), np.int32)
        self._ids = np.empty(self._flat.num_actions, np.int32)

    def act(self, view: State) -> int:
        """Choose the action of the player to act; an `InputError` refuses an invalid view."""
        (view,) = prepared(self.game, np.asarray(view)[np.newaxis])
        action = self._certain(view)
        if action < 0:
            action = self.searched(view)
        if self.game.flat is self.game:
            return action
        return int(self.game.rules.tables.set_of[action])

    def searched(self, view: State) -> int:
        """Choose a flat action by search."""
        raise NotImplementedError

    def simulation(self, view: State) -> Simulation:
        """Describe simulations to the end of the round, by which all actions can be ranked."""
        return Simulation(self._flat, self._policy, self._rules)

    def _certain(self, view: State) -> int:
        """Return a flat action by which the player is surely out next; -1 if none is known."""
        if view["leader"] < 0:
            return -1
        self._states[0] = view
        states, actions, ids = self._states[:DEEPEST], self._actions[:DEEPEST], self._ids
        action = int(sure_win(self._rules, states, actions, ids))
        if action >= 0 or not is_duel(view):
            return action
        open_hands(self._states[0])
        player = int(view["player"])
        least = float(view["points"][player] + self.game.num_players - view["out"])
        value, action = solve(
            self._policy, self._rules, self._states, self._actions, player, 1 << player, least,
            DUEL_NODES,
        )  # fmt: skip
        return int(action) if value == WON else -1
