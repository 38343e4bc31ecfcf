"""The agent `monte-carlo`: flat Monte Carlo search with fitted playouts, exact where possible.

It plays a sure win where there is one (`endgame.py`). Between the last two players, who know each
other's cards, it solves the rest of the game. Otherwise it searches, to the end of the round.
"""

from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from closedhand.baselines.daihinmin.endgame import DEEPEST, is_duel, open_hands, sure_win
from closedhand.baselines.daihinmin.gifts import check_no_gifts
from closedhand.baselines.daihinmin.limits import check_five, check_one_joker
from closedhand.baselines.daihinmin.policy import linear, softmax
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described
from closedhand.core.game import Game, InputError, State, shown
from closedhand.core.kernel import Policy
from closedhand.core.moved import old_names
from closedhand.core.options import Range
from closedhand.games.daihinmin.planes import has_gifts
from closedhand.search.budget import MOST_PARTICLES, Threads, read_budget, traits
from closedhand.search.exact import WON, solve
from closedhand.search.monte_carlo import MonteCarlo
from closedhand.search.playout import Uniform
from closedhand.search.ranking import Simulation

__getattr__ = old_names(__name__)

DUEL_DEPTH = 48
DUEL_NODES = 20_000
USUAL = "2000"
"""Default budget."""
SIMULATION = {"light": 6.0, "policy": 60.0, "random": 5.0}
"""Microseconds of one simulation by the policy of its playouts, an order of magnitude."""


FAR, WORTH = 6.0, 0.005
"""A prior leaves out actions whose logit is so much lower than the best one's, and counts each unit
of the difference as so much of the range of payoffs."""


def one_round(rules: Any) -> Any:
    """The rules of a match that ends with the current round."""
    options = rules.options.copy()
    options.rounds = 1
    return rules._replace(options=options)


POLICIES = {"light": softmax, "policy": linear, "random": None}
"""Policies of the playouts, and where their weights are loaded; None: it has none."""
Playouts = Annotated[
    Literal["light", "policy", "random"],
    "policy of the playouts: the light one, that of `policy`, or uniformly random actions",
]
Prior = Annotated[
    int | None,
    Range(0, 10**6),
    "simulations that the judgement of `playouts=policy` counts for; by default 0",
]
Candidates = Annotated[int | None, Range(1, MOST_PARTICLES), "candidates for every world"]


class MonteCarloAgent:
    """Plays by search.

    Attributes:
        name: Name in results and records.
    """

    def __init__(
        self, game: Game, name: str, seed: int, policy: Policy, prior: int = 0, **budget: Any
    ) -> None:
        """Play `game`, Daihinmin with any options.

        Args:
            game: Game to play.
            name: Name of the agent.
            seed: Seed of the simulations.
            policy: Policy of the playouts.
            prior: Number of simulations of each action that the policy's own judgement counts for;
                a pattern policy has one.
            **budget: Budget arguments of `MonteCarlo`.
        """
        self.game = game
        self.name = name
        self._rng = np.random.default_rng((seed, 0x5EA2C4))
        self._policy = policy
        self._prior = prior
        self._flat = game.flat
        self._rules = one_round(game.flat.rules)
        self._search = MonteCarlo(self._flat, policy, rules=self._rules, **budget)
        self._states = game.empty(DUEL_DEPTH)
        self._actions = np.empty((DUEL_DEPTH, self._flat.num_actions), np.int32)
        self._ids = np.empty(self._flat.num_actions, np.int32)

    @property
    def spent(self) -> np.ndarray:
        """What its searches have cost so far, float64 [4] (`closedhand.core.agents.SPENT`)."""
        return self._search.spent

    def act(self, view: State) -> int:
        """The action of the player to act."""
        action = self._certain(view)
        if action < 0:
            points = float(view["points"][int(view["player"])])
            best = points + self.game.num_players - int(view["out"])
            action = self._searched(view, points + 1.0, best)
        if self.game.flat is self.game:
            return action
        return int(self.game.rules.tables.set_of[action])

    def simulation(self, view: State) -> Simulation:
        """How the agent simulates: to the end of the round, all deals being equally likely."""
        return Simulation(self._flat, self._policy, self._rules)

    def _searched(self, view: State, low: float, high: float) -> int:
        """The action that is best in simulations and, with a prior, by the policy's judgement."""
        if not self._prior:
            return self._search.best(view, low, high, self._rng)
        number = linear.options(self._rules, view, self._ids)
        logits = linear.logits_of(self._policy, self._rules, view, self._ids, number)
        ahead = logits - logits.max()
        kept = ahead >= -FAR
        actions, worth = self._ids[:number][kept], WORTH * ahead[kept]
        if len(actions) == 1:
            return int(actions[0])
        tries, sums, _ = self._search.judge(view, actions, low, high, self._rng).T
        # What the policy thinks of the actions, as payoffs of the same mean as those seen.
        expected = worth + (sums.sum() - (tries * worth).sum()) / tries.sum()
        return int(actions[np.argmax((sums + self._prior * expected) / (tries + self._prior))])

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
        least = float(view["points"][player] + self.game.num_players - view["out"])
        value, action = solve(
            self._policy, self._rules, self._states, self._actions, player, 1 << player, least,
            DUEL_NODES,
        )  # fmt: skip
        return int(action) if value == WON else -1


def describe(
    game: Game,
    argument: str | None,
    threads: int | None = None,
    candidates: int | None = None,
    playouts: str = "light",
    prior: int | None = None,
) -> Traits:
    """Traits of the agent, known before it plays."""
    budget, _, path = read_budget("monte-carlo", argument or USUAL, threads)
    return traits(budget, path, SIMULATION[playouts])


@described(describe)
def make_monte_carlo(
    game: Game,
    seed: int,
    argument: str | None,
    threads: Threads = None,
    candidates: Candidates = None,
    playouts: Playouts = "light",
    prior: Prior = None,
) -> MonteCarloAgent:
    """The agent `monte-carlo`, with a budget as in `monte-carlo:500x4` or `monte-carlo:20ms:PATH`.

    The number after the `x` is the number of candidates for every world, like the option
    `candidates`; the path is a file of weights of the policy of the playouts.

    Raises:
        InputError: The argument is invalid.
    """
    check_no_gifts(game, "monte-carlo")
    if playouts == "policy":
        check_five(game, "playouts=policy")
        check_one_joker(game, "playouts=policy")
    budget, number, path = read_budget("monte-carlo", argument or USUAL, threads)
    if candidates is not None:
        number = candidates
    policy = policy_of(playouts, path)
    given = {
        "threads": threads,
        "candidates": candidates,
        "playouts": None if playouts == "light" else playouts,
        "prior": prior,
    }
    name = str(AgentSpec("monte-carlo", given, argument))
    budget["candidates"] = 1 if number is None else number
    if prior and playouts != "policy":
        raise InputError(f"the {playouts} policy of playouts is no prior: add playouts=policy")
    return MonteCarloAgent(game, name, seed, policy, prior or 0, **budget)


def policy_of(playouts: str, path: str | None) -> Policy:
    """One of `POLICIES`, with the weights that ship or those of a file.

    Raises:
        InputError: The file cannot be read, or the policy has no weights.
    """
    source = POLICIES[playouts]
    if source is not None:
        return source.load(Path(path)) if path else source.shipped()
    if path:
        raise InputError(f"{playouts} playouts have no weights: leave out {shown(path)}")
    return Uniform()


def playouts(game: Game) -> tuple[Game, Policy] | None:
    """The policy of the playouts, and the game that they play.

    None for matches, which they would play to the end, round after round, and where cards are given
    or discarded, of which it knows nothing.
    """
    if game.rounds > 1 or has_gifts(game.flat.rules.options):
        return None
    return game, softmax.shipped()
