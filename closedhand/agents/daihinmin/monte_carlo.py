"""The agent `monte-carlo`: flat Monte Carlo search with fitted playouts, exact where possible."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from closedhand.agents.daihinmin.gifts import check_no_gifts
from closedhand.agents.daihinmin.policy import light_policy, pattern_policy
from closedhand.agents.daihinmin.policy.agent import check_known
from closedhand.agents.daihinmin.search_agent import SearchAgent
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described
from closedhand.core.game import Game, InputError, State, shown
from closedhand.core.numba.jit import Policy
from closedhand.core.options import Range
from closedhand.games.daihinmin.planes import has_gifts
from closedhand.search.budget import MOST_PARTICLES, SearchArgument, Threads, read_budget
from closedhand.search.monte_carlo import MonteCarlo
from closedhand.search.playout import Uniform

USUAL = "2000"
"""Default budget."""
SIMULATION = {"light": 6.0, "policy": 60.0, "random": 5.0}
"""Microseconds of one simulation by the policy of its playouts, an order of magnitude."""
FAR, WORTH = 6.0, 0.005
"""A prior leaves out actions whose logit is so much lower than the best one's, and counts each unit
of the difference as so much of the range of payoffs."""
POLICIES = {"light": light_policy, "policy": pattern_policy, "random": None}
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


class MonteCarloAgent(SearchAgent):
    """Plays by flat Monte Carlo search."""

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
        super().__init__(game, name, seed, policy)
        self._prior = prior
        self._search = MonteCarlo(self._flat, policy, rules=self._rules, **budget)
        self.spent = self._search.spent

    def searched(self, view: State) -> int:
        """The action that is best in simulations and, with a prior, by the policy's judgement."""
        points = float(view["points"][int(view["player"])])
        low, high = points + 1.0, points + self.game.num_players - int(view["out"])
        if not self._prior:
            return self._search.best(view, low, high, self._rng)
        actions, ahead = pattern_policy.likeliest(self._policy, self._rules, view, self._ids, FAR)
        if len(actions) == 1:
            return int(actions[0])
        worth = WORTH * ahead
        tries, sums, _ = self._search.judge(view, actions, low, high, self._rng).T
        # What the policy thinks of the actions, as payoffs of the same mean as those seen.
        expected = worth + (sums.sum() - (tries * worth).sum()) / tries.sum()
        return int(actions[np.argmax((sums + self._prior * expected) / (tries + self._prior))])


def describe(
    game: Game, argument: SearchArgument, playouts: str = "light", **options: Any
) -> Traits:
    """Traits of the agent, known before it plays."""
    return argument.traits(SIMULATION[playouts])


@described(describe, reads=partial(read_budget, "monte-carlo", USUAL))
def make_monte_carlo(
    game: Game,
    seed: int,
    argument: SearchArgument,
    threads: Threads = None,
    candidates: Candidates = None,
    playouts: Playouts = "light",
    prior: Prior = None,
) -> MonteCarloAgent:
    """The agent `monte-carlo`, with a budget as in `monte-carlo:500x4` or `monte-carlo:20ms:PATH`.

    The number after the `x` is the number of candidates for every world, like the option
    `candidates`; the path is a file of weights of the policy of the playouts.

    Raises:
        InputError: The file cannot be read, or the game or the options are not the agent's.
    """
    check_no_gifts(game, "monte-carlo")
    if playouts == "policy":
        check_known(game, "playouts=policy")
    policy = policy_of(playouts, argument.path)
    given = {
        "threads": threads,
        "candidates": candidates,
        "playouts": None if playouts == "light" else playouts,
        "prior": prior,
    }
    name = str(AgentSpec("monte-carlo", given, argument.text))
    if candidates is None:
        candidates = 1 if argument.width is None else argument.width
    if prior and playouts != "policy":
        raise InputError(f"the {playouts} policy of playouts is no prior: add playouts=policy")
    budget = argument.spent(threads)
    return MonteCarloAgent(game, name, seed, policy, prior or 0, candidates=candidates, **budget)


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
    return game, light_policy.shipped()
