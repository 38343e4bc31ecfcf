"""The agent `monte-carlo`: flat Monte Carlo search with fitted playouts, exact where possible.

It plays a sure win where there is one (`endgame.py`). Between the last two players, who know each
other's cards, it solves the rest of the game. Otherwise it searches, to the end of the round.
"""

from pathlib import Path
from typing import Annotated, Any

import numpy as np

from closedhand.baselines.daihinmin.endgame import DEEPEST, is_duel, open_hands, sure_win
from closedhand.baselines.daihinmin.policy.softmax import Policy, load, shipped
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described
from closedhand.core.game import Game, State
from closedhand.core.moved import old_names
from closedhand.core.options import Range
from closedhand.core.registry import make_game
from closedhand.games.daihinmin.plays import NUM_ACTIONS
from closedhand.games.daihinmin.state import PLAYERS
from closedhand.search.budget import MOST_PARTICLES, Threads, read_budget, traits
from closedhand.search.exact import WON, solve
from closedhand.search.monte_carlo import MonteCarlo

__getattr__ = old_names(__name__)

DUEL_DEPTH = 48
DUEL_NODES = 20_000
USUAL = "2000"
"""Default budget."""
SIMULATION = 6.0
"""Microseconds of one simulation, an order of magnitude."""


def one_round(rules: Any) -> Any:
    """The rules of a match that ends with the current round."""
    options = rules.options.copy()
    options.rounds = 1
    return rules._replace(options=options)


Candidates = Annotated[int | None, Range(1, MOST_PARTICLES), "candidates for every world"]


class MonteCarloAgent:
    """Plays by search.

    Attributes:
        name: Name in results and records.
    """

    def __init__(self, game: Game, name: str, seed: int, policy: Policy, **budget: Any) -> None:
        """Play `game`, Daihinmin with any options.

        Args:
            game: Game to play.
            name: Name of the agent.
            seed: Seed of the simulations.
            policy: Policy of the playouts.
            **budget: Budget arguments of `MonteCarlo`.
        """
        self.game = game
        self.name = name
        self._rng = np.random.default_rng((seed, 0x5EA2C4))
        self._policy = policy
        self._flat = make_game(game.name, **{**game.options, "compact": False})
        self._rules = one_round(game.flat.rules)
        self._search = MonteCarlo(self._flat, policy, rules=self._rules, **budget)
        self._states = game.empty(DUEL_DEPTH)
        self._actions = np.empty((DUEL_DEPTH, NUM_ACTIONS), np.int32)
        self._ids = np.empty(NUM_ACTIONS, np.int32)

    def act(self, view: State) -> int:
        """The action of the player to act."""
        action = self._certain(view)
        if action < 0:
            points = float(view["points"][int(view["player"])])
            best = points + PLAYERS - int(view["out"])
            action = self._search.best(view, points + 1.0, best, self._rng)
        if not self.game.options["compact"]:
            return action
        return int(self.game.rules.tables.set_of[action])

    def _certain(self, view: State) -> int:
        """An action that is certainly best, or -1."""
        if view["leader"] < 0:
            return -1
        self._states[0] = view
        states, actions, ids = self._states[:DEEPEST], self._actions[:DEEPEST], self._ids
        action = int(sure_win(self._rules, states, actions, ids))
        if action >= 0 or not is_duel(view):
            return action
        open_hands(self._states[0])
        player = int(view["player"])
        least = float(view["points"][player] + PLAYERS - view["out"])
        value, action = solve(
            self._policy, self._rules, self._states, self._actions, player, 1 << player, least,
            DUEL_NODES,
        )  # fmt: skip
        return int(action) if value == WON else -1


def describe(
    game: Game, argument: str | None, threads: int | None = None, candidates: int | None = None
) -> Traits:
    """Traits of the agent, known before it plays."""
    budget, _, path = read_budget("monte-carlo", argument or USUAL, threads)
    return traits(budget, path, SIMULATION)


@described(describe)
def make_monte_carlo(
    game: Game,
    seed: int,
    argument: str | None,
    threads: Threads = None,
    candidates: Candidates = None,
) -> MonteCarloAgent:
    """The agent `monte-carlo`, with a budget as in `monte-carlo:500x4` or `monte-carlo:20ms:PATH`.

    The number after the `x` is the number of candidates for every world, like the option
    `candidates`; the path is a file of playout weights.

    Raises:
        InputError: The argument is invalid.
    """
    budget, number, path = read_budget("monte-carlo", argument or USUAL, threads)
    if candidates is not None:
        number = candidates
    policy = load(Path(path)) if path else shipped()
    name = str(AgentSpec("monte-carlo", {"threads": threads, "candidates": candidates}, argument))
    budget["candidates"] = 1 if number is None else number
    return MonteCarloAgent(game, name, seed, policy, **budget)
