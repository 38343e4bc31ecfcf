"""The agents of Chinese Poker; actions are whole arrangements or, in sub-steps, back and front.

- `separable` sets a hand by tables of chances to win (`separable.py`).
- `counter` is the blog's optimal counter-strategy to `separable`, its best response. It counts the
  points of each candidate arrangement against a pool of hands set by `separable` (`counter.py`).
- `rescored` does so only for arrangements that the tables rate highly. Unlike `separable` it
  accounts for the dependence between an opponent's parts and for the cards in its own hand.

Without an argument they use the package's tables for the game's rules. An argument is a file of
tables (`separable:runs/mine/tables.npz`).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np

from closedhand.agents.chinese_poker import counter, separable
from closedhand.agents.chinese_poker.pool import LEAST, MOST, POOL_SIZE, Pool, pool_of
from closedhand.agents.chinese_poker.separable import Tables
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described, files_of
from closedhand.core.batch_agent import BatchAgent
from closedhand.core.game import Game, InputError, State
from closedhand.core.options import Range
from closedhand.core.threads import in_threads
from closedhand.games.chinese_poker import substeps
from closedhand.games.chinese_poker.plays import FRONTS, PARTS
from closedhand.games.chinese_poker.rules import evaluate
from closedhand.games.chinese_poker.state import UNSET

SLACK = 0.25
"""Largest gap, in expected points by the tables, from the best candidate that `rescored` allows."""


class Separable(BatchAgent):
    """Agent that sets hands by tables of chances to win, by default those of the package.

    Options that pay for hands (royalties, naturals) are ignored.
    """

    def __init__(self, game: Game, tables: Tables | None = None, name: str = "separable") -> None:
        super().__init__(game, name)
        self.rules = game.flat.rules
        self.tables = tables or separable.shipped(game.options["rules"])

    def arrange(self, hands: np.ndarray) -> np.ndarray:
        """Arrange hands, int8 [n, 13], cards high to low; return arrangements, int32 [n]."""
        return separable.arrange(self.rules, self.tables.win, hands)

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        """Choose an action, int32 [n], for each view, states [n]."""
        # An arrangement is FRONTS * back + front (`games/chinese_poker/plays.py`). In sub-steps the
        # back is one action and FIRST_FRONT + front the next one.
        rows = np.arange(len(views))
        hands = views["hands"][rows, views["player"]]
        arrangements = self.arrange(hands)
        if self.game.num_actions != substeps.ACTIONS:
            return arrangements
        chosen = views["backs"][rows, views["player"]]
        for i in np.flatnonzero((chosen != UNSET) & (chosen != arrangements // FRONTS)):
            # Someone else chose the back, for example a person who asks for a hint.
            arrangements[i] = separable.best_front(self.rules, self.tables.win, hands[i], chosen[i])
        fronts = substeps.FIRST_FRONT + arrangements % FRONTS
        return np.where(chosen == UNSET, arrangements // FRONTS, fronts).astype(np.int32)

    def values(self, view: State, actions: np.ndarray) -> np.ndarray:
        """Rate legal actions, integers [n], by expected points against one opponent, float64 [n].

        In sub-steps a back has the points of its best arrangement. Without sub-steps, actions that
        are not among `counter.candidates` have NaN.
        """
        hand, back = view["hands"][view["player"]], int(view["backs"][view["player"]])
        if self.game.num_actions == substeps.ACTIONS:  # the game is in sub-steps
            win = self.tables.win
            # The arrangement that a sub-step completes; for a back the best one.
            arrangements = [
                separable.best_front(self.rules, win, hand, int(action))
                if back == UNSET
                else FRONTS * back + int(action) - substeps.FIRST_FRONT
                for action in actions
            ]
            return np.array([self._points(hand, int(each)) for each in arrangements])
        arrangements, _ = counter.candidates(self.rules, hand)
        points = {int(each): self._points(hand, int(each)) for each in arrangements}
        return np.array([points.get(int(action), np.nan) for action in actions])

    def _points(self, hand: np.ndarray, arrangement: int) -> float:
        """Compute the expected points of an arrangement; a foul loses all parts and the scoop."""
        parts = np.empty(len(PARTS), np.int64)
        if not evaluate(self.rules, hand, arrangement, parts):
            return -3.0 - self.rules.scoop
        points = separable.expected_points(self.rules, self.tables.win, parts)
        return float(points) - 3 - self.rules.scoop


class Responder(Separable):
    """Agent that counts the points of promising arrangements against a pool of opponents.

    An arrangement is promising if its expected points by the tables are within `slack` of the best.
    After a back that someone else chose, the tables alone choose the front.
    """

    def __init__(self, game: Game, tables: Tables, pool: Pool, slack: float, name: str) -> None:
        super().__init__(game, tables, name)
        self.pool, self.slack = pool, slack

    def arrange(self, hands: np.ndarray) -> np.ndarray:
        """Arrange hands, int8 [n, 13]; return arrangements, int32 [n]."""
        actions = np.empty(len(hands), np.int32)
        in_threads(
            lambda some: counter.respond_to_each(
                self.rules, self.pool, self.tables.win, self.slack, hands[some], actions[some]
            ),
            len(hands),
        )
        return actions

    def values(self, view: State, actions: np.ndarray) -> np.ndarray:
        """Rate legal actions, integers [n], by mean points against the opponents, float64 [n].

        Actions without a promising arrangement have NaN; a back has the points of its best one.
        After a back that this agent would not choose, the tables rate the fronts.
        """
        hand, back = view["hands"][view["player"]], int(view["backs"][view["player"]])
        arrangements, parts = counter.candidates(self.rules, hand)
        few = counter.promising(self.rules, self.tables.win, self.slack, parts)
        means = counter.totals(self.rules, counter.gather(self.pool, hand), parts[few])
        ids, points = arrangements[few], means.mean(axis=1)  # over both halves of the opponents
        if self.game.num_actions == substeps.ACTIONS:
            backs, fronts = np.divmod(ids, FRONTS)
            if back not in (UNSET, backs[np.argmax(points)]):
                return super().values(view, actions)
            of_back = np.where(backs == back, substeps.FIRST_FRONT + fronts, -1)
            ids = backs if back == UNSET else of_back
        order = np.argsort(points)  # in `dict` the best arrangement of a back comes last and stays
        found = dict(zip(ids[order].tolist(), points[order].tolist(), strict=True))
        return np.array([found.get(int(action), np.nan) for action in actions])


@described(lambda game, argument: Traits(files_of(argument), microseconds=50))
def make_separable(game: Game, seed: int, argument: str | None) -> Separable:
    """Make the agent `separable`; an `InputError` refuses any file but tables for these rules."""
    name = str(AgentSpec("separable", argument=argument))
    return Separable(game, tables_for(game, argument), name)


Hands = Annotated[int | None, Range(LEAST, MOST), "hands of the pool"]


def _maker(name: str, slack: float) -> Callable[..., Responder]:
    @described(lambda game, argument, **_: Traits(files_of(argument), microseconds=500))
    def make(game: Game, seed: int, argument: str | None, hands: Hands = None) -> Responder:
        """Make the agent; an `InputError` refuses any file but tables for these rules."""
        tables = tables_for(game, argument)
        pool = pool_of(game.flat.rules, tables, POOL_SIZE if hands is None else hands)
        text = str(AgentSpec(name, {"hands": hands}, argument))
        return Responder(game, tables, pool, slack, text)

    make.__name__ = make.__qualname__ = f"make_{name}"  # pickles find a function by its name
    return make


make_counter = _maker("counter", np.inf)
make_rescored = _maker("rescored", SLACK)


def tables_for(game: Game, path: str | Path | None) -> Tables:
    """Load tables from a file; None: the package's. An `InputError` refuses other rules' tables."""
    preset = game.options["rules"]
    tables = separable.shipped(preset) if path is None else separable.load(Path(path))
    if tables.about.get("rules", preset) != preset:
        raise InputError(f"{path} was trained for the rules {tables.about['rules']}, not {preset}")
    return tables
