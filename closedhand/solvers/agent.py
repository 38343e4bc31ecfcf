"""The agent `strategy:FILE`, whatever table the strategy is kept in."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, files_of
from closedhand.core.game import Game, InputError, State


class Table(Protocol):
    """A strategy as a table of probabilities."""

    @property
    def game(self) -> Game:
        """The game."""
        ...

    def draw(self, views: np.ndarray, random: np.ndarray) -> np.ndarray:
        """Actions for views [n] by `random`, uniform numbers from 0 to 1; int32 [n]."""
        ...

    def look_up(self, views: np.ndarray) -> np.ndarray:
        """Probabilities by action for views [n], float64 [n, num_actions]."""
        ...


class StrategyAgent:
    """Plays a strategy.

    Attributes:
        name: Name in results and records.
        strategy: The strategy.
    """

    def __init__(self, strategy: Table, name: str, seed: int = 0) -> None:
        """Play `strategy`; the same seed and the same sequence of views give the same actions."""
        self.name = name
        self.strategy = strategy
        self._rng = np.random.default_rng(seed)

    def act(self, view: State) -> int:
        """An action of the player to act."""
        return int(self.act_batch(np.array([view], self.strategy.game.dtype))[0])

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        """An action for each view, states [n]; int32 [n]."""
        return self.strategy.draw(views, self._rng.random(len(views)))

    def probabilities(self, views: np.ndarray) -> np.ndarray:
        """The strategy in each view, states [n]; float64 [n, num_actions]."""
        return self.strategy.look_up(views)


def agent_from_file(
    load: Callable[[Path, Game], Table], game: Game, seed: int, argument: str | None
) -> StrategyAgent:
    """The agent `strategy:FILE` of a game whose strategies `load` reads.

    Raises:
        InputError: There is no path, or no strategy for this game in the file.
    """
    path = _path(argument)
    return StrategyAgent(load(Path(path), game), str(AgentSpec("strategy", argument=path)), seed)


def traits(microseconds: float) -> Callable[[Game, str | None], Traits]:
    """What a described maker tells of the agent: its file, and the cost of a decision."""

    def of(game: Game, argument: str | None, **_: Any) -> Traits:
        return Traits(files_of(_path(argument)), microseconds=microseconds)

    return of


def _path(argument: str | None) -> str:
    if argument is None:
        raise InputError("the agent strategy needs a file: strategy:runs/solve/strategy.npz")
    return argument


def called(game: Game) -> str:
    """A game with its options, for messages."""
    return f"{game.name} ({', '.join(f'{k}={v}' for k, v in game.options.items())})"
