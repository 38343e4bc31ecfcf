"""The agent `monte-carlo`: flat Monte Carlo search with fitted playouts, exact where possible.

1. Play a sure win, or solve the game of the last two players (`search_agent.py`).
2. Otherwise simulate: draw a determinisation, choose an action by UCB1-tuned, and play to the end
   of the round by the policy of the playouts (`closedhand.search.monte_carlo`).
3. Choose the action with the greatest mean payoff.
"""

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from closedhand.agents.daihinmin.limits import check_known, check_no_gifts
from closedhand.agents.daihinmin.policy import light_policy, pattern_policy
from closedhand.agents.daihinmin.search_agent import SearchAgent
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import described
from closedhand.core.game import Game, InputError, State, shown
from closedhand.core.numba.jit import Policy
from closedhand.search.budget import SearchArgument, Threads, read_budget
from closedhand.search.monte_carlo import MonteCarlo
from closedhand.search.playout import Uniform

USUAL = "2000"
"""Default budget."""
SIMULATION = {"light": 6.0, "policy": 60.0, "random": 5.0}
"""Approximate microseconds of a simulation, by the policy of its playouts."""
POLICIES = {"light": light_policy, "policy": pattern_policy, "random": None}
"""Modules of the policies of playouts, with `load` and `shipped`; None: without weights."""
Playouts = Annotated[
    Literal["light", "policy", "random"],
    "policy of the playouts: the light one, that of `policy`, or uniformly random actions",
]


class MonteCarloAgent(SearchAgent):
    """Agent that plays by flat Monte Carlo search."""

    def __init__(self, game: Game, name: str, seed: int, policy: Policy, **budget: Any) -> None:
        """Search by `MonteCarlo` with a budget; a policy plays the simulations."""
        super().__init__(game, name, seed, policy)
        self._search = MonteCarlo(self._flat, policy, rules=self._rules, **budget)
        self.spent = self._search.spent

    def searched(self, view: State) -> int:
        """Choose a flat action by simulations."""
        points = float(view["points"][int(view["player"])])
        low, high = points + 1.0, points + self.game.num_players - int(view["out"])
        return self._search.best(view, low, high, self._rng)


@described(
    lambda game, argument, playouts="light", **_: argument.traits(SIMULATION[playouts]),
    reads=partial(read_budget, "monte-carlo", USUAL),
)
def make_monte_carlo(
    game: Game,
    seed: int,
    argument: SearchArgument,
    threads: Threads = None,
    playouts: Playouts = "light",
) -> MonteCarloAgent:
    """Make the agent `monte-carlo`; `monte-carlo:500`, `monte-carlo:20ms:PATH` set the budget.

    The path is a file of weights for the policy of the playouts.

    Raises:
        InputError: The weights or a number cannot be used, or the game has rules that the agent
            does not play.
    """
    check_no_gifts(game, "monte-carlo")
    if playouts == "policy":
        check_known(game, "playouts=policy")
    policy = policy_of(playouts, argument.path)
    given = {"threads": threads, "playouts": None if playouts == "light" else playouts}
    name = str(AgentSpec("monte-carlo", given, argument.text))
    return MonteCarloAgent(game, name, seed, policy, **argument.spent(threads))


def policy_of(playouts: str, path: str | None) -> Policy:
    """Load one of `POLICIES`, from the package or a file; an `InputError` refuses other files."""
    source = POLICIES[playouts]
    if source is not None:
        return source.load(Path(path)) if path else source.shipped()
    if path:
        raise InputError(f"{playouts} playouts have no weights: leave out {shown(path)}")
    return Uniform()


def playouts(game: Game) -> tuple[Game, Policy] | None:
    """Return game and policy of playouts; None for matches and for rules with gifts or discards."""
    if game.rounds > 1 or game.flat.rules.has_gifts:
        return None
    return game, light_policy.shipped()
