"""Base of the Dou Dizhu agents that decide on whole plays; it adds support for sub-steps.

Such an agent has one policy, for the flat game. In a sub-stepped game it decides again at every
sub-step and makes the next part of the chosen play. The policy must therefore be deterministic.
"""

from abc import abstractmethod
from typing import NamedTuple

import numpy as np

from closedhand.agents.agent import KernelAgent
from closedhand.core import policies
from closedhand.core.game import Game, State
from closedhand.core.numba.jit import Policy, kernel
from closedhand.games.doudizhu import substeps
from closedhand.games.doudizhu.auction import is_opening, pass_id
from closedhand.games.doudizhu.counts import contains


@kernel
def next_step(rules, view, play, ids):
    """Return the next sub-step towards the flat action `play`.

    Another agent may have chosen the main group or a kicker, for example when a person asks for
    advice. If no sub-steps lead from there to `play`, the result is the first legal kicker.
    """
    passing = pass_id(rules.flat)
    if play > passing:
        return substeps.FIRST_BID + play - passing - 1
    if view.group < 0:
        return rules.flat.plays.group[play]
    if rules.flat.plays.group[play] == view.group:
        group = rules.flat.plays.groups[view.group]
        kickers = rules.flat.plays.need[play] - group.need
        if contains(kickers, view.picked):
            rank = substeps.lowest_rank(kickers - view.picked)
            if rank >= substeps.top_rank(view.picked):
                return rank + (substeps.FIRST_SOLO if group.unit == 1 else substeps.FIRST_PAIR)
    substeps.legal_kickers(rules, view, ids)
    return np.int64(ids[0])


@kernel
def step_all(rules, views, ids, actions):
    """Replace each flat action by its next sub-step in place."""
    for i in range(len(views)):
        actions[i] = next_step(rules, views[i], actions[i], ids)


class Stepwise(NamedTuple):
    """Policy of sub-steps towards the plays of a flat policy.

    Attributes:
        whole: Policy for the flat game.
    """

    kernels = "closedhand.agents.doudizhu.agent"

    whole: Policy


@kernel
def decide(policy, rules, view, ids):
    """Choose the next sub-step of `Stepwise`."""
    play = np.int64(policies.decide(policy.whole, rules.flat, view, ids))
    return np.int64(next_step(rules, view, play, ids))


class PlayAgent(KernelAgent):
    """An agent that decides by a policy for the flat game, in flat and sub-stepped games.

    Attributes:
        whole: The policy for the flat game.
    """

    def __init__(self, game: Game, name: str, policy: Policy) -> None:
        """Create the agent for a game and a policy.

        Args:
            game: Dou Dizhu with any options.
            name: Name of the agent.
            policy: Policy for the flat game.
        """
        super().__init__(game, name, policy if game.flat is game else Stepwise(policy))
        self.whole = policy


class RatingAgent(PlayAgent):
    """A `PlayAgent` that rates some flat plays and makes the best one."""

    @abstractmethod
    def rate_plays(self, view: State) -> tuple[np.ndarray, np.ndarray]:
        """List the flat plays that the agent considers while cards are played, and their values.

        Values are float64; -inf marks plays without a value, as another play is much better.
        """

    def values(self, view: State, actions: np.ndarray) -> np.ndarray:
        """Rate legal actions; the value of a main group is that of its best play.

        NaN marks plays with other kickers than the best, which the agent does not consider. Bids,
        other words and kickers have no values: the agent's choice alone is marked.

        Args:
            view: View of the player to act.
            actions: Legal actions, integers [n].
        """
        whole = self.game.flat
        in_steps = whole is not self.game
        if is_opening(whole.rules, view) or (in_steps and view.group >= 0):
            return np.where(actions == self.act(view), 0.0, np.nan)
        plays, found = self.rate_plays(view)
        best = np.full(self.game.num_actions, np.nan)
        np.fmax.at(best, whole.rules.plays.group[plays] if in_steps else plays, found)
        return best[actions]
