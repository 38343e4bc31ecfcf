"""Base of the Dou Dizhu agents that decide on whole plays; it adds support for sub-steps.

Such an agent is one kernel, `choose_all(rules, views, ids, actions)`, for the flat game only. It
must be deterministic: it decides again at every sub-step, and the sub-step is the next part of the
chosen play.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from closedhand.core.game import Game, State
from closedhand.core.kernel import kernel
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


class PlayAgent:
    """An agent that decides by a kernel over the flat game, for flat and sub-stepped games.

    Attributes:
        name: Name in results and records.
    """

    def __init__(self, game: Game, name: str, choose_all: Callable[..., None]) -> None:
        """Create the agent for a game and a kernel.

        Args:
            game: Dou Dizhu with any options.
            name: Name of the agent.
            choose_all: `choose_all(rules, views, ids, actions)` writes a flat action for every
                view, [n], into `actions`, int32 [n]; `ids` is scratch space for legal actions.
        """
        self.game = game
        self.name = name
        self._choose_all = choose_all
        self._substeps = bool(game.options["substeps"])
        self._rules: Any = game.rules.flat if self._substeps else game.rules
        # Room for all plays, the pass and three bids.
        self._ids = np.empty(int(self._rules.plays.number) + 3, np.int32)

    def act(self, view: State) -> int:
        """The action of the player to act."""
        return int(self.act_batch(np.array([view], self.game.dtype))[0])

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        """The action for each view, states [n]; int32 [n]."""
        actions = np.empty(len(views), np.int32)
        self._choose_all(self._rules, views, self._ids, actions)
        if self._substeps:
            step_all(self.game.rules, views, self._ids, actions)
        return actions
