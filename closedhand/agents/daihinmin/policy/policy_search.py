"""The agent `policy-search`: search over the likeliest actions of the pattern policy.

1. Play a sure win, or solve the game of the last two players (`search_agent.py`).
2. List the likeliest actions of the policy. Their logits set prior means of the advantages.
3. Draw particles: determinisations weighted by the likelihood of the others' actions (`styles.py`).
4. Compare the actions on the same particles (`closedhand.search.paired`). The policy's choice is
   replaced only by an action that is better by half a standard error.
5. Keep the posterior of the others' styles for the later rounds of a match (`Memory`).
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from closedhand.agents.daihinmin.limits import check_known
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
SIMULATION = 60.0
"""Approximate time of a simulation, in microseconds."""
WIDTH = 6
"""Maximum number of actions that are compared."""
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


@dataclass
class Memory:
    """Knowledge of a player about the others in a match: log-odds of being like `default`."""

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
        """Choose a flat action by simulations and the policy's logits; update the memory."""
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
        """Return the player's knowledge about the others, a new one at the start of a match."""
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
    lambda game, argument, **_: replace(argument.traits(SIMULATION), remembers=True),
    reads=partial(read_budget, "policy-search", USUAL),
)
def make_policy_search(
    game: Game, seed: int, argument: SearchArgument, threads: Threads = None, worlds: Worlds = None
) -> PolicySearchAgent:
    """Make the agent `policy-search`; `policy-search:500` or `policy-search:20ms` set the budget.

    `worlds` is the number of particles per thread; if it is 0, determinisations are not weighted.
    The path of a file of weights may follow after another colon.

    Raises:
        InputError: The weights or a number cannot be used, or `check_known` refuses the game.
    """
    check_known(game, "policy-search")
    name = str(AgentSpec("policy-search", {"threads": threads, "worlds": worlds}, argument.text))
    return PolicySearchAgent(
        game, name, seed, pattern_policy.load(argument.path),
        particles=PARTICLES if worlds is None else worlds, **argument.spent(threads),
    )  # fmt: skip
