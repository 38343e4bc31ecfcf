"""The agents `monte-carlo` and `policy-search`: exact play where possible, search elsewhere.

1. Play a sure win if there is one (`endgame.py`).
2. Between the last two players, who know each other's cards, solve the rest of the round.
3. Otherwise search to the end of the round.

`monte-carlo` is flat Monte Carlo search with fitted playouts (`closedhand.search.monte_carlo`):

1. Many times, draw a determinisation, choose an action by UCB1-tuned, and play to the end of the
   round by the light policy (`policy/light_policy.py`).
2. Choose the action with the greatest mean payoff.

`policy-search` compares the likeliest actions of the pattern policy:

1. List the likeliest actions of the policy. Their logits set prior means of the advantages.
2. Draw particles: determinisations weighted by the likelihood of the others' actions
   (`policy/styles.py`).
3. Compare the actions on the same particles (`closedhand.search.paired`). The policy's choice is
   replaced only by an action that is better by half a standard error.
4. Keep the posterior of the others' styles for the later rounds of a match (`Memory`).
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from closedhand.agents.daihinmin.endgame import DEEPEST, is_duel, open_hands, sure_win
from closedhand.agents.daihinmin.limits import check_known, check_no_gifts
from closedhand.agents.daihinmin.policy import light_policy, pattern_policy
from closedhand.agents.daihinmin.policy.styles import look_back, styles_of
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described
from closedhand.core.batch import prepared
from closedhand.core.copies import OwnArrays
from closedhand.core.game import Game, State
from closedhand.core.numba.jit import Policy
from closedhand.games.daihinmin.notation import may_stand
from closedhand.games.daihinmin.state import PLAYERS
from closedhand.search.alpha_beta import WON, solve
from closedhand.search.budget import SearchArgument, Threads, Worlds, read_budget
from closedhand.search.monte_carlo import MonteCarlo
from closedhand.search.paired import PairedSearch
from closedhand.search.ranking import Simulation

DUEL_DEPTH = 48
DUEL_NODES = 20_000
"""Limits of the search between the last two players: depth in states, and positions visited."""
MONTE_CARLO_TIME, POLICY_SEARCH_TIME = 6.0, 60.0
"""Approximate times of a simulation of `monte-carlo` and of `policy-search`, in microseconds."""
WIDTH = 6
"""Maximum number of actions that `policy-search` compares."""
FAR = 4.0
"""Largest distance of an action's logit from the greatest one."""
WORTH, ERROR = 0.03, 0.4
"""Prior advantage in points per unit of logit, and the standard error of prior advantages."""
SPAN = 4.0
"""Difference in points between the first place of a round and the last."""
PARTICLES = 64
"""Default number of particles of each thread."""
SURELY = 4.0
"""Limit of the absolute log-odds, before a round, that a player is like `default`."""
EVIDENCE = 1.0
"""Limit of the change of these log-odds by a round, as its few particles may all be wrong."""


class SearchAgent(OwnArrays):
    """Base of agents that play sure wins and solved endings, and search otherwise (`searched`)."""

    spent: np.ndarray

    def __init__(self, game: Game, name: str, seed: int, policy: Policy) -> None:
        """Search with playouts by `policy`, whose `worthwhile` lists the actions for `solve`."""
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
        """Choose an action of `game.flat` by search."""
        raise NotImplementedError

    def simulation(self, view: State) -> Simulation:
        """Return settings for `ranking.rank`, which then simulates to the end of the round."""
        return Simulation(self._flat, self._policy, self._rules)

    def _certain(self, view: State) -> int:
        """Return an action of `game.flat` by which the player surely finishes next; -1: unknown."""
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


class MonteCarloAgent(SearchAgent):
    """Agent that plays by flat Monte Carlo search."""

    def __init__(self, game: Game, name: str, seed: int, policy: Policy, **budget: Any) -> None:
        """Search by `MonteCarlo` with a budget; a policy plays the simulations."""
        super().__init__(game, name, seed, policy)
        self._search = MonteCarlo(self._flat, policy, rules=self._rules, **budget)
        self.spent = self._search.spent

    def searched(self, view: State) -> int:
        """Choose an action of `game.flat` by simulations."""
        # Bounds of the payoff: the last place gives one point, the best free one as many as players
        # are left in the round.
        points = float(view["points"][int(view["player"])])
        low, high = points + 1.0, points + self.game.num_players - int(view["out"])
        return self._search.best(view, self._rng, low, high)


@described(
    lambda game, argument, **_: argument.traits(MONTE_CARLO_TIME),
    reads=partial(read_budget, "monte-carlo", "2000"),
)
def make_monte_carlo(
    game: Game, seed: int, argument: SearchArgument, threads: Threads = None
) -> MonteCarloAgent:
    """Make the agent `monte-carlo`, such as `monte-carlo:500` or `monte-carlo:20ms:PATH`.

    The budget, here 500 simulations or 20 ms, is 2,000 simulations by default. PATH is a file of
    weights for the policy of the playouts.

    Raises:
        InputError: The weights cannot be used, or `check_no_gifts` refuses the game.
    """
    check_no_gifts(game, "monte-carlo")
    name = str(AgentSpec("monte-carlo", {"threads": threads}, argument.text))
    policy = light_policy.load(argument.path)
    return MonteCarloAgent(game, name, seed, policy, **argument.spent(threads))


def playouts(game: Game) -> tuple[Game, Policy] | None:
    """Return the game and the light policy; None in matches, or with gifts or discards."""
    if game.rounds > 1 or game.flat.rules.has_gifts:
        return None
    return game, light_policy.load()


@dataclass
class Memory:
    """A player's memory of the others in a match: log-odds of playing like the agent `default`."""

    seen: State  # the last view of the player
    odds: np.ndarray  # log-odds of each player before this round, float64 [PLAYERS]
    found: np.ndarray  # their change by this round, float64 [PLAYERS]


def goes_on(before: State, now: State) -> bool:
    """Return whether the view `now` may follow `before` in the same match."""
    rounds = int(now["round_number"] - before["round_number"])
    gained = now["points"] - before["points"]
    if rounds == 0:
        moves = before["moves"]
        return (
            moves <= now["moves"]
            and not gained.any()
            and np.array_equal(before["seats"], now["seats"])
            and np.array_equal(before["history"][:moves], now["history"][:moves])
        )
    if rounds == 1:
        out = before["places"] >= 0  # points of the earlier round were certain for these players
        if (gained[out] != len(gained) - before["places"][out]).any():
            return False
    return rounds > 0 and may_stand(gained.tolist(), rounds)


class PolicySearchAgent(SearchAgent):
    """Agent that compares the likeliest actions of the pattern policy."""

    traits = Traits(remembers=True)

    def __init__(
        self, game: Game, name: str, seed: int, policy: pattern_policy.Policy, **budget: Any
    ) -> None:
        """Search by `PairedSearch`; `budget` has its limits, number of particles and threads."""
        super().__init__(game, name, seed, policy)
        self._styles = styles_of(policy)
        self._memories: dict[int, Memory] = {}
        self._search = PairedSearch(
            self._flat, self._styles, rules=self._rules, span=SPAN, **budget
        )
        self.spent = self._search.spent

    def searched(self, view: State) -> int:
        """Choose an action of `game.flat` by simulations and logits; update the memory."""
        memory, player, past = self._recall(view), int(view["player"]), self._styles.past
        self._styles.number[0] = look_back(self._rules, view, player, past, self._rng)
        actions, ahead = pattern_policy.likeliest(self._policy, self._rules, view, self._ids, FAR)
        order = np.argsort(-ahead, kind="stable")[:WIDTH]
        action = self._search.best(view, actions[order], self._rng, WORTH * ahead[order], ERROR)
        if len(order) > 1:
            guesses = self._search.guesses[:, None] >> np.arange(PLAYERS) & 1
            like = (guesses.sum(axis=0) + 0.5) / (len(guesses) + 1)  # never 0 or 1
            memory.found = np.log(like / (1 - like)) - memory.odds
        return action

    def _recall(self, view: State) -> Memory:
        """Return the player's memory, a new one if a match begins; copy its odds to the styles."""
        player = int(view["player"])
        memory = self._memories.get(player)
        if memory is None or not goes_on(memory.seen, view):
            memory = Memory(view, np.zeros(PLAYERS), np.zeros(PLAYERS))
        elif memory.seen["round_number"] != view["round_number"]:
            odds = memory.odds + np.clip(memory.found, -EVIDENCE, EVIDENCE)
            memory = Memory(view, np.clip(odds, -SURELY, SURELY), np.zeros(PLAYERS))
        memory.seen = view.copy()
        self._memories[player] = memory
        self._styles.odds[:] = memory.odds
        return memory


@described(
    lambda game, argument, **_: replace(argument.traits(POLICY_SEARCH_TIME), remembers=True),
    reads=partial(read_budget, "policy-search", "50ms"),
)
def make_policy_search(
    game: Game, seed: int, argument: SearchArgument, threads: Threads = None, worlds: Worlds = None
) -> PolicySearchAgent:
    """Make the agent `policy-search`, such as `policy-search:500` or `policy-search:20ms:PATH`.

    The budget is 50 ms by default. `worlds` is the number of particles per thread; with 0,
    determinisations are not weighted. PATH is a file of weights of the pattern policy.

    Raises:
        InputError: The weights or a number cannot be used, or `check_known` refuses the game.
    """
    check_known(game, "policy-search")
    name = str(AgentSpec("policy-search", {"threads": threads, "worlds": worlds}, argument.text))
    return PolicySearchAgent(
        game, name, seed, pattern_policy.load(argument.path),
        particles=PARTICLES if worlds is None else worlds, **argument.spent(threads),
    )  # fmt: skip
