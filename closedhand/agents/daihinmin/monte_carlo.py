"""The agent `monte-carlo`: flat Monte Carlo search with fitted playouts, exact where possible.

1. Play a sure win, or solve the game of the last two players (`search_agent.py`).
2. Otherwise simulate: draw a determinisation, choose an action by UCB1-tuned, and play to the end
   of the round by the light policy (`closedhand.search.monte_carlo`).
3. Choose the action with the greatest mean payoff.
"""

from functools import partial
from typing import Any

from closedhand.agents.daihinmin.limits import check_no_gifts
from closedhand.agents.daihinmin.policy import light_policy
from closedhand.agents.daihinmin.search_agent import SearchAgent
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import described
from closedhand.core.game import Game, State
from closedhand.core.numba.jit import Policy
from closedhand.search.budget import SearchArgument, Threads, read_budget
from closedhand.search.monte_carlo import MonteCarlo

USUAL = "2000"
"""Default budget."""
SIMULATION = 6.0
"""Approximate time of a simulation, in microseconds."""


class MonteCarloAgent(SearchAgent):
    """Agent that plays by flat Monte Carlo search."""

    def __init__(self, game: Game, name: str, seed: int, policy: Policy, **budget: Any) -> None:
        """Search by `MonteCarlo` with a budget; a policy plays the simulations."""
        super().__init__(game, name, seed, policy)
        self._search = MonteCarlo(self._flat, policy, rules=self._rules, **budget)
        self.spent = self._search.spent

    def searched(self, view: State) -> int:
        """Choose a flat action by simulations."""
        # Bounds of the payoff: the last place gives one point, the best free one as many as players
        # are left in the round.
        points = float(view["points"][int(view["player"])])
        low, high = points + 1.0, points + self.game.num_players - int(view["out"])
        return self._search.best(view, self._rng, low, high)


@described(
    lambda game, argument, **_: argument.traits(SIMULATION),
    reads=partial(read_budget, "monte-carlo", USUAL),
)
def make_monte_carlo(
    game: Game, seed: int, argument: SearchArgument, threads: Threads = None
) -> MonteCarloAgent:
    """Make the agent `monte-carlo`; `monte-carlo:500`, `monte-carlo:20ms:PATH` set the budget.

    The path is a file of weights for the policy of the playouts.

    Raises:
        InputError: The weights cannot be used, or `check_no_gifts` refuses the game.
    """
    check_no_gifts(game, "monte-carlo")
    name = str(AgentSpec("monte-carlo", {"threads": threads}, argument.text))
    policy = light_policy.load(argument.path)
    return MonteCarloAgent(game, name, seed, policy, **argument.spent(threads))


def playouts(game: Game) -> tuple[Game, Policy] | None:
    """Return game and policy of playouts; None for matches and for rules with gifts or discards."""
    if game.rounds > 1 or game.flat.rules.has_gifts:
        return None
    return game, light_policy.load()
