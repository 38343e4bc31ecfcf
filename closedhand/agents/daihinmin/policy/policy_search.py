"""The agent `policy-search`: search over the likeliest actions of the pattern policy.

1. Play a sure win, or solve the game of the last two players (`search_agent.py`).
2. List the likeliest actions of the policy. Their logits count as prior values.
3. Draw particles: determinisations weighted by the likelihood of the others' actions (`styles.py`).
4. Compare the actions on the same particles (`closedhand.search.paired`), played on by the policy.
   An action has to be better than the policy's choice in order to replace it.
5. Keep the posterior of the others' styles for the later rounds of a match (`Memory`).
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from closedhand.agents.daihinmin.limits import check_known
from closedhand.agents.daihinmin.monte_carlo import SIMULATION, policy_of
from closedhand.agents.daihinmin.policy import pattern_policy
from closedhand.agents.daihinmin.policy.styles import look_back, styles_of
from closedhand.agents.daihinmin.search_agent import SearchAgent
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described
from closedhand.core.game import Game, State
from closedhand.games.daihinmin.notation import may_stand
from closedhand.games.daihinmin.state import PLAYERS
from closedhand.search.budget import SearchArgument, Threads, Worlds, read_budget
from closedhand.search.paired import PairedSearch

USUAL = "50ms"
"""Default budget."""
WIDTH = 6
"""Maximum number of actions that are compared."""
FAR = 4.0
"""Largest difference of an action's logit from the greatest one."""
WORTH, ERROR = 0.03, 0.4
"""Points per unit of logit, and the standard error of a difference of such points."""
SPAN = 4.0
"""Points between the first place of a round and the last."""
PARTICLES = 64
"""Default number of particles of each thread."""
SURELY = 4.0
"""Limit of the absolute log-odds, before a round, that a player is like `default`."""
EVIDENCE = 1.0
"""Limit of the change of these log-odds in a round, whose few particles may all be wrong."""


@dataclass
class Memory:
    """Knowledge of a player about the others in a match.

    It has the log-odds that each player is like `default`, float64 [PLAYERS].
    """

    seen: State  # the last view of the player
    odds: np.ndarray  # the log-odds before the present round
    found: np.ndarray  # their change by the present round


def goes_on(before: State, now: State) -> bool:
    """Return whether a view may follow an earlier one in the same match."""
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
        out = before["places"] >= 0  # these players' points of that round were certain
        if (gained[out] != len(gained) - before["places"][out]).any():
            return False
    return rounds > 0 and may_stand(gained.tolist(), rounds)


class PolicySearchAgent(SearchAgent):
    """Agent that compares the likeliest actions of the pattern policy."""

    def __init__(
        self, game: Game, name: str, seed: int, policy: pattern_policy.Policy, **budget: Any
    ) -> None:
        """Create the agent with a policy and the budget of a `PairedSearch`."""
        super().__init__(game, name, seed, policy)
        self._styles = styles_of(policy)
        self._memories: dict[int, Memory] = {}
        self._search = PairedSearch(
            self._flat, self._styles, rules=self._rules, span=SPAN, **budget
        )
        self.spent = self._search.spent

    def searched(self, view: State) -> int:
        """Choose the best action by simulations and the policy's logits."""
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
        """Return the player's knowledge about the others in this match, empty at its start."""
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


def describe(game: Game, argument: SearchArgument, **options: Any) -> Traits:
    """Return the traits of the agent, with the time of playouts by `policy`."""
    return replace(argument.traits(SIMULATION["policy"]), remembers=True)


@described(describe, reads=partial(read_budget, "policy-search", USUAL))
def make_policy_search(
    game: Game, seed: int, argument: SearchArgument, threads: Threads = None, worlds: Worlds = None
) -> PolicySearchAgent:
    """Make the agent `policy-search`; `policy-search:500` or `policy-search:20ms` set the budget.

    In `policy-search:500x64` the number after the `x` is the number of particles per thread, as in
    the option `worlds`. The default is 64; with 0 all deals are equally likely. The path of a file
    of weights may follow after another colon.

    Raises:
        InputError: The weights cannot be used, or `policy` does not support the game.
    """
    check_known(game, "policy-search")
    name = str(AgentSpec("policy-search", {"threads": threads, "worlds": worlds}, argument.text))
    number = argument.width if worlds is None else worlds
    return PolicySearchAgent(
        game, name, seed, policy_of("policy", argument.path),
        particles=PARTICLES if number is None else number, **argument.spent(threads),
    )  # fmt: skip
