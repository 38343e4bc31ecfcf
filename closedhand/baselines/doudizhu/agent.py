"""Base of the Dou Dizhu agents that decide on whole plays; it adds support for sub-steps.

Such an agent is one policy, for the flat game only. It must be deterministic: it decides again at
every sub-step, and the sub-step is the next part of the chosen play.
"""

from typing import NamedTuple

import numpy as np

from closedhand.baselines.agent import KernelAgent
from closedhand.core import policies
from closedhand.core.game import Game
from closedhand.core.kernel import Policy, kernel
from closedhand.games.doudizhu import rules as flat, substeps
from closedhand.games.doudizhu.counts import contains


@kernel
def next_step(rules, view, play, ids):
    """The next sub-step towards the flat action `play`.

    If the main group or a kicker was another agent's choice, from which no sub-steps lead to
    `play`, it is the first legal kicker.
    """
    passing = flat.pass_id(rules.flat)
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
    """Replace each flat action by its next sub-step, in place."""
    for i in range(len(views)):
        actions[i] = next_step(rules, views[i], actions[i], ids)


class Stepwise(NamedTuple):
    """The policy of the next sub-step towards the plays of another one.

    Attributes:
        whole: Policy for the flat game.
    """

    kernels = "closedhand.baselines.doudizhu.agent"

    whole: Policy


@kernel
def decide(policy, rules, view, ids):
    """The next sub-step of `Stepwise`."""
    play = np.int64(policies.decide(policy.whole, rules.flat, view, ids))
    return np.int64(next_step(rules, view, play, ids))


class PlayAgent(KernelAgent):
    """An agent that decides by a policy for the flat game, in flat and sub-stepped games."""

    def __init__(self, game: Game, name: str, policy: Policy) -> None:
        """Create the agent for a game and a policy.

        Args:
            game: Dou Dizhu with any options.
            name: Name of the agent.
            policy: Policy for the flat game.
        """
        super().__init__(game, name, policy if game.flat is game else Stepwise(policy))
