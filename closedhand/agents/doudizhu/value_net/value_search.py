"""The agent `value-search`: search over the plays of the greatest values by `value-net`.

It compares plays as `search` does (`search/agent.py`), with two differences: the values of
`value-net` before the search are a prior, and `value-net` plays the simulations. The steps of a
simulation, also in `policy-search`:

1. If a determinisation has few cards left, solve it exactly with open hands.
2. Otherwise `value-net` plays all seats to the end. Every seat chooses by its own view, so no
   simulated player uses hidden cards. The searching player takes the action of the greatest value.
   The others draw in proportion to exp(value / temperature), as real players differ from the
   network.
3. Mix the result of the game with the network's values of the player's later decisions (an
   eligibility trace, as in `self_play.py`). These values depend less on luck.

Determinisations are weighted as in `search` (`search/styles.py`), without the style of `rule`.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from closedhand.agents.doudizhu.decompose import agent as decompose
from closedhand.agents.doudizhu.limits import check_three
from closedhand.agents.doudizhu.search import styles
from closedhand.agents.doudizhu.search.agent import SearchAgent, search_settings
from closedhand.agents.doudizhu.search.styles import Styles, winner
from closedhand.agents.doudizhu.value_net import files
from closedhand.agents.doudizhu.value_net.agent import Policy, make_space, policy_of, rate
from closedhand.agents.doudizhu.value_net.network import Net, probability
from closedhand.core import contract
from closedhand.core.agents import described
from closedhand.core.game import Game, InputError, State
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu import rules as flat
from closedhand.learning.policy_gradient import draw, exponentials
from closedhand.search.alpha_beta import UNKNOWN, WON
from closedhand.search.budget import SearchArgument, Threads, Worlds, read_budget

WIDTH = 6
"""Maximum number of plays that are compared."""
MOST_BEHIND = 1.5
"""Largest difference of a candidate's value from the best one, in log-odds."""
ERROR = 0.15
"""Standard error of the network's difference between two plays, on the scale from -1 to 1."""
REPLACED_ABOVE = 1.0
"""Standard errors by which a play has to exceed the network's own choice in order to replace it."""
SIMULATION = 90.0
"""Order of magnitude of the time of a simulation, in microseconds."""
TEMPERATURE = 0.5
"""Temperature of the other players' choices, in log-odds."""
TRACE = 0.9
"""Weight of what follows a later decision of the player; the value there has 1 - TRACE."""


class Playouts(NamedTuple):
    """The policy of playouts."""

    kernels = "closedhand.agents.doudizhu.value_net.value_search"

    styles: Styles  # opponent model that weights the determinisations
    values: Policy
    temperature: float  # of the other players' choices, in log-odds


@kernel
def evaluate(policy, rules, state, player, guess, rng, ids):
    """Return the value of a full state, -1 to 1: exact with few cards left, else by a playout."""
    known = winner(policy.styles.decompose, rules, state, player)
    if known != UNKNOWN:
        return 1.0 if known == WON else -1.0
    # Each value that the network gives at a decision of `player` takes the share 1 - TRACE of the
    # remaining weight, `rest`, and the end of the game takes all that remains (as in TD(lambda)).
    space = make_space()
    payoff = contract.payoff(rules, state, player)
    total, rest = 0.0, 1.0
    while np.isnan(payoff):
        n, k, _ = rate(policy.values, rules, state, ids, space)
        if k < 0 and state.player == player:
            k = np.argmax(space.values[:n])
            total += rest * (1.0 - TRACE) * (2.0 * probability(space.values[k]) - 1.0)
            rest *= TRACE
        elif k < 0:
            weights = space.values[:n] / policy.temperature
            k = draw(weights, n, exponentials(weights, n), rng)
        flat.play(rules, state, space.plays[k])
        payoff = contract.payoff(rules, state, player)
    return total + rest * payoff


@kernel
def log_likelihood(policy, rules, state, player, least, rng, ids):
    """Compute the log-likelihood as `search/styles.py` does."""
    return styles.log_likelihood(policy.styles, rules, state, player, least, rng, ids)


@kernel
def propose(policy, rules, state, player, rng):
    """Exchange cards as `search/styles.py` does."""
    styles.propose(policy.styles, rules, state, player, rng)


class ValueSearchAgent(SearchAgent):
    """Agent that compares the plays of a value network by simulations of the same network."""

    def __init__(self, game: Game, name: str, seed: int, net: Net, **budget: Any) -> None:
        """Create the agent with a network that was trained to win, and a `PairedSearch` budget."""
        self._values = policy_of(net, "win")
        others = Styles(self._values.prior, 0, knows_rule=False)
        simulated = Playouts(others, self._values, TEMPERATURE)
        super().__init__(game, name, seed, decompose.load(None), simulated, **budget)
        self._space = make_space()

    def choose(self, view: State) -> int:
        """Choose a flat play while cards are played."""
        plays, values = self.rated(view)
        wins = 2 * np.array([probability(value) for value in values])  # a payoff is this less 1
        prior = wins - wins[0]
        return self._search.best(view, plays, self._rng, prior, ERROR, above=REPLACED_ABOVE)

    def rated(self, view: State) -> tuple[np.ndarray, np.ndarray]:
        """List plays to compare, int64 [n], and their log-odds to win, float64 [n], best first."""
        space = self._space
        n, k, _ = rate(self._values, self._flat.rules, view, self._ids, space)
        if k >= 0:
            return space.plays[k : k + 1].copy(), np.zeros(1)  # it needs no evaluation
        order = np.argsort(-space.values[:n], kind="stable")[:WIDTH]
        order = order[space.values[order] >= space.values[order[0]] - MOST_BEHIND]
        return space.plays[order], space.values[order]


@described(
    lambda game, argument, **_: argument.traits(SIMULATION, files.files_of),
    reads=partial(read_budget, "value-search", "100ms"),
)
def make_value_search(
    game: Game, seed: int, argument: SearchArgument, threads: Threads = None, worlds: Worlds = None
) -> ValueSearchAgent:
    """Make the agent `value-search`; its arguments are those of `search`, the path is a network's.

    Raises:
        InputError: The budget is 0, the file cannot be read or holds no network that was trained to
            win, or the game has two players.
    """
    check_three(game, "value-search")
    name, budget = search_settings("value-search", argument, threads, worlds)
    net, about = files.load(argument.path, "win")
    if about["objective"] != "win":
        raise InputError(f"{argument.path}: value-search takes a network trained for objective=win")
    return ValueSearchAgent(game, name, seed, net, **budget)
